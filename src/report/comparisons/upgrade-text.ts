import { isSince, type Release } from "../../facts/release.js";
import { type Finding, severities } from "../../lint/finding.js";
import type { RecordedBuild } from "../../lint/runner/config-nice.js";
import type { Upgrade } from "../../lint/runner/upgrade.js";
import type { MappedServer } from "../../proof/model/mapped-access.js";
import { formatNumber } from "../../text/words.js";
import { countBySeverity } from "../findings/rendered-finding.js";
import { adviceKeyOf } from "../findings/similar-findings.js";
import { FindingText, formatFindingCount } from "../findings/text.js";
import { ReportPrinter } from "../text/report-printer.js";
import { ALL_SHOWN, groupByKey, type TextStyle } from "../text/text-printer.js";
import { formatComparisonVerdict, formatUncomparedRequests } from "./comparison-text.js";
import { DifferenceText } from "./difference-text.js";
import { formatDifferingCount, formatMapSize, ScopeText } from "./map-text.js";
import { VersionText } from "./version-text.js";

/** An upgrade to be rendered. */
export interface UpgradeReport {
  readonly upgrade: Upgrade;
  readonly releases: readonly [before: Release, after: Release];
  /** Findings that prevent the old version, which you upgrade from, from starting. */
  readonly startupBefore: readonly Finding[];
  /** The build of the server, if known. */
  readonly build?: RecordedBuild;
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/** Limit of the lines for servers in the access map, without `--verbose`. */
const MAX_REVIEW_LINES = 120;

/** The parts of an upgrade's report, in order. */
const upgradeParts = ["start", "answers", "behaviour", "review", "recommended", "build"] as const;
type UpgradePart = (typeof upgradeParts)[number];

const upgradeHeadings: Readonly<Record<UpgradePart, string>> = {
  start: "Problems at start, or status 500",
  answers: "Different access decisions",
  behaviour: "Different behavior",
  review: "Access map, before and after",
  recommended: "Recommended changes",
  build: "Build options",
};

const PREVIOUS_UPGRADE =
  "note: to upgrade from 2.0, first make the changes in `Upgrading to 2.2 from 2.0` (manual of 2.2)";

/** Returns the number of entries under each heading. */
export function countUpgradeParts({ upgrade, build }: UpgradeReport): Readonly<Record<UpgradePart, number>> {
  const { findings, comparison, review, versions } = upgrade;
  const changes = versions === undefined ? 0 : versions.differences.length + versions.changes.length;
  return {
    start: findings.start.length,
    answers: findings.answers.length + comparison.differences.length,
    behaviour: findings.behaviour.length + changes,
    review: review.servers.reduce((count, { scopes }) => count + scopes.length, 0),
    recommended: findings.recommended.length,
    build: build?.changed.length ?? 0,
  };
}

/** Renders an upgrade as text: a summary, followed by the parts in order of importance. */
export function* renderUpgradeText(upgraded: UpgradeReport, style: TextStyle): Generator<string> {
  yield* new UpgradeWriter(upgraded, style).whole();
}

class UpgradeWriter {
  private readonly printer: ReportPrinter;
  private readonly findings: FindingText;

  constructor(
    private readonly upgraded: UpgradeReport,
    style: TextStyle,
  ) {
    this.printer = new ReportPrinter(style);
    this.findings = new FindingText(style);
  }

  *whole(): Generator<string> {
    const { findings } = this.upgraded.upgrade;
    yield* this.summary();
    yield this.startupBefore();
    yield* this.section("start", this.advice(findings.start), findings.start);
    yield* this.section("answers", this.answers(), findings.answers);
    yield* this.section("behaviour", this.behaviour(), findings.behaviour);
    yield* this.section("review", this.review());
    yield* this.section("recommended", this.advice(findings.recommended), findings.recommended);
    yield* this.section("build", this.build());
    if (!isSince(this.upgraded.releases[0], "2.4")) yield `${this.printer.wrap(PREVIOUS_UPGRADE, 2)}\n`;
  }

  /** Renders the first finding that prevents the old version from starting. */
  private startupBefore(): string {
    const {
      releases: [release],
      startupBefore: reasons,
    } = this.upgraded;
    const all = reasons.length > 1 ? [`help: run \`httpd-lint check --release ${release}\` to list all reasons`] : [];
    const failure = this.printer.startupFailure(release, reasons, [
      "note: the report ignores the rejected lines",
      ...all,
    ]);
    return failure === "" ? "" : `${failure}\n`;
  }

  private *summary(): Generator<string> {
    const { upgraded } = this;
    const { bold, green, red, yellow, cyan } = this.printer.colours;
    const paints = { start: red, answers: red, behaviour: yellow, review: cyan, recommended: cyan, build: yellow };
    yield `${bold(`Upgrade from ${upgraded.releases[0]} to ${upgraded.releases[1]}`)}\n`;
    const counts = countUpgradeParts(upgraded);
    for (const part of upgradeParts) {
      if (part === "build" && upgraded.build === undefined) continue;
      const count = formatNumber(counts[part]).padStart(6);
      yield `${counts[part] === 0 ? green(count) : bold(paints[part](count))}  ${upgradeHeadings[part]}\n`;
    }
    if (upgraded.upgrade.ignored > 0)
      yield `${formatNumber(upgraded.upgrade.ignored).padStart(6)}  suppressed by comments\n`;
    yield "\n";
  }

  /** Renders a heading, with the number of findings by severity, and its content, if there is any. */
  private *section(part: UpgradePart, content: Iterable<string>, findings: readonly Finding[] = []): Generator<string> {
    const count = countBySeverity(findings);
    const counts = severities.flatMap((each) => (count[each] > 0 ? [formatFindingCount(count[each], each)] : []));
    const heading = `== ${[upgradeHeadings[part], ...(counts.length > 0 ? [counts.join(", ")] : [])].join(": ")}`;
    let isOpen = false;
    for (const piece of content) {
      if (!isOpen) yield `${this.printer.colours.bold(heading)}\n\n`;
      isOpen = true;
      yield piece;
    }
  }

  /**
   * Renders findings; of those with the same advice, the first in full and the others in one line each. Those that hold
   * for nearly every server come last, one line each.
   */
  private *advice(findings: readonly Finding[]): Generator<string> {
    const { isVerbose } = this.printer;
    const special = isVerbose ? findings : findings.filter(({ isRoutine }) => !isRoutine);
    const groups = isVerbose ? [] : groupByKey(special, adviceKeyOf);
    const repeated = new Set(groups.flatMap(({ others }) => others));
    for (const finding of special) if (!repeated.has(finding)) yield this.findings.finding(finding);
    if (repeated.size > 0) yield this.findings.similar(special.filter((finding) => repeated.has(finding)));
    if (special.length === findings.length) return;
    yield "On nearly every server (details with --verbose):\n";
    for (const { isRoutine, message } of findings) if (isRoutine) yield `  ${this.printer.wrap(message, 4)}\n`;
    yield "\n";
  }

  private *behaviour(): Generator<string> {
    const { releases, upgrade } = this.upgraded;
    yield* this.advice(upgrade.findings.behaviour);
    if (upgrade.versions) yield* new VersionText(this.printer, releases, upgrade.versions).all();
  }

  private *answers(): Generator<string> {
    const { printer, upgraded } = this;
    const { comparison, findings, supplied } = upgraded.upgrade;
    yield* this.advice(findings.answers);
    if (supplied.length > 0) {
      const names = supplied.map((each) => `\`${each}\``).join(", ");
      yield `${printer.wrap(`note: the comparison assumes that these missing modules are loaded: ${names}`, 2)}\n`;
    }
    yield formatUncomparedRequests(comparison, printer);
    yield `${printer.wrap(formatComparisonVerdict(comparison), 0)}\n`;
    yield* new DifferenceText(printer, upgraded.releases, comparison, true).all();
    yield "\n";
  }

  /** Renders the access map of restricted paths; those with the same access before and after are only counted. */
  private *review(): Generator<string> {
    const { releases, upgrade } = this.upgraded;
    const { isVerbose } = this.printer;
    const { servers, unknown } = upgrade.review;
    if (servers.length > 0) {
      const scopes = servers.flatMap((server) => server.scopes);
      const size = `${formatMapSize(servers)} with restricted or changed access`;
      yield `${size}; ${formatDifferingCount(scopes, unknown.length === 0, releases)}\n`;
      const shown = isVerbose ? servers : keepDifferingScopes(servers);
      const isShort = shown.reduce((sum, server) => sum + server.scopes.length, 0) < scopes.length;
      if (isShort) yield `Only groups of paths with a difference are shown (${ALL_SHOWN}).\n`;
      if (shown.length > 0) yield "\n";
      yield* new ScopeText(this.printer, releases, MAX_REVIEW_LINES).servers(shown);
      yield "\n";
    }
    if (unknown.length > 0) yield `${this.printer.unprovedList("Unknown:", unknown)}\n`;
  }

  private *build(): Generator<string> {
    const { build } = this.upgraded;
    if (build === undefined) return;
    const { changed, switches } = build;
    for (const { written, word, advice } of changed) {
      const argument = word === undefined ? "" : `\`${word}\` in `;
      yield `${this.printer.wrap(`${argument}\`${written}\`: ${advice}`, 2)}\n`;
    }
    const isWhole = new Set(changed.map(({ written }) => written)).size === switches;
    if (!isWhole) yield `2.4 accepts ${changed.length === 0 ? "all switches" : "the other switches"} unchanged\n`;
    yield "\n";
  }
}

function keepDifferingScopes(servers: readonly MappedServer[]): readonly MappedServer[] {
  return servers.flatMap((server) => {
    const scopes = server.scopes.filter(({ differs }) => differs);
    return scopes.length === 0 ? [] : [{ ...server, scopes }];
  });
}
