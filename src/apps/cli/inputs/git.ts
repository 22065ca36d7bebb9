import { execFileSync } from "node:child_process";
import type { Result } from "../../../text/result.js";

type GitAnswer = Result<string, string>;
type Git = (...args: readonly string[]) => GitAnswer;

/** A larger output is not a change that anybody reviews. */
const MAX_OUTPUT_BYTES = 1 << 29;

/** Beyond this time git is assumed to be blocked, for example by a pipe in place of `.gitattributes`. */
export const GIT_TIMEOUT_MS = 60_000;

/**
 * A repository may be untrusted, including its git configuration. None of the programs that it names may run: not for
 * watching files, not as a hook when the index is written, and not to fetch missing objects.
 */
const harmless = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
const harmlessSettings = { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/** Returns a git runner that does not run any program named by the repository. @param folder a folder of it */
export function openGit(folder: string): Git {
  const settings = runGit(folder, ["config", "--show-scope", "--name-only", "-z", "--list"], {});
  if (!settings.ok) return () => settings;
  const without = withoutFilters(settings.value);
  return (...args) => runGit(folder, args, without);
}

/**
 * Disables filters that the repository itself defines; those of the user's own configuration stay active.
 *
 * @param settings their scopes and names
 * @returns configuration for git's environment variables, where a name may contain any character
 */
function withoutFilters(settings: string): Readonly<Record<string, string>> {
  const fields = settings.split("\0");
  const names = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const isOwn = fields[at] === "local" || fields[at] === "worktree";
    const name = /^filter\.([\s\S]*)\.[^.]*$/.exec(fields[at + 1] ?? "")?.[1];
    if (isOwn && name !== undefined) names.add(name);
  }
  const { GIT_CONFIG_COUNT = "0" } = process.env;
  const given = Number(GIT_CONFIG_COUNT) || 0;
  const unset = [...names].flatMap((name) => ["clean", "smudge", "process", "required"].map((key) => [name, key]));
  const set = unset.flatMap(([name = "", key = ""], index) => [
    [`GIT_CONFIG_KEY_${given + index}`, `filter.${name}.${key}`],
    [`GIT_CONFIG_VALUE_${given + index}`, key === "required" ? "false" : ""],
  ]);
  return Object.fromEntries([...set, ["GIT_CONFIG_COUNT", String(given + unset.length)]]);
}

/** A setting is read on each run: beyond this time it counts as not set. */
const SETTING_TIMEOUT_MS = 3_000;

/** Returns the path that a setting of git has in a folder; undefined if it is not set, or git is not installed. */
export function readGitPath(folder: string, name: string): string | undefined {
  const answer = runGit(folder, ["config", "--type=path", "-z", "--get", name], {}, SETTING_TIMEOUT_MS);
  return answer.ok && answer.value !== "" ? answer.value.replace(/\0$/, "") : undefined;
}

function runGit(
  folder: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  timeout = GIT_TIMEOUT_MS,
): GitAnswer {
  try {
    const output = execFileSync("git", [...harmless, ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...settings, ...harmlessSettings },
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: ["ignore", "pipe", "pipe"],
      timeout,
      killSignal: "SIGKILL",
    });
    return { ok: true, value: output };
  } catch (error) {
    return { ok: false, error: explainGitError(error, folder) };
  }
}

function explainGitError(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") return "`git` is not on the PATH; install it, or omit the flag";
  if ("code" in error && error.code === "ETIMEDOUT")
    return `git did not finish within ${GIT_TIMEOUT_MS / 1000} seconds; a pipe in the repository may block it`;
  const stderrText = "stderr" in error ? String(error.stderr).trim().replace(/\s+/g, " ") : "";
  if (/not a git repository/i.test(stderrText)) return `\`${folder}\` is not in a git repository`;
  return `git reports \`${stderrText || error.message}\``;
}
