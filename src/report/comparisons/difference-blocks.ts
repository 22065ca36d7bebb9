import { lineKeyOf } from "../../config/model/directive.js";
import { type PathsSummary, type RegionSummary, summarizeRegions } from "../../proof/compare/summary.js";
import type { ConfigComparison, Difference } from "../../proof/model/comparison.js";
import type { WalkKind } from "../../proof/model/path-class.js";
import { ANY_OTHER_NAME } from "../../proof/model/server-pairs.js";
import type { ShownAnswer } from "../../server/model/answer-class.js";
import { describeRequest, formatAssumptions } from "../../server/model/request.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount } from "../../text/words.js";
import { formatStatus, listDecidingLogs } from "../answers/answer-words.js";
import type { AffectedGroup, Block, BlockOptions, DifferenceBlock, SideAnswer, Tone } from "../blocks/block.js";
import { limitItems } from "../text/limited-list.js";
import { ALL_SHOWN, type EqualGroup, formatNames, groupByKey } from "../text/text-printer.js";
import { divideAlikeHosts, formatAlikeHosts } from "./alike-hosts.js";
import { formatAddresses, formatConditions, formatLogins } from "./client-words.js";
import { formatMethods } from "./map-words.js";
import { collectNamedWords, markExamples } from "./path-examples.js";
import { listServerProofs, listUnproved } from "./unproved-blocks.js";

/** Limits of the lines, without `--verbose`. */
const MAX_LINES = 300;
const MAX_BRIEF_LINES = 120;
/** Limits on the details of one difference. */
const MAX_REGIONS = 6;
const MAX_PATHS = 6;
const MAX_SECTIONS = 4;

/** How the differences of a comparison are shown. */
export interface DifferenceOptions extends BlockOptions {
  /** Whether only the first group of affected requests is shown, unless the output is verbose. */
  readonly isBrief?: boolean;
  /** Replaces the numbers of the differences. */
  readonly label?: string;
}

/**
 * Yields each difference, grouped over hosts with equal responses, and the unproved parts.
 *
 * @param titles the titles of the sides: `2.2`, or a path
 */
export function* listDifferences(
  comparison: ConfigComparison,
  titles: readonly [before: string, after: string],
  options: DifferenceOptions,
): Generator<Block> {
  const { differences, methods, unproved, byServer, provedExcept } = comparison;
  const builder = new DifferenceBuilder(comparison, titles, options);
  const summarized = differences.map((difference) => ({
    difference,
    summaries: summarizeRegions(difference.regions, methods),
  }));
  const groups = groupByKey(summarized, hostlessKeyOf);
  const max = options.isVerbose ? undefined : options.isBrief ? MAX_BRIEF_LINES : MAX_LINES;
  const { shown, left } = limitItems(groups, max, (group, index) => builder.difference(group, index), countLines);
  yield* shown;
  if (left.length > 0) {
    const count = left.reduce((sum, { others }) => sum + 1 + others.length, 0);
    yield { kind: "space" };
    yield { kind: "paragraph", text: `and ${formatCount(count, "more difference")} (${ALL_SHOWN})` };
  }
  if (unproved.length > 0) {
    yield { kind: "space" };
    yield* listUnproved("Not proved", unproved, options);
  }
  yield* listServerProofs(byServer, provedExcept, options);
}

/** Counts the lines of a difference in text without a width, for the limits. */
function countLines({ answers, groups, hosts, moreGroups, alike }: DifferenceBlock): number {
  const ofAnswers = answers.reduce((sum, { lines }) => sum + 1 + lines.length, 0);
  const ofGroups = groups.reduce((sum, { paths, morePaths }) => sum + 1 + paths.length + (morePaths ? 1 : 0), 0);
  return 3 + ofAnswers + ofGroups + (hosts === "" ? 0 : 1) + (moreGroups ? 1 : 0) + alike.length;
}

class DifferenceBuilder {
  constructor(
    private readonly comparison: ConfigComparison,
    private readonly titles: readonly [before: string, after: string],
    private readonly options: DifferenceOptions,
  ) {}

  /** Returns one request, both responses with the deciding lines, and the other affected requests. */
  difference(
    { first: { difference, summaries }, others }: EqualGroup<DifferenceSummary>,
    index: number,
  ): DifferenceBlock {
    const { isVerbose, label } = this.options;
    const { request, assumptions, before, after } = difference;
    const given = formatAssumptions(assumptions);
    const instances = new Set(difference.regions.flatMap((region) => region.alike));
    const { same, renamed } = divideAlikeHosts([...instances], hostlessKeyOf({ difference, summaries }));
    const hosts = others.map(({ summaries: [summary] }) => summary?.hosts[0] ?? "");
    return {
      kind: "difference",
      label: label ?? `${index + 1}.`,
      change: [
        { text: describeShownAnswer(before), tone: toneOf(before) },
        { text: describeShownAnswer(after), tone: toneOf(after) },
      ],
      request: `${describeRequest(request)}${given.length === 0 ? "" : `, ${formatConditions(given)}`}`,
      answers: [before, after].map((answer, side) => answerOf(answer, this.titles[side] ?? "")),
      ...this.affected(summaries),
      alike: formatAlikeHosts({ same: [...hosts, ...same], renamed }, isVerbose),
    };
  }

  /** Returns a limit for the extent of the output; undefined if it is verbose. */
  private limit(full: number, brief: number): number | undefined {
    if (this.options.isVerbose) return undefined;
    return this.options.isBrief ? brief : full;
  }

  /** Returns the affected requests: their hosts, if these are the same for all, and each group of clients and paths. */
  private affected(summaries: readonly RegionSummary[]): Pick<DifferenceBlock, "hosts" | "groups" | "moreGroups"> {
    const groups = groupByKey(summaries, (summary) => JSON.stringify(dropHosts(summary)));
    const allHosts = new Set(groups.map((group) => this.hostsOf(group)));
    const [shared = ""] = allHosts.size === 1 ? allHosts : [];
    const shown = groups.slice(0, this.limit(MAX_REGIONS, 1));
    const left = groups.length - shown.length;
    return {
      hosts: shared,
      groups: shown.map((each) => this.group(each, shared === "")),
      ...(left > 0 ? { moreGroups: `and ${formatCount(left, "more group of requests")} (${ALL_SHOWN})` } : {}),
    };
  }

  private group(group: EqualGroup<RegionSummary>, hasHosts: boolean): AffectedGroup {
    const { clients, users, conditions, paths, methods } = group.first;
    const hosts = hasHosts ? this.hostsOf(group) : "";
    const who = [
      formatAddresses(clients),
      formatLogins(users),
      ...formatMethods(methods),
      hosts === "" ? "" : `at ${hosts}`,
      formatConditions(conditions),
    ].filter((part) => part !== "");
    const alike = groupByKey(paths, ({ example, sections }) => JSON.stringify([example, sections.map(lineKeyOf)]));
    const shown = alike.slice(0, this.limit(MAX_PATHS, MAX_PATHS));
    const left = alike.length - shown.length;
    return {
      clients: who.join("; "),
      paths: shown.map(formatPaths),
      ...(left > 0 ? { morePaths: `and ${formatCount(left, "more group of paths")} (${ALL_SHOWN})` } : {}),
    };
  }

  /** Returns the hosts of a group of requests; empty if there is only one server. */
  private hostsOf({ first: { hosts }, others }: EqualGroup<RegionSummary>): string {
    if (hosts.join("") === "" || this.isOfOneServer) return "";
    const names = new Set([...hosts, ...others.flatMap((other) => other.hosts.slice(0, 1))]);
    const isNamed = (name: string) => !name.startsWith(ANY_OTHER_NAME);
    const sorted = [...[...names].filter(isNamed), ...[...names].filter((name) => !isNamed(name))];
    return formatNames(sorted, this.options.isVerbose);
  }

  /** Whether there is only one server, fully compared, so that its name adds no information. */
  private get isOfOneServer(): boolean {
    return this.comparison.serverPairs === 1 && this.comparison.unproved.length === 0;
  }
}

function answerOf(answer: ShownAnswer, title: string): SideAnswer {
  const log = listDecidingLogs(answer);
  return {
    title,
    status: { text: formatStatus(answer.status), tone: toneOf(answer) },
    suffix: log.length === 0 ? "" : ` (${log.join(", ")})`,
    lines: answer.decidedBy.map((line) => ({ span: line.span, text: `\`${formatLine(line)}\`` })),
  };
}

/** Formats an example path with all kinds of objects there; no kind if all of them are affected. */
function formatPaths({ first, others }: EqualGroup<PathsSummary>): string {
  const { example, sections } = first;
  const kinds = [first, ...others].flatMap(({ kind }) => (kind ? [kindNames[kind]] : []));
  // A section of both sides is named once. The last ones decide.
  const fromLast = new Set([...sections].reverse().map((section) => `\`${formatLine(section)}\``));
  const titles = [...fromLast].slice(0, MAX_SECTIONS).reverse();
  const isAny = kinds.length === 0 || kinds.length === Object.keys(kindNames).length;
  const kind = isAny ? "" : ` (${kinds.join(", ")})`;
  const where = titles.length === 0 ? "no section applies" : titles.join(", ");
  const path = markExamples(`\`${example}\``, example, collectNamedWords(sections));
  return `${path}${kind}: ${where}`;
}

function toneOf({ class: decided }: ShownAnswer): Tone {
  if (decided === "allowed") return "good";
  return decided === "401" || decided === "redirected" ? "caution" : "bad";
}

/** Describes what a client gets in a few words: `allowed`, `redirect 302`, or another status. */
export function describeShownAnswer({ class: decided, status }: Pick<ShownAnswer, "class" | "status">): string {
  if (decided === "allowed") return decided;
  return decided === "redirected" ? `redirect ${status}` : String(status);
}

/** A difference with the requests that it affects. */
interface DifferenceSummary {
  readonly difference: Difference;
  readonly summaries: readonly RegionSummary[];
}

/** Returns a key of a difference that ignores the host of its requests. */
function hostlessKeyOf({ difference: { request, assumptions, before, after }, summaries }: DifferenceSummary): string {
  const sent = { ...request, scheme: undefined, host: undefined, port: undefined, serverIp: undefined };
  const verdicts = [before, after].map(({ decidedBy, ...verdict }) => [verdict, decidedBy.map(formatLine)]);
  return JSON.stringify([sent, formatAssumptions(assumptions), verdicts, summaries.map(dropHosts)]);
}

function dropHosts({ clients, users, conditions, methods, paths }: RegionSummary): unknown {
  return [clients, users, conditions, methods, paths.map(({ example, kind }) => [example, kind])];
}

const kindNames: Readonly<Record<WalkKind, string>> = {
  file: "file",
  directory: "directory",
  missing: "does not exist",
};
