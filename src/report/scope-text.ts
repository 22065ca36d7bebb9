import type { MappedScope, MappedServer } from "../compare/access-map.js";
import type { Directive } from "../project/directive.js";
import { lineText } from "../simulate/written.js";
import { alikeBy, moreOf } from "./alike.js";
import { whoText } from "./map-words.js";
import { examplesText, namesOf, placeNames, policyOf, rulesOf, serverTitle } from "./scope-words.js";
import type { Teller } from "./teller.js";

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
    yield `${this.teller.colours.bold(this.teller.say(serverTitle(server), 0))}\n`;
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
