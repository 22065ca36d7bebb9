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
import { limitLines } from "../text/limited-list.js";
import type { ReportPrinter } from "../text/report-printer.js";
import { ALL_SHOWN, type EqualGroup, formatNames, groupByKey, type Paint } from "../text/text-printer.js";
import { divideAlikeHosts, formatAlikeHosts } from "./alike-hosts.js";
import { formatAddresses, formatConditions, formatLogins } from "./client-words.js";
import { formatMethods } from "./map-words.js";
import { collectNamedWords, markExamples } from "./path-examples.js";

/** Limits of the lines, without `--verbose`. */
const MAX_LINES = 300;
const MAX_BRIEF_LINES = 120;
/** Limits on the details of one difference. */
const MAX_REGIONS = 6;
const MAX_PATHS = 6;
const MAX_SECTIONS = 4;

/** Renders the differences between the responses of two sides. */
export class DifferenceText {
  /**
   * @param titles the titles of the sides: `2.2`, or a path
   * @param isBrief whether only the first group of affected requests is shown, unless the output is verbose
   * @param label replaces the numbers of the differences
   */
  constructor(
    private readonly printer: ReportPrinter,
    private readonly titles: readonly [before: string, after: string],
    private readonly comparison: ConfigComparison,
    private readonly isBrief = false,
    private readonly label?: string,
  ) {}

  /** Yields each difference, grouped over hosts with equal responses, and the unproved parts. */
  *all(): Generator<string> {
    const { differences, methods, unproved, byServer, provedExcept } = this.comparison;
    const summarized = differences.map((difference) => ({
      difference,
      summaries: summarizeRegions(difference.regions, methods),
    }));
    yield* limitLines(
      groupByKey(summarized, hostlessKeyOf),
      this.limit(MAX_LINES, MAX_BRIEF_LINES),
      (group, index) => this.difference(group, index),
      (left) => {
        const count = left.reduce((sum, { others }) => sum + 1 + others.length, 0);
        return `\nand ${formatCount(count, "more difference")} (${ALL_SHOWN})\n`;
      },
    );
    if (unproved.length > 0) yield `\n${this.printer.unprovedList("Not proved:", unproved)}`;
    yield this.printer.serverProofs(byServer);
    yield this.printer.provedRest(provedExcept);
  }

  /** Returns a limit for the extent of the output; undefined if it is verbose. */
  private limit(full: number, brief: number): number | undefined {
    if (this.printer.isVerbose) return undefined;
    return this.isBrief ? brief : full;
  }

  /** Renders one request, both responses with the deciding lines, and the other affected requests. */
  private difference(
    { first: { difference, summaries }, others }: EqualGroup<DifferenceSummary>,
    index: number,
  ): string {
    const { bold } = this.printer.colours;
    const { request, assumptions, before, after } = difference;
    const title = `${this.paintOf(before)(describeShownAnswer(before))} → ${this.paintOf(after)(describeShownAnswer(after))}`;
    const given = formatAssumptions(assumptions);
    const example = `${describeRequest(request)}${given.length === 0 ? "" : `, ${formatConditions(given)}`}`;
    const head = `\n${bold(this.label ?? `${index + 1}.`)} ${title}: ${this.printer.wrap(example, 4)}\n`;
    const verdicts = [before, after].map((verdict, side) => this.answer(verdict, this.titles[side] ?? ""));
    const instances = new Set(difference.regions.flatMap((region) => region.alike));
    const { same, renamed } = divideAlikeHosts([...instances], hostlessKeyOf({ difference, summaries }));
    const hosts = others.map(({ summaries: [summary] }) => summary?.hosts[0] ?? "");
    const alike = formatAlikeHosts({ same: [...hosts, ...same], renamed }, this.printer.isVerbose);
    const lines = alike.map((each) => `   Same for ${this.printer.wrap(each, 5)}\n`);
    return `${head}${verdicts.join("")}${this.affected(summaries)}${lines.join("")}`;
  }

  /** Renders the affected requests: their hosts, if these are the same for all, and each group of clients and paths. */
  private affected(summaries: readonly RegionSummary[]): string {
    const groups = groupByKey(summaries, (summary) => JSON.stringify(dropHosts(summary)));
    const allHosts = new Set(groups.map((group) => this.hostsOf(group)));
    const [shared = ""] = allHosts.size === 1 ? allHosts : [];
    const shown = groups.slice(0, this.limit(MAX_REGIONS, 1));
    const left = groups.length - shown.length;
    return [
      shared === "" ? "" : `   Hosts: ${this.printer.wrap(shared, 5)}\n`,
      "   Affects:\n",
      ...shown.map((each) => this.region(each, shared === "")),
      left > 0 ? `     and ${formatCount(left, "more group of requests")} (${ALL_SHOWN})\n` : "",
    ].join("");
  }

  private answer(answer: ShownAnswer, title: string): string {
    const { status, decidedBy } = answer;
    const log = listDecidingLogs(answer);
    const codes = log.length === 0 ? "" : ` (${log.join(", ")})`;
    const lines = decidedBy.map(
      (line) => `     ${this.printer.formatPlace(line)}: ${this.printer.wrap(`\`${formatLine(line)}\``, 6)}\n`,
    );
    return `   ${title}: ${this.paintOf(answer)(formatStatus(status))}${codes}\n${lines.join("")}`;
  }

  private region(group: EqualGroup<RegionSummary>, hasHosts: boolean): string {
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
    const shown = alike.slice(0, this.limit(MAX_PATHS, MAX_PATHS)).map((each) => this.paths(each));
    const left = alike.length - shown.length;
    const more = left > 0 ? `       and ${formatCount(left, "more group of paths")} (${ALL_SHOWN})\n` : "";
    return `     ${this.printer.wrap(who.join("; "), 7)}\n${shown.join("")}${more}`;
  }

  /** Returns the hosts of a group of requests; empty if there is only one server. */
  private hostsOf({ first: { hosts }, others }: EqualGroup<RegionSummary>): string {
    if (hosts.join("") === "" || this.isOfOneServer) return "";
    const names = new Set([...hosts, ...others.flatMap((other) => other.hosts.slice(0, 1))]);
    const isNamed = (name: string) => !name.startsWith(ANY_OTHER_NAME);
    const sorted = [...[...names].filter(isNamed), ...[...names].filter((name) => !isNamed(name))];
    return formatNames(sorted, this.printer.isVerbose);
  }

  /** Whether there is only one server, fully compared, so that its name adds no information. */
  private get isOfOneServer(): boolean {
    return this.comparison.serverPairs === 1 && this.comparison.unproved.length === 0;
  }

  /** Renders an example path with all kinds of objects there; no kind if all of them are affected. */
  private paths({ first, others }: EqualGroup<PathsSummary>): string {
    const { example, sections } = first;
    const kinds = [first, ...others].flatMap(({ kind }) => (kind ? [kindNames[kind]] : []));
    const titles = sections.slice(-MAX_SECTIONS).map((section) => `\`${formatLine(section)}\``);
    const isAny = kinds.length === 0 || kinds.length === Object.keys(kindNames).length;
    const kind = isAny ? "" : ` (${kinds.join(", ")})`;
    const where = titles.length === 0 ? "no section applies" : titles.join(", ");
    const path = markExamples(`\`${example}\``, example, collectNamedWords(sections));
    return `       ${this.printer.wrap(`${path}${kind}: ${where}`, 9)}\n`;
  }

  private paintOf({ class: decided }: ShownAnswer): Paint {
    const { green, red, yellow } = this.printer.colours;
    if (decided === "allowed") return green;
    return decided === "401" || decided === "redirected" ? yellow : red;
  }
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
