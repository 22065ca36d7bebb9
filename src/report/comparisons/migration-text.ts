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

/** Limit of the changed requests shown. */
const MOST_SHOWN = 10;

/** Renders the changes in the format of `patch` and `git apply`, or the reason why there are none. */
export function* renderMigrationDiff(migration: Migration, look: TextStyle): Generator<string> {
  if (migration.verdict === "refused") {
    yield* explainRefusal(migration, new ReportPrinter(look));
    return;
  }
  const places = new PlaceResolver(look.base);
  for (const { path, before, after } of migration.files) yield formatPatch(places.displayPath(path), before, after);
}

function* explainRefusal({ refused, comparison }: NotMigrated, teller: ReportPrinter): Generator<string> {
  const { bold, red } = teller.colours;
  yield `${bold(red("not migrated"))}: ${teller.say("all of it moves at once or nothing does, and this stands in the way; nothing is written", 14)}\n`;
  for (const { reason, directive } of refused)
    yield `  ${directive ? `${teller.where(directive)}: ` : ""}${teller.say(reason, 4)}\n`;
  if (comparison === undefined) return;
  const { differences, unproved } = comparison;
  for (const { request, assumptions, before, after } of differences.slice(0, MOST_SHOWN)) {
    const such = formatAssumptions(assumptions).map((each) => `, where ${each}`);
    const told = `${describeRequest(request)}${such.join("")}: ${before.class} now, and ${after.class} with what comes closest`;
    const [line] = before.decidedBy;
    yield `  ${line ? `${teller.where(line)}: ${teller.say(`\`${formatLine(line)}\``, 4)}\n    ` : ""}${teller.say(told, 4)}\n`;
  }
  if (differences.length > MOST_SHOWN) yield `  and ${differences.length - MOST_SHOWN} more\n`;
  if (unproved.length > 0) yield teller.unprovedList("not proved", unproved);
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
const MOST_GUARDS = 5;

/** Limit of the findings shown in full. */
const MOST_FINDINGS = 4;

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
  const leftOut = findInactiveLines(now);
  return [
    facts.newer ? describeMovedLine(facts.newer, whereOf(facts.newer.span)) : summary(migration, facts),
    ...migration.byRelease.differences.map((each) => byReleaseNote(each, whereOf)),
    ...(written ? describeWrittenFiles(written) : []),
    ...(written?.backup === undefined ? [] : gracefulNotes(migration, before, places)),
    ...commentNotes(migration, before, places),
    ...startupNotes(facts, whereOf),
    ...kept.map(({ message, span }) => `kept, though it is hardly meant: ${whereOf(span)}: ${message}`),
    ...leftOut.slice(0, MOST_GUARDS).map((each) => leftOutNote(each, whereOf)),
    ...compatNotes(migration, now, leftOut.length > 0, whereOf),
  ].map((note) => `httpd-lint: ${note}`);
}

function createPlaceFormatter(places: PlaceResolver): (span: Span) => string {
  return (span) => `${places.path(span.file)}:${places.start(places.place(span)).line}`;
}

function describeMovedLine(line: Directive, where: string): string {
  return `nothing to migrate: there is no old directive in it, and \`${formatLine(line)}\` (${where}) is of 2.4 already; leave --from 2.2 out`;
}

/** Returns the reason why a configuration cannot be one of 2.2. */
export function describeHalfMigrated(line: Directive, base: string | undefined): string {
  return `\`${formatLine(line)}\` (${createPlaceFormatter(new PlaceResolver(base))(line.span)}) is a line of 2.4 that 2.2 does not know, so these are no files that a 2.2 runs; leave --from 2.2 out, and the answers of 2.4 are kept`;
}

function summary({ byRelease, files, after }: ProvedMigration, { before, isAssumed }: MigrationFacts): string {
  if (files.length > 0)
    return `proved${isAssumed ? " under this assumption" : ""}: with ${files.length === 1 ? "this change" : `these changes to ${formatCount(files.length, "file")}`} every request${byRelease.differences.length === 0 ? "" : " but those that 2.4 itself refuses"} is answered as before by a server without mod_access_compat`;
  const isNone = findLegacyDirectives(before).length === 0 && findLegacyDirectives(after).length === 0;
  return `nothing to migrate: ${isNone ? "there is no old directive in it" : "what its guards hold serves a server without mod_access_compat as well"}`;
}

/** Returns notes about new files that may apply before the others. */
function gracefulNotes({ files }: ProvedMigration, before: Project, places: PlaceResolver): readonly string[] {
  const [first, ...others] = perDirectory(files, before);
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return [
    `\`${places.displayPath(first.path)}\`${more} is in force at once, the main files when the server reads them again: run \`apachectl graceful\` now, since until then some may come in who should not, and others get 500`,
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
  const told = [...all.filter(isOfModules), ...all.filter((each) => !isOfModules(each))];
  const more = told.length - MOST_FINDINGS;
  return [
    ...told.slice(0, MOST_FINDINGS).map(({ message, span }) => `${whereOf(span)}: ${message}`),
    ...(more > 0 ? [`${more} more of what keeps 2.4 from starting: \`httpd-lint upgrade\` names them`] : []),
    ...(told.some(({ fix }) => fix) ? ["--fix-start writes what has a fix of that into the same change"] : []),
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
        `\`${places.displayPath(path)}\` holds nothing but comments then: its rules stand in the main files, or say what holds there anyway; take them along or out`,
    );
}

function hasOnlyComments(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 0 && lines.every((line) => line.trim().startsWith("#"));
}

function leftOutNote({ guard, lines }: InactiveLines, whereOf: (span: Span) => string): string {
  const [first = guard.span] = lines;
  const tag = `<${kinds[guard.kind]} ${guard.negated ? "!" : ""}${guard.argument}>`;
  const many = `${formatCount(lines.length, "old line")} in \`${tag}\``;
  return `${many} ${lines.length === 1 ? "is" : "are"} not in force here and left as ${lines.length === 1 ? "it is" : "they are"}, ${lines.length === 1 ? "" : "the first "}at ${whereOf(first)}${adviceOn(guard)}`;
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
        ? `: run it again without \`--define ${argument}\` to move them, too`
        : `: run it again with \`--define ${argument}\` to move them, too`;
    case "<ifmodule":
      return negated
        ? `: run it again with \`--no-module ${argument}\` to move them, too`
        : ": before that module is loaded, run it again";
    case "<iffile":
    case "<ifdirective":
    case "<ifsection":
    case "<ifversion":
      return ": a server that takes them needs mod_access_compat";
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
      `${formatCount(others.length + 1, "old directive")} left, the first at ${whereOf(first.span)}: the server refuses the file, and all below answers 500, now and then; see what is meant there`,
    );
  const compat = now.loadModules.find(({ identifier }) => identifier === "access_compat_module");
  if (compat && first === undefined) {
    const place = whereOf(compat.span);
    const how = isDebianLayout(now)
      ? `run \`a2dismod access_compat\` (${place} loads it)`
      : `take out its LoadModule line at ${place}`;
    notes.push(`nothing ${isLeftOut ? "that is in force here " : ""}needs mod_access_compat then: ${how}`);
  }
  return notes;
}

/** Returns a note about a difference that no access rule could change. */
function byReleaseNote({ request, before, after }: Difference, whereOf: (span: Span) => string): string {
  const [line] = after.decidedBy;
  const place = line ? ` by the rule at ${whereOf(line.span)}` : "";
  return `set aside: ${describeRequest(request)} gets ${after.status}${place} on 2.4, where 2.2 answers ${before.status}, whatever the rules about access say; \`upgrade\` tells of it`;
}
