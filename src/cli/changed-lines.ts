import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parsePatch } from "diff";
import type { Finding } from "../engine/finding.js";
import { realPathOf } from "../project/main-files.js";
import { rangeOf } from "../text/position.js";
import type { Span } from "../text/source.js";

/** The lines that differ from a commit, in the files of a repository. */
export interface ChangedLines {
  /** The folder of the repository, with links resolved. */
  readonly root: string;
  /** Whether a finding stands on a changed line, or one of the places that it names does. */
  has(finding: Finding): boolean;
}

/** More of a diff than this is no change that anybody reviews. */
const LARGEST_DIFF = 1 << 29;

/**
 * Asks git what was changed since a commit, in the work tree as it is now: committed, staged or neither. A file that git
 * does not know is new from its first line to its last.
 *
 * @param folder a folder of the repository
 * @param revision anything that names a commit
 */
export function changedSince(revision: string, folder: string): ChangedLines | { readonly failed: string } {
  const git = (...args: string[]) => runGit(folder, args);
  const top = git("rev-parse", "--show-toplevel");
  if ("failed" in top) return { failed: `--changed-since cannot be worked out: ${top.failed}` };
  const root = realPathOf(top.output.trimEnd()) ?? top.output.trimEnd();
  const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
  if ("failed" in commit)
    return {
      failed: `\`${revision}\` of --changed-since is no commit of the repository \`${root}\`; see \`git log\`, or fetch it first`,
    };
  const diff = runGit(root, [...plainDiff, commit.output.trim(), "--"]);
  const others = runGit(root, ["ls-files", "--others", "-z"]);
  const failed = "failed" in diff ? diff.failed : "failed" in others ? others.failed : undefined;
  if ("failed" in diff || "failed" in others) return { failed: `--changed-since cannot be worked out: ${failed}` };
  return linesOf(
    root,
    changesIn(root, diff.output),
    new Set(others.output.split("\0").map((name) => join(root, name))),
  );
}

/** Whatever the user's own settings of git say: prefixes, colours and programs of others are not for reading. */
const plainDiff = [
  ...["-c", "core.quotePath=true", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--text"],
  ...["--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules"],
];

type Answer = { readonly output: string } | { readonly failed: string };

function runGit(folder: string, args: readonly string[]): Answer {
  try {
    const stdio = ["ignore", "pipe", "pipe"] as const;
    return {
      output: execFileSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: LARGEST_DIFF, stdio: [...stdio] }),
    };
  } catch (error) {
    return { failed: whyNot(error, folder) };
  }
}

function whyNot(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT")
    return "there is no `git` on the PATH; install it, or leave the flag out";
  const said = "stderr" in error ? String(error.stderr).trim().replace(/\s+/g, " ") : "";
  if (/not a git repository/i.test(said)) return `\`${folder}\` is in no git repository`;
  return `git says \`${said || error.message}\``;
}

interface Stretch {
  readonly first: number;
  readonly last: number;
}

/** The new lines of each file by its path. */
function changesIn(root: string, diff: string): ReadonlyMap<string, readonly Stretch[]> {
  return new Map(
    parsePatch(diff).map(({ newFileName = "", hunks }) => [
      join(root, newFileName.replace(/^b\//, "")),
      hunks.map(({ newStart, newLines }) => ({ first: newStart, last: newStart + newLines - 1 })),
    ]),
  );
}

function linesOf(
  root: string,
  changes: ReadonlyMap<string, readonly Stretch[]>,
  untracked: ReadonlySet<string>,
): ChangedLines {
  const isChanged = (span: Span) => {
    if (untracked.has(span.file.realPath)) return true;
    const stretches = changes.get(span.file.realPath);
    if (stretches === undefined) return false;
    const { start, end } = rangeOf(span);
    return stretches.some(({ first, last }) => first <= end.line && start.line <= last);
  };
  return { root, has: ({ span, related }) => isChanged(span) || related.some((other) => isChanged(other.span)) };
}
