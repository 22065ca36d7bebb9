import type { Comparison, Difference } from "../compare/compare.js";
import type { Unproved } from "../compare/doubts.js";
import type { Verdict } from "../compare/replay.js";
import { type PathsSummary, type RegionSummary, summaryOf } from "../compare/summary.js";
import type { Finding } from "../engine/finding.js";
import type { Directive } from "../project/directive.js";
import { givenWords, requestText } from "../scope/request-text.js";
import { lineText } from "../simulate/written.js";
import { verdictWords } from "./comparison-words.js";
import { statusText } from "./decision-words.js";
import { counted, type Look, type Paint, Painter } from "./painter.js";
import { redact } from "./secrets.js";
import { wellFormed } from "./visible.js";

/** A comparison to be shown. */
export interface Compared {
  readonly comparison: Comparison;
  /** What the sides are called: `2.2`, or a path. */
  readonly titles: readonly [before: string, after: string];
  /** What keeps either from starting. */
  readonly startup: readonly [before: readonly Finding[], after: readonly Finding[]];
}

/** So much is shown of one difference. */
const MOST_REGIONS = 6;
const MOST_PATHS = 6;
const MOST_SECTIONS = 4;

/** A comparison for people: the verdict, each kind of difference with a request that shows it, and what could not be proved. */
export function* comparisonText(compared: Compared, look: Look): Generator<string> {
  const writer = new ComparisonWriter(compared, look);
  yield* writer.startup();
  yield writer.headline();
  for (const [index, difference] of compared.comparison.differences.entries())
    yield writer.difference(difference, index);
  yield* writer.unproved();
}

class ComparisonWriter {
  private readonly painter: Painter;

  constructor(
    private readonly compared: Compared,
    look: Look,
  ) {
    this.painter = new Painter(look);
  }

  *startup(): Generator<string> {
    const { titles, startup } = this.compared;
    const { bold, red } = this.painter.colours;
    for (const [index, findings] of startup.entries()) {
      const [first] = findings;
      if (first === undefined) continue;
      const more = findings.length > 1 ? `; ${counted(findings.length - 1, "reason")} more` : "";
      yield `${bold(red(`${titles[index]} does not start`))}${more}\n  ${this.where(first)}: ${this.say(first.message, 4)}\n`;
    }
    if (startup.some(({ length }) => length > 0)) yield "compared as if what is refused was not there:\n\n";
  }

  headline(): string {
    const { comparison } = this.compared;
    const { bold, red, green, yellow } = this.painter.colours;
    const paint = { equivalent: green, different: red, unknown: yellow }[comparison.verdict];
    return `${bold(paint(comparison.verdict))}: ${verdictWords(comparison)}\n`;
  }

  difference({ request, given, before, after, regions }: Difference, index: number): string {
    const { bold } = this.painter.colours;
    const { methods } = this.compared.comparison;
    const title = `${this.paintOf(before)(before.class)} → ${this.paintOf(after)(after.class)}`;
    const such = givenWords(given)
      .map((each) => `, where ${each}`)
      .join("");
    const head = `\n${bold(`${index + 1}.`)} ${title}  ${this.say(requestText(request) + such, 4)}\n`;
    const verdicts = [before, after].map((verdict, side) => this.verdict(verdict, this.compared.titles[side] ?? ""));
    const summaries = summaryOf(regions, methods);
    const shown = summaries.slice(0, MOST_REGIONS).map((each) => this.region(each));
    const more = summaries.length > MOST_REGIONS ? `    and ${summaries.length - MOST_REGIONS} more\n` : "";
    return `${head}${verdicts.join("")}   so it is for\n${shown.join("")}${more}`;
  }

  private verdict(verdict: Verdict, title: string): string {
    const { status, log, decidedBy } = verdict;
    const told = log.length === 0 ? "" : ` (${log.join(", ")})`;
    const lines = decidedBy.map((line) => `     ${this.where(line)}: ${this.say(`\`${lineText(line)}\``, 6)}\n`);
    return `   ${title}: ${this.paintOf(verdict)(statusText(status))}${told}\n${lines.join("")}`;
  }

  private region({ clients, users, conditions, hosts, paths, methods }: RegionSummary): string {
    const who = [
      clients.length === 0 ? "" : `from ${clients.join("; ")}`,
      users.length === 0 ? "" : `as ${users.join(" or ")}`,
      ...conditions.map((condition) => `where ${condition}`),
      methods.length === 0 ? "" : `by ${methods.join(", ")}`,
      hosts.join("") === "" || this.compared.comparison.servers === 1 ? "" : `at ${hosts.join(", ")}`,
    ].filter((part) => part !== "");
    const shown = paths.slice(0, MOST_PATHS).map((each) => this.paths(each));
    const more = paths.length > MOST_PATHS ? `       and ${paths.length - MOST_PATHS} more kinds of paths\n` : "";
    return `     ${this.say(who.join(", "), 7)}\n${shown.join("")}${more}`;
  }

  private paths({ example, kinds, sections }: PathsSummary): string {
    const titles = sections.slice(-MOST_SECTIONS).map((section) => `\`${lineText(section)}\``);
    const isAny = kinds.length === 0 || kinds.length === Object.keys(kindNames).length;
    const such = isAny ? "" : ` (${kinds.map((kind) => kindNames[kind]).join(", ")})`;
    const where = titles.length === 0 ? "no section is for it" : titles.join(", ");
    return `       ${this.say(`\`${example}\`${such}: ${where}`, 9)}\n`;
  }

  *unproved(): Generator<string> {
    const { unproved } = this.compared.comparison;
    if (unproved.length === 0) return;
    yield `\n${this.painter.colours.bold("not proved")}\n`;
    for (const each of unproved) yield this.doubt(each);
  }

  private doubt({ reason, directive, example }: Unproved): string {
    const such = example === undefined ? "" : `, such as \`${example}\``;
    const where = directive ? `${this.where(directive)}: ` : "";
    return `  ${where}${this.say(`${reason}${such}`, 4)}\n`;
  }

  private paintOf({ class: decided }: Verdict): Paint {
    const { green, red, yellow } = this.painter.colours;
    return { allowed: green, "401": yellow, "403": red, "500": red }[decided];
  }

  private where({ span }: Pick<Directive, "span">): string {
    return this.painter.where(this.painter.places.place(span));
  }

  private say(text: string, indent: number): string {
    return this.painter.flow(wellFormed(redact(text, [])), "", " ".repeat(indent), indent);
  }
}

const kindNames: Readonly<Record<PathsSummary["kinds"][number], string>> = {
  file: "a file",
  directory: "a directory",
  missing: "what does not exist",
};
