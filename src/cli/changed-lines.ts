import { join } from "node:path";
import { parsePatch } from "diff";
import type { Finding } from "../engine/finding.js";
import { realPathOf } from "../project/main-files.js";
import { rangeOf } from "../text/position.js";
import type { Span } from "../text/source.js";
import { gitOf } from "./git.js";

/** The lines that differ from a commit, in the files of a repository. */
export interface ChangedLines {
  /** The folder of the repository, with links resolved. */
  readonly root: string;
  /** Whether a finding stands on a changed line, or one of the places that it names does. */
  has(finding: Finding): boolean;
}

/**
 * Asks git what was changed since a commit, in the work tree as it is now: committed, staged or neither. A file that git
 * does not know is new from its first line to its last.
 *
 * @param folder a folder of the repository
 * @param revision anything that names a commit
 */
export function changedSince(revision: string, folder: string): ChangedLines | { readonly failed: string } {
  const git = gitOf(folder);
  const top = git("rev-parse", "--show-toplevel");
  if ("failed" in top) return { failed: `--changed-since cannot be worked out: ${top.failed}` };
  const root = realPathOf(top.output.trimEnd()) ?? top.output.trimEnd();
  const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
  if ("failed" in commit)
    return {
      failed: `\`${revision}\` of --changed-since is no commit of the repository \`${root}\`; see \`git log\`, or fetch it first`,
    };
  // Where the settings put the work tree elsewhere, others count there.
  const atRoot = gitOf(root);
  const diff = atRoot(...plainDiff, commit.output.trim(), "--");
  const others = atRoot("ls-files", "--others", "-z");
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
