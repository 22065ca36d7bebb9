import type { MappedScope, MappedServer } from "../compare/access-map.js";
import { ANY_OTHER_NAME, doorText } from "../compare/server-pairs.js";
import { lineOf } from "../project/directive.js";
import { lineText } from "../simulate/written.js";
import { toReadable } from "../text/source.js";
import { counted } from "./painter.js";

/** So many of a server's names are shown. */
const MOST_DOORS = 4;
const MOST_EXAMPLES = 4;

/** A server by its names. */
export function serverTitle(server: MappedServer): string {
  const names = namesOf(server);
  const isAny = names.every((name) => name === ANY_OTHER_NAME);
  const shown = isAny ? "any name" : names.slice(0, MOST_DOORS).join(", ");
  return names.length > MOST_DOORS ? `${shown} and ${counted(names.length - MOST_DOORS, "name")} more` : shown;
}

/** How a server is asked, each name once. */
export function namesOf({ doors }: MappedServer): readonly string[] {
  return [...new Set(doors.map((door) => toReadable(doorText(door))))].filter((name) => name !== "");
}

/** Who gets in where, by whatever lines. */
export function policyOf(scopes: readonly MappedScope[]): string {
  return JSON.stringify(
    scopes.map(({ examples, place, methods, who, differs, isUnsure }) => [
      examples,
      place,
      methods,
      who,
      differs,
      isUnsure,
    ]),
  );
}

/** Who gets in by which rules: those of `.htaccess` files that are written alike are the same. */
export function rulesOf({ place, sections, methods, who, differs, isUnsure }: MappedScope): string {
  const rules = sections.map((section) => (section.children ? lineOf(section) : lineText(section)));
  return JSON.stringify([place, rules, methods, who, differs, isUnsure]);
}

/** Paths of different beginnings, the shortest of each. */
export function examplesText(examples: readonly string[]): string {
  const told: string[] = [];
  for (const each of examples) if (!told.some((other) => isLike(each, other))) told.push(each);
  const shown = told.slice(0, MOST_EXAMPLES).map((each) => `\`${each}\``);
  return told.length > MOST_EXAMPLES ? `${shown.join(", ")} and others` : shown.join(", ");
}

/** Whether a path lies below another one, or is a file beside it that only its name tells apart. */
function isLike(path: string, other: string): boolean {
  const folderOf = (each: string) => each.slice(0, each.lastIndexOf("/") + 1);
  return (
    path.startsWith(other.replace(/\/?$/, "/")) ||
    (folderOf(path) === folderOf(other) && /^(?:a$|[.%])/.test(path.slice(folderOf(path).length)))
  );
}

/** What is told of at a path, where that is no file. */
export const placeNames: Readonly<Record<Exclude<MappedScope["place"], "file">, string>> = {
  elsewhere: "not a file of this server",
  "path info": "behind a file",
  directory: "a directory",
  missing: "what does not exist",
};
