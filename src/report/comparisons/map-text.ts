import type { AccessMap, MappedScope, MappedServer } from "../../compare/access-map.js";
import type { Finding } from "../../engine/finding.js";
import type { Directive } from "../../project/model/directive.js";
import { formatLine } from "../../simulate/trace/step.js";
import { ReportPrinter } from "../text/report-printer.js";
import { formatCount, formatMore, groupByKey, type TextStyle } from "../text/text-printer.js";
import {
  describeClientAccess,
  formatExamplePaths,
  formatServerTitle,
  scopePlaceNames,
  scopePolicyOf,
  scopeRulesOf,
  serverAddressNamesOf,
} from "./map-words.js";

/** Renders the access of scopes as text. */
export class ScopeText {
  /** @param releases the releases shown, in order */
  constructor(
    private readonly teller: ReportPrinter,
    private readonly releases: readonly string[],
  ) {}

  /** Each server with its names and its scopes; equivalent scopes are grouped, and an empty line separates servers. */
  *servers(servers: readonly MappedServer[]): Generator<string> {
    for (const [index, { first, others }] of groupByKey(servers, ({ scopes }) => scopePolicyOf(scopes)).entries()) {
      if (index > 0) yield "\n";
      yield* this.server(first);
      const names = others.map((server) => serverAddressNamesOf(server)[0] ?? "");
      if (names.length > 0) yield `  ${this.teller.say(`and so it is at ${formatMore("host", names)}`, 4)}\n`;
    }
  }

  private *server(server: MappedServer): Generator<string> {
    yield `${this.teller.colours.bold(this.teller.say(formatServerTitle(server), 0))}\n`;
    for (const { first, others } of groupByKey(server.scopes, scopeRulesOf)) {
      yield this.scope(first);
      const paths = others.map(({ examples: [example = ""] }) => `\`${example}\``);
      if (paths.length > 0) yield `    ${this.teller.say(`and so it is at ${formatMore("path", paths)}`, 6)}\n`;
    }
  }

  private scope({ examples, place, sections, methods, who, differs, isUnsure }: MappedScope): string {
    const { bold, yellow } = this.teller.colours;
    const titles = sections.map((section) => this.title(section)).join(", ");
    const by = methods.length === 0 ? "" : ` by ${methods.join(", ")}`;
    const such = place === "file" ? "" : ` (${scopePlaceNames[place]})`;
    const head = `  ${bold(this.teller.say(`${formatExamplePaths(examples)}${such}${by}`, 4))}${titles === "" ? "" : `  ${this.teller.say(titles, 4)}`}\n`;
    const said = differs
      ? who.map(
          (each, side) => `${yellow(`${this.releases[side]}:`)} ${this.teller.say(describeClientAccess(each), 9)}`,
        )
      : who.slice(0, 1).map((each) => this.teller.say(describeClientAccess(each), 4));
    if (isUnsure) said.push(yellow("as far as is known"));
    return head + said.map((line) => `    ${line}\n`).join("");
  }

  /** Renders a section, or a line outside of sections, with its file. */
  private title(place: Directive): string {
    const text = `\`${formatLine(place)}\``;
    return place.children ? text : `${text} in ${this.teller.where(place)}`;
  }
}

/** A map to be rendered. */
export interface MapReport {
  readonly map: AccessMap;
  /** The mapped releases, in the order of the results for each. */
  readonly releases: readonly string[];
  /** Findings that prevent a release from starting. Such a release is not mapped, unless it is the only one. */
  readonly startup: readonly { readonly release: string; readonly findings: readonly Finding[] }[];
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/**
 * Renders an access map as text: each server with its scopes, their access, and the differences between 2.2 and 2.4.
 */
export function* renderMapText({ map, releases, startup }: MapReport, look: TextStyle): Generator<string> {
  const teller = new ReportPrinter(look);
  for (const { release, findings } of startup) {
    if (findings.length === 0) continue;
    const isShown = releases.includes(release);
    const so = isShown ? "this is what it would be without what is refused" : "it is left out";
    yield `${teller.startupFailure(release, findings, so)}\n`;
  }
  yield* new ScopeText(teller, releases).servers(map.servers);
  if (map.unknown.length > 0) yield `\n${teller.unprovedList("not known", map.unknown)}`;
  yield formatMapSummary(map, releases);
}

/** Renders the number of mapped scopes, and of those that differ. */
function formatMapSummary({ servers, unknown }: AccessMap, releases: readonly string[]): string {
  const scopes = servers.flatMap((server) => server.scopes);
  const told = `${formatCount(servers.length, "server")}, ${formatCount(scopes.length, "kind")} of paths`;
  const isWhole = unknown.length === 0;
  if (releases.length < 2 || (scopes.length === 0 && !isWhole)) return `\n${told}\n`;
  return `\n${told}; ${formatDifferingCount(scopes, isWhole, releases)}\n`;
}

/** Renders the number of path classes that differ. @param isWhole whether the map is complete */
export function formatDifferingCount(
  scopes: readonly MappedScope[],
  isWhole: boolean,
  releases: readonly string[],
): string {
  const different = scopes.filter(({ differs }) => differs).length;
  const between = `between ${releases.join(" and ")}`;
  if (different === 0) return `none differs${isWhole ? "" : " as far as is known"} ${between}`;
  return `${different} of them ${different === 1 ? "differs" : "differ"} ${between}`;
}
