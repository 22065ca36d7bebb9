import type { AccessMap, MappedScope, MappedServer } from "../compare/access-map.js";
import type { Unproved } from "../compare/doubts.js";
import { ANY_OTHER_NAME, doorText } from "../compare/server-pairs.js";
import type { Finding } from "../engine/finding.js";
import type { Directive } from "../project/directive.js";
import { lineText } from "../simulate/written.js";
import { whoText } from "./map-words.js";
import { counted, type Look, Painter } from "./painter.js";
import { redact } from "./secrets.js";
import { wellFormed } from "./visible.js";

/** A map to be shown. */
export interface Mapped {
  readonly map: AccessMap;
  /** The releases that it is of, in the order of what is told of each. */
  readonly releases: readonly string[];
  /** What keeps one of the releases from starting, which is not mapped then, or the only one that is. */
  readonly startup: readonly { readonly release: string; readonly findings: readonly Finding[] }[];
}

/** So many of a server's names are shown. */
const MOST_DOORS = 4;
const MOST_EXAMPLES = 4;

/** An access map for people: each server with its scopes, who gets in there, and where 2.2 and 2.4 differ. */
export function* mapText(mapped: Mapped, look: Look): Generator<string> {
  const writer = new MapWriter(mapped, look);
  yield* writer.startup();
  for (const [index, server] of mapped.map.servers.entries()) {
    if (index > 0) yield "\n";
    yield* writer.server(server);
  }
  yield* writer.unknown();
  yield writer.sum();
}

class MapWriter {
  private readonly painter: Painter;

  constructor(
    private readonly mapped: Mapped,
    look: Look,
  ) {
    this.painter = new Painter(look);
  }

  *startup(): Generator<string> {
    const { bold, red } = this.painter.colours;
    for (const { release, findings } of this.mapped.startup) {
      const [first] = findings;
      if (first === undefined) continue;
      const more = findings.length > 1 ? `; ${counted(findings.length - 1, "reason")} more` : "";
      const isShown = this.mapped.releases.includes(release);
      const so = isShown ? "this is what it would be without what is refused" : "it is left out";
      yield `${bold(red(`${release} does not start`))}${more}; ${so}\n  ${this.where(first)}: ${this.say(first.message, 4)}\n\n`;
    }
  }

  *server({ doors, scopes }: MappedServer): Generator<string> {
    const names = [...new Set(doors.map(doorText))].filter((name) => name !== "");
    const isAny = names.every((name) => name === ANY_OTHER_NAME);
    const shown = isAny ? "any name" : names.slice(0, MOST_DOORS).join(", ");
    const more = names.length > MOST_DOORS ? ` and ${counted(names.length - MOST_DOORS, "name")} more` : "";
    yield `${this.painter.colours.bold(this.say(shown + more, 0))}\n`;
    for (const scope of scopes) yield this.scope(scope);
  }

  private scope({ examples, place, sections, methods, who, differs, isUnsure }: MappedScope): string {
    const { bold, yellow } = this.painter.colours;
    const titles = sections.map((section) => this.title(section)).join(", ");
    const by = methods.length === 0 ? "" : ` by ${methods.join(", ")}`;
    const such = place === "file" ? "" : ` (${placeNames[place]})`;
    const head = `  ${bold(this.say(`${examplesText(examples)}${such}${by}`, 4))}${titles === "" ? "" : `  ${this.say(titles, 4)}`}\n`;
    const said = differs
      ? who.map((each, side) => `${yellow(`${this.mapped.releases[side]}:`)} ${this.say(whoText(each), 9)}`)
      : who.slice(0, 1).map((each) => this.say(whoText(each), 4));
    if (isUnsure) said.push(yellow("as far as is known"));
    return head + said.map((line) => `    ${line}\n`).join("");
  }

  /** A section, or a line that stands in none, with its file. */
  private title(place: Directive): string {
    const text = `\`${lineText(place)}\``;
    return place.children ? text : `${text} in ${this.where(place)}`;
  }

  *unknown(): Generator<string> {
    const { unknown } = this.mapped.map;
    if (unknown.length === 0) return;
    yield `\n${this.painter.colours.bold("not known")}\n`;
    for (const each of unknown) yield this.doubt(each);
  }

  /** How much was told, and how much of it differs. */
  sum(): string {
    const { servers } = this.mapped.map;
    const scopes = servers.flatMap((server) => server.scopes);
    const told = `${counted(servers.length, "server")}, ${counted(scopes.length, "kind")} of paths`;
    const isWhole = this.mapped.map.unknown.length === 0;
    if (this.mapped.releases.length < 2 || (scopes.length === 0 && !isWhole)) return `\n${told}\n`;
    const different = scopes.filter(({ differs }) => differs).length;
    const between = this.mapped.releases.join(" and ");
    return `\n${told}; ${different === 0 ? "none differs" : `${different} of them ${different === 1 ? "differs" : "differ"}`} between ${between}\n`;
  }

  private doubt({ reason, directive, example }: Unproved): string {
    const such = example === undefined ? "" : `, such as \`${example}\``;
    const where = directive ? `${this.where(directive)}: ` : "";
    return `  ${where}${this.say(`${reason}${such}`, 4)}\n`;
  }

  private where({ span }: Pick<Directive, "span">): string {
    return this.painter.where(this.painter.places.place(span));
  }

  private say(text: string, indent: number): string {
    return this.painter.flow(wellFormed(redact(text, [])), "", " ".repeat(indent), indent);
  }
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
