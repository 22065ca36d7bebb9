import { computeOnce } from "./memoize.js";

/** Invisible or control characters, except for line feeds of indented JSON: line feeds inside strings are escaped. */
const hidden = computeOnce(() => /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu);

/**
 * Serializes a value as JSON without hidden characters. Bidirectional marks, invisible characters and control
 * characters become escapes, which parse to the same value.
 *
 * @param indent indentation width; without it, one line
 */
export function formatJson(value: object | string, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(hidden(), escapeCharacter);
}

function escapeCharacter(character: string): string {
  let text = "";
  for (let at = 0; at < character.length; at++) text += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return text;
}

/**
 * Escapes a path as a client sends it: characters with a meaning in a URL are escaped. @param path one character per
 * byte, or any text
 */
export function encodeUrlPath(path: string): string {
  return path.replace(/[^!$&'()*+,\-./0-9:;=@A-Z_a-z~]/g, (each) =>
    each.charCodeAt(0) > 0xff ? encodeURIComponent(each) : `%${each.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/**
 * Escapes the path of an absolute URL as the server does before it sends it (mod_rewrite.c `escape_absolute_uri`,
 * mod_proxy's `ap_proxy_canonenc`): a `?` or a `#` from the request becomes a part of the path. Other texts stay.
 */
export function encodePathOfUrl(url: string): string {
  const [, authority, path = ""] =
    /^((?:proxy:)?(?:unix:[^|]*\|)?[a-z][\w+.-]*:\/\/[^/]*)(\/[\s\S]*)$/i.exec(url) ?? [];
  if (authority === undefined) return url;
  return authority + encodeUrlPath(path).replace(/%[\da-f]{2}/g, (each) => each.toUpperCase());
}

/**
 * Decodes the valid escapes of a URL. @param isDecoded reports whether a character is decoded; by default, all are
 */
export function decodeUrl(text: string, isDecoded: (character: string) => boolean = () => true): string {
  return text.replace(/%([0-9a-f]{2})/gi, (written, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return isDecoded(character) ? character : written;
  });
}

/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Quotes a word for a shell if it needs that. */
export function quoteShellWord(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
