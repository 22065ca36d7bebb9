import type { Difference } from "../../compare/model/comparison.js";
import type { Finding } from "../../engine/finding.js";
import { describeRequest, formatAssumptions } from "../../httpd/model/request.js";
import { findLegacyDirectives, type MigratedFile, type Migration, type NotMigrated } from "../../migrate/migrate.js";
import { findInactiveLines, type InactiveLines } from "../../migrate/model/access-lines.js";
import type { Directive } from "../../project/model/directive.js";
import { isDebianLayout } from "../../project/model/load-module.js";
import type { Project } from "../../project/model/project.js";
import { formatLine } from "../../simulate/trace/step.js";
import type { Span } from "../../text/source.js";
import { describeWrittenFiles, formatPatch, type WrittenFiles } from "../text/file-changes.js";
import { ReportPrinter } from "../text/report-printer.js";
import { PlaceResolver } from "../text/source-places.js";
import { formatCount, type TextStyle } from "../text/text-printer.js";
import { formatConditions } from "./client-words.js";

/** Limit of the changed requests shown. */
const MAX_SHOWN = 10;

/** Renders the changes in the format of `patch` and `git apply`, or the reason why there are none. */
export function* renderMigrationDiff(migration: Migration, look: TextStyle): Generator<string> {
  if (migration.verdict === "refused") {
    yield* explainRefusal(migration, new ReportPrinter(look));
    return;
  }
  const places = new PlaceResolver(look.base);
  for (const { path, before, after } of migration.files) yield formatPatch(places.displayPath(path), before, after);
}

function* explainRefusal({ refused, comparison }: NotMigrated, printer: ReportPrinter): Generator<string> {
  const { bold, red } = printer.colours;
  yield `${bold(red("not migrated"))}: ${printer.say("all files are converted at once, or none; no file was changed", 14)}\n`;
  for (const { reason, notes = [], help = [], directive } of refused) {
    yield `  ${directive ? `${printer.where(directive)}: ` : ""}${printer.say(reason, 4)}\n`;
    for (const note of notes) yield `    = note: ${printer.say(note, 12)}\n`;
    for (const advice of help) yield `    = help: ${printer.say(advice, 12)}\n`;
  }
  if (comparison === undefined) return;
  const { differences, unproved } = comparison;
  if (differences.length > 0) yield "Requests that the closest conversion would change:\n";
  for (const { request, assumptions, before, after } of differences.slice(0, MAX_SHOWN)) {
    const given = formatAssumptions(assumptions);
    const example = `${describeRequest(request)}${given.length === 0 ? "" : `, ${formatConditions(given)}`}`;
    const change = `${example}: ${before.class} now, ${after.class} after the conversion`;
    const [line] = before.decidedBy;
    yield `  ${line ? `${printer.where(line)}: ${printer.say(`\`${formatLine(line)}\``, 4)}\n    ` : ""}${printer.say(change, 4)}\n`;
  }
  if (differences.length > MAX_SHOWN) yield `  and ${differences.length - MAX_SHOWN} more\n`;
  if (unproved.length > 0) yield printer.unprovedList("Not proved:", unproved);
}

/** Facts about a migration other than its changes. */
export interface MigrationFacts {
  readonly before: Project;
  /** Whether the proof depends on assumptions about the rest of the server. */
  readonly isAssumed: boolean;
  /** A directive of 2.4 in a configuration declared as 2.2. */
  readonly newer: Directive | undefined;
  /** The files that were written; undefined if none were to be written. */
  readonly written: WrittenFiles | undefined;
  /** Findings that prevent 2.4 from starting after the change. */
  readonly startup: readonly Finding[];
  /** Preserved decisions that are probably unintended. */
  readonly kept: readonly Finding[];
}

type ProvedMigration = Migration & { readonly verdict: "proved" };

/** Limit of the conditional sections listed with the directives they exclude. */
const MAX_GUARDS = 5;

/** Limit of the findings shown in full. */
const MAX_FINDINGS = 4;

/** Returns the notes about a migration other than its changes, one line each. */
export function listMigrationNotes(
  migration: ProvedMigration,
  base: string | undefined,
  facts: MigrationFacts,
): readonly string[] {
  const { before, kept, written } = facts;
  const places = new PlaceResolver(base);
  const whereOf = createPlaceFormatter(places);
  // Lines are reported by their current location.
  const now = written === undefined ? before : migration.after;
  const inactiveLines = findInactiveLines(now);
  return [
    facts.newer ? describeMovedLine(facts.newer, whereOf(facts.newer.span)) : summary(migration, facts),
    ...migration.byRelease.differences.map((each) => byReleaseNote(each, whereOf)),
    ...(written ? describeWrittenFiles(written) : []),
    ...(written?.backup === undefined ? [] : gracefulNotes(migration, before, places)),
    ...commentNotes(migration, before, places),
    ...startupNotes(facts, whereOf),
    ...kept.map(({ message, span }) => `kept, but probably not intended: ${whereOf(span)}: ${message}`),
    ...inactiveLines.slice(0, MAX_GUARDS).map((each) => leftOutNote(each, whereOf)),
    ...compatNotes(migration, now, inactiveLines.length > 0, whereOf),
  ].map((note) => `httpd-lint: ${note}`);
}

function createPlaceFormatter(places: PlaceResolver): (span: Span) => string {
  return (span) => `${places.path(span.file)}:${places.start(places.place(span)).line}`;
}

function describeMovedLine(line: Directive, where: string): string {
  return `nothing to migrate: it has no mod_access_compat directive, and \`${formatLine(line)}\` (${where}) is a directive of 2.4; omit --from 2.2`;
}

/** Returns a clause for a configuration that is already for 2.4. @param line a line that shows it */
export function describeUpgraded(line: Directive, base: string): string {
  const where = createPlaceFormatter(new PlaceResolver(base))(line.span);
  return `\`${formatLine(line)}\` (${where}) is a directive of 2.4, so 2.2 cannot run this configuration`;
}

/** Returns a clause for the files of a configuration that are already for 2.4. @param lines one of each, never empty */
export function describeUpgradedFiles([line, ...more]: readonly Directive[], base: string): string {
  if (line === undefined) return "";
  const others = more.length === 0 ? "" : ` and ${formatCount(more.length, "more file")}`;
  const where = createPlaceFormatter(new PlaceResolver(base))(line.span);
  const them = more.length === 0 ? "it" : "them";
  return `\`${formatLine(line)}\` (${where}) is a directive of 2.4: this file${others} cannot come from 2.2, so no change of the upgrade is reported for ${them}`;
}

/** Returns the reason why a configuration cannot be one of 2.2. */
export function describeHalfMigrated(line: Directive, base: string | undefined): string {
  return `\`${formatLine(line)}\` (${createPlaceFormatter(new PlaceResolver(base))(line.span)}) is a directive of 2.4, so 2.2 cannot run this configuration; omit --from 2.2 to keep the access decisions of 2.4`;
}

function summary({ byRelease, files, after }: ProvedMigration, { before, isAssumed }: MigrationFacts): string {
  if (files.length > 0)
    return [
      `proved${isAssumed ? " under this assumption" : ""}: without mod_access_compat, the`,
      files.length === 1 ? "changed file keeps" : `${files.length} changed files keep`,
      "the access decision of every request",
      ...(byRelease.differences.length === 0 ? [] : ["except those that 2.4 itself rejects"]),
    ].join(" ");
  const isNone = findLegacyDirectives(before).length === 0 && findLegacyDirectives(after).length === 0;
  return `nothing to migrate: ${isNone ? "it has no mod_access_compat directives" : "its conditional sections also work without mod_access_compat"}`;
}

/** Returns notes about new files that may apply before the others. */
function gracefulNotes({ files }: ProvedMigration, before: Project, places: PlaceResolver): readonly string[] {
  const [first, ...others] = perDirectory(files, before);
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return [
    `run \`apachectl graceful\` now: \`${places.displayPath(first.path)}\`${more} applies immediately, but the main files only after a restart; until then, some requests may be wrongly allowed, and others return 500`,
  ];
}

/** Returns the files that the server reads for each request. */
function perDirectory(files: readonly MigratedFile[], { htaccess }: Project): readonly MigratedFile[] {
  const paths = new Set(htaccess.map(({ tree }) => tree.source.realPath));
  return files.filter(({ path }) => paths.has(path));
}

/** Returns the other changes needed before 2.4 starts. */
function startupNotes({ startup }: MigrationFacts, whereOf: (span: Span) => string): readonly string[] {
  const all = startup.filter(({ severity }) => severity !== "info");
  const sorted = [...all.filter(isOfModules), ...all.filter((each) => !isOfModules(each))];
  const more = sorted.length - MAX_FINDINGS;
  return [
    ...sorted
      .slice(0, MAX_FINDINGS)
      .map(({ message, span, help = [] }) => `${whereOf(span)}: ${[message, ...help.slice(0, 1)].join("; ")}`),
    ...(more > 0
      ? [`${formatCount(more, "more reason")} why 2.4 does not start: run \`httpd-lint upgrade\` to list them`]
      : []),
    ...(sorted.some(({ fix }) => fix) ? ["add --fix-start to include the available fixes in the change"] : []),
  ];
}

/** If its modules are missing, a server reports no other errors. */
function isOfModules({ rule }: Finding): boolean {
  return /(?:^|-)modules?(?:-|$)/.test(rule);
}

/** Returns notes about comments of `.htaccess` files without any rules left. */
function commentNotes({ files }: ProvedMigration, before: Project, places: PlaceResolver): readonly string[] {
  return perDirectory(files, before)
    .filter(({ after }) => hasOnlyComments(after))
    .map(
      ({ path }) =>
        `\`${places.displayPath(path)}\` contains only comments after the change: its rules are in the main files or were redundant; move or delete the comments`,
    );
}

function hasOnlyComments(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 0 && lines.every((line) => line.trim().startsWith("#"));
}

function leftOutNote({ guard, lines }: InactiveLines, whereOf: (span: Span) => string): string {
  const [first = guard.span] = lines;
  const tag = `<${kinds[guard.kind]} ${guard.negated ? "!" : ""}${guard.argument}>`;
  const many = `${formatCount(lines.length, "mod_access_compat line")} in \`${tag}\``;
  const place = `${lines.length === 1 ? "" : "first "}at ${whereOf(first)}`;
  return `${many} ${lines.length === 1 ? "does" : "do"} not apply here and ${lines.length === 1 ? "was" : "were"} not changed (${place})${adviceOn(guard)}`;
}

const kinds = {
  "<ifmodule": "IfModule",
  "<ifdefine": "IfDefine",
  "<iffile": "IfFile",
  "<ifdirective": "IfDirective",
  "<ifsection": "IfSection",
  "<ifversion": "IfVersion",
} as const;

/** Returns advice for migrating such lines as well. */
function adviceOn({ argument, kind, negated }: InactiveLines["guard"]): string {
  switch (kind) {
    case "<ifdefine":
      return negated
        ? `: to convert them, run \`migrate\` again without \`--define ${argument}\``
        : `: to convert them, run \`migrate\` again with \`--define ${argument}\``;
    case "<ifmodule":
      return negated
        ? `: to convert them, run \`migrate\` again with \`--no-module ${argument}\``
        : ": run `migrate` again before you load this module";
    case "<iffile":
    case "<ifdirective":
    case "<ifsection":
    case "<ifversion":
      return ": a server to which they apply needs mod_access_compat";
  }
}

/** Returns notes on whether mod_access_compat can be removed, and what still needs it. */
function compatNotes(
  { after }: ProvedMigration,
  now: Project,
  isLeftOut: boolean,
  whereOf: (span: Span) => string,
): readonly string[] {
  const [first, ...others] = findLegacyDirectives(after);
  const notes = [];
  if (first)
    notes.push(
      `${formatCount(others.length + 1, "mod_access_compat directive")} left (first at ${whereOf(first.span)}): the server rejects this file, so requests below it return 500 before and after the change; correct the file`,
    );
  const compat = now.loadModules.find(({ identifier }) => identifier === "access_compat_module");
  if (compat && first === undefined) {
    const place = whereOf(compat.span);
    const how = isDebianLayout(now)
      ? `run \`a2dismod access_compat\` (${place} loads it)`
      : `delete its LoadModule line at ${place}`;
    notes.push(`no directive ${isLeftOut ? "that applies here " : ""}needs mod_access_compat after the change: ${how}`);
  }
  return notes;
}

/** Returns a note about a difference that no access rule could change. */
function byReleaseNote({ request, before, after }: Difference, whereOf: (span: Span) => string): string {
  const [line] = after.decidedBy;
  const place = line ? ` (rule at ${whereOf(line.span)})` : "";
  return `not affected by access control: ${describeRequest(request)} returns ${before.status} in 2.2 and ${after.status} in 2.4${place}; for details, run \`httpd-lint upgrade\``;
}
