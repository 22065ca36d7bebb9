import type { Directive } from "../../config/model/directive.js";
import { isDebianLayout } from "../../config/model/load-module.js";
import type { Project } from "../../config/model/project.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { isNewest, nameRelease } from "../../facts/release.js";
import type { Finding } from "../../lint/finding.js";
import { listHosts } from "../../proof/compare/summary.js";
import type { NamedDifference, PermanentFault } from "../../proof/migrate/acceptance.js";
import { findLegacyDirectives } from "../../proof/migrate/migrate.js";
import type { MigratedFile, MigrationExceptions, ProvedMigration } from "../../proof/migrate/migration.js";
import { findInactiveLines, type InactiveLines } from "../../proof/migrate/plan/access-lines.js";
import { describeRule, describeStatedMethods } from "../../proof/migrate/plan/describe-require.js";
import { holdsAuthConfig } from "../../proof/migrate/rewrite/section-adjustments.js";
import type { Difference } from "../../proof/model/comparison.js";
import { describeRequest } from "../../server/model/request.js";
import { createFaultFinder } from "../../server/phases/refused-lines.js";
import { formatLine, quoteLines } from "../../server/trace/step.js";
import { checkHtaccess } from "../../server/walk/htaccess-check.js";
import { mergeOverrides } from "../../server/walk/overrides.js";
import type { SourceFile, Span } from "../../text/source.js";
import { formatCount } from "../../text/words.js";
import { describeWrittenFiles, type WrittenFiles } from "../text/file-changes.js";
import { PlaceResolver } from "../text/source-places.js";
import { ALL_SHOWN, formatMore, groupByKey } from "../text/text-printer.js";
import { describeShownAnswer } from "./difference-blocks.js";

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
  /** Whether all hosts and lines of a note are listed. */
  readonly isVerbose: boolean;
}

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
  const { before, written, isVerbose } = facts;
  const places = new PlaceResolver(base);
  const whereOf = createPlaceFormatter(places);
  // Lines are reported by their current location.
  const now = written === undefined ? before : migration.after;
  const inactiveLines = findInactiveLines(now);
  return [
    facts.newer ? describeMovedLine(facts.newer, whereOf(facts.newer.span)) : summary(migration, facts),
    ...(migration.hasOpenDifferences
      ? ["2.2 and 2.4 may decide some requests differently; to list them, run `httpd-lint compare --from 2.2`"]
      : []),
    ...byReleaseNotes(migration.exceptions, whereOf, isVerbose),
    ...migration.exceptions.samePage.map((each) => samePageNote(each, whereOf) + sameHosts(each, isVerbose)),
    ...migration.exceptions.accepted.map((each) => acceptedNote(each) + sameHosts(each.difference, isVerbose)),
    ...ineffectiveNotes(migration, whereOf),
    ...migration.exceptions.restored.map((each) => restoredNote(each) + sameHosts(each.difference, isVerbose)),
    ...(written ? describeWrittenFiles(written) : []),
    ...(written?.backup === undefined ? [] : gracefulNotes(migration, before, places)),
    ...overrideNotes(migration, facts, whereOf),
    ...commentNotes(migration, before, places),
    ...startupNotes(facts, migration, whereOf),
    ...keptNotes(migration.exceptions.faults, whereOf, isVerbose),
    ...inactiveLines.slice(0, MAX_GUARDS).map((each) => leftOutNote(each, whereOf)),
    ...compatNotes(migration, before, now, inactiveLines.length > 0, whereOf),
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

function summary({ exceptions, files, after }: ProvedMigration, { before, isAssumed }: MigrationFacts): string {
  if (files.length > 0)
    return [
      `proved${isAssumed ? " under this assumption" : ""}: without mod_access_compat, the`,
      files.length === 1 ? "changed file keeps" : `${files.length} changed files keep`,
      `the access decision of every request${isNewest(after.release) ? "" : ` on ${nameRelease(after.release)}`}`,
      ...describeExceptions(exceptions),
    ].join(" ");
  const isNone = findLegacyDirectives(before).length === 0 && findLegacyDirectives(after).length === 0;
  return `nothing to migrate: ${isNone ? "it has no mod_access_compat directives" : "its conditional sections also work without mod_access_compat"}`;
}

/** Returns notes about new files that may apply before the others. */
function gracefulNotes({ files }: ProvedMigration, before: Project, places: PlaceResolver): readonly string[] {
  const [first, ...others] = perDirectory(files, before);
  // Without a change of the main files, nothing is left for a restart.
  if (first === undefined || others.length + 1 === files.length) return [];
  const more = others.length === 0 ? " applies" : ` and ${others.length} more apply`;
  return [
    `run \`apachectl graceful\` now: \`${places.displayPath(first.path)}\`${more} immediately, but the main files only after a restart; until then, some requests may be wrongly allowed, and others return 500`,
  ];
}

/** Returns the files that the server reads for each request. */
function perDirectory(files: readonly MigratedFile[], { htaccess }: Project): readonly MigratedFile[] {
  const paths = new Set(htaccess.map(({ tree }) => tree.source.realPath));
  return files.filter(({ path }) => paths.has(path));
}

/** Returns the other changes needed before 2.4 starts. */
function startupNotes(
  { startup }: MigrationFacts,
  { assumesStartFixes }: ProvedMigration,
  whereOf: (span: Span) => string,
): readonly string[] {
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
    ...(assumesStartFixes ? ["the proof assumes the available fixes of the lines that 2.4 rejects"] : []),
    ...(sorted.some(({ fix }) => fix) ? ["add --fix-start to include the available fixes in the change"] : []),
  ];
}

/** If its modules are missing, a server reports no other errors. */
function isOfModules({ rule }: Finding): boolean {
  return /(?:^|-)modules?(?:-|$)/.test(rule);
}

/** Returns the note about AllowOverride lines that the change widens. */
function overrideNotes(
  { after }: ProvedMigration,
  { before, written, isVerbose }: MigrationFacts,
  whereOf: (span: Span) => string,
): readonly string[] {
  const [old, changed] = [before, after].map(listOverrides);
  if (old === undefined || changed === undefined || old.length !== changed.length) return [];
  const shown = changed.flatMap((line, index) => {
    const earlier = old[index];
    if (earlier === undefined || !holdsAuthConfig(line) || holdsAuthConfig(earlier)) return [];
    return written === undefined ? earlier : line;
  });
  const [first, ...others] = shown.map(({ span }) => whereOf(span));
  if (first === undefined) return [];
  const where = others.length === 0 ? first : `${first} and ${formatMore("line", others, isVerbose)}`;
  return [
    `\`.htaccess\` files may now also set up logins: \`Require\` in them needs \`AllowOverride AuthConfig\` (${where})`,
  ];
}

function listOverrides({ directives }: Project): readonly Directive[] {
  return [...iterateDescendants(directives)].filter(({ key }) => key === "allowoverride");
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

const moduleNamesOfRequire: ReadonlySet<string> = new Set(["mod_authz_core.c", "authz_core_module"]);

/** Returns advice for migrating such lines as well. */
function adviceOn({ argument, kind, negated }: InactiveLines["guard"]): string {
  switch (kind) {
    case "<ifdefine":
      return negated
        ? `: to convert them, run \`migrate\` again without \`--define ${argument}\``
        : `: to convert them, run \`migrate\` again with \`--define ${argument}\``;
    case "<ifmodule":
      // Each 2.4 that can use the new lines has this module.
      if (negated && moduleNamesOfRequire.has(argument.toLowerCase()))
        return ": they are for 2.2; delete the section if 2.2 no longer reads this file";
      return negated
        ? `: to convert them, run \`migrate\` again with \`--modules=-${argument}\``
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
  before: Project,
  now: Project,
  isOmitted: boolean,
  whereOf: (span: Span) => string,
): readonly string[] {
  const [first, ...others] = findLegacyDirectives(after);
  const notes = [];
  if (first) {
    // Such a file is not changed. Without mod_access_compat, its first fault would be another one.
    const line = findRefusedLine(first.span.file, before);
    const cause = line ? ` because of \`${formatLine(line)}\` (${whereOf(line.span)})` : "";
    notes.push(
      `${formatCount(others.length + 1, "mod_access_compat directive")} left (first at ${whereOf(first.span)}): the server rejects this file${cause}, so requests below it return 500 before and after the change; correct the file`,
    );
  }
  const compat = now.loadModules.find(({ identifier }) => identifier === "access_compat_module");
  if (compat && first === undefined) {
    const place = whereOf(compat.span);
    const state = isDebianLayout(now)
      ? `run \`a2dismod access_compat\` (${place} loads it)`
      : `delete its LoadModule line at ${place}`;
    const unread = unreadFoldersOf(now);
    if (unread.length > 0)
      notes.push(
        `no line that was read needs mod_access_compat after the change, but \`.htaccess\` files in ${unread.join(" and in ")} were not read: search them for Order, Allow, Deny and Satisfy; only if none has such a line, ${state}`,
      );
    else
      notes.push(
        `no directive ${isOmitted ? "that applies here " : ""}needs mod_access_compat after the change: ${state}`,
      );
  }
  return notes;
}

/**
 * Returns the first line for which the server rejects a `.htaccess` file, whatever AllowOverride permits. Undefined if
 * only the overrides, or an error outside of a line, are the reason.
 */
function findRefusedLine({ realPath }: SourceFile, project: Project): Directive | undefined {
  const file = project.htaccess.find(({ tree }) => tree.source.realPath === realPath);
  if (file === undefined) return undefined;
  // Without an AllowOverride line, 2.2 permits everything.
  const overrides = mergeOverrides([], { release: "2.2" });
  const verdict = checkHtaccess(file, overrides, project, createFaultFinder(project));
  return verdict.kind === "refused" ? verdict.refusal.directive : undefined;
}

/** Returns words for the folders whose `.htaccess` files were not read, and may still have directives of mod_access_compat. */
function unreadFoldersOf({ assumptions }: Project): readonly string[] {
  const codes = new Set(assumptions.map(({ code }) => code));
  return [
    ...(codes.has("no-userdir-htaccess") ? ["home directories"] : []),
    ...(codes.has("absent-folders-without-htaccess") ? ["folders that do not exist here"] : []),
  ];
}

/** Returns words for the requests whose access decision changes. */
function describeExceptions({ byRelease, samePage, accepted, restored }: MigrationExceptions): readonly string[] {
  const kinds = [
    ...(byRelease.length === 0 ? [] : ["those that 2.4 itself rejects"]),
    ...(samePage.length === 0 ? [] : ["other paths of a page that the client may see"]),
    ...(accepted.length === 0 ? [] : [formatCount(accepted.length, "accepted difference")]),
    ...(restored.length === 0 ? [] : ["those that restored lines decide"]),
  ];
  return kinds.length === 0 ? [] : [`except ${kinds.join(", and ")}`];
}

/** Returns a note about a path that leads to a page which the client sees at its own path before and after. */
function samePageNote({ request, before, after }: Difference, whereOf: (span: Span) => string): string {
  const [line] = after.decidedBy;
  const place = line ? ` (\`${formatLine(line)}\` at ${whereOf(line.span)})` : "";
  const now =
    after.class === "allowed"
      ? `the page of its section${place}, which this client may see at the path of the section; methods other than GET and HEAD reach a file at this path, if one exists`
      : `${after.status}${place}, as at the path of the section`;
  return `${describeRequest(request)} returned ${before.status} and now returns ${now}`;
}

/** Returns the end of a note on a difference: the other hosts that it holds for. */
function sameHosts(difference: Difference, isVerbose: boolean): string {
  const others = listHosts(difference).slice(1);
  return others.length === 0 ? "" : `; same for ${formatMore("host", others, isVerbose)}`;
}

/** Returns notes on accepted faults: one for all with the same code, unless verbose. */
function keptNotes(
  faults: readonly PermanentFault[],
  whereOf: (span: Span) => string,
  isVerbose: boolean,
): readonly string[] {
  const noteOf = ({ id, fault: { reason, directive } }: PermanentFault) =>
    `kept, but probably not intended: ${directive ? `${whereOf(directive.span)}: ` : ""}${reason} (${id})`;
  if (isVerbose) return faults.map(noteOf);
  return groupByKey(faults, ({ fault }) => fault.code).map(({ first, others }) =>
    others.length === 0
      ? noteOf(first)
      : `${noteOf(first)}; same at ${formatCount(others.length, "more place")} (${ALL_SHOWN})`,
  );
}

function acceptedNote({ id, difference: { request, before, after } }: NamedDifference): string {
  return `accepted: ${id}: ${describeRequest(request)}: ${describeShownAnswer(before)} before, ${describeShownAnswer(after)} after`;
}

/** Returns notes about differences that no access rule could change: one for all requests with a rejected host name. */
function byReleaseNotes(
  { byRelease }: MigrationExceptions,
  whereOf: (span: Span) => string,
  isVerbose: boolean,
): readonly string[] {
  const isByHost = ({ after: { access } }: Difference) => access === "rejected";
  const names = new Set(byRelease.filter(isByHost).flatMap(listHosts));
  const rejected = [...names].map(
    (name) =>
      `2.4 rejects all requests with the host name \`${name}\` (400), so the access to this host is not proved; correct its \`ServerName\``,
  );
  const others = byRelease.filter((each) => !isByHost(each));
  return [...rejected, ...others.map((each) => byReleaseNote(each, whereOf) + sameHosts(each, isVerbose))];
}

function restoredNote({ difference: { request, before, after } }: NamedDifference): string {
  return `by restored lines: ${describeRequest(request)}: ${before.class} before, ${after.class} after`;
}

/** Returns a note for each section whose lines had no effect: they were restored or deleted. */
function ineffectiveNotes(
  { ineffective, exceptions }: ProvedMigration,
  whereOf: (span: Span) => string,
): readonly string[] {
  const isRestored = exceptions.restored.length > 0;
  return ineffective.flatMap(({ lines, methods, now, written, isPartial }) => {
    const [first] = lines;
    if (first === undefined) return [];
    const what = `${whereOf(first.span)}: ${quoteLines(lines)}${describeStatedMethods(methods)}`;
    return isRestored
      ? [`restored: ${what}: ${describeRule(written)}`]
      : [`deleted, because it had no effect${isPartial ? " on its own" : ""}: ${what}: ${describeRule(now)}`];
  });
}

/** Returns a note about a difference that no access rule could change. */
function byReleaseNote({ request, before, after }: Difference, whereOf: (span: Span) => string): string {
  const [line] = after.decidedBy;
  const place = line ? ` (rule at ${whereOf(line.span)})` : "";
  return `not affected by access control: ${describeRequest(request)} returns ${before.status} in 2.2 and ${after.status} in 2.4${place}; for details, run \`httpd-lint upgrade\``;
}
