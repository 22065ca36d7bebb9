import { getOrCreate } from "../text/collections.js";
import { computeOnce } from "../text/memoize.js";
import table from "./data/versions.json" with { type: "json" };
import { isSince, lineOf, mayBeBackported, parseRelease, type Release, type ReleaseLine } from "./release.js";

/** A directive of one module in some versions of a line. */
export interface VersionedDirective {
  /** A section's with its `<`. */
  readonly name: string;
  readonly module: string;
  /** Empty if the versions have it from the first one on. */
  readonly since: string;
  /** The last version with it, or with these values; empty if the last one that was read has it. */
  readonly until: string;
  readonly argumentKind: string;
  /** As in the tables of directives, separated by commas. */
  readonly contexts: string;
  readonly override: string;
}

/** Returns a version of the table: `2.4.29`. */
function toRelease(text: string): Release {
  return parseRelease(text) ?? "2.4";
}

/** Reports whether a release is within two versions; an empty one does not limit it. */
function isWithin(release: Release, since: string, until: string): boolean {
  if (since !== "" && !isSince(release, toRelease(since))) return false;
  if (until === "") return true;
  const next = table.versions[table.versions.indexOf(until) + 1];
  // A number that was never released counts as the version before it.
  return next === undefined || !isSince(release, toRelease(next));
}

type RowsByName = ReadonlyMap<string, readonly VersionedDirective[]>;

/** The directives that differ between the versions of each line, by lower-case name. */
const directiveRows = computeOnce((): Readonly<Record<ReleaseLine, RowsByName>> => {
  const rows = { "2.2": new Map<string, VersionedDirective[]>(), "2.4": new Map<string, VersionedDirective[]>() };
  const add = (line: string, row: VersionedDirective) =>
    getOrCreate(rows[line === "2.2" ? "2.2" : "2.4"], row.name.toLowerCase(), () => []).push(row);
  for (const row of table.directives) {
    const [line = "", name = "", module = "", since = "", until = "", argumentKind = "", contexts = "", override = ""] =
      row;
    add(line, { name, module, since, until, argumentKind, contexts, override });
  }
  for (const [line = "", name = "", since = ""] of table.later)
    add(line, { name, module: "", since, until: "", argumentKind: "", contexts: "", override: "" });
  return rows;
});

function rowsOf(name: string, line: ReleaseLine): readonly VersionedDirective[] {
  return directiveRows()[line].get(name.toLowerCase()) ?? [];
}

/** What a version has of the directives that differ between versions, by lower-case name; a section's with its `<`. */
export interface DirectiveVersions {
  /** The directives that differ between versions, whether this one has them or not. */
  readonly differing: RowsByName;
  /** Reports whether the version has it with these values. */
  has(row: VersionedDirective): boolean;
  /** Reports whether the version has a directive that the newest one does not have. */
  hadUntilRemoved(row: VersionedDirective): boolean;
}

/** Returns the directives whose facts differ between the versions of a release's line. */
export function directiveVersionsOf(release: Release): DirectiveVersions {
  const has = ({ name, since, until }: VersionedDirective) =>
    isWithin(release, since, until) || (until === "" && mayBeBackported(release, name.toLowerCase()));
  const isRead = !isSince(release, firstUnreadVersion(lineOf(release)));
  return {
    differing: directiveRows()[lineOf(release)],
    has,
    hadUntilRemoved: (row) => has(row) && (row.until !== "" || isRead),
  };
}

/** Returns the first version after those whose sources were read. */
function firstUnreadVersion(line: ReleaseLine): Release {
  const last = table.versions.findLast((version) => version.startsWith(`${line}.`)) ?? line;
  return `${line}.${Number(last.split(".")[2]) + 1}`;
}

/** Reports whether a version has a module; modules that all versions of the line have are not in the table. */
export function hasModule(release: Release, identifier: string): boolean {
  const line = lineOf(release);
  const rows = table.modules.filter(([ofLine, name]) => ofLine === line && name === identifier);
  return rows.length === 0 || rows.some(([, , since = "", until = ""]) => isWithin(release, since, until));
}

const words = computeOnce(
  (): ReadonlyMap<string, Release> =>
    new Map(
      table.words.map(([line = "", subject = "", word = "", since = ""]) => [
        `${line} ${subject} ${word.toLowerCase()}`,
        toRelease(since),
      ]),
    ),
);

/**
 * Returns the first version of the line that knows a word.
 *
 * @param subject a directive in lower case (`sslprotocol`; the flags of a rule for `rewriterule`, the providers for
 *   `require`), `expression function` or `expression variable`
 * @param word in any case
 * @returns undefined if the release knows the word or may know it, or if the table does not have it
 */
export function findNewerWord(subject: string, word: string, release: Release): Release | undefined {
  const since = words().get(`${lineOf(release)} ${subject} ${word.toLowerCase()}`);
  const isKnown = since === undefined || isSince(release, since);
  return isKnown || mayBeBackported(release, `${subject} ${word.toLowerCase()}`) ? undefined : since;
}

/** Returns the first version with a directive, if a release is older and does not have it. */
export function findNewerDirective(name: string, release: Release): Release | undefined {
  const since = findFirstVersion(name, lineOf(release));
  const isMissing = since !== undefined && !isSince(release, since) && !mayBeBackported(release, name.toLowerCase());
  return isMissing ? since : undefined;
}

/** Returns the lower-case names of the directives of a line that its first version does not have, or whose words differ. */
export function listVersionedNames(line: ReleaseLine): readonly string[] {
  const ofWords = table.words.flatMap(([ofLine, subject = ""]) => (ofLine === line ? [subject] : []));
  return [...new Set([...directiveRows()[line].keys(), ...ofWords])];
}

/**
 * Returns the last version of a line that had a directive.
 *
 * @param name in any case; a section's with its `<`
 * @returns undefined if the newest version has it, or if none had it
 */
export function findLastVersion(name: string, line: ReleaseLine): Release | undefined {
  const last = rowsOf(name, line).at(-1)?.until ?? "";
  return last === "" ? undefined : toRelease(last);
}

/**
 * Returns the first version of a line that has a directive.
 *
 * @param name in any case; a section's with its `<`
 * @returns undefined if all versions have it, or none
 */
export function findFirstVersion(name: string, line: ReleaseLine): Release | undefined {
  const rows = rowsOf(name, line);
  const [first] = rows;
  return first === undefined || rows.some(({ since }) => since === "") ? undefined : toRelease(first.since);
}
