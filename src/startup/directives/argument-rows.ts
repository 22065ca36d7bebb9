import type { Directive } from "../../config/model/directive.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import type { Release } from "../../facts/release.js";
import { isKnownStatus } from "../../facts/status-codes.js";
import type { DirectiveCheck } from "../refusal.js";
import { checkPattern } from "./patterns.js";
import { parseLeadingNumber } from "./values.js";

/** What httpd checks in the first argument of a directive, other than words and numbers (see `allowedValues`). */
type ArgumentRow =
  /** A text that passes a test, and the code if it does not. */
  | { readonly accepts: (value: string, release: Release) => boolean; readonly code: TextCode }
  /** A regular expression, and the server's message if it does not compile. */
  | { readonly pattern: string }
  /** Any text that is not empty, and the code if there is none. */
  | { readonly missing: "missing-user-directory" }
  /** Nothing: the directive exists only to report an error (`ap_set_deprecated`). `instead` replaces it. */
  | { readonly removed: string; readonly instead: string };

type TextCode = "invalid-keep-alive-timeout" | "invalid-rewrite-base" | "root-user" | "unknown-response-code";

const aliasPattern = { pattern: "Regular expression could not be compiled." };

/** By directive. */
const argumentRows: Readonly<Record<string, ArgumentRow>> = {
  // server/core.c `set_error_document`
  ErrorDocument: {
    accepts: (value, release) => isKnownStatus(parseLeadingNumber(value), release),
    code: "unknown-response-code",
  },
  // server/util.c `ap_timeout_parameter_parse`
  KeepAliveTimeout: {
    accepts: (value) => /^[\t-\r ]*[+-]?\d*(?:$|h|s|ms|mi)/.test(value),
    code: "invalid-keep-alive-timeout",
  },
  // modules/arch/unix/mod_unixd.c `unixd_set_user`
  User: { accepts: (value) => !isRootUser(value), code: "root-user" },
  // modules/generators
  FancyIndexing: {
    removed: "The FancyIndexing directive is no longer supported. Use IndexOptions FancyIndexing.",
    instead: "IndexOptions FancyIndexing",
  },
  // modules/mappers
  AliasMatch: aliasPattern,
  RewriteBase: { accepts: (value) => value.startsWith("/"), code: "invalid-rewrite-base" },
  ScriptAliasMatch: aliasPattern,
  UserDir: { missing: "missing-user-directory" },
  // modules/ssl
  SSLLog: { removed: "SSLLog directive is no longer supported - use ErrorLog.", instead: "ErrorLog" },
  SSLLogLevel: { removed: "SSLLogLevel directive is no longer supported - use LogLevel.", instead: "LogLevel" },
};

/** The checks of these rows, by lower-case name. */
export const checksOfRows: Readonly<Record<string, DirectiveCheck>> = Object.fromEntries(
  Object.entries(argumentRows).map(([name, row]) => [
    name.toLowerCase(),
    ((directive, { project }) => checkRow(directive, row, project.release)) satisfies DirectiveCheck,
  ]),
);

function checkRow(directive: Directive, row: ArgumentRow, release: Release): Refusal | undefined {
  const [word] = directive.arguments;
  const refuse = (text: RefusalText): Refusal => ({ ...text, span: directive.span });
  if ("removed" in row) return refuse(wordingOf("directive-was-removed", row.removed, directive.name, row.instead));
  if ("missing" in row) return word?.value ? undefined : refuse(wordingOf(row.missing));
  if (word === undefined) return undefined;
  if ("pattern" in row) return checkPattern(directive, word, row.pattern);
  return row.accepts(word.value, release)
    ? undefined
    : { ...wordingOf(row.code, word.value), span: directive.spanOf(word) };
}

/**
 * Reports whether a name is that of the user with the number 0. After `#`, C's `atoi` reads the number, so other text is
 * 0 as well (server/util.c `ap_uname2id`).
 */
function isRootUser(name: string): boolean {
  return name.startsWith("#") ? parseLeadingNumber(name.slice(1)) === 0 : name === "root";
}
