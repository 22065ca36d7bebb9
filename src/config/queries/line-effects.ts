import { parseRewriteWords } from "../../../grammar/arguments.js";
import type { Condition } from "../../../grammar/expression/ast.js";
import { parseExpression } from "../../../grammar/expression/expression.js";
import {
  type DirectiveEffects,
  effectsOf,
  type Fact,
  type NameExtractor,
  negotiationFacts,
} from "../../facts/effects.js";
import type { Release } from "../../facts/release.js";
import { parsePcre } from "../../regex/pcre/parser.js";
import { memoize } from "../../text/memoize.js";
import type { Directive } from "../model/directive.js";
import { expressionDirectives, expressionOf, expressionsOf } from "./expressions.js";

/** What a line reads and writes, with the names in its arguments. */
export interface LineEffects {
  /** The row of its directive. */
  readonly of: DirectiveEffects;
  /** Also what the sections around it read: it has its effect only where they apply. */
  readonly reads: ReadonlySet<Fact>;
  readonly writes: ReadonlySet<Fact>;
}

/** The lines beside a line, and whether they are in a `.htaccess` file. */
export interface LinePlace {
  readonly siblings: readonly Directive[];
  readonly isInHtaccess?: boolean;
}

/**
 * Returns what a line may read and write; undefined if its directive has no entry in the table of effects. Names that the
 * server computes for each request are `header:*` and `variable:*`.
 *
 * @param place without it, a RewriteCond may belong to any rule
 */
export function effectsOfLine(line: Directive, release: Release, place?: LinePlace): LineEffects | undefined {
  const of = effectsOf(line.key, release, isInSection(line) || place?.isInHtaccess);
  if (of === undefined) return undefined;
  const reads = new Set<Fact>(of.reads);
  const writes = new Set<Fact>(of.writes);
  readConditions(line, reads);
  if (of.names !== undefined) extractors[of.names](line, reads, writes, place?.siblings ?? noLines);
  for (let section = line.parent; section !== undefined; section = section.parent) {
    for (const fact of effectsOf(section.key, release)?.reads ?? []) reads.add(fact);
    readConditions(section, reads);
  }
  return { of, reads, writes };
}

/** Reports whether a line is in a section other than a virtual host. */
function isInSection({ parent }: Directive): boolean {
  return parent !== undefined && parent.key !== "<virtualhost";
}

/** Reports whether facts of two sets may be the same: `variable:ssl_*` is also `variable:ssl_protocol`. */
export function mayShareFacts(some: ReadonlySet<Fact>, others: ReadonlySet<Fact>): boolean {
  for (const fact of some) if (others.has(fact)) return true;
  return hasWildcardMatch(some, others) || hasWildcardMatch(others, some);
}

function hasWildcardMatch(some: ReadonlySet<Fact>, others: ReadonlySet<Fact>): boolean {
  for (const fact of some) {
    if (!fact.endsWith("*")) continue;
    const start = fact.slice(0, -1);
    for (const other of others)
      if (other.startsWith(start) || (other.endsWith("*") && start.startsWith(other.slice(0, -1)))) return true;
  }
  return false;
}

const noLines: readonly Directive[] = [];

type Extractor = (line: Directive, reads: Set<Fact>, writes: Set<Fact>, siblings: readonly Directive[]) => void;

const extractors: Readonly<Record<NameExtractor, Extractor>> = {
  "access-by-host": (line, reads) => readEnvWords(wordsOf(line), reads),
  "authentication-type": (line, reads) => {
    const type = wordsOf(line)[0]?.toLowerCase() ?? "";
    if (type === "digest" || type.includes("%{")) reads.add("config:mod_auth_digest");
    if (type === "form" || type.includes("%{")) reads.add("config:mod_auth_form");
  },
  filters: (line, reads, writes) => {
    if (!mayFilterFail(line)) return;
    writes.add("status");
    for (const fact of readByFilters) reads.add(fact);
  },
  header: (line, reads, writes) => {
    const [, name = "*", ...rest] = wordsOf(line);
    writes.add(`header:${name.toLowerCase().replace(/:$/, "")}`);
    readEnvWords(rest, reads);
  },
  "default-type": (line, _, writes) => {
    const [type = ""] = wordsOf(line);
    if (handlerType.test(type) || !plainType.test(type)) writes.add("handler");
  },
  negotiation: (line, reads) => {
    if (!/multiviews|type-map/i.test(line.argumentText)) return;
    for (const fact of readByNegotiation) reads.add(fact);
  },
  passed: writeVariables(0),
  require: readRequire,
  "response-header": (line, reads) => readEnvWords(wordsOf(line), reads),
  "rewrite-condition": (line, reads, writes, siblings) => {
    readRewriteCondition(line, reads);
    const rule = rewriteGroupsOf(siblings).ruleOf.get(line);
    if (rule) writeRule(rule, writes, siblings);
    else writes.add("config:mod_rewrite");
  },
  "rewrite-rule": (line, reads, writes, siblings) => {
    readRewriteText(line.argumentText, reads);
    for (const condition of rewriteGroupsOf(siblings).conditionsOf.get(line) ?? [])
      readRewriteCondition(condition, reads);
    writeRule(line, writes, siblings);
  },
  "switched-off": (line, _, writes) => {
    if (wordsOf(line)[0]?.toLowerCase() === "off") writes.add("status");
  },
  variable: (line, _, writes) => {
    const [name] = wordsOf(line);
    if (name !== undefined) writes.add(variableFact(name));
  },
  variables: writeVariables(0),
  "variables-by-attribute": (line, reads, writes) => {
    const [attribute = "*"] = wordsOf(line);
    readAttribute(attribute, reads);
    writeVariables(2)(line, reads, writes, []);
  },
  "variables-by-browser": writeVariables(1),
  "variables-by-expression": (line, reads, writes) => {
    writeVariables(1)(line, reads, writes, []);
    // Without groups to fill in, the server may answer 500 (`match_headers`).
    if (wordsOf(line).slice(1).some(hasGroupReference) && !alwaysSetsGroups(line)) writes.add("status");
  },
  verification: (line, reads) => {
    if (wordsOf(line)[0]?.toLowerCase() !== "none") reads.add("config:mod_ssl");
  },
};

/** By what a filter decides whether it applies, and how a body is encoded (mod_filter.c `filter_lookup`, mod_deflate.c). */
const readByFilters: readonly Fact[] = ["media-type", "header:content-encoding", "response-headers"];

/** Filters of requests and of answers that accept any body. */
const inputFilters = /^(?:none|buffer)$/i;
const outputFilters = /^(?:none|deflate|brotli_compress|buffer|rate_limit|xml2enc|proxy-html|includes)$/i;

/**
 * Reports whether a filter that a line sets may fail, so that the request ends with an error: a filter that decodes the
 * body, or one with a limit or a program. Those of a type or an extension are the first argument.
 */
export function mayFilterFail({ key, argumentText, arguments: words }: Directive): boolean {
  // It names extensions, not the filters that it removes.
  if (key.startsWith("remove")) return true;
  if (key === "filtertrace" || key === "filterprotocol" || key === "filterdeclare") return false;
  if (key === "filterprovider") return !outputFilters.test(words[1]?.value ?? "");
  const harmless = key === "setinputfilter" || key === "addinputfilter" ? inputFilters : outputFilters;
  const named = /^set|^filterchain$/.test(key) ? argumentText.replace(/^"|"$/g, "") : (words[0]?.value ?? "");
  const filters = named
    .split(/[;\s]+/)
    .map((name) => name.replace(/^[+@=-]/, ""))
    .filter((name) => name !== "" && name !== "!");
  return filters.some((name) => !harmless.test(name));
}

/** Media types that are the names of handlers. */
const handlerType = /^(?:application\/x-(?:httpd-|type-map)|text\/x-server-parsed|httpd\/)/i;

/** Media types that are not. */
const plainType = /^(?:none|(?:text|image|audio|video)\/.*|application\/octet-stream)$/i;

const readByNegotiation: readonly Fact[] = [...negotiationFacts, "media-type", "config:mod_negotiation"];

/** Reports whether the expression of a SetEnvIfExpr has tried a pattern with a group whenever it is true. */
function alwaysSetsGroups(line: Directive): boolean {
  const parsed = parseExpression(expressionOf(line)?.text ?? "");
  return parsed.ok && triesGroups(parsed.value.expression);
}

function triesGroups(condition: Condition): boolean {
  switch (condition.kind) {
    case "not":
      return triesGroups(condition.operand);
    case "and":
      return condition.operands.some(triesGroups);
    case "or":
      return condition.operands.slice(0, 1).some(triesGroups);
    case "match":
      return parsePcre(condition.regex.pattern).groups.length > 0;
    default:
      return false;
  }
}

/** Reports whether a text that replaces a match refers to a group of it, such as `$1`. */
export function hasGroupReference(text: string): boolean {
  return /\$\d/.test(text);
}

function wordsOf(line: Directive): readonly string[] {
  return line.arguments.map(({ value }) => value);
}

function variableFact(name: string): Fact {
  return `variable:${name.toLowerCase()}`;
}

/** After an internal redirect, the variables of the first request have a prefix (`rename_original_env`). */
function readVariable(name: string, reads: Set<Fact>): void {
  const isComputed = /[%$]/.test(name);
  for (let rest = isComputed ? "*" : name.toLowerCase(); ; rest = rest.slice("redirect_".length)) {
    reads.add(`variable:${rest}`);
    if (!rest.startsWith("redirect_")) return;
  }
}

/** Reads the variables of words such as `env=NAME` and `env=!NAME`. */
function readEnvWords(words: readonly string[], reads: Set<Fact>): void {
  for (const word of words) if (/^env=/i.test(word)) readVariable(word.slice(4).replace(/^!/, ""), reads);
}

/** Returns an extractor of words such as `NAME`, `!NAME` and `NAME=VALUE`. */
function writeVariables(from: number): Extractor {
  return (line, _, writes) => {
    for (const word of wordsOf(line).slice(from)) writes.add(variableFact(word.replace(/^!/, "").replace(/=.*$/s, "")));
  };
}

/** The attributes of SetEnvIf that do not name a header (mod_setenvif.c `setenvif_init`). */
const attributeFacts: Readonly<Record<string, readonly Fact[]>> = {
  remote_addr: ["address"],
  remote_host: ["address"],
  server_addr: ["address"],
  request_method: ["method"],
  request_uri: ["path"],
  request_protocol: ["variable:server_protocol"],
};

/** An attribute is a part of the request, else a header, a variable, or a pattern for the names of headers. */
function readAttribute(attribute: string, reads: Set<Fact>): void {
  const name = attribute.toLowerCase();
  const facts = Object.hasOwn(attributeFacts, name) ? attributeFacts[name] : undefined;
  if (facts) for (const fact of facts) reads.add(fact);
  else if (/^oid\(/.test(name)) reads.add("tls");
  else if (/[^\w-]/.test(name)) reads.add("header:*");
  else {
    reads.add(`header:${name}`);
    readVariable(name, reads);
  }
}

const requireFacts: Readonly<Record<string, readonly Fact[]>> = {
  all: [],
  expr: [],
  env: [],
  ip: ["address"],
  host: ["address"],
  "forward-dns": ["address"],
  local: ["address"],
  method: ["method"],
  ssl: ["tls"],
  "ssl-verify-client": ["tls", "config:mod_ssl"],
};

function readRequire(line: Directive, reads: Set<Fact>): void {
  const words = wordsOf(line);
  const at = words[0]?.toLowerCase() === "not" ? 1 : 0;
  const provider = words[at]?.toLowerCase() ?? "";
  const facts = Object.hasOwn(requireFacts, provider) ? requireFacts[provider] : undefined;
  // Other providers ask for a user, and may be programs.
  for (const fact of facts ?? (["user", "header:authorization", "config:users", "config:mod_lua"] as const))
    reads.add(fact);
  if (provider === "env") for (const name of words.slice(at + 1)) readVariable(name, reads);
}

/** What a part of a condition reads. */
interface ConditionReads {
  readonly name: RegExp;
  readonly facts: readonly Fact[];
  /** On which facts its value depends, if proofs do not compute it: a test of it has one result on both sides. */
  readonly uncomputed?: readonly Fact[];
}

/** A note of a module, or the number of the first message, may follow from any line. */
const ofAnyLine: readonly Fact[] = ["process", "log", "body", "response-headers", "filter", "path", "file", "handler"];

/** The server variables of expressions and of mod_rewrite, by their names or the start of these. */
const serverVariables: readonly ConditionReads[] = [
  {
    name: /^(?:conn_)?(?:remote|server)_(?:addr|host|port)$|^server_name$/,
    facts: ["address", "virtual-host", "header:host"],
  },
  { name: /^https$|^request_scheme$|^is_https$/, facts: ["tls"] },
  { name: /^ssl_/, facts: ["tls"], uncomputed: ["tls", "variable:ssl_*"] },
  { name: /^(?:request_uri|document_uri|uri)$/, facts: ["path", "virtual-host"] },
  {
    name: /^(?:path_info|script_name|document_root|context_.*)$/,
    facts: ["path", "virtual-host"],
    uncomputed: ["path", "file"],
  },
  { name: /^the_request$/, facts: ["path", "query", "method", "variable:server_protocol"] },
  { name: /^query_string(?:_unescaped)?$|^args$/, facts: ["query"] },
  { name: /^(?:request_)?method$/, facts: ["method"] },
  { name: /^(?:remote_user|auth_type|authz_.*)$/, facts: ["user", "header:authorization"] },
  {
    name: /^(?:request_filename|script_filename|script_(?:user|group)|last_modified)$/,
    facts: ["file", "path", "file-kind"],
    uncomputed: ["path", "file"],
  },
  { name: /^handler$/, facts: ["handler", "media-type"], uncomputed: ["handler", "media-type"] },
  { name: /^content_type$/, facts: ["media-type"], uncomputed: ["media-type"] },
  { name: /^(?:conn|request)_log_id$/, facts: ofAnyLine, uncomputed: ofAnyLine },
  { name: /^request_status$/, facts: ["status"], uncomputed: ["status", "path", "file"] },
];

/** Another request is decided up to there, by any variables and headers. */
const ofAnotherRequest: readonly Fact[] = ["path", "file", "user", "status", "variable:*", "header:*"];

/** The functions of `function(argument)` and `%{function:argument}`, without those whose argument names a value. */
const functions: readonly ConditionReads[] = [
  { name: /^note$/, facts: ["variable:*", ...ofAnyLine], uncomputed: ofAnyLine },
  { name: /^resp$/, facts: ["response-headers"], uncomputed: ["response-headers"] },
  { name: /^la-[uf]$/, facts: ofAnotherRequest, uncomputed: ofAnotherRequest },
  { name: /^file(?:size|mod)?$/, facts: ["file-kind"] },
];

const ofInnerRequest: readonly Fact[] = ["path", "file", "status"];

/** The operators of tests. */
const operators: readonly ConditionReads[] = [
  { name: /(?:^|[\s!("'])-[defhsxLl](?=["'\s]|$)/, facts: ["file-kind"] },
  { name: /(?:^|[\s!("'])-[FUA](?=["'\s]|$)/, facts: ofInnerRequest, uncomputed: ofInnerRequest },
  { name: /(?:^|[\s!("'])-(?:R|ipmatch)\b/, facts: ["address"] },
];

/** A name in a condition: of a variable, or of a function with its argument. */
interface ConditionName {
  readonly name: string;
  /** Undefined for a variable. */
  readonly argument: string | undefined;
}

const inBraces = /%\{([\w-]+)(?:(:)([^{}]*))?/g;
const inParentheses = /\b([A-Za-z_]+)\(\s*(?:'([^'%$]*)'|"([^"%$]*)")?/g;

function namesInBraces(text: string): readonly ConditionName[] {
  return [...text.matchAll(inBraces)].map(([, name = "", colon, argument = ""]) => ({
    name: name.toLowerCase(),
    argument: colon === undefined ? undefined : argument,
  }));
}

/** The argument of a function is `%` if it is not a plain string. */
function namesInParentheses(text: string): readonly ConditionName[] {
  return [...text.matchAll(inParentheses)].map(([, name = "", single, double]) => ({
    name: name.toLowerCase(),
    argument: single ?? double ?? "%",
  }));
}

function rowsOf({ name, argument }: ConditionName): readonly ConditionReads[] {
  if (argument === undefined) return serverVariables.filter((row) => row.name.test(name));
  // A computed name may be that of any value of mod_ssl.
  if (name === "ssl")
    return rowsOf({ name: /[%$]/.test(argument) ? "ssl_" : argument.toLowerCase(), argument: undefined });
  return functions.filter((row) => row.name.test(name));
}

function readName(named: ConditionName, reads: Set<Fact>): void {
  for (const { facts } of rowsOf(named)) for (const fact of facts) reads.add(fact);
  const { name, argument } = named;
  if (argument === undefined) {
    if (name.startsWith("http_")) reads.add(`header:${name.slice(5).replaceAll("_", "-")}`);
    readVariable(name, reads);
  } else if (/^(?:http|req|req_novary)$/.test(name)) {
    reads.add(`header:${/[%$]/.test(argument) ? "*" : argument.toLowerCase()}`);
  } else if (/^(?:env|reqenv|ssl)$/.test(name)) readVariable(argument, reads);
}

/** Directives other than those with an expression that have a condition among their arguments. */
const otherConditions: ReadonlySet<string> = new Set(["sslrequire", "<authzprovideralias"]);

/** Reads a condition or a text with variables, if a line has one. */
function readConditions(line: Directive, reads: Set<Fact>): void {
  const text = line.argumentText;
  if (text.includes("%{")) for (const named of namesInBraces(text)) readName(named, reads);
  if (!expressionDirectives.has(line.key) && !otherConditions.has(line.key)) return;
  readTests(text, reads);
  for (const named of namesInParentheses(text)) readName(named, reads);
}

function readTests(text: string, reads: Set<Fact>): void {
  for (const { name, facts } of operators) if (name.test(text)) for (const fact of facts) reads.add(fact);
}

/** Returns the facts on which values depend that a line computes, or that its condition tests, and that proofs do not compute. */
export function uncomputedFactsOf(line: Directive): readonly Fact[] {
  const computed = new Set<Fact>();
  for (const named of computedTextsOf(line).flatMap(namesInBraces)) readName(named, computed);
  return [...computed, ...testedFactsOf(line)];
}

/** Returns the texts that the server computes for each request, such as the name of a handler or the value of a header. */
function computedTextsOf(line: Directive): readonly string[] {
  if (line.key === "requestheader") return wordsOf(line).slice(2);
  return expressionsOf(line).flatMap(({ isString, text }) => (isString ? [text] : []));
}

function testedFactsOf(line: Directive): readonly Fact[] {
  const text = line.argumentText;
  if (expressionOf(line) === undefined && !otherConditions.has(line.key) && !/%\{LA-[UF]:/i.test(text)) return [];
  const names = [...namesInBraces(text), ...namesInParentheses(text)];
  const rows = [...names.flatMap(rowsOf), ...operators.filter(({ name }) => name.test(text))];
  return rows.flatMap(({ uncomputed = [] }) => uncomputed);
}

function readRewriteCondition(line: Directive, reads: Set<Fact>): void {
  readConditions(line, reads);
  readRewriteText(line.argumentText, reads);
  readTests(line.argumentText, reads);
}

/** A map is a part of the configuration of mod_rewrite, and may read a database. */
function readRewriteText(text: string, reads: Set<Fact>): void {
  if (text.includes("${")) reads.add("config:mod_rewrite").add("config:mod_dbd");
}

/** Flags with which a rule changes which of the other rules apply. */
const controlFlags: ReadonlySet<string> = new Set([
  ...["l", "last", "end", "n", "next", "s", "skip", "c", "chain", "pt", "passthrough", "dpi", "discardpath"],
]);
const answeringFlags: ReadonlySet<string> = new Set([
  ...["f", "forbidden", "g", "gone", "r", "redirect", "p", "proxy"],
]);

/** Adds what a rule writes. A substitution may change all that later steps read. */
function writeRule(rule: Directive, writes: Set<Fact>, siblings: readonly Directive[]): void {
  const [, substitution, bracketed] = parseRewriteWords(rule.argumentText) ?? [];
  const flags = (bracketed?.value ?? "").replace(/^\[|\]$/g, "").split(",");
  const named = flags.map((flag) => {
    const [name = "", ...value] = flag.trim().split("=");
    return { name: name.toLowerCase(), value: value.join("=") };
  });
  if (substitution?.value !== "-" || named.some(({ name }) => answeringFlags.has(name)))
    for (const fact of ["path", "file", "query", "handler", "status"] as const) writes.add(fact);
  // A section with a rule does not inherit those of the sections before it.
  if (!rewriteGroupsOf(siblings).hasEngine || named.some(({ name }) => controlFlags.has(name)))
    writes.add("config:mod_rewrite");
  for (const { name, value } of named) {
    if (name === "e" || name === "env") {
      const variable = value.replace(/^!/, "").replace(/:.*$/s, "");
      writes.add(/[%$]/.test(variable) ? "variable:*" : variableFact(variable));
    } else if (name === "h" || name === "handler") writes.add("handler");
    else if (name === "t" || name === "type") writes.add("media-type").add("handler");
    else if (name === "co" || name === "cookie") writes.add("response-headers");
  }
}

/** The rules among some lines with their conditions: those since the rule before. */
const rewriteGroupsOf = memoize((siblings: readonly Directive[]) => {
  const conditionsOf = new Map<Directive, readonly Directive[]>();
  const ruleOf = new Map<Directive, Directive>();
  let conditions: Directive[] = [];
  let hasEngine = false;
  for (const line of siblings) {
    hasEngine ||= line.key === "rewriteengine";
    if (line.key === "rewritecond") conditions.push(line);
    else if (line.key === "rewriterule") {
      conditionsOf.set(line, conditions);
      for (const condition of conditions) ruleOf.set(condition, line);
      conditions = [];
    }
  }
  return { conditionsOf, ruleOf, hasEngine };
});
