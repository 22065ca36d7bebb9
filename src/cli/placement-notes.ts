import { resolve } from "node:path";
import { counted } from "../report/painter.js";
import type { Found } from "./found.js";
import { shortPath } from "./settings.js";

/**
 * Returns the notes at the end of a run: which files were checked on their own and why, and which templates were skipped.
 *
 * @param main the main file that --main names
 */
export function placementNotes(
  { alone, templates }: Pick<Found, "alone" | "templates">,
  main: string | undefined,
): readonly string[] {
  const words = main === undefined ? aloneWords([...alone.values()]) : unreadWords(alone.size, main);
  return [
    ...(alone.size === 0 ? [] : [`httpd-lint: ${words}`]),
    ...(templates.size === 0 ? [] : [`httpd-lint: ${templateWords([...templates])}`]),
  ];
}

function unreadWords(count: number, main: string): string {
  const [own, them] = count === 1 ? ["its", "it"] : ["their", "them"];
  const checked = `checked ${counted(count, "file")} on ${own} own`;
  return `${checked}, because \`${shortPath(resolve(main))}\` of --main does not read ${them}; ${rootAdvice}`;
}

/** What to do if a main file does not read the files that it reads on the server. */
export const rootAdvice = "use --server-root to set where its relative paths start";

/** @param missed for each file, the servers that do not read it */
function aloneWords(missed: readonly (readonly string[])[]): string {
  const count = missed.length;
  const without = missed.filter((servers) => servers.length === 0).length;
  const [server = "", ...more] = [...new Set(missed.flat())];
  const [own, them] = count === 1 ? ["its", "it"] : ["their", "them"];
  const missing =
    more.length === 0 ? `\`${shortPath(server)}\` does not read` : `none of ${1 + more.length} servers reads`;
  const checked = `checked ${counted(count, "file")} on ${own} own`;
  const naming = "with --main FILE, or as `entry` in .httpd-lint.json";
  if (without === count) return `${checked}, because no main file was found; name it ${naming}`;
  if (without === 0) return `${checked}, because ${missing} ${them}; if another main file does, name it ${naming}`;
  return `${checked}: ${without} without a main file, and ${count - without} that ${missing}; name the main file ${naming}`;
}

/** The names of at most this many templates are shown. */
const NAMES = 3;

function templateWords(paths: readonly string[]): string {
  const names = paths.slice(0, NAMES).map((path) => `\`${shortPath(path)}\``);
  const more = paths.length > NAMES ? [`${paths.length - NAMES} more`] : [];
  const all = [...names, ...more];
  const list = all.length === 1 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  return `${counted(paths.length, "template")} ${paths.length === 1 ? "was" : "were"} skipped: ${list}`;
}
