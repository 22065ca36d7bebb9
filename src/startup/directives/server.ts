import type { Directive } from "../../config/model/directive.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
import { parseLeadingNumber } from "./values.js";

/** Returns the server's message for Error, which it always rejects (server/core.c `generate_error`). */
export function checkErrorDirective(directive: Directive): CheckFailure | undefined {
  const text = directive.argumentText;
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
  // A single quote character produces no message.
  if (text.length === 1 && /["']/.test(text)) return undefined;
  return {
    server: isQuoted ? text.slice(1, -1) : text || "The Error directive was used with no message.",
    wrong: "`Error` stops the server with its message",
    remedy: "do what the message asks for, or put the line in a conditional section",
    span: directive.span,
  };
}

/** Returns the fault for Port of 1.3, which is known and always rejected. */
export function checkPort(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  return {
    server: "Port was replaced with Listen in Apache 2.0",
    wrong: "`Port` was removed in 2.0",
    remedy: `use \`Listen ${word?.value ?? ""}\` instead, and set the port of the server's own name with \`ServerName\``,
    span: directive.span,
  };
}

/** Returns the fault for directives that exist only to report an error (`ap_set_deprecated`). */
export function checkRemovedDirective(directive: Directive, server: string): CheckFailure {
  const instead = /use (\w+(?: \w+)?)\.$/i.exec(server)?.[1] ?? "";
  return {
    server,
    wrong: `\`${directive.name}\` was removed`,
    remedy: `use \`${instead}\` instead`,
    span: directive.span,
  };
}

/** Checks KeepAliveTimeout as the server does (server/util.c `ap_timeout_parameter_parse`). */
export function checkKeepAliveTimeout(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  if (word === undefined || /^[\t-\r ]*[+-]?\d*(?:$|h|s|ms|mi)/.test(word.value)) return undefined;
  return {
    server: "KeepAliveTimeout has wrong format",
    wrong: `invalid time ${quoteText(word.value)}`,
    remedy: "use a number of seconds, or of milliseconds followed by `ms`",
    span: directive.spanOf(word),
  };
}

/** The message about `User root` (modules/arch/unix/mod_unixd.c `unixd_set_user`). */
const rootUserMessage = [
  "Error:\tApache has not been designed to serve pages while",
  "\trunning as root.  There are known race conditions that",
  "\twill allow any local user to read any file on the system.",
  "\tIf you still desire to serve pages as root then",
  "\tadd -DBIG_SECURITY_HOLE to the CFLAGS env variable",
  "\tand then rebuild the server.",
  "\tIt is strongly suggested that you instead modify the User",
  "\tdirective in your httpd.conf file to list a non-root",
  "\tuser.\n",
].join("\n");

/**
 * Checks User, which must not name the user with the number 0. After `#`, C's `atoi` reads the number, so other text is
 * 0 as well (server/util.c `ap_uname2id`).
 */
export function checkUser(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  if (word === undefined) return undefined;
  const { value } = word;
  const isRoot = value.startsWith("#") ? parseLeadingNumber(value.slice(1)) === 0 : value === "root";
  if (!isRoot) return undefined;
  return {
    server: rootUserMessage,
    wrong: `\`User\` must not be root: ${quoteText(value)}`,
    remedy: "use a user without privileges, such as `www-data` on Debian or `apache` on Red Hat",
    span: directive.spanOf(word),
  };
}

/** Checks UserDir, which counts its arguments itself. */
export function checkUserDir(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  if (word !== undefined && word.value !== "") return undefined;
  return {
    server: "UserDir requires an argument.",
    wrong: "`UserDir` needs a directory",
    remedy: "add the directory, or `disabled`",
    span: directive.span,
  };
}

/** The response codes that 2.4.71 has a status line for (modules/http/http_protocol.c `status_lines`). */
const knownStatusCodes = new Set([
  ...[100, 101, 102, 103],
  ...[200, 201, 202, 203, 204, 205, 206, 207, 208, 226],
  ...[300, 301, 302, 303, 304, 305, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417],
  ...[421, 422, 423, 424, 426, 428, 429, 431, 451],
  ...[500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511],
]);

/** Reports whether the server knows a response code; undefined stands for a number that is not checked. */
export function isKnownStatus(code: number | undefined): boolean {
  return code === undefined || knownStatusCodes.has(code);
}

/** Checks the code of ErrorDocument as the server does (server/core.c `set_error_document`). */
export function checkErrorDocument(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  if (word === undefined || isKnownStatus(parseLeadingNumber(word.value))) return undefined;
  return {
    server: `Unsupported HTTP response code ${word.value}`,
    wrong: `unknown response code ${quoteText(word.value)}`,
    remedy: "use a code such as `404`",
    span: directive.spanOf(word),
  };
}
