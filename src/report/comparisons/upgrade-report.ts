import type { Directive } from "../../config/model/directive.js";
import { isSince, lineOf, type Release } from "../../facts/release.js";
import { type Finding, severities } from "../../lint/finding.js";
import type { RecordedBuild } from "../../lint/runner/config-nice.js";
import type { Upgrade } from "../../lint/runner/upgrade.js";
import type { MappedServer } from "../../proof/model/mapped-access.js";
import { formatLine } from "../../server/trace/step.js";
import type { Block, BlockOptions, CountRow, Tone } from "../blocks/block.js";
import { blockOptionsOf, TextLayout } from "../blocks/text-layout.js";
import { countBySeverity } from "../findings/rendered-finding.js";
import { adviceKeyOf } from "../findings/similar-findings.js";
import { formatFindingCount } from "../findings/text.js";
import { ALL_SHOWN, groupByKey, type TextStyle } from "../text/text-printer.js";
import { formatComparisonVerdict, listOmittedRequests } from "./comparison-report.js";
import { listDifferences } from "./difference-blocks.js";
import { formatDifferingCount, formatMapSize } from "./map-report.js";
import { listServers } from "./scope-blocks.js";
import { listUnproved } from "./unproved-blocks.js";
import { listVersionEffects } from "./version-blocks.js";

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
  /** A directive that the version you upgrade from does not know: the configuration is already of 2.4, and is not compared. */
  readonly newer?: Directive;
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

const partTones: Readonly<Record<UpgradePart, Tone>> = {
  start: "bad",
  answers: "bad",
  behaviour: "caution",
  review: "neutral",
  recommended: "neutral",
  build: "caution",
};

/** The parts that compare two versions. */
const comparedParts: ReadonlySet<UpgradePart> = new Set<UpgradePart>(["answers", "review"]);

const PREVIOUS_UPGRADE =
  "note: to upgrade from 2.0, first make the changes in `Upgrading to 2.2 from 2.0` (manual of 2.2)";

/** Returns the number of entries under each heading. */
export function countUpgradeParts({ upgrade, build, newer }: UpgradeReport): Readonly<Record<UpgradePart, number>> {
  const { findings, comparison, review, versions } = upgrade;
  const changes = versions === undefined ? 0 : versions.differences.length + versions.changes.length;
  return {
    start: findings.start.length,
    answers: findings.answers.length + (newer ? 0 : comparison.differences.length),
    behaviour: findings.behaviour.length + changes,
    review: newer ? 0 : review.servers.reduce((count, { scopes }) => count + scopes.length, 0),
    recommended: findings.recommended.length,
    build: build?.changed.length ?? 0,
  };
}

/** Renders an upgrade as text: a summary, followed by the parts in order of importance. */
export function* renderUpgradeText(upgraded: UpgradeReport, style: TextStyle): Generator<string> {
  const layout = new TextLayout(style);
  yield layout.title(formatUpgradeTitle(upgraded));
  yield* layout.render(listUpgrade(upgraded, blockOptionsOf(style)));
}

/** Returns the title of an upgrade: its versions. */
export function formatUpgradeTitle({ releases: [before, after], newer }: UpgradeReport): string {
  if (newer) return `Configuration that is already for ${lineOf(after)}`;
  return `Upgrade from ${before} to ${after}`;
}

/** Yields the blocks of an upgrade: a summary, followed by the parts in order of importance. */
export function* listUpgrade(upgraded: UpgradeReport, options: BlockOptions): Generator<Block> {
  const { findings, versions } = upgraded.upgrade;
  const { releases, startupBefore, build, newer } = upgraded;
  if (newer) yield* listNewer(newer, options);
  yield { kind: "counts", rows: listCounts(upgraded) };
  yield { kind: "space" };
  yield* listStartupBefore(releases[0], startupBefore);
  yield* part("start", listAdvice(findings.start, options), findings.start);
  if (newer) yield* part("answers", listAdvice(findings.answers, options), findings.answers);
  else yield* part("answers", listAnswers(upgraded, options), findings.answers);
  const changes = versions === undefined ? [] : listVersionEffects(versions, releases);
  yield* part("behaviour", chain(listAdvice(findings.behaviour, options), changes), findings.behaviour);
  if (!newer) yield* part("review", listReview(upgraded, options));
  yield* part("recommended", listAdvice(findings.recommended, options), findings.recommended);
  yield* part("build", listBuild(build));
  if (!isSince(releases[0], "2.4") && !newer) yield { kind: "paragraph", text: PREVIOUS_UPGRADE, isNote: true };
}

/** Yields why a configuration is not compared, and how to compare it. */
function* listNewer(line: Directive, { places }: BlockOptions): Generator<Block> {
  const quoted = `\`${formatLine(line)}\` (${places.format(line.span)})`;
  const note = `note: ${quoted} is a directive of 2.4, so 2.2 cannot run this configuration: access before and after is not compared, and only what 2.4 itself rejects or ignores is reported`;
  const help =
    "help: to see what an update from one version of 2.4 to another changes, name the version of this server with --from, such as `--from 2.4.41` or `--from ubuntu-20.04`";
  for (const text of [note, help]) yield { kind: "paragraph", text, isNote: true };
  yield { kind: "space" };
}

function listCounts(upgraded: UpgradeReport): readonly CountRow[] {
  const counts = countUpgradeParts(upgraded);
  const isShown = (each: UpgradePart) => !(upgraded.newer && counts[each] === 0 && comparedParts.has(each));
  const shown = upgradeParts.filter((each) => (each !== "build" || upgraded.build !== undefined) && isShown(each));
  const rows = shown.map(
    (each): CountRow => ({
      count: counts[each],
      text: upgradeHeadings[each],
      tone: counts[each] === 0 ? "good" : partTones[each],
      isPart: true,
    }),
  );
  const { ignored } = upgraded.upgrade;
  const suppressed = { count: ignored, text: "suppressed by comments", tone: "neutral", isPart: false } as const;
  return ignored > 0 ? [...rows, suppressed] : rows;
}

/** Yields the first finding that prevents the old version from starting. */
function* listStartupBefore(release: Release, reasons: readonly Finding[]): Generator<Block> {
  if (reasons.length === 0) return;
  const all = reasons.length > 1 ? [`help: run \`httpd-lint check --release ${release}\` to list all reasons`] : [];
  yield { kind: "failure", title: release, reasons, notes: ["note: the report ignores the rejected lines", ...all] };
  yield { kind: "space" };
}

/** Yields a heading, with the number of findings by severity, and its content, if there is any. */
function* part(name: UpgradePart, content: Iterable<Block>, findings: readonly Finding[] = []): Generator<Block> {
  const count = countBySeverity(findings);
  const counts = severities.flatMap((each) => (count[each] > 0 ? [formatFindingCount(count[each], each)] : []));
  let isOpen = false;
  for (const block of content) {
    if (!isOpen) yield { kind: "heading", level: "part", text: upgradeHeadings[name], suffix: counts.join(", ") };
    isOpen = true;
    yield block;
  }
}

function* chain(...all: readonly Iterable<Block>[]): Generator<Block> {
  for (const each of all) yield* each;
}

/**
 * Yields findings; of those with the same advice, the first in full and the others in one line each. Those that hold
 * for nearly every server come last, one line each.
 */
function* listAdvice(findings: readonly Finding[], { isVerbose }: BlockOptions): Generator<Block> {
  const special = isVerbose ? findings : findings.filter(({ isRoutine }) => !isRoutine);
  const groups = isVerbose ? [] : groupByKey(special, adviceKeyOf);
  const repeated = new Set(groups.flatMap(({ others }) => others));
  for (const finding of special) if (!repeated.has(finding)) yield { kind: "finding", finding };
  if (repeated.size > 0) yield { kind: "similar", findings: special.filter((finding) => repeated.has(finding)) };
  if (special.length === findings.length) return;
  yield { kind: "paragraph", text: "On nearly every server (details with --verbose):" };
  const routine = findings.filter(({ isRoutine }) => isRoutine);
  yield { kind: "items", items: routine.map(({ message }) => ({ text: message })) };
  yield { kind: "space" };
}

function* listAnswers({ upgrade, releases }: UpgradeReport, options: BlockOptions): Generator<Block> {
  const { comparison, findings, supplied } = upgrade;
  yield* listAdvice(findings.answers, options);
  if (supplied.length > 0) {
    const names = supplied.map((each) => `\`${each}\``).join(", ");
    const text = `note: the comparison assumes that these missing modules are loaded: ${names}`;
    yield { kind: "paragraph", text, isNote: true };
  }
  yield* listOmittedRequests(comparison);
  yield { kind: "paragraph", text: formatComparisonVerdict(comparison) };
  yield* listDifferences(comparison, releases, { ...options, isBrief: true });
  yield { kind: "space" };
}

/** Yields the access map of restricted paths; those with the same access before and after are only counted. */
function* listReview({ releases, upgrade }: UpgradeReport, options: BlockOptions): Generator<Block> {
  const { servers, unknown } = upgrade.review;
  if (servers.length > 0) {
    const scopes = servers.flatMap((server) => server.scopes);
    const size = `${formatMapSize(servers)} with restricted or changed access`;
    const text = `${size}; ${formatDifferingCount(scopes, unknown.length === 0, releases)}`;
    yield { kind: "paragraph", text };
    const shown = options.isVerbose ? servers : keepDifferingScopes(servers);
    const isShort = shown.reduce((sum, server) => sum + server.scopes.length, 0) < scopes.length;
    if (isShort) yield { kind: "paragraph", text: `Only groups of paths with a difference are shown (${ALL_SHOWN}).` };
    if (shown.length > 0) yield { kind: "space" };
    yield* listServers(shown, releases, MAX_REVIEW_LINES, options);
    yield { kind: "space" };
  }
  if (unknown.length === 0) return;
  yield* listUnproved("Unknown", unknown, options);
  yield { kind: "space" };
}

function* listBuild(build: RecordedBuild | undefined): Generator<Block> {
  if (build === undefined) return;
  const { changed, switches } = build;
  for (const { written, word, advice } of changed) {
    const argument = word === undefined ? "" : `\`${word}\` in `;
    yield { kind: "paragraph", text: `${argument}\`${written}\`: ${advice}`, isNote: true };
  }
  const isWhole = new Set(changed.map(({ written }) => written)).size === switches;
  if (!isWhole)
    yield {
      kind: "paragraph",
      text: `2.4 accepts ${changed.length === 0 ? "all switches" : "the other switches"} unchanged`,
    };
  yield { kind: "space" };
}

function keepDifferingScopes(servers: readonly MappedServer[]): readonly MappedServer[] {
  return servers.flatMap((server) => {
    const scopes = server.scopes.filter(({ differs }) => differs);
    return scopes.length === 0 ? [] : [{ ...server, scopes }];
  });
}
