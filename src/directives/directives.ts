import { findClosestWord } from "../text/closest-word.js";
import table22 from "./data/2.2.json" with { type: "json" };
import table24 from "./data/2.4.json" with { type: "json" };
import removedTable from "./data/removed.json" with { type: "json" };
import thirdPartyTable from "./data/third-party.json" with { type: "json" };

export type Release = "2.2" | "2.4";

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

/** The kinds of surroundings that the server tells apart when it reads a directive: the nearest enclosing section. */
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

/** How the server splits the arguments, in the names of its source; UNKNOWN where only the manual tells of it. */
export type ArgumentKind = (typeof argumentKinds)[number] | "UNKNOWN";

const overrideClasses = ["All", "AuthConfig", "FileInfo", "Indexes", "Limit", "Options"] as const;

/** What `AllowOverride` must grant for a `.htaccess`: All stands for any class at all. */
export type OverrideClass = (typeof overrideClasses)[number];

/** What a release knows of one directive, as one of its modules defines it. */
export interface DirectiveFacts {
  /** As the manual spells it, without the `<` of a section. */
  readonly name: string;
  /** As the server's messages spell it, which is not always the manual's way (`order`). */
  readonly tableName: string;
  readonly section: boolean;
  readonly module: string;
  readonly argumentKind: ArgumentKind;
  /** The places it may stand in, a bit each: ask with `isAllowedIn`. */
  readonly contexts: number;
  /** A section that is no `Place` and that it must stand in, with its `<`. */
  readonly requiredSection?: string;
  /** Any of these classes allows it in a `.htaccess`; none where it may never stand in one. */
  readonly override: readonly OverrideClass[];
  /** Run while the files are read, and so never part of the configuration that results. */
  readonly readTime: boolean;
  /** Told of by the manual alone: the server itself does not know it. */
  readonly manualOnly: boolean;
  readonly status: string;
  readonly syntax: string;
  readonly default?: string;
  /** What the server appends when it complains about the number of arguments. */
  readonly help?: string;
}

/** A directive of 2.2 that 2.4 refuses. */
export interface RemovedDirective {
  readonly name: string;
  readonly module: string;
  /** What to do in its place, as a clause. */
  readonly replacement: string;
  /** The directives that take its place; none where nothing does. */
  readonly successors: readonly string[];
}

/** A directive of a module that does not come with httpd. */
export interface ThirdPartyDirective {
  readonly name: string;
  readonly section: boolean;
  /** As `LoadModule` names it. */
  readonly module: string;
  /** As `<IfModule>` tests it, where that is known. */
  readonly file?: string;
  /** The Debian package that holds the module, if one does. */
  readonly package?: string;
}

interface Table {
  readonly directives: readonly (readonly string[])[];
  readonly beside: readonly (readonly string[])[];
  readonly corrections: readonly Correction[];
}

/** Where the table of places is wrong: what a real server, or its source, says instead. Empty texts say nothing. */
interface Correction {
  readonly directive: string;
  readonly allowed: string;
  readonly refused: string;
  readonly inside: string;
  readonly why: string;
}

const tables: Readonly<Record<Release, Table>> = { "2.2": table22, "2.4": table24 };

type Row = readonly string[];

/** A release's rows by name in lower case, and the facts made of them so far, by name as it was asked for. */
interface Lookup {
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  readonly corrections: ReadonlyMap<string, Correction>;
  readonly facts: Map<string, readonly DirectiveFacts[]>;
}

const lookups = new Map<Release, Lookup>();
const noFacts: readonly DirectiveFacts[] = [];

/**
 * What a release knows of a directive: one entry for each module that defines it, none where it is unknown. The name is
 * taken as written, in any case, a section's with its `<`.
 */
export function findDirectiveFacts(release: Release, name: string): readonly DirectiveFacts[] {
  const lookup = lookups.get(release) ?? buildLookup(release);
  return lookup.facts.get(name) ?? factsByName(lookup, name);
}

/** Facts are made when they are first asked for: a configuration uses few of all the directives. */
function factsByName(lookup: Lookup, name: string): readonly DirectiveFacts[] {
  const key = name.toLowerCase();
  const rows = lookup.rows.get(key);
  if (rows === undefined) return noFacts;
  const facts = lookup.facts.get(key) ?? rows.map((row) => factsOf(row, lookup.corrections.get(key)));
  lookup.facts.set(key, facts).set(name, facts);
  return facts;
}

/** May the directive stand in such a place? True where nobody knows. */
export function isAllowedIn(facts: DirectiveFacts, place: ContextKind): boolean {
  return (facts.contexts & placeBits[place]) !== 0;
}

function buildLookup(release: Release): Lookup {
  const table = tables[release];
  const rows = new Map<string, Row[]>();
  for (const row of [...table.directives, ...table.beside]) {
    const key = writtenName(row).toLowerCase();
    const others = rows.get(key);
    if (others) others.push(row);
    else rows.set(key, [row]);
  }
  const corrections = new Map(table.corrections.map((correction) => [correction.directive.toLowerCase(), correction]));
  const lookup: Lookup = { rows, corrections, facts: new Map() };
  lookups.set(release, lookup);
  return lookup;
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

/** What the server's table allows, less the places where the server refused the directive when it was tried. */
function contextsOf(contexts: string, refused: string, readTime: boolean): number {
  let bits = 0;
  for (const context of contexts.split(",")) bits |= contextBits[context] ?? 0;
  // What runs while a file is read is judged before the section around it is entered.
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

/** The classes of a row; rows that name the same ones share one list. */
function classesOf(names: string): readonly OverrideClass[] {
  const known = classLists.get(names);
  if (known) return known;
  const words = names.split(",");
  const classes = overrideClasses.filter((name) => words.includes(name));
  classLists.set(names, classes);
  return classes;
}

let removedDirectives: ReadonlyMap<string, RemovedDirective> | undefined;

/** What became of a directive of 2.2 that 2.4 no longer knows; the name in any case. */
export function findRemovedDirective(name: string): RemovedDirective | undefined {
  removedDirectives ??= new Map(removedTable.directives.map((directive) => [directive.name.toLowerCase(), directive]));
  return removedDirectives.get(name.toLowerCase());
}

let thirdPartyDirectives: ReadonlyMap<string, ThirdPartyDirective> | undefined;

/**
 * The module outside httpd that defines a directive, of several the first in the order of the table; a section's name
 * with its `<`.
 */
export function findThirdPartyDirective(name: string): ThirdPartyDirective | undefined {
  thirdPartyDirectives ??= buildThirdParty();
  return thirdPartyDirectives.get(name.toLowerCase());
}

let thirdPartyModules: ReadonlySet<string> | undefined;

/** Whether a module that does not come with httpd is known by its identifier, and with it all of its directives. */
export function isThirdPartyModule(identifier: string): boolean {
  thirdPartyModules ??= new Set(thirdPartyTable.directives.map(([, module = ""]) => module));
  return thirdPartyModules.has(identifier);
}

function buildThirdParty(): ReadonlyMap<string, ThirdPartyDirective> {
  const directives = new Map<string, ThirdPartyDirective>();
  for (const [written = "", module = "", file, origin] of thirdPartyTable.directives) {
    const key = written.toLowerCase();
    if (directives.has(key)) continue;
    directives.set(key, {
      name: written.replace("<", ""),
      section: written.startsWith("<"),
      module,
      ...(file ? { file } : {}),
      ...(origin ? { package: origin } : {}),
    });
  }
  return directives;
}

const spellings = new Map<Release, readonly string[]>();

/**
 * The known name that a misspelt one comes nearest to, at most two slips away (one for a name under five letters); a
 * section's name with its `<`, among sections only.
 */
export function suggestDirectiveName(release: Release, name: string): string | undefined {
  const names = listDirectiveNames(release);
  const section = name.startsWith("<");
  return findClosestWord(
    name,
    names.filter((known) => known.startsWith("<") === section),
  );
}

/** Every directive that a release knows, as the manual spells it; a section's name with its `<`. */
export function listDirectiveNames(release: Release): readonly string[] {
  const known = spellings.get(release);
  if (known) return known;
  const lookup = lookups.get(release) ?? buildLookup(release);
  const first = [...lookup.rows.values()].flatMap((rows) => rows.slice(0, 1));
  const names = first.filter(([, , , marks = ""]) => !marks.includes("manualOnly")).map(writtenName);
  spellings.set(release, names);
  return names;
}
