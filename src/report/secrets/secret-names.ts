import { parseArguments } from "../../../grammar/arguments.js";
import type { SourceFile } from "../../text/source.js";

/** Names that denote secrets: of variables, parameters and flags, and of directives. */

/** Words that denote a secret as a separate part of a name: between delimiters, or at a change of case. */
const secretParts = new Set([
  ...["pass", "pw", "pwd", "passwd", "password", "passwords", "passphrase", "passcode"],
  ...["secret", "secrets", "token", "tokens", "credential", "credentials", "apikey", "privatekey"],
  ...["cred", "creds", "jwt", "psk", "salt"],
]);
/** Short words that mean a secret only at the end of a longer name (`GITHUB_PAT`, `STRIPE_SK`, `REDIS_AUTH`). */
const secretSuffixes = new Set(["pat", "sk", "auth"]);
/** Words that turn `auth` into a switch if they precede it (`REQUIRE_AUTH`). */
const switches = new Set([
  "use",
  "require",
  "requires",
  "need",
  "needs",
  "no",
  "enable",
  "disable",
  "skip",
  "is",
  "has",
  "http",
]);
/** Pairs of parts that denote a secret together, unlike each on its own. */
const secretPairs = new Set([
  ...["api key", "private key", "access key", "encryption key", "signing key", "pass phrase", "pin value"],
  ...["app key", "master key", "session key", "account key", "service key", "deploy key", "shared key", "storage key"],
  ...["hmac key", "aes key", "ssh key", "crypto key", "cipher key", "hash key", "auth key", "admin key", "license key"],
]);
/** Words before a final `key` that denote another kind of key: a public one, or the name of something stored. */
const openKeys = new Set([
  ...["public", "publishable", "anon", "site", "primary", "foreign", "unique", "partition", "sort", "row", "index"],
  ...["cache", "lookup", "routing", "group", "surrogate", "idempotency", "socket", "translation", "registry"],
]);
/** Endings that denote a secret even without a delimiter (`dbpassword`). */
const secretEnd =
  /(?:password|passwd|passphrase|secret|token|api[_-]?key|private[_-]?key|credentials?|[a-z]pwd?|(?<!by|com|sur|tres|over|under)pass)\d*$/i;

/** Last parts that denote another property of the secret: its location, name or lifetime. */
const openEnds = new Set([
  ...["file", "files", "path", "paths", "dir", "directory", "folder", "location", "source", "prefix", "suffix"],
  ...["url", "uri", "endpoint", "host", "port", "provider", "name", "header", "field", "claim", "user", "cookie"],
  ...["type", "format", "method", "policy", "algorithm", "length", "size", "count", "query"],
  ...["ttl", "timeout", "expiry", "expires", "expiration", "lifetime", "age", "interval", "reset"],
]);
/** Words after `pass` if that is a verb. */
const passed = new Set(["through", "thru", "by", "on", "env", "header", "headers", "all", "count"]);

/** Reports whether the name of a variable, a parameter or a flag denotes a secret value. */
export function isSecretName(name: string): boolean {
  if (secretEnd.test(name)) return true;
  const parts = partsOf(name);
  if (openEnds.has(lastOf(parts))) return false;
  if (isKeyName(parts)) return true;
  if (parts.length > 1 && secretSuffixes.has(lastOf(parts)) && !switches.has(parts.at(-2) ?? "")) return true;
  return parts.some((part, index) => {
    const next = parts[index + 1] ?? "";
    // The ID of an access key is public, like a user name.
    if (part === "access" && parts[index + 2] === "id") return false;
    if (secretPairs.has(`${part} ${next}`)) return true;
    return secretParts.has(part) && !(part === "pass" && passed.has(next));
  });
}

/** Reports whether the last part of a name is a key that is not public. */
function isKeyName(parts: readonly string[]): boolean {
  return /^keys?$/.test(lastOf(parts)) && !openKeys.has(parts.at(-2) ?? "");
}

/** The path of a file: it has an extension of key files, or several names of letters. */
const keyPath =
  /^(?:file:)?(?:\.{0,2}\/|[\w.-]+\/|\$\{\w+\}\/)?[\w./${}-]*\.(?:key|pem|crt|cer|der|p12|pfx|txt|conf|jwk)$|^(?:file:)?(?:\/[a-z][\w.-]*){2,}\/?$/i;

/** Reports whether a value with such a name is a secret: a variable may also hold the path of a key. */
export function isSecretValue(name: string, value: string): boolean {
  return isSecretName(name) && !(isKeyName(partsOf(name)) && keyPath.test(value));
}

const credentialHeader = /^(?:(?:proxy-)?authorization|cookie|(?:.*-)?auth)$/i;
/** Last parts of names of headers that denote a property of a secret. */
const openHeaderEnds = new Set(["status", "error", "id"]);

/** Reports whether a header carries credentials, by its name. CGI names begin with `HTTP_`. */
export function isSecretHeader(name: string): boolean {
  const header = name.replace(/^HTTP_/i, "");
  if (credentialHeader.test(header)) return true;
  if (/^access-control-/i.test(header) || openHeaderEnds.has(lastOf(partsOf(header)))) return false;
  return isSecretName(header);
}

/** Directive names are written in any case, so a secret may be recognizable only by the ending. */
const secretDirectiveEnd = /[a-z](?:password|passwd|passphrase|secret|credentials?|pwd?)$/i;
const secretDirectiveParts = new Set(["secret", "password", "passwd", "passphrase", "pw", "pwd"]);
const secretDirectiveSuffixes = new Set(["token", "credential", "credentials", "apikey"]);

/** Reports whether a directive name denotes secret arguments, in any module. A single word is prose. */
export function isSecretDirective(name: string, value = ""): boolean {
  // AuthFormPassword names a field of a form.
  if (keyPath.test(value) || /^AuthFormPassword$/i.test(name)) return false;
  const parts = partsOf(name);
  if (parts.length < 2) return secretDirectiveEnd.test(name);
  const last = lastOf(parts);
  if (openEnds.has(last)) return false;
  if (secretDirectiveEnd.test(name) || secretDirectiveSuffixes.has(last)) return true;
  if (last === "key" && isKeyName(parts)) return true;
  if (last === "pass" && parts[0] !== "proxy") return true;
  return parts.some((part) => secretDirectiveParts.has(part));
}

function partsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((part) => part.toLowerCase());
}

function lastOf(parts: readonly string[]): string {
  return parts.at(-1) ?? "";
}

/** Shorter values occur in other words by chance. */
const SHORTEST = 4;

/** Variables with their values, from flags and the environment. */
type GivenVariables = ReadonlyMap<string, string | undefined> | undefined;

/**
 * Returns the values of variables with secret names: if a line contains `${DB_PASSWORD}`, its expansion contains the
 * secret.
 *
 * @returns binary strings, the longest first
 */
export function secretValuesOf(files: Iterable<SourceFile>, ...given: readonly GivenVariables[]): readonly string[] {
  const all = [...given.flatMap((each) => [...(each ?? [])]), ...[...files].flatMap(({ text }) => definesIn(text))];
  const values = all.flatMap(([name, value]) => (value !== undefined && isSecretValue(name, value) ? [value] : []));
  return [...new Set(values)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
}

function definesIn(text: string): [name: string, value: string | undefined][] {
  return [...text.matchAll(/^[\t ]*Define[\t ]+(.*)$/gim)].map(([, words = ""]) => {
    const [name, value] = parseArguments(words);
    return [name?.value ?? "", value?.value];
  });
}
