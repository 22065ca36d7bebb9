/**
 * Extracts from the sources of httpd what its versions know: directives with their kinds of arguments and contexts, the
 * words that directives compare their arguments with, flags of rewrite rules, names in expressions, providers of
 * Require, and modules. Only what differs between two versions of a release is written; facts of the source, no text.
 *
 * tsx scripts/draw-versions.ts REPOSITORY src/facts/data/versions.json
 *
 * REPOSITORY is a clone of apache/httpd with its tags. The rows of `later` are kept: they are from the manual, about
 * versions without a tag in the clone.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compareTexts, getOrCreate } from "../src/text/collections.js";
import { type DirectiveTable, printTable } from "./draw-directives.js";

/** A directive as a command table of the source defines it. */
interface Command {
  /** As the table spells it; a section's with `<`. */
  readonly name: string;
  readonly kind: string;
  /** The C expression of its contexts, without blanks. */
  readonly where: string;
  /** The C function that reads its arguments. */
  readonly handler: string;
}

/** What one source file defines. */
interface SourceFacts {
  readonly commands: readonly Command[];
  /** The bodies of its functions, by name. */
  readonly functions: ReadonlyMap<string, string>;
  /** Words by subject, such as `expression function`. */
  readonly words: ReadonlyMap<string, ReadonlySet<string>>;
  readonly modules: readonly string[];
}

/** The facts of one version: the value of each key, as text. */
type VersionFacts = ReadonlyMap<string, string>;

const kinds = "RAW_ARGS|NO_ARGS|FLAG|ITERATE2|ITERATE|TAKE_ARGV|TAKE123|TAKE12|TAKE13|TAKE23|TAKE1|TAKE2|TAKE3";
const blank = (text: string) => text.replace(/[^\n]/g, " ");

/** Returns the source without its comments; other text keeps its place. */
function withoutComments(source: string): string {
  return source.replace(/"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\//g, (text) => (text.startsWith('"') ? text : blank(text)));
}

/** Returns the end of the text that an opening bracket before `start` begins, and the commas at its top level. */
function scanNested(source: string, start: number, close: string): { end: number; commas: number[] } {
  const commas: number[] = [];
  const open = close === ")" ? "(" : "{";
  let depth = 1;
  let at = start;
  for (; at < source.length && depth > 0; at++) {
    const char = source[at];
    if (char === '"' || char === "'") {
      at++;
      while (at < source.length && source[at] !== char) at += source[at] === "\\" ? 2 : 1;
    } else if (char === open) depth++;
    else if (char === close) depth--;
    else if (char === "," && depth === 1) commas.push(at);
  }
  return { end: at, commas };
}

function readCommands(source: string): Command[] {
  const commands: Command[] = [];
  const constants = new Map(
    [...source.matchAll(/^\s*#\s*define\s+(\w+)\s+"([^"]+)"/gm)].map(([, name = "", text = ""]) => [name, text]),
  );
  for (const match of source.matchAll(new RegExp(`\\bAP_INIT_(${kinds})\\s*\\(\\s*(?:"([^"]+)"|(\\w+))\\s*,`, "g"))) {
    const [whole, kind = "", written, constant = ""] = match;
    const name = written ?? constants.get(constant);
    if (name === undefined) continue;
    const start = match.index + whole.length;
    const { end, commas } = scanNested(source, start, ")");
    const parts = [start - 1, ...commas, end - 1];
    const part = (index: number) => source.slice((parts[index] ?? 0) + 1, parts[index + 1]).trim();
    commands.push({ name, kind, where: part(2).replace(/\s+/g, ""), handler: /(\w+)$/.exec(part(0))?.[1] ?? "" });
  }
  // The macros of mod_ssl put the name together.
  for (const [, place = "", name = "", kind = ""] of source.matchAll(
    new RegExp(`\\bSSL_CMD_(ALL|SRV|PXY)\\s*\\(\\s*(\\w+)\\s*,\\s*(${kinds})`, "g"),
  ))
    commands.push({ name: `SSL${name}`, kind, where: `SSL_${place}`, handler: `ssl_cmd_SSL${name}` });
  for (const [, name = "", override = "", kind = ""] of source.matchAll(
    new RegExp(`\\bSSL_CMD_DIR\\s*\\(\\s*(\\w+)\\s*,\\s*(\\w+)\\s*,\\s*(${kinds})`, "g"),
  ))
    commands.push({ name: `SSL${name}`, kind, where: `OR_${override}`, handler: `ssl_cmd_SSL${name}` });
  return commands;
}

function readFunctions(source: string): Map<string, string> {
  const functions = new Map<string, string>();
  // The brace of a function body is at the start of a line.
  for (const match of source.matchAll(/^[^#\n]*?\b(\w+)\s*\(([^;{}]*?)\)\s*\n\{/gm)) {
    const start = match.index + match[0].length;
    const name = match[1] ?? "";
    if (!functions.has(name)) functions.set(name, source.slice(start, scanNested(source, start, "}").end));
  }
  return functions;
}

const comparison = String.raw`\b(?:ap_cstr_casecmpn?|apr_cstr_casecmpn?|ap_casecmpstrn?|strn?casecmp|strn?cmp|str(?:c?EQn?))`;
const comparedLast = new RegExp(`${comparison}\\s*\\(\\s*(?:[^,"()]|\\([^()]*\\))+,\\s*"((?:[^"\\\\]|\\\\.)+)"`, "g");
const comparedFirst = new RegExp(`${comparison}\\s*\\(\\s*"((?:[^"\\\\]|\\\\.)+)"\\s*,`, "g");

/** Returns the words that a function compares something with. */
function comparedWords(body: string): string[] {
  return [...body.matchAll(comparedLast), ...body.matchAll(comparedFirst)].map(([, word = ""]) => word);
}

/** Returns the words of a directive's function and of the functions that it calls, two levels deep. */
function wordsOfHandler(handler: string, functions: ReadonlyMap<string, string>): Set<string> {
  const words = new Set<string>();
  let level = [handler];
  const seen = new Set(level);
  for (let depth = 0; depth < 3; depth++) {
    const next: string[] = [];
    for (const name of level) {
      const body = functions.get(name);
      if (body === undefined) continue;
      for (const word of comparedWords(body)) words.add(word);
      for (const [, called = ""] of body.matchAll(/\b(\w+)\s*\(/g)) if (!seen.has(called)) next.push(called);
    }
    for (const name of next) seen.add(name);
    level = next;
  }
  return words;
}

/** Returns the flags of a `switch` on their first letter, in lower case: `case 'q':` and then `"sappend"`. */
function readFlags(body: string): Set<string> {
  const flags = new Set<string>();
  let letter = "";
  for (const [, first, rest] of body.matchAll(/case '(\w)':|casecmp\w*\s*\(\s*key\s*,\s*"([^"]+)"/g)) {
    if (first !== undefined) letter = first.toLowerCase();
    else flags.add(`${letter}${rest?.toLowerCase()}`);
  }
  return flags;
}

function readWords(source: string, functions: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const words = new Map<string, Set<string>>();
  const add = (subject: string, found: Iterable<string>) => {
    const all = getOrCreate(words, subject, () => new Set());
    for (const word of found) all.add(word);
  };
  for (const [, list = "", body = ""] of source.matchAll(
    /\b(\w+_func|unary_op|binary_op)_providers\[\]\s*=\s*\{([\s\S]*?)\n\};/g,
  )) {
    const subject = list.endsWith("_func") ? "expression function" : "expression operator";
    add(
      subject,
      [...body.matchAll(/\{\s*\w+\s*,\s*"([^"]+)"/g)].map(([, word = ""]) => word),
    );
  }
  for (const [, body = ""] of source.matchAll(/\b\w+_var_names\[\]\s*=\s*\{([\s\S]*?)\n\};/g))
    add(
      "expression variable",
      [...body.matchAll(/"([^"]+)"/g)].map(([, word = ""]) => word),
    );
  for (const [, word = ""] of source.matchAll(/AUTHZ_PROVIDER_GROUP\s*,\s*"([^"]+)"/g)) add("require", [word]);
  const setFlag = functions.get("cmd_rewriterule_setflag");
  if (setFlag !== undefined) add("rewriterule", readFlags(setFlag));
  return words;
}

/** Code that no build contains. */
const unusedCode = /^#ifdef AUTHZ_EXTRA_CONFIGS\n[\s\S]*?^#endif/gm;

function readSource(text: string): SourceFacts {
  const source = withoutComments(text).replace(unusedCode, blank);
  const functions = readFunctions(source);
  const modules = [...source.matchAll(/\bmodule AP_MODULE_DECLARE_DATA (\w+)\s*=|\bAP_DECLARE_MODULE\((\w+)\)/g)];
  return {
    commands: readCommands(source),
    functions,
    words: readWords(source, functions),
    modules: modules.map(([, identifier, name]) => identifier ?? `${name}_module`),
  };
}

/** Runs git in the clone. */
function git(repository: string, words: readonly string[], input = ""): string {
  const { stdout, status, stderr } = spawnSync("git", ["-C", repository, ...words], {
    encoding: "latin1",
    input,
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const isSource = /^(?:modules|server|include|os\/unix)\/.*\.[ch]$/;
const isElsewhere = /\/(?:test|examples|experimental|arch)\/|\/win32\/|mod_(?:case_filter|example)/;

/** Reads the sources of a tag; files of earlier tags are in `known`, by their hashes. */
function sourcesOf(repository: string, tag: string, known: Map<string, SourceFacts>): Map<string, SourceFacts> {
  const entries = git(repository, ["ls-tree", "-r", tag]).matchAll(/^\d+ blob (\w+)\t(.*)$/gm);
  const files = [...entries].map(([, hash = "", path = ""]) => ({ hash, path }));
  const sources = files.filter(({ path }) => isSource.test(path) && !isElsewhere.test(path));
  const missing = [...new Set(sources.map(({ hash }) => hash))].filter((hash) => !known.has(hash));
  const output = git(repository, ["cat-file", "--batch"], missing.map((hash) => `${hash}\n`).join(""));
  let at = 0;
  for (const hash of missing) {
    const start = output.indexOf("\n", at) + 1;
    const size = Number(output.slice(at, start).split(" ")[2]);
    known.set(hash, readSource(output.slice(start, start + size)));
    at = start + size + 1;
  }
  return new Map(sources.flatMap(({ hash, path }) => [[path, known.get(hash) ?? readSource("")] as const]));
}

/** Files whose directives the tables list under another module. */
const modulesOfFiles: Readonly<Record<string, string>> = {
  "h2_config.c": "mod_http2",
  "http_core.c": "core",
  "mod_md_config.c": "mod_md",
  "util_ldap.c": "mod_ldap",
  "tls_conf.c": "mod_tls",
  "mod_policy.c": "mod_policy",
  "core.c": "core",
  "ap_listen.h": "mpm_common",
  "mpm_common.h": "mpm_common",
  "unixd.h": "mpm_common",
  "mod_unixd.c": "mod_unixd",
};

function moduleOf(path: string): string {
  const file = path.split("/").at(-1) ?? path;
  return modulesOfFiles[file] ?? file.replace(/\.[ch]$/, "");
}

/** Converts the C expression of contexts to contexts and classes, in the words of the tables of directives. */
function contextsOf(where: string): string {
  const words = where.split(/[|()]/);
  const classes: Readonly<Record<string, string>> = {
    OR_ALL: "All",
    OR_AUTHCFG: "AuthConfig",
    OR_FILEINFO: "FileInfo",
    OR_INDEXES: "Indexes",
    DIR_CMD_PERMS: "Indexes",
    OR_LIMIT: "Limit",
    OR_OPTIONS: "Options",
    SSL_ALL: "AuthConfig",
  };
  const override = words.flatMap((word) => classes[word] ?? []).sort();
  const inAll = override.length > 0;
  const inServer = inAll || words.some((word) => ["RSRC_CONF", "SSL_SRV", "SSL_PXY"].includes(word));
  const inSections = inAll || words.includes("ACCESS_CONF");
  const contexts = [
    ...(inServer ? ["server", "virtualhost"] : []),
    ...(inSections ? ["directory"] : []),
    ...(words.some((word) => word === "SSL_PXY" || word === "PROXY_CONF") ? ["proxy"] : []),
    ...(inAll ? ["htaccess"] : []),
  ];
  return `${contexts.join(",")} ${override.join(",")}`;
}

/** Returns the facts of one version, under keys of two or three parts. */
function factsOf(sources: ReadonlyMap<string, SourceFacts>): VersionFacts {
  const facts = new Map<string, string>();
  const ofSsl = new Map(
    [...sources].flatMap(([path, { functions }]) => (path.includes("/ssl/") ? [...functions] : [])),
  );
  for (const [path, source] of sources) {
    for (const module of source.modules) if (module.endsWith("_module")) facts.set(`module\t${module}`, "");
    for (const [subject, words] of source.words) for (const word of words) facts.set(`word\t${subject}\t${word}`, "");
    for (const { name, kind, where, handler } of source.commands) {
      // Whether a section's bracket is an argument, and where sections are allowed, did not change.
      const value = name.startsWith("<") ? "" : `${kind} ${contextsOf(where)}`;
      facts.set(`directive\t${name}\t${moduleOf(path)}`, value);
      const functions = path.includes("/ssl/") ? ofSsl : source.functions;
      for (const word of wordsOfHandler(handler, functions)) facts.set(`word\t${name.toLowerCase()}\t${word}`, "");
    }
  }
  return facts;
}

type Row = readonly string[];

/** The table, as in the JSON file. An empty version means that the row holds from the first one, or to the last one. */
export interface VersionTable {
  readonly about: string;
  /** The versions that were released and have a tag in the clone, oldest first. */
  readonly versions: readonly string[];
  readonly columns: Readonly<Record<"modules" | "directives" | "words" | "later", readonly string[]>>;
  readonly modules: readonly Row[];
  readonly directives: readonly Row[];
  readonly words: readonly Row[];
  readonly later: readonly Row[];
}

/** Returns the versions between which a fact has one value: the first one with it, and the last one. */
function intervalsOf(key: string, versions: readonly string[], facts: ReadonlyMap<string, VersionFacts>) {
  const intervals: { value: string; since: string; until: string }[] = [];
  let open: { value: string; since: string; until: string } | undefined;
  for (const [index, version] of versions.entries()) {
    const value = facts.get(version)?.get(key);
    if (open !== undefined && open.value === value) continue;
    if (open !== undefined) intervals.push({ ...open, until: versions[index - 1] ?? "" });
    open = value === undefined ? undefined : { value, since: index === 0 ? "" : version, until: "" };
  }
  return open === undefined ? intervals : [...intervals, open];
}

function compareVersions(a: string, b: string): number {
  const [, minorA = 0, patchA = 0] = a.split(".").map(Number);
  const [, minorB = 0, patchB = 0] = b.split(".").map(Number);
  return minorA - minorB || patchA - patchB;
}

/**
 * Builds the table of one release from the facts of its versions.
 *
 * @param newest the directives of the newest version, in lower case
 */
function rowsOf(versions: readonly string[], facts: ReadonlyMap<string, VersionFacts>, newest: ReadonlySet<string>) {
  const line = versions[0]?.replace(/\.\d+$/, "") ?? "";
  const keys = [...new Set([...facts.values()].flatMap((each) => [...each.keys()]))].sort(compareTexts);
  const rows = { modules: [] as Row[], directives: [] as Row[], words: [] as Row[] };
  for (const key of keys) {
    const intervals = intervalsOf(key, versions, facts);
    const [first] = intervals;
    const [kind, subject = "", rest = ""] = key.split("\t");
    if (intervals.length === 1 && first?.since === "" && first.until === "") {
      // Newer versions than those that were read may lack it.
      if (kind !== "directive" || newest.has(subject.toLowerCase().replace("<", ""))) continue;
    }
    for (const { value, since, until } of intervals) {
      const [argumentKind = "", contexts = "", override = ""] = value.split(" ");
      if (kind === "module") rows.modules.push([line, subject, since, until]);
      else if (kind === "directive")
        rows.directives.push([line, subject, rest, since, until, argumentKind, contexts, override]);
      // A word that is no longer compared is usually read in another way.
      else if (until === "" && since !== "") rows.words.push([line, subject, rest, since]);
    }
  }
  const starts = new Map<string, string>();
  for (const [, name = "", , since = ""] of rows.directives) {
    const key = name.toLowerCase();
    if (!starts.has(key)) starts.set(key, since);
  }
  // Most words are as old as their directive, and need no row.
  return { ...rows, words: rows.words.filter(([, subject = "", , since]) => starts.get(subject) !== since) };
}

/** Returns the versions that were released, from the list in the STATUS file of a branch; some have a tag only. */
function releasedVersions(repository: string, branch: string): string[] {
  const status = git(repository, ["show", `${branch}:STATUS`]);
  const entries = status.matchAll(/^ +(2\.\d+\.\d+) *: *(.*)/gm);
  return [...entries].flatMap(([, version = "", state = ""]) =>
    /not released|distributed on/i.test(state) ? [] : [version],
  );
}

/** Returns the names in the table of the newest version of a release. */
function namesOfNewest(line: "2.2" | "2.4"): ReadonlySet<string> {
  const file = new URL(`../src/facts/data/${line}.json`, import.meta.url);
  const table: DirectiveTable = JSON.parse(readFileSync(file, "utf8"));
  return new Set([...table.directives, ...table.unlisted].map(([name = ""]) => name.toLowerCase()));
}

function draw(repository: string, known: VersionTable): VersionTable {
  const tags = git(repository, ["tag"]).split("\n");
  const tagged = tags.filter((tag) => /^2\.[24]\.\d+$/.test(tag)).sort(compareVersions);
  const released = new Set(["2.2.x", "2.4.x"].flatMap((branch) => releasedVersions(repository, branch)));
  const versions = tagged.filter((tag) => released.has(tag));
  const sources = new Map<string, SourceFacts>();
  const facts = new Map(versions.map((tag) => [tag, factsOf(sourcesOf(repository, tag, sources))]));
  const drawn = (["2.2", "2.4"] as const).map((line) => {
    const ofLine = versions.filter((version) => version.startsWith(`${line}.`));
    return rowsOf(ofLine, facts, namesOfNewest(line));
  });
  return {
    ...known,
    versions,
    modules: drawn.flatMap(({ modules }) => modules),
    directives: drawn.flatMap(({ directives }) => directives),
    words: drawn.flatMap(({ words }) => words),
  };
}

const [, script, repository, file] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  if (repository === undefined || file === undefined) {
    process.stderr.write("usage: tsx scripts/draw-versions.ts REPOSITORY FILE\n");
    process.exit(2);
  }
  const known: VersionTable = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, printTable(draw(repository, known)));
}
