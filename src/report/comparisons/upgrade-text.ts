import type { Finding } from "../../engine/finding.js";
import type { RecordedBuild } from "../../upgrade/config-nice.js";
import type { Upgrade } from "../../upgrade/upgrade.js";
import { FindingText } from "../findings/text.js";
import { ReportPrinter } from "../text/report-printer.js";
import { formatNumber, type TextStyle } from "../text/text-printer.js";
import { formatComparisonVerdict } from "./comparison-text.js";
import { DifferenceText } from "./difference-text.js";
import { ScopeText } from "./map-text.js";

/** An upgrade to be rendered. */
export interface UpgradeReport {
  readonly upgrade: Upgrade;
  readonly releases: readonly [before: string, after: string];
  /** Findings that prevent the old version, which you upgrade from, from starting. */
  readonly startupBefore: readonly Finding[];
  /** The build of the server, if known. */
  readonly build?: RecordedBuild;
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/** The parts of an upgrade's report, in order. */
const upgradeParts = ["start", "answers", "behaviour", "review", "recommended", "build"] as const;
type UpgradePart = (typeof upgradeParts)[number];

const upgradeHeadings: Readonly<Record<UpgradePart, string>> = {
  start: "will not start, or answers 500",
  answers: "answers differently",
  behaviour: "behaves differently",
  review: "review: who gets in, before and after",
  recommended: "recommended",
  build: "the build",
};

/** The prefix of an upgrade's notes. */
const previousReleaseNotes =
  "coming from 2.0, what changed from 2.0 to 2.2 applies first: the manual of 2.2 has it as `Upgrading to 2.2 from 2.0`";

/** Returns the number of entries under each heading. */
export function countUpgradeParts({ upgrade, build }: UpgradeReport): Readonly<Record<UpgradePart, number>> {
  const { findings, comparison, review } = upgrade;
  return {
    start: findings.start.length,
    answers: findings.answers.length + comparison.differences.length,
    behaviour: findings.behaviour.length,
    review: review.servers.reduce((count, { scopes }) => count + scopes.length, 0),
    recommended: findings.recommended.length,
    build: build?.changed.length ?? 0,
  };
}

/** Renders an upgrade as text: the counts, followed by the parts in order of importance. */
export function* renderUpgradeText(upgraded: UpgradeReport, look: TextStyle): Generator<string> {
  yield* new UpgradeWriter(upgraded, look).whole();
}

class UpgradeWriter {
  private readonly teller: ReportPrinter;
  private readonly findings: FindingText;

  constructor(
    private readonly upgraded: UpgradeReport,
    look: TextStyle,
  ) {
    this.teller = new ReportPrinter(look);
    this.findings = new FindingText(look);
  }

  *whole(): Generator<string> {
    const { findings } = this.upgraded.upgrade;
    yield* this.summary();
    yield this.startupBefore();
    yield* this.section("start", this.each(findings.start));
    yield* this.section("answers", this.answers());
    yield* this.section("behaviour", this.each(findings.behaviour));
    yield* this.section("review", this.review());
    yield* this.section("recommended", this.each(findings.recommended));
    yield* this.section("build", this.build());
    yield `${this.teller.say(previousReleaseNotes, 0)}\n`;
  }

  /**
   * Renders the findings that prevent the old release from starting: the first here, the others in a separate list on
   * request.
   */
  private startupBefore(): string {
    const {
      releases: [release],
      startupBefore: reasons,
    } = this.upgraded;
    const others = reasons.length > 1 ? `\`httpd-lint check --release ${release}\` tells of all; ` : "";
    const refusal = this.teller.startupFailure(
      release,
      reasons,
      `${others}what follows is as if what it refuses was not there`,
    );
    return refusal === "" ? "" : `${refusal}\n`;
  }

  private *summary(): Generator<string> {
    const { upgraded } = this;
    const { bold, green, red, yellow, cyan } = this.teller.colours;
    const paints = { start: red, answers: red, behaviour: yellow, review: cyan, recommended: cyan, build: yellow };
    yield `${bold(`from ${upgraded.releases[0]} to ${upgraded.releases[1]}`)}\n`;
    const counts = countUpgradeParts(upgraded);
    for (const part of upgradeParts) {
      if (part === "build" && upgraded.build === undefined) continue;
      const count = formatNumber(counts[part]).padStart(6);
      yield `${counts[part] === 0 ? green(count) : bold(paints[part](count))}  ${upgradeHeadings[part]}\n`;
    }
    if (upgraded.upgrade.ignored > 0)
      yield `${formatNumber(upgraded.upgrade.ignored).padStart(6)}  ignored by comments\n`;
    yield "\n";
  }

  /** Renders a heading with its content, if there is any. */
  private *section(part: UpgradePart, content: Iterable<string>): Generator<string> {
    let isOpen = false;
    for (const piece of content) {
      if (!isOpen) yield `${this.teller.colours.bold(`== ${upgradeHeadings[part]}`)}\n\n`;
      isOpen = true;
      yield piece;
    }
  }

  private *each(findings: readonly Finding[]): Generator<string> {
    for (const finding of findings) yield this.findings.finding(finding);
  }

  private *answers(): Generator<string> {
    const { comparison, findings, supplied } = this.upgraded.upgrade;
    yield* this.each(findings.answers);
    if (supplied.length > 0)
      yield `${this.teller.say(`told of as if what is to be loaded was: ${supplied.map((each) => `\`${each}\``).join(", ")}`, 2)}\n\n`;
    yield `${this.teller.say(formatComparisonVerdict(comparison), 0)}\n`;
    yield* new DifferenceText(this.teller, this.upgraded.releases, comparison).all();
    yield "\n";
  }

  private *review(): Generator<string> {
    const { servers, unknown } = this.upgraded.upgrade.review;
    yield* new ScopeText(this.teller, this.upgraded.releases).servers(servers);
    if (servers.length > 0) yield "\n";
    if (unknown.length > 0) yield `${this.teller.unprovedList("not known", unknown)}\n`;
  }

  private *build(): Generator<string> {
    const { build } = this.upgraded;
    if (build === undefined) return;
    const { changed, switches } = build;
    for (const { written, word, advice } of changed) {
      const meant = word === undefined ? "" : `\`${word}\` in `;
      yield `${this.teller.say(`${meant}\`${written}\`: ${advice}`, 2)}\n`;
    }
    const isWhole = new Set(changed.map(({ written }) => written)).size === switches;
    if (!isWhole)
      yield `${changed.length === 0 ? "all switches" : "the other switches"} can be taken over as recorded\n`;
    yield "\n";
  }
}
