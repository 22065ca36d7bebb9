import type { Directive } from "../../config/model/directive.js";
import type { Release } from "../../facts/release.js";
import type { Finding } from "../../lint/finding.js";
import type { AccessMap, MappedScope, MappedServer } from "../../proof/model/mapped-access.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount, formatNumber } from "../../text/words.js";
import { listFailureNotes } from "../text/failure-words.js";
import { limitLines } from "../text/limited-list.js";
import { ReportPrinter } from "../text/report-printer.js";
import { ALL_SHOWN, formatMore, groupByKey, type TextStyle } from "../text/text-printer.js";
import { formatAlikeHosts } from "./alike-hosts.js";
import {
  describeClientAccess,
  formatClassCount,
  formatExamplePaths,
  formatScopeDetails,
  formatServerTitle,
  groupServers,
  isFailing,
  namedWordsOf,
  type ServerGroup,
  scopeRulesOf,
} from "./map-words.js";
import type { NamedWords } from "./path-examples.js";

/** Renders the access of scopes as text. */
export class ScopeText {
  /**
   * @param releases the releases shown, in order
   * @param maxLines limit of the lines, unless the output is verbose
   */
  constructor(
    private readonly printer: ReportPrinter,
    private readonly releases: readonly string[],
    private readonly maxLines: number,
  ) {}

  /** Each server with its names and its scopes; equivalent scopes are grouped, and an empty line separates servers. */
  *servers(servers: readonly MappedServer[]): Generator<string> {
    yield* limitLines(
      groupServers(servers),
      this.printer.isVerbose ? undefined : this.maxLines,
      (group, index) => `${index > 0 ? "\n" : ""}${this.group(group)}`,
      (left) => this.rest(left),
    );
  }

  /** Renders a server, and the hosts with the same access. */
  private group(group: ServerGroup): string {
    const alike = formatAlikeHosts(group, this.printer.isVerbose);
    return [
      ...this.server(group.server),
      ...alike.map((each) => `  ${this.printer.wrap(`same for ${each}`, 4)}\n`),
    ].join("");
  }

  /** Renders the number of servers that are not shown, and of their scopes. */
  private rest(left: readonly ServerGroup[]): string {
    const hosts = left.reduce((sum, { same, renamed }) => sum + 1 + same.length + renamed.length, 0);
    const scopes = left.flatMap(({ server }) => server.scopes);
    const differing = scopes.filter(({ differs }) => differs).length;
    const differs = differing === 0 ? "" : `, ${formatNumber(differing)} with a difference`;
    const size = `${formatCount(hosts, "more server")}: ${formatClassCount(scopes.length)}${differs}`;
    return `\nand ${size} (${ALL_SHOWN})\n`;
  }

  private *server(server: MappedServer): Generator<string> {
    yield `${this.printer.colours.bold(this.printer.wrap(formatServerTitle(server), 0))}\n`;
    const names = namedWordsOf(server);
    for (const { first, others } of groupByKey(server.scopes, scopeRulesOf)) {
      yield this.scope(first, names);
      const paths = others.map(({ examples: [example = ""] }) => `\`${example}\``);
      if (paths.length > 0)
        yield `    ${this.printer.wrap(`same for ${formatMore("path", paths, this.printer.isVerbose)}`, 6)}\n`;
    }
  }

  private scope(scope: MappedScope, names: NamedWords): string {
    const { examples, sections, who, differs, isUnsure } = scope;
    const { bold, yellow } = this.printer.colours;
    const all = sections.map((section) => this.title(section));
    const titles = this.printer.isVerbose ? all.join(", ") : joinFirst(all);
    const paths = `${formatExamplePaths(examples, names)}${formatScopeDetails(scope)}`;
    const head = `  ${bold(this.printer.wrap(paths, 4))}${titles === "" ? "" : `  ${this.printer.wrap(titles, 4)}`}\n`;
    const accessLines = differs
      ? who.map(
          (each, side) => `${yellow(`${this.releases[side]}:`)} ${this.printer.wrap(describeClientAccess(each), 9)}`,
        )
      : who.slice(0, 1).map((each) => this.printer.wrap(describeClientAccess(each), 4));
    if (isUnsure) accessLines.unshift(yellow("not fully known (see Unknown); as far as known:"));
    return head + accessLines.map((line) => `    ${line}\n`).join("");
  }

  /** Renders a section, or a line outside of sections, with its file. */
  private title(place: Directive): string {
    const text = `\`${formatLine(place)}\``;
    return place.children ? text : `${text} in ${this.printer.formatPlace(place)}`;
  }
}

/** Joins the names of sections; of long lists only the first, with the number of the others. */
function joinFirst(titles: readonly string[]): string {
  let length = 0;
  const shown = titles.filter((title, index) => {
    length += title.length;
    return index === 0 || length <= MAX_TITLE_LENGTH;
  });
  const left = titles.length - shown.length;
  return left === 0 ? titles.join(", ") : `${shown.join(", ")} and ${formatCount(left, "more section")} (${ALL_SHOWN})`;
}

/** A map to be rendered. */
export interface MapReport {
  readonly map: AccessMap;
  /** The mapped releases, in the order of the results for each. */
  readonly releases: readonly Release[];
  /**
   * Findings that prevent a release from starting, or make all its requests fail. Such a release is not mapped, unless
   * no other is shown.
   */
  readonly startup: readonly { readonly release: Release; readonly findings: readonly Finding[] }[];
  /** The assumptions about the rest of the server and about missing modules, as clauses. */
  readonly assumptions?: readonly string[];
}

/** Limit of the characters for the sections of a path class, without `--verbose`. */
const MAX_TITLE_LENGTH = 120;
/** Limit of the lines for servers, without `--verbose`. */
const MAX_LINES = 300;

/**
 * Renders an access map as text: each server with its scopes, their access, and the differences between 2.2 and 2.4.
 */
export function* renderMapText(
  { map, releases, startup, assumptions }: MapReport,
  style: TextStyle,
): Generator<string> {
  const printer = new ReportPrinter(style);
  const last = startup.findLast(({ findings }) => findings.length > 0);
  for (const each of startup) {
    const { release, findings } = each;
    if (findings.length === 0) continue;
    const notes = releases.includes(release)
      ? listFailureNotes("the map", each === last ? assumptions : [])
      : [`note: the map omits ${release}`];
    yield `${printer.startupFailure(release, findings, notes)}\n`;
  }
  yield* new ScopeText(printer, releases, MAX_LINES).servers(map.servers);
  if (map.unknown.length > 0) yield `\n${printer.unprovedList("Unknown:", map.unknown)}`;
  yield formatMapSummary(map, releases);
}

/** Renders the number of mapped scopes, and of those that differ. */
function formatMapSummary({ servers, unknown }: AccessMap, releases: readonly string[]): string {
  const scopes = servers.flatMap((server) => server.scopes);
  const size = formatMapSize(servers);
  const isWhole = unknown.length === 0;
  if (releases.length < 2 || (scopes.length === 0 && !isWhole))
    return `\n${size}${formatFailingCount(scopes, releases)}\n`;
  return `\n${size}; ${formatDifferingCount(scopes, isWhole, releases)}${formatFailingCount(scopes, releases)}\n`;
}

/**
 * Formats the number of path classes whose requests all fail, after other counts; empty if there are none. Of several
 * releases, those with such requests are named.
 */
export function formatFailingCount(scopes: readonly MappedScope[], releases: readonly string[]): string {
  const counts = releases.flatMap((release, side) => {
    const failing = scopes.filter(({ who }) => who.some((access, at) => at === side && isFailing(access))).length;
    return failing === 0 ? [] : [{ failing, under: releases.length > 1 ? ` under ${release}` : "" }];
  });
  const texts = counts.map(({ failing, under }) => `requests to ${formatClassCount(failing)} fail${under}`);
  return texts.map((text) => `; ${text}`).join("");
}

/** Formats the number of servers and of path classes. */
export function formatMapSize(servers: readonly MappedServer[]): string {
  const scopes = servers.reduce((sum, server) => sum + server.scopes.length, 0);
  const count = servers.reduce((sum, { alike }) => sum + 1 + alike.length, 0);
  return `${formatCount(count, "server")}, ${formatClassCount(scopes)}`;
}

/** Formats the number of path classes that differ. @param isWhole whether the map is complete */
export function formatDifferingCount(
  scopes: readonly MappedScope[],
  isWhole: boolean,
  releases: readonly string[],
): string {
  const different = scopes.filter(({ differs }) => differs).length;
  const between = `between ${releases.join(" and ")}`;
  if (different === 0) return `no ${isWhole ? "" : "known "}difference ${between}`;
  return `${formatNumber(different)} ${different === 1 ? "differs" : "differ"} ${between}`;
}
