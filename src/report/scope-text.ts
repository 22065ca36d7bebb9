import type { MappedScope, MappedServer } from "../compare/access-map.js";
import { ANY_OTHER_NAME, doorText } from "../compare/server-pairs.js";
import { type Directive, lineOf } from "../project/directive.js";
import { lineText } from "../simulate/written.js";
import { alikeBy, moreOf } from "./alike.js";
import { whoText } from "./map-words.js";
import { counted } from "./painter.js";
import type { Teller } from "./teller.js";

/** So many of a server's names are shown. */
const MOST_DOORS = 4;
const MOST_EXAMPLES = 4;

/** Tells who gets in where. */
export class ScopeText {
  /** @param releases those that are told of, in their order */
  constructor(
    private readonly teller: Teller,
    private readonly releases: readonly string[],
  ) {}

  /** Each server by its names, and its scopes: those of which the same is so together, with an empty line between. */
  *servers(servers: readonly MappedServer[]): Generator<string> {
    for (const [index, { first, others }] of alikeBy(servers, ({ scopes }) => policyOf(scopes)).entries()) {
      if (index > 0) yield "\n";
      yield* this.server(first);
      const names = others.map((server) => namesOf(server)[0] ?? "");
      if (names.length > 0) yield `  ${this.teller.say(`and so it is at ${moreOf("host", names)}`, 4)}\n`;
    }
  }

  private *server(server: MappedServer): Generator<string> {
    const names = namesOf(server);
    const isAny = names.every((name) => name === ANY_OTHER_NAME);
    const shown = isAny ? "any name" : names.slice(0, MOST_DOORS).join(", ");
    const more = names.length > MOST_DOORS ? ` and ${counted(names.length - MOST_DOORS, "name")} more` : "";
    yield `${this.teller.colours.bold(this.teller.say(shown + more, 0))}\n`;
    for (const { first, others } of alikeBy(server.scopes, rulesOf)) {
      yield this.scope(first);
      const paths = others.map(({ examples: [example = ""] }) => `\`${example}\``);
      if (paths.length > 0) yield `    ${this.teller.say(`and so it is at ${moreOf("path", paths)}`, 6)}\n`;
    }
  }

  private scope({ examples, place, sections, methods, who, differs, isUnsure }: MappedScope): string {
    const { bold, yellow } = this.teller.colours;
    const titles = sections.map((section) => this.title(section)).join(", ");
    const by = methods.length === 0 ? "" : ` by ${methods.join(", ")}`;
    const such = place === "file" ? "" : ` (${placeNames[place]})`;
    const head = `  ${bold(this.teller.say(`${examplesText(examples)}${such}${by}`, 4))}${titles === "" ? "" : `  ${this.teller.say(titles, 4)}`}\n`;
    const said = differs
      ? who.map((each, side) => `${yellow(`${this.releases[side]}:`)} ${this.teller.say(whoText(each), 9)}`)
      : who.slice(0, 1).map((each) => this.teller.say(whoText(each), 4));
    if (isUnsure) said.push(yellow("as far as is known"));
    return head + said.map((line) => `    ${line}\n`).join("");
  }

  /** A section, or a line that stands in none, with its file. */
  private title(place: Directive): string {
    const text = `\`${lineText(place)}\``;
    return place.children ? text : `${text} in ${this.teller.where(place)}`;
  }
}

function namesOf({ doors }: MappedServer): readonly string[] {
  return [...new Set(doors.map(doorText))].filter((name) => name !== "");
}

/** Who gets in where, by whatever lines. */
function policyOf(scopes: readonly MappedScope[]): string {
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
function rulesOf({ place, sections, methods, who, differs, isUnsure }: MappedScope): string {
  const rules = sections.map((section) => (section.children ? lineOf(section) : lineText(section)));
  return JSON.stringify([place, rules, methods, who, differs, isUnsure]);
}

/** Paths of different beginnings, the shortest of each. */
function examplesText(examples: readonly string[]): string {
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

const placeNames: Readonly<Record<Exclude<MappedScope["place"], "file">, string>> = {
  elsewhere: "not a file of this server",
  "path info": "behind a file",
  directory: "a directory",
  missing: "what does not exist",
};
