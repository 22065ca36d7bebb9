import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { parseLeadingNumber } from "./values.js";

/** Returns the server's message for Error, which it always rejects (server/core.c `generate_error`). */
export function checkErrorDirective(directive: Directive): Refusal | undefined {
  const text = directive.argumentText;
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
  // A single quote character produces no message.
  if (text.length === 1 && /["']/.test(text)) return undefined;
  return {
    ...wordingOf(
      "error-directive",
      isQuoted,
      text.slice(1, -1),
      text || "The Error directive was used with no message.",
    ),
    span: directive.span,
  };
}

/** Returns the fault for Port of 1.3, which is known and always rejected. */
export function checkPort(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  return { ...wordingOf("port-directive", word?.value ?? ""), span: directive.span };
}

/** Returns the fault for directives that exist only to report an error (`ap_set_deprecated`). */
export function checkRemovedDirective(directive: Directive, server: string): Refusal {
  const instead = /use (\w+(?: \w+)?)\.$/i.exec(server)?.[1] ?? "";
  return { ...wordingOf("directive-was-removed", server, directive.name, instead), span: directive.span };
}

/** Checks KeepAliveTimeout as the server does (server/util.c `ap_timeout_parameter_parse`). */
export function checkKeepAliveTimeout(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  if (word === undefined || /^[\t-\r ]*[+-]?\d*(?:$|h|s|ms|mi)/.test(word.value)) return undefined;
  return { ...wordingOf("invalid-keep-alive-timeout", word.value), span: directive.spanOf(word) };
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
export function checkUser(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  if (word === undefined) return undefined;
  const { value } = word;
  const isRoot = value.startsWith("#") ? parseLeadingNumber(value.slice(1)) === 0 : value === "root";
  if (!isRoot) return undefined;
  return { ...wordingOf("root-user", rootUserMessage, value), span: directive.spanOf(word) };
}

/** Checks UserDir, which counts its arguments itself. */
export function checkUserDir(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  if (word !== undefined && word.value !== "") return undefined;
  return { ...wordingOf("missing-user-directory"), span: directive.span };
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
export function checkErrorDocument(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  if (word === undefined || isKnownStatus(parseLeadingNumber(word.value))) return undefined;
  return { ...wordingOf("unknown-response-code", word.value), span: directive.spanOf(word) };
}
