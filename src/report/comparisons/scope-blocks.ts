import type { Directive } from "../../config/model/directive.js";
import type { MappedScope, MappedServer } from "../../proof/model/mapped-access.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount, formatNumber } from "../../text/words.js";
import type { Block, BlockOptions, ScopeRow, ServerBlock } from "../blocks/block.js";
import { limitItems } from "../text/limited-list.js";
import { ALL_SHOWN, formatMore, groupByKey } from "../text/text-printer.js";
import { formatAlikeHosts } from "./alike-hosts.js";
import {
  describeClientAccess,
  formatClassCount,
  formatExamplePaths,
  formatScopeDetails,
  formatServerTitle,
  groupServers,
  namedWordsOf,
  type ServerGroup,
  scopeRulesOf,
} from "./map-words.js";
import type { NamedWords } from "./path-examples.js";

/** Limit of the characters for the sections of a group of paths, without `--verbose`. */
const MAX_TITLE_LENGTH = 120;

/** Limit of the characters of a row, without `--verbose`. */
const MAX_ROW_LENGTH = 200;

/**
 * Yields each server with its names and its scopes; equivalent scopes are grouped.
 *
 * @param releases the releases shown, in order
 * @param maxLines limit of the lines, unless the output is verbose
 */
export function* listServers(
  servers: readonly MappedServer[],
  releases: readonly string[],
  maxLines: number,
  options: BlockOptions,
): Generator<Block> {
  const { shown, left } = limitItems(
    groupServers(servers),
    options.isVerbose ? undefined : maxLines,
    (group) => toBlock(group, releases, options),
    countLines,
  );
  for (const [index, block] of shown.entries()) {
    if (index > 0) yield { kind: "space" };
    yield block;
  }
  if (left.length === 0) return;
  yield { kind: "space" };
  yield { kind: "paragraph", text: describeRest(left) };
}

/** Counts the lines of a server in text without a width, for the limits. */
function countLines({ rows, alike }: ServerBlock): number {
  const ofRow = ({ access, isUnsure, same }: ScopeRow) => 1 + access.length + (isUnsure ? 1 : 0) + (same ? 1 : 0);
  return 2 + alike.length + rows.reduce((sum, row) => sum + ofRow(row), 0);
}

function toBlock(group: ServerGroup, releases: readonly string[], options: BlockOptions): ServerBlock {
  const { server } = group;
  const names = namedWordsOf(server);
  return {
    kind: "server",
    title: formatServerTitle(server),
    releases,
    rows: groupByKey(server.scopes, scopeRulesOf).map(({ first, others }) => {
      const paths = others.map(({ examples: [example = ""] }) => `\`${example}\``);
      const same = paths.length > 0 ? `same for ${formatMore("path", paths, options.isVerbose)}` : "";
      return { ...rowOf(first, names, options), same };
    }),
    alike: formatAlikeHosts(group, options.isVerbose),
  };
}

/** Describes the number of servers that are not shown, and of their scopes. */
function describeRest(left: readonly ServerGroup[]): string {
  const hosts = left.reduce((sum, { same, renamed }) => sum + 1 + same.length + renamed.length, 0);
  const scopes = left.flatMap(({ server }) => server.scopes);
  const differing = scopes.filter(({ differs }) => differs).length;
  const differs = differing === 0 ? "" : `, ${formatNumber(differing)} with a difference`;
  const size = `${formatCount(hosts, "more server")}: ${formatClassCount(scopes.length)}${differs}`;
  return `and ${size} (${ALL_SHOWN})`;
}

function rowOf(scope: MappedScope, names: NamedWords, options: BlockOptions): Omit<ScopeRow, "same"> {
  const { examples, sections, who, differs, isUnsure } = scope;
  const titles = sections.map((section) => titleOf(section, options));
  const paths = `${formatExamplePaths(examples, names)}${formatScopeDetails(scope)}`;
  return {
    paths: options.isVerbose ? paths : cutText(paths),
    sections: options.isVerbose ? titles.join(", ") : cutText(joinFirst(titles)),
    access: (differs ? who : who.slice(0, 1)).map((each) => cutList(describeClientAccess(each), options)),
    differs,
    isUnsure,
  };
}

/** Renders a section, or a line outside of sections with its file. */
function titleOf(line: Directive, { places }: BlockOptions): string {
  const text = `\`${formatLine(line)}\``;
  return line.children ? text : `${text} in ${places.format(line.span)}`;
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

/**
 * Cuts a long list of clients after as many as fit, and counts the others. What all others get stays at its end.
 *
 * @param list parts that a comma or semicolon ends
 */
function cutList(list: string, { isVerbose }: Pick<BlockOptions, "isVerbose">): string {
  if (isVerbose || list.length <= MAX_ROW_LENGTH) return list;
  const [whole, items = "", rest = ""] = /^(.*?)(; others: [^;]*)?$/s.exec(list) ?? [list, list];
  const parts = items.split(/(?<=[,;]) /);
  let length = rest.length;
  const shown = parts.filter((part, index) => {
    length += part.length + 1;
    return index === 0 || length <= MAX_ROW_LENGTH;
  });
  const left = parts.length - shown.length;
  if (left === 0) return cutText(whole);
  return `${cutText(shown.join(" ").replace(/[,;]$/, ""))} and ${formatNumber(left)} more (${ALL_SHOWN})${rest}`;
}

/** Cuts a long text, and counts the characters left out. */
function cutText(text: string): string {
  const left = text.length - MAX_ROW_LENGTH;
  // A cut inside of a quote ends it.
  const kept = text.slice(0, MAX_ROW_LENGTH);
  const end = (kept.split("`").length - 1) % 2 === 0 ? "" : "`";
  return left <= 0 ? text : `${kept}\u2026${end} (${formatCount(left, "more character")}: ${ALL_SHOWN})`;
}
