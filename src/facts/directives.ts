import { SpellingList } from "../text/closest-word.js";
import { compareTexts, findFirstSorted, getOrCreate } from "../text/collections.js";
import { computeOnce, memoizeByText } from "../text/memoize.js";
import { authenticationModules } from "./authentication-modules.js";
import table22 from "./data/2.2.json" with { type: "json" };
import table24 from "./data/2.4.json" with { type: "json" };
import removedTable from "./data/removed.json" with { type: "json" };
import thirdPartyTable from "./data/third-party.json" with { type: "json" };
import { isNewest, lineOf, type Release, type ReleaseLine, releaseLines } from "./release.js";
import { directiveVersionsOf, type VersionedDirective } from "./versions.js";

const placeBits = {
  server: 1,
  virtualhost: 2,
  directory: 4,
  location: 8,
  files: 16,
  limit: 32,
  proxy: 64,
  if: 128,
  htaccess: 256,
} as const;

/** The contexts that the server distinguishes when it reads a directive: the nearest enclosing section. */
export type ContextKind = keyof typeof placeBits;

const argumentKinds = [
  "RAW_ARGS",
  "NO_ARGS",
  "FLAG",
  "ITERATE",
  "ITERATE2",
  "TAKE_ARGV",
  "TAKE1",
  "TAKE2",
  "TAKE3",
  "TAKE12",
  "TAKE13",
  "TAKE23",
  "TAKE123",
] as const;

/**
 * The server's way of splitting arguments, with the names from its source; UNKNOWN if only the manual documents the
 * directive.
 */
export type ArgumentKind = (typeof argumentKinds)[number] | "UNKNOWN";

const overrideClasses = ["All", "AuthConfig", "FileInfo", "Indexes", "Limit", "Options"] as const;

/** The class that `AllowOverride` must grant for a `.htaccess`: All represents any class. */
export type OverrideClass = (typeof overrideClasses)[number];

/** The definition of a directive in one module of a release. */
export interface DirectiveFacts {
  /** As the manual spells it, without the `<` of a section. */
  readonly name: string;
  /** As the server's messages spell it, which is not always the manual's way (`order`). */
  readonly tableName: string;
  readonly section: boolean;
  readonly module: string;
  readonly argumentKind: ArgumentKind;
  /** A bit set of allowed contexts; use `isAllowedIn`. */
  readonly contexts: number;
  /** A required enclosing section that is not a context, with its `<`. */
  readonly requiredSection?: string;
  /** Any of these classes allows it in a `.htaccess`; empty if it is never allowed there. */
  readonly override: readonly OverrideClass[];
  /** Whether it is executed while files are read, and is therefore never part of the resulting configuration. */
  readonly readTime: boolean;
  /** Whether only the manual documents it: the server itself does not know it. */
  readonly manualOnly: boolean;
  readonly status: string;
  readonly syntax: string;
  readonly default?: string;
  /** The text that the server appends to errors about the number of arguments. */
  readonly help?: string;
}

/** A directive of 2.2 that 2.4 rejects. */
export interface RemovedDirective {
  readonly name: string;
  readonly module: string;
  /** The replacement, as an imperative clause. */
  readonly replacement: string;
  /** Why it was removed, or what replaced it, as clauses. */
  readonly reasons: readonly string[];
  /** The directives that replace it, if any. */
  readonly successors: readonly string[];
}

/** A directive of a third-party module. */
export interface ThirdPartyDirective {
  readonly name: string;
  readonly section: boolean;
  /** Identifier in `LoadModule`. */
  readonly module: string;
  /** The identifiers of all modules that define it. */
  readonly modules: readonly string[];
  /** Name in `<IfModule>`, if known. */
  readonly file?: string;
  /** The Debian package that contains the module, if any. */
  readonly package?: string;
  /** As in `DirectiveFacts`; undefined if it is not known, or if several modules define the name differently. */
  readonly override: readonly OverrideClass[] | undefined;
}

interface Table {
  readonly directives: readonly (readonly string[])[];
  readonly unlisted: readonly (readonly string[])[];
  readonly corrections: readonly Correction[];
}

/**
 * A correction to the table of contexts, taken from a real server or its source. Empty texts do not correct anything.
 */
interface Correction {
  readonly directive: string;
  readonly allowed: string;
  readonly refused: string;
  readonly inside: string;
  readonly why: string;
}

const tables: Readonly<Record<ReleaseLine, Table>> = { "2.2": table22, "2.4": table24 };

type Row = readonly string[];

/** A release's rows by lower-case name, and the facts created so far, by requested name. */
interface Lookup {
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  readonly corrections: ReadonlyMap<string, Correction>;
  readonly facts: Map<string, readonly DirectiveFacts[]>;
}

const lookups = new Map<Release, Lookup>();
const noFacts: readonly DirectiveFacts[] = [];

/**
 * Returns a release's facts about a directive: one entry for each module that defines it, none if it is unknown. The
 * name is as written, in any case; a section's includes its `<`.
 */
export function findDirectiveFacts(release: Release, name: string): readonly DirectiveFacts[] {
  const lookup = lookups.get(release) ?? buildLookup(release);
  return lookup.facts.get(name) ?? factsByName(lookup, name);
}

/** Facts are created on first use: a configuration uses few of the directives. */
function factsByName(lookup: Lookup, name: string): readonly DirectiveFacts[] {
  const key = name.toLowerCase();
  const rows = lookup.rows.get(key);
  if (rows === undefined) return noFacts;
  const facts = lookup.facts.get(key) ?? rows.map((row) => factsOf(row, lookup.corrections.get(key)));
  lookup.facts.set(key, facts).set(name, facts);
  return facts;
}

/** Reports whether the directive is allowed in a context; true if unknown. */
export function isAllowedIn(facts: DirectiveFacts, place: ContextKind): boolean {
  return (facts.contexts & placeBits[place]) !== 0;
}

function buildLookup(release: Release): Lookup {
  const table = tables[lineOf(release)];
  const rows = new Map<string, Row[]>();
  const all = [...table.directives, ...table.unlisted];
  for (const row of isNewest(release) ? all : rowsOfVersion(all, release)) {
    const key = writtenName(row).toLowerCase();
    getOrCreate(rows, key, () => []).push(row);
  }
  const corrections = new Map(table.corrections.map((correction) => [correction.directive.toLowerCase(), correction]));
  const lookup: Lookup = { rows, corrections, facts: new Map() };
  lookups.set(release, lookup);
  return lookup;
}

/**
 * Returns the rows of an earlier version: without its later directives, with those that were removed since, and with the
 * arguments and contexts that they had.
 */
function rowsOfVersion(newest: readonly Row[], release: Release): Row[] {
  const { differing, has, hadUntilRemoved } = directiveVersionsOf(release);
  const kept = newest.flatMap((row): Row[] => {
    const name = writtenName(row);
    const [, , module = ""] = row;
    const rows =
      differing.get(name.toLowerCase())?.filter((each) => each.module === "" || each.module === module) ?? [];
    if (rows.length === 0) return [row];
    const own = rows.find(has);
    if (own === undefined) return [];
    return own.until === "" || own.argumentKind === "" ? [row] : [changeRow(row, own)];
  });
  const known = new Set(newest.map((row) => writtenName(row).toLowerCase()));
  // Those that the newest version no longer has.
  const others = [...differing].flatMap(([key, rows]) =>
    known.has(key) ? [] : rows.filter(hadUntilRemoved).map(toRow),
  );
  return [...kept, ...others];
}

function changeRow(row: Row, { argumentKind, contexts, override }: VersionedDirective): Row {
  const [name = "", spelled = "", module = "", marks = "", , ofNewest = "", , ...rest] = row;
  // What may stand inside a `<Proxy>` is known of the newest version only.
  const inProxy = /,proxy(?=,|$)/.exec(ofNewest)?.[0] ?? "";
  const written = contexts.includes("proxy") || !/directory/.test(contexts) ? contexts : `${contexts}${inProxy}`;
  return [name, spelled, module, marks, argumentKind, written, override, ...rest];
}

function toRow({ name, module, argumentKind, contexts, override }: VersionedDirective): Row {
  const isSection = name.startsWith("<");
  const marks = isSection ? "section" : "";
  return [name.replace("<", ""), "", module, marks, argumentKind || "RAW_ARGS", contexts || "?", override];
}

function writtenName([name = "", , , marks = ""]: Row): string {
  return marks.startsWith("section") ? `<${name}` : name;
}

function factsOf(row: Row, correction: Correction | undefined): DirectiveFacts {
  const [name = "", table, module = "", marks = "", kind, contexts = "?", override = "", refused = ""] = row;
  const [status = "", syntax = "", fallback, help] = row.slice(8);
  const readTime = marks.includes("readTime");
  return {
    name,
    tableName: table || name,
    section: marks.startsWith("section"),
    module,
    argumentKind: argumentKinds.find((known) => known === kind) ?? "UNKNOWN",
    contexts: correctContexts(contextsOf(contexts, refused, readTime), correction),
    ...(correction?.inside ? { requiredSection: correction.inside } : {}),
    override: classesOf(override),
    readTime,
    manualOnly: marks.includes("manualOnly"),
    status,
    syntax,
    ...(fallback ? { default: fallback } : {}),
    ...(help ? { help } : {}),
  };
}

const inSections = placeBits.directory | placeBits.location | placeBits.files | placeBits.limit | placeBits.if;
const contextBits: Readonly<Record<string, number>> = {
  server: placeBits.server,
  virtualhost: placeBits.virtualhost,
  directory: inSections | placeBits.proxy,
  proxy: placeBits.proxy,
  htaccess: placeBits.htaccess,
  "?": -1,
};

/** Returns the contexts in the server's table, without those where a test of the server rejected the directive. */
function contextsOf(contexts: string, refused: string, readTime: boolean): number {
  let bits = 0;
  for (const context of contexts.split(",")) bits |= contextBits[context] ?? 0;
  // Directives executed while a file is read are checked before the enclosing section is entered.
  if (readTime && (bits & placeBits.server) !== 0) bits |= inSections | placeBits.proxy;
  return bits & ~bitsOf(refused);
}

function correctContexts(places: number, correction: Correction | undefined): number {
  if (correction === undefined) return places;
  return (places & ~bitsOf(correction.refused)) | bitsOf(correction.allowed);
}

function bitsOf(places: string): number {
  if (places === "" || places === "?") return 0;
  let bits = 0;
  for (const [place, bit] of Object.entries(placeBits)) if (places.split(",").includes(place)) bits |= bit;
  return bits;
}

const classLists = new Map<string, readonly OverrideClass[]>();

/** Returns the classes of a row; rows that name the same ones share one list. */
function classesOf(names: string): readonly OverrideClass[] {
  return getOrCreate(classLists, names, () => {
    const words = names.split(",");
    return overrideClasses.filter((name) => words.includes(name));
  });
}

const removedDirectives = computeOnce(
  (): ReadonlyMap<string, RemovedDirective> =>
    new Map(removedTable.directives.map((directive) => [directive.name.toLowerCase(), directive])),
);

/** Returns the fate of a 2.2 directive that 2.4 does not know; the name is case-insensitive. */
export function findRemovedDirective(name: string): RemovedDirective | undefined {
  return removedDirectives().get(name.toLowerCase());
}

const thirdPartyDirectives = computeOnce(buildThirdParty);

/** Returns the third-party directive of a name; of several, the first in the table. A section's name includes its `<`. */
export function findThirdPartyDirective(name: string): ThirdPartyDirective | undefined {
  return thirdPartyDirectives().get(name.toLowerCase());
}

const thirdPartyModules = computeOnce(
  // Some of those for authentication have no directives.
  () =>
    new Set([
      ...thirdPartyTable.directives.map(([, module = ""]) => module),
      ...authenticationModules.map((module) => module.identifier),
    ]),
);

/** Reports whether a third-party module is known by its identifier, and with it all of its directives. */
export function isThirdPartyModule(identifier: string): boolean {
  return thirdPartyModules().has(identifier);
}

/**
 * Returns the third-party modules with directives that begin like an unknown name: another version of such a module, or
 * a fork of it, may define the name (mod_rpaf has `RPAFenable`, its successor `RPAF_Enable`). None if the names of httpd
 * begin more like it.
 *
 * @param minimum number of letters that must be the same
 */
export function listModulesWithPrefix(name: string, minimum: number): readonly string[] {
  // The bracket of a section does not count.
  const least = minimum + (name.startsWith("<") ? 1 : 0);
  const key = name.toLowerCase();
  const { own, foreign } = sortedNames();
  const next = findFirstSorted(own, (each) => each >= key);
  const length = Math.max(least, ...[next - 1, next].map((index) => commonStart(key, own[index] ?? "")));
  if (key.length < length) return [];
  const start = key.slice(0, length);
  const first = findFirstSorted(foreign, (each) => each.key >= start);
  const end = findFirstSorted(foreign, (each) => each.key >= start && !each.key.startsWith(start));
  const found = foreign.slice(first, end).sort((a, b) => a.index - b.index);
  return [...new Set(found.map(({ module }) => module))];
}

/** The names of httpd's directives, and those of third-party modules with their place in the table: sorted, in lower case. */
const sortedNames = computeOnce(() => ({
  own: releaseLines
    .flatMap(listDirectiveNames)
    .map((name) => name.toLowerCase())
    .sort(),
  foreign: thirdPartyTable.directives
    .map(([name = "", module = ""], index) => ({ key: name.toLowerCase(), module, index }))
    .sort((a, b) => compareTexts(a.key, b.key)),
}));

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

interface DrawnDirective extends Omit<ThirdPartyDirective, "override"> {
  readonly modules: string[];
  override: readonly OverrideClass[] | undefined;
}

function buildThirdParty(): ReadonlyMap<string, ThirdPartyDirective> {
  const directives = new Map<string, DrawnDirective>();
  for (const [written = "", module = "", file, origin, override = ""] of thirdPartyTable.directives) {
    const key = written.toLowerCase();
    const before = directives.get(key);
    const classes = override === "" ? undefined : classesOf(override);
    if (before) {
      before.modules.push(module);
      if (String(before.override) !== String(classes)) before.override = undefined;
      continue;
    }
    directives.set(key, {
      name: written.replace("<", ""),
      section: written.startsWith("<"),
      module,
      modules: [module],
      ...(file ? { file } : {}),
      ...(origin ? { package: origin } : {}),
      override: classes,
    });
  }
  return directives;
}

const spellings = new Map<Release, readonly string[]>();

/** The names of sections of a release, and its other names. */
const wordListsOf = memoizeByText((release: Release) => {
  const names = listDirectiveNames(release);
  const isSection = (name: string) => name.startsWith("<");
  return {
    sections: new SpellingList(names.filter(isSection)),
    others: new SpellingList(names.filter((name) => !isSection(name))),
  };
});

/**
 * Returns the known name closest to a misspelt one, at an edit distance of at most two (one for a name under five
 * letters), or one with a part that is there twice. A section's name includes its `<` and is only compared with sections.
 */
export function suggestDirectiveName(release: Release, name: string): string | undefined {
  const { sections, others } = wordListsOf(release);
  const names = name.startsWith("<") ? sections : others;
  const once = withoutRepeatedPart(name);
  return names.findClosest(name) ?? (once === undefined ? undefined : names.findClosest(once));
}

/** Returns a name without a part of it that was pasted twice: `AddOutputFilterByTypeByType`. */
function withoutRepeatedPart(name: string): string | undefined {
  // No name of httpd is that long.
  if (name.length > 80) return undefined;
  const [, before, part, after] = /^(.*?)(.{4,})\2(.*)$/is.exec(name) ?? [];
  return part === undefined ? undefined : `${before}${part}${after}`;
}

/** Returns every directive that a release knows, as the manual spells it; a section's name includes its `<`. */
export function listDirectiveNames(release: Release): readonly string[] {
  return getOrCreate(spellings, release, () => {
    const lookup = lookups.get(release) ?? buildLookup(release);
    const first = [...lookup.rows.values()].flatMap((rows) => rows.slice(0, 1));
    return first.filter(([, , , marks = ""]) => !marks.includes("manualOnly")).map(writtenName);
  });
}
