import type { ConfigComparison, Difference, ReplayedVerdict } from "../../compare/model/comparison.js";
import { type PathsSummary, type RegionSummary, summarizeRegions } from "../../compare/summary.js";
import { describeRequest, formatAssumptions } from "../../httpd/model/request.js";
import { formatLine } from "../../simulate/trace/step.js";
import { formatStatus } from "../decisions/decision-words.js";
import type { ReportPrinter } from "../text/report-printer.js";
import { type EqualGroup, formatMore, groupByKey, type Paint } from "../text/text-printer.js";

/** Limits on the details of one difference. */
const MOST_REGIONS = 6;
const MOST_PATHS = 6;
const MOST_SECTIONS = 4;

/** Renders the differences between the responses of two sides. */
export class DifferenceText {
  /** @param titles the titles of the sides: `2.2`, or a path */
  constructor(
    private readonly teller: ReportPrinter,
    private readonly titles: readonly [before: string, after: string],
    private readonly comparison: ConfigComparison,
  ) {}

  /** Yields each difference, grouped over hosts with equal responses, and the unproved parts. */
  *all(): Generator<string> {
    const { differences, methods, unproved } = this.comparison;
    const told = differences.map((difference) => ({
      difference,
      summaries: summarizeRegions(difference.regions, methods),
    }));
    for (const [index, group] of groupByKey(told, hostlessKeyOf).entries()) yield this.difference(group, index);
    if (unproved.length > 0) yield `\n${this.teller.unprovedList("not proved", unproved)}`;
  }

  /** Renders one request, both responses with the deciding lines, and the other affected requests. */
  private difference(
    { first: { difference, summaries }, others }: EqualGroup<DifferenceSummary>,
    index: number,
  ): string {
    const { bold } = this.teller.colours;
    const { request, assumptions, before, after } = difference;
    const title = `${this.paintOf(before)(before.class)} → ${this.paintOf(after)(after.class)}`;
    const such = formatAssumptions(assumptions)
      .map((each) => `, where ${each}`)
      .join("");
    const head = `\n${bold(`${index + 1}.`)} ${title}  ${this.teller.say(describeRequest(request) + such, 4)}\n`;
    const verdicts = [before, after].map((verdict, side) => this.verdict(verdict, this.titles[side] ?? ""));
    const groups = groupByKey(summaries, (summary) => JSON.stringify(dropHosts(summary)));
    const shown = groups.slice(0, MOST_REGIONS).map((each) => this.region(each));
    const more = groups.length > MOST_REGIONS ? `    and ${groups.length - MOST_REGIONS} more\n` : "";
    const hosts = others.map(({ summaries: [summary] }) => summary?.hosts[0] ?? "");
    const alike = hosts.length === 0 ? "" : `   and so it is at ${this.teller.say(formatMore("host", hosts), 5)}\n`;
    return `${head}${verdicts.join("")}   so it is for\n${shown.join("")}${more}${alike}`;
  }

  private verdict(verdict: ReplayedVerdict, title: string): string {
    const { status, log, decidedBy } = verdict;
    const told = log.length === 0 ? "" : ` (${log.join(", ")})`;
    const lines = decidedBy.map(
      (line) => `     ${this.teller.where(line)}: ${this.teller.say(`\`${formatLine(line)}\``, 6)}\n`,
    );
    return `   ${title}: ${this.paintOf(verdict)(formatStatus(status))}${told}\n${lines.join("")}`;
  }

  private region({ first, others }: EqualGroup<RegionSummary>): string {
    const { clients, users, conditions, hosts, paths, methods } = first;
    const beside =
      others.length === 0
        ? ""
        : ` and ${formatMore(
            "host",
            others.map((other) => other.hosts[0] ?? ""),
          )}`;
    const who = [
      clients.length === 0 ? "" : `from ${clients.join("; ")}`,
      users.length === 0 ? "" : `as ${users.join(" or ")}`,
      ...conditions.map((condition) => `where ${condition}`),
      methods.length === 0 ? "" : `by ${methods.join(", ")}`,
      hosts.join("") === "" || this.isOfOneServer ? "" : `at ${hosts.join(", ")}${beside}`,
    ].filter((part) => part !== "");
    const shown = paths.slice(0, MOST_PATHS).map((each) => this.paths(each));
    const more = paths.length > MOST_PATHS ? `       and ${paths.length - MOST_PATHS} more kinds of paths\n` : "";
    return `     ${this.teller.say(who.join(", "), 7)}\n${shown.join("")}${more}`;
  }

  /** Whether there is only one server, fully compared, so that its name adds no information. */
  private get isOfOneServer(): boolean {
    return this.comparison.serverPairs === 1 && this.comparison.unproved.length === 0;
  }

  private paths({ example, kinds, sections }: PathsSummary): string {
    const titles = sections.slice(-MOST_SECTIONS).map((section) => `\`${formatLine(section)}\``);
    const isAny = kinds.length === 0 || kinds.length === Object.keys(kindNames).length;
    const such = isAny ? "" : ` (${kinds.map((kind) => kindNames[kind]).join(", ")})`;
    const where = titles.length === 0 ? "no section is for it" : titles.join(", ");
    return `       ${this.teller.say(`\`${example}\`${such}: ${where}`, 9)}\n`;
  }

  private paintOf({ class: decided }: ReplayedVerdict): Paint {
    const { green, red, yellow } = this.teller.colours;
    return { allowed: green, "401": yellow, "403": red, "500": red }[decided];
  }
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
  return [clients, users, conditions, methods, paths.map(({ example, kinds }) => [example, kinds])];
}

const kindNames: Readonly<Record<PathsSummary["kinds"][number], string>> = {
  file: "a file",
  directory: "a directory",
  missing: "what does not exist",
};
