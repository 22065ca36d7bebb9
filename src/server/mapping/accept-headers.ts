import { headerOf, type Request } from "../model/request.js";

/** One element of an `Accept…` header, or the media type of a variant. */
export interface AcceptedItem {
  /** In lower case. */
  readonly name: string;
  readonly quality: number;
  readonly level: number;
  readonly charset: string;
}

/** The client's preferences; a list is undefined if the header is absent. */
export interface AcceptHeaders {
  readonly types: readonly AcceptedItem[] | undefined;
  readonly encodings: readonly AcceptedItem[] | undefined;
  readonly languages: readonly AcceptedItem[] | undefined;
  readonly charsets: readonly AcceptedItem[] | undefined;
}

/** Returns the client's preferences (mod_negotiation.c `parse_accept_headers`). */
export function acceptHeadersOf(request: Request): AcceptHeaders {
  const itemsOf = (name: string) => {
    const value = headerOf(request, name);
    return value === undefined ? undefined : parseItems(value);
  };
  return {
    types: itemsOf("Accept"),
    encodings: itemsOf("Accept-Encoding"),
    languages: itemsOf("Accept-Language"),
    charsets: itemsOf("Accept-Charset"),
  };
}

/** Parses a list of items (`do_header_line`). */
function parseItems(line: string): readonly AcceptedItem[] {
  const items: AcceptedItem[] = [];
  for (let rest = line; rest !== ""; ) {
    const { item, rest: next } = parseItem(rest);
    items.push(item);
    if (next.length >= rest.length) break;
    rest = next;
  }
  return items;
}

/** Levels of the types of HTML: an explicit level replaces them. */
const htmlLevels: Readonly<Record<string, number>> = {
  "text/html": 2,
  "text/x-server-parsed-html": 2,
  "text/x-server-parsed-html3": 3,
};

/** Parses the first item of a list (`get_entry`). */
export function parseItem(line: string): { readonly item: AcceptedItem; readonly rest: string } {
  const named = readToken(line, false);
  const name = named.token.toLowerCase();
  let { rest } = named;
  let quality = 1;
  let level = htmlLevels[name] ?? 0;
  let charset = "";
  while (rest.startsWith(";")) {
    const parameter = readToken(rest.slice(1), true);
    rest = parameter.rest;
    const [, key = "", given] = /^([^\s=]*)[\s=]+([\s\S]*)$/.exec(parameter.token) ?? [];
    if (given === undefined) continue;
    const value = (given.startsWith('"') ? /^"([^"\r\n]*)/ : /^(\S*)/).exec(given)?.[1]?.toLowerCase() ?? "";
    const lower = key.toLowerCase();
    if (lower === "q" || lower === "qs") quality = parseQuality(value);
    else if (lower === "level") level = Number.parseInt(value, 10) || 0;
    else if (lower === "charset") charset = value;
  }
  return { item: { name, quality, level, charset }, rest: rest.startsWith(",") ? rest.slice(1) : rest };
}

/** Reads a token up to `;` or `,` (server/util.c `ap_get_token`). @param takesSpaces whether spaces belong to it */
export function readToken(line: string, takesSpaces: boolean): { readonly token: string; readonly rest: string } {
  const pattern = takesSpaces ? /^\s*((?:"[^"]*(?:"|$)|[^;,"])*)/ : /^\s*((?:"[^"]*(?:"|$)|[^\s;,"])*)/;
  const [whole = "", token = ""] = pattern.exec(line) ?? [];
  return { token, rest: line.slice(whole.length).trimStart() };
}

/** Parses a quality value of three digits (`atoq`). */
function parseQuality(text: string): number {
  const [, isZero, one = "0", two = "0", three = "0"] = /^\s*(0?\.|0)(?:(\d)(?:(\d)(?:(\d))?)?)?/.exec(text) ?? [];
  if (isZero === undefined) return 1;
  return isZero === "0" ? 0 : Math.fround(Number(one + two + three) / 1000);
}

/** The consequences of a `Negotiate` header (RFC 2295). */
export interface NegotiateHeader {
  /** Whether the client supports transparent negotiation: 300 if no variant is chosen. */
  readonly isSupported: boolean;
  /** Whether the server may choose a variant. */
  readonly mayChoose: boolean;
  /** Whether the server chooses by the algorithm of RFC 2296. */
  readonly usesRemoteAlgorithm: boolean;
  /** Whether the headers count as written, without corrections for browsers. */
  readonly isStrict: boolean;
}

export const noNegotiateHeader: NegotiateHeader = {
  ...{ isSupported: false, mayChoose: true, usesRemoteAlgorithm: false, isStrict: false },
};

/** Parses the Negotiate header (`parse_negotiate_header`). */
export function negotiateHeaderOf(request: Request): NegotiateHeader {
  const value = headerOf(request, "Negotiate");
  if (value === undefined) return noNegotiateHeader;
  if (value === "trans" && headerOf(request, "User-Agent")?.startsWith("Lynx")) return noNegotiateHeader;
  const words = value.split(",").map((word) => word.trim().toLowerCase());
  const known = words.filter((word) => /^(?:trans|vlist|guess-small|\*|\d.*)$/s.test(word));
  const usesRemoteAlgorithm = known.includes("1.0");
  const mayChoose = usesRemoteAlgorithm || known.includes("*");
  return { isSupported: known.length > 0, mayChoose, usesRemoteAlgorithm, isStrict: mayChoose };
}
