import type { Directive } from "../../config/model/directive.js";
import { nameRelease } from "../../facts/release.js";
import type { OutsideScope, OutsideViewServer } from "../../proof/audit/outside-model.js";
import { probeOutcomes, type SensitiveProbe } from "../../proof/audit/sensitive-probes.js";
import { namesOfPairs } from "../../proof/compare/summary.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount } from "../../text/words.js";
import { blockOptionsOf, TextLayout } from "../blocks/text-layout.js";
import { FindingText } from "../findings/text.js";
import { listFailureNotes } from "../text/failure-words.js";
import { limitLines } from "../text/limited-list.js";
import { ReportPrinter } from "../text/report-printer.js";
import { ALL_SHOWN, formatMore, groupByKey, type TextStyle } from "../text/text-printer.js";
import { columnsOf } from "../text/visible-text.js";
import { formatAlikeHosts } from "./alike-hosts.js";
import {
  type AuditReport,
  describeNoScopes,
  effectTitles,
  formatAnswer,
  formatAuditFindings,
  formatAuditTitle,
  formatProbeCounts,
  formatProbeHosts,
  formatScopePaths,
  groupOutsideServers,
  listCountColumns,
  listScopeRemarks,
  type OutsideGroup,
  outcomeNames,
} from "./audit-words.js";
import { collectNamedWords } from "./path-examples.js";
import { listUnproved } from "./unproved-blocks.js";

/** Limits of the overview, so that it fits a screen of 40 lines: of the hosts, and of the items below each count. */
const MAX_ROWS = 8;
const MAX_ITEMS = 4;
/** The width of the table of counts, and the least width of its columns. */
const TABLE_COLUMNS = 80;
const COUNT_COLUMNS = 7;
/** Limit of the lines for details, without `--verbose`. */
const MAX_LINES = 300;

/** Renders an outside view as text: an overview that fits a screen, then the details. */
export function* renderAuditText(report: AuditReport, style: TextStyle): Generator<string> {
  const writer = new AuditText(report, style);
  yield writer.overview();
  yield* writer.details();
}

class AuditText {
  private readonly printer: ReportPrinter;
  private readonly findings: FindingText;
  private readonly layout: TextLayout;
  private readonly groups: readonly OutsideGroup[];

  constructor(
    private readonly report: AuditReport,
    private readonly style: TextStyle,
  ) {
    this.printer = new ReportPrinter(style);
    this.findings = new FindingText(style);
    this.layout = new TextLayout(style);
    this.groups = groupOutsideServers(report.view.servers);
  }

  overview(): string {
    const { release, startup, assumptions, view } = this.report;
    const { bold } = this.printer.colours;
    const title = `${formatAuditTitle(this.report)}: anonymous clients with a public address, ${nameRelease(release)}`;
    const notes = listFailureNotes("the report", assumptions);
    return [
      startup.length === 0 ? "" : `${this.printer.startupFailure(release, startup, notes)}\n`,
      `${bold(title)}\n\n`,
      this.table(),
      ...(view.unreachable.length === 0 ? [] : [this.unreachable()]),
      `\n${this.exposedPaths()}`,
      this.listedFindings(),
      view.unknown.length === 0 ? "" : `Unknown: ${formatCount(view.unknown.length, "part")} (see the end)\n`,
    ].join("");
  }

  *details(): Generator<string> {
    const { bold } = this.printer.colours;
    const max = this.printer.isVerbose ? undefined : MAX_LINES;
    yield* limitLines(
      this.groups,
      max,
      (group) => `\n${this.group(group)}`,
      (left) => `\nand ${formatCount(left.length, "more server")} (${ALL_SHOWN})\n`,
    );
    if (this.report.probes.length > 0) yield `\n${bold("Sensitive paths")}\n`;
    for (const outcome of probeOutcomes)
      yield this.probes(this.report.probes.filter((each) => each.outcome === outcome));
    if (this.report.findings.length > 0) yield `\n${bold("Findings")}\n`;
    for (const finding of this.report.findings) yield this.findings.finding(finding);
    const { unknown } = this.report.view;
    if (unknown.length > 0) yield "\n";
    yield* this.layout.render(listUnproved("Unknown", unknown, blockOptionsOf(this.style)));
  }

  /** Renders the number of path classes with each effect, by host. */
  private table(): string {
    const { dim } = this.printer.colours;
    const columns = listCountColumns(this.groups);
    const widths = columns.map((column) => Math.max(COUNT_COLUMNS, column.title.length + 1));
    const width = TABLE_COLUMNS - widths.reduce((sum, each) => sum + each, 0);
    const cells = (values: readonly (string | number)[]) =>
      values.map((value, index) => String(value).padStart(widths[index] ?? COUNT_COLUMNS)).join("");
    const rowOf = (group: OutsideGroup) => {
      const { title, same, renamed } = group;
      const more = same.length + renamed.length;
      const name = this.cut(more === 0 ? title : `${title} and ${more} more`, width);
      return `${name}${cells(columns.map(({ countOf }) => countOf(group)))}\n`;
    };
    const shown = this.groups.slice(0, MAX_ROWS);
    const left = this.groups.length - shown.length;
    const head = `${this.cut("groups of paths by host", width)}${cells(columns.map((column) => column.title.toLowerCase()))}\n`;
    return `${dim(head)}${shown.map(rowOf).join("")}${left > 0 ? `and ${formatCount(left, "more host")}, shown below\n` : ""}`;
  }

  private cut(name: string, width: number): string {
    const shown = this.printer.wrap(name, 0).replace(/\n/g, " ");
    const text = columnsOf(shown) < width ? shown : `${shown.slice(0, width - 2)}…`;
    return text + " ".repeat(Math.max(1, width - columnsOf(text)));
  }

  private unreachable(): string {
    const { unreachable } = this.report.view;
    const names = namesOfPairs(unreachable);
    return `${this.printer.wrap(`not reachable from outside, only from the server itself: ${names.length > 0 ? names.slice(0, MAX_ITEMS).join(", ") : formatCount(unreachable.length, "server")}`, 2)}\n`;
  }

  private exposedPaths(): string {
    const { red, bold } = this.printer.colours;
    const exposed = this.report.probes.filter(({ outcome }) => outcome === "exposed");
    const items = exposed.slice(0, MAX_ITEMS).map(({ path, hosts: [first, ...others] }) => {
      const hosts = others.length > 0 ? formatCount(1 + others.length, "host") : first;
      return `  ${red(this.printer.wrap(`\`${path}\`${hosts === undefined ? "" : ` at ${hosts}`}`, 4))}\n`;
    });
    const left = exposed.length - items.length;
    const more = left > 0 ? `  and ${left} more, shown below\n` : "";
    const title = "Sensitive paths:";
    return `${bold(title)}${this.printer.wrapAfter(title, formatProbeCounts(this.report), 2)}\n${items.join("")}${more}`;
  }

  private listedFindings(): string {
    const { bold } = this.printer.colours;
    const { findings } = this.report;
    const items = findings.slice(0, MAX_ITEMS).map((finding) => this.findings.listItem(finding));
    const left = findings.length - items.length;
    const more = left > 0 ? `  and ${left} more, shown below\n` : "";
    return `${bold("Findings of exposure and TLS:")} ${formatAuditFindings(this.report)}\n${items.join("")}${more}`;
  }

  private group({ server, title, same, renamed }: OutsideGroup): string {
    const { bold } = this.printer.colours;
    const alike = formatAlikeHosts({ same, renamed }, this.printer.isVerbose);
    return [
      `${bold(this.printer.wrap(title, 0))}\n`,
      ...server.scopes.map((scope) => this.scope(scope, server)),
      ...(server.scopes.length === 0 ? [`  ${describeNoScopes(server)}\n`] : []),
      ...alike.map((each) => `  ${this.printer.wrap(`same for ${each}`, 4)}\n`),
    ].join("");
  }

  private scope(scope: OutsideScope, { scopes }: OutsideViewServer): string {
    const { bold, red, green } = this.printer.colours;
    const { effect, sections, answer } = scope;
    const names = collectNamedWords(scopes.flatMap((each) => [...each.sections, ...each.answer.decidedBy]));
    const paint = effect === "protected" ? green : red;
    const titles = sections.map((section) => `\`${formatLine(section)}\``).join(", ");
    const paths = formatScopePaths(scope, names);
    const title = `  ${effectTitles[effect]}:`;
    const shown = this.printer.wrapAfter(title, paths, 4);
    const last = `${title}${shown}`.slice(`${title}${shown}`.lastIndexOf("\n") + 1);
    return [
      `  ${paint(effectTitles[effect])}:${bold(shown)}${titles === "" ? "" : this.sectionsAfter(last, titles)}\n`,
      `    ${this.printer.wrap(formatAnswer(answer), 6)}\n`,
      ...listScopeRemarks(scope).map((remark) => `    ${this.printer.wrap(remark, 6)}\n`),
      ...answer.decidedBy.map((line) => this.line(line)),
    ].join("");
  }

  /** Renders the sections of a scope after its paths: with two spaces before them, or on the next line. */
  private sectionsAfter(paths: string, titles: string): string {
    const shown = this.printer.wrapAfter(`${paths} `, titles, 4);
    return shown.startsWith("\n") ? shown : ` ${shown}`;
  }

  private line(line: Directive): string {
    const where = `    ${this.printer.formatPlace(line)}:`;
    return `${where}${this.printer.wrapAfter(where, `\`${formatLine(line)}\``, 6)}\n`;
  }

  /** Renders probes with the same outcome; those with the same lines and unknown facts share an entry. */
  private probes(probes: readonly SensitiveProbe[]): string {
    const keyOf = ({ status, decidedBy, hosts, unknown, path }: SensitiveProbe) =>
      JSON.stringify([status, decidedBy.map(formatLine), hosts, unknown.map((each) => each.replaceAll(path, ""))]);
    return groupByKey(probes, keyOf)
      .map(({ first, others }) => {
        const { path, outcome, decidedBy, unknown } = first;
        const paths = others.map((each) => `\`${each.path}\``);
        const reasons = unknown.map((each) => `depends on ${each}`);
        return [
          `  ${this.printer.wrap(`${outcomeNames[outcome]}: \`${path}\`${formatProbeHosts(first, this.printer.isVerbose)}`, 4)}\n`,
          `    ${this.printer.wrap(formatAnswer(first), 6)}\n`,
          ...reasons.map((reason) => `    ${this.printer.wrap(reason, 6)}\n`),
          ...decidedBy.map((line) => this.line(line)),
          ...(paths.length > 0
            ? [`    ${this.printer.wrap(`same for ${formatMore("path", paths, this.printer.isVerbose)}`, 6)}\n`]
            : []),
        ].join("");
      })
      .join("");
  }
}
