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
import { expressionDirectives, expressionOf } from "./expressions.js";

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
  filters: (line, _, writes) => {
    if (mayFilterFail(line)) writes.add("status");
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

/** The server variables of expressions and of mod_rewrite, by their names or the start of these. */
const serverVariables: readonly (readonly [RegExp, readonly Fact[]])[] = [
  [/^(?:conn_)?(?:remote|server)_(?:addr|host|port)$|^server_name$/, ["address", "virtual-host", "header:host"]],
  [/^https$|^request_scheme$|^ssl_|^is_https$/, ["tls"]],
  [/^(?:request_uri|document_uri|path_info|script_name|document_root|context_.*|uri)$/, ["path", "virtual-host"]],
  [/^(?:the_request)$/, ["path", "query", "method"]],
  [/^query_string(?:_unescaped)?$|^args$/, ["query"]],
  [/^(?:request_)?method$/, ["method"]],
  [/^(?:remote_user|auth_type|authz_.*)$/, ["user", "header:authorization"]],
  [/^(?:request_filename|script_filename|script_(?:user|group)|last_modified)$/, ["file", "path", "file-kind"]],
  [/^handler$/, ["handler", "media-type"]],
  [/^content_type$/, ["media-type"]],
  [/^request_status$/, ["status"]],
];

function readServerVariable(written: string, reads: Set<Fact>): void {
  const name = written.toLowerCase();
  if (name.startsWith("http_")) reads.add(`header:${name.slice(5).replaceAll("_", "-")}`);
  for (const [pattern, facts] of serverVariables) if (pattern.test(name)) for (const fact of facts) reads.add(fact);
  readVariable(name, reads);
}

/** Adds what `%{NAME}`, `%{function:argument}` and `function(argument)` read. */
function readNamed(name: string, argument: string | undefined, reads: Set<Fact>): void {
  switch (name.toLowerCase()) {
    case "http":
    case "req":
    case "req_novary":
      reads.add(`header:${argument === undefined || /[%$]/.test(argument) ? "*" : argument.toLowerCase()}`);
      break;
    case "env":
    case "reqenv":
      readVariable(argument ?? "%", reads);
      break;
    case "note":
      for (const fact of ["variable:*", "response-headers", "filter"] as const) reads.add(fact);
      break;
    case "resp":
      reads.add("response-headers");
      break;
    case "ssl":
      readServerVariable(argument ?? "SSL_*", reads);
      break;
    case "la-u":
    case "la-f":
      // Another request is decided up to there, by any variables and headers.
      for (const fact of ["path", "file", "user", "status", "variable:*", "header:*"] as const) reads.add(fact);
      break;
    case "file":
    case "filesize":
    case "filemod":
      reads.add("file-kind");
      break;
    default:
      break;
  }
}

const inBraces = /%\{([\w-]+)(?:(:)([^{}]*))?/g;
const inParentheses = /\b([A-Za-z_]+)\(\s*(?:'([^'%$]*)'|"([^"%$]*)")?/g;
const fileTest = /(?:^|[\s!("'])-[defhsxLl](?=["'\s]|$)/;
const requestTest = /(?:^|[\s!("'])-[FUA](?=["'\s]|$)/;
const addressTest = /(?:^|[\s!("'])-(?:R|ipmatch)\b/;

/** Reads a condition or a text with variables, if a line has one. */
function readConditions(line: Directive, reads: Set<Fact>): void {
  const text = line.argumentText;
  if (text.includes("%{")) readBraces(text, reads);
  if (!expressionDirectives.has(line.key) && line.key !== "sslrequire" && line.key !== "authzprovideralias") return;
  readTests(text, reads);
  for (const [, name = "", single, double] of text.matchAll(inParentheses)) readNamed(name, single ?? double, reads);
}

function readBraces(text: string, reads: Set<Fact>): void {
  for (const [, name = "", colon, argument] of text.matchAll(inBraces)) {
    if (colon === undefined) readServerVariable(name, reads);
    else readNamed(name, argument, reads);
  }
}

function readTests(text: string, reads: Set<Fact>): void {
  if (fileTest.test(text)) reads.add("file-kind");
  if (requestTest.test(text)) for (const fact of ["path", "file", "status"] as const) reads.add(fact);
  if (addressTest.test(text)) reads.add("address");
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
