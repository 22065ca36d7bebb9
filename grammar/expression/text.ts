import type { Span } from "./ast.js";

/** httpd's `MAX_STRING_LEN` less one: what its scanner holds of a string between two of its parts, and of a regex. */
export const LENGTH_LIMIT = 8_191;

const ESCAPE = /\\(?:([0-9]+)|([\s\S]))/g;
const OCTAL = /^[0-7]{1,3}$/;
const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/**
 * Resolves the escapes of constant text as httpd does: `\n`, `\r`, `\t`, `\b`, `\f`, one to three octal digits up to
 * `\377`, and any other character for itself (server/util_expr_scan.l). The value ends at an escaped NUL.
 *
 * @returns the value, and where an escape is wrong or the text too long, what is wrong with it.
 */
export function decodeText(raw: string, start: number): { value: string; error?: Span & { message: string } } {
  if (!raw.includes("\\")) return { value: raw, ...tooLong(raw, raw, start) };
  let error: (Span & { message: string }) | undefined;
  const value = raw.replace(ESCAPE, (escaped, digits: string | undefined, character: string, at: number) => {
    if (digits === undefined) return LETTERS[character] ?? character;
    const code = OCTAL.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
    if (code <= 0xff) return String.fromCharCode(code);
    const reason = Number.isNaN(code) ? "is no octal escape of one to three digits" : "is beyond `\\377`";
    error ??= { message: `escape \`${escaped}\` ${reason}`, start: start + at, end: start + at + escaped.length };
    return "";
  });
  if (error) return { value, error };
  return { value: value.split("\0", 1)[0] ?? "", ...tooLong(value, raw, start) };
}

function tooLong(value: string, raw: string, start: number): { error?: Span & { message: string } } {
  if (value.length <= LENGTH_LIMIT) return {};
  const message = `string longer than ${LENGTH_LIMIT} bytes`;
  return { error: { message, start, end: start + raw.length } };
}
