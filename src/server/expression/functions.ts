import { md5, sha1 } from "@noble/hashes/legacy.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { decodeUrl, encodeUrlPath } from "../../text/escaping.js";
import { bytesOf, toBinaryString } from "../../text/source.js";
import { limitValueLength } from "../model/patterns.js";
import type { UnknownValue } from "../model/unknown-value.js";
import { readHeader } from "../request/credentials.js";
import { readFileText, sizeOfFile } from "./file-tests.js";
import type { ExpressionContext } from "./variables.js";

/**
 * Returns the value of a function (server/util_expr_eval.c `string_func_providers`); undefined if it is unknown.
 *
 * @param name in lower case
 */
export function callFunction(
  name: string,
  value: string,
  { request, env, files, oracle }: ExpressionContext,
): string | UnknownValue | undefined {
  const limitLength = (text: string) => limitValueLength(text, oracle);
  switch (name) {
    case "req":
    case "http":
    case "req_novary":
      return readHeader(request, value) ?? "";
    case "reqenv":
      return env.get(value.toLowerCase()) ?? "";
    case "env":
      return env.get(value.toLowerCase()) ?? (request.tracker ? undefined : serverVariable(value));
    case "osenv":
      return request.tracker ? undefined : serverVariable(value);
    case "file":
      return request.tracker ? undefined : readFileText(value, files, oracle);
    case "filesize":
      return request.tracker ? undefined : sizeOfFile(value, files, oracle)?.toString();
    case "tolower":
      return value.toLowerCase();
    case "toupper":
      return value.toUpperCase();
    case "base64":
      return limitLength(btoa(toBinaryString(bytesOf(value))));
    case "unbase64":
      return decodeBase64(value);
    case "escape":
      return limitLength(encodeUrlPath(toBinaryString(bytesOf(value))));
    case "unescape":
      return unescapeUrl(toBinaryString(bytesOf(value)));
    case "md5":
      return bytesToHex(md5(bytesOf(value)));
    case "sha1":
      return bytesToHex(sha1(bytesOf(value)));
    default:
      return undefined;
  }
}

/** Returns a variable of the server's own environment; undefined if it may be set there. */
export function serverVariable(name: string): string | undefined {
  return /^(PATH|LANG|LC_.*|HOME|PWD|TZ|USER|SHELL|APACHE_.*)$/.test(name) ? undefined : "";
}

/** Decodes escapes except `%2F`; a text with an invalid one or `%00` becomes empty (`ap_unescape_url_keep2f`). */
function unescapeUrl(text: string): string {
  if (/%(?![0-9a-f]{2})|%00/i.test(text)) return "";
  return decodeUrl(text, (character) => character !== "/");
}

/** Decodes base64 up to the first invalid character (`apr_base64_decode`); an incomplete byte at the end is dropped. */
function decodeBase64(text: string): string {
  const [digits = ""] = /^[A-Za-z0-9+/]*/.exec(text) ?? [];
  return atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
}
