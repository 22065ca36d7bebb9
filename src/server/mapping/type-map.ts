import { parseItem, readToken } from "./accept-headers.js";
import type { Variant } from "./variant-choice.js";

/** The content of a type map. */
export interface TypeMap {
  readonly variants: readonly Variant[];
  /** The error log message about a syntax error. */
  readonly errorMessage?: string;
  /** Whether the error makes the request fail. */
  readonly isRefused?: boolean;
}

/** Limit of a line, and of a body with its end tag, in bytes (`MAX_STRING_LEN`). */
const MAX_LENGTH = 8192;

/** Reads a type map (mod_negotiation.c `read_type_map`). @param shown the path of the request, for messages */
export function parseTypeMap(text: string, path: string, shown: string): TypeMap {
  const reader = new TypeMapReader(text);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const variants: Variant[] = [];
  let entry: Partial<Variant> & { hasContent?: boolean } = {};
  for (;;) {
    const line = reader.next();
    if (line === undefined || line === "") {
      if (entry.name && entry.hasContent) variants.push(completeVariant(entry));
      entry = {};
      if (line === undefined) return { variants };
      continue;
    }
    const [, rawKey = "", rawBody] = /^([^:]*):\s*([\s\S]*)$/.exec(line) ?? [];
    if (rawBody === undefined || rawBody === "") {
      const errorMessage =
        rawBody === undefined
          ? `AH00681: Syntax error in type map, no ':' in ${shown} for header ${line.toLowerCase()}`
          : `AH00682: Syntax error in type map --- no header body: ${shown} for ${rawKey.toLowerCase()}${line.slice(rawKey.length)}`;
      return { variants: [], errorMessage, isRefused: true };
    }
    const key = rawKey.toLowerCase();
    const body = rawBody.replace(/\([^)]*\)?/g, (comment) => " ".repeat(comment.length));
    if (key === "uri") entry = { ...entry, name: readToken(body, false).token };
    else if (key === "content-type") entry = { ...entry, type: parseItem(body).item, hasContent: true };
    else if (key === "content-length") {
      const word = readToken(body, false).token;
      if (!/^\d+$/.test(word))
        return {
          variants,
          errorMessage: `AH00684: Parse error in type map, Content-Length: '${word}' in ${shown} is invalid.`,
        };
      entry = { ...entry, length: Number(word), hasContent: true };
    } else if (key === "content-language") entry = { ...entry, languages: languagesIn(body), hasContent: true };
    else if (key === "content-encoding") entry = { ...entry, encoding: readToken(body, false).token, hasContent: true };
    else if (key === "body") {
      const tag = body.trimEnd();
      const length = reader.skipBody(tag);
      if (length === undefined)
        return {
          variants,
          errorMessage: `AH00685: Syntax error in type map, no end tag '${tag}' found in ${shown} for Body: content.`,
        };
      entry = { ...entry, name, length, isBody: true };
    }
  }
}

function completeVariant(entry: Partial<Variant>): Variant {
  const { name = "", type = { name: "", quality: 0, level: 0, charset: "" }, languages = [], encoding } = entry;
  const { length, isBody } = entry;
  return {
    ...{ name, type, languages, encoding },
    ...(length === undefined ? {} : { length }),
    ...(isBody === undefined ? {} : { isBody }),
  };
}

/** Parses the languages of an entry (`do_languages_line`). */
function languagesIn(line: string): readonly string[] {
  const found: string[] = [];
  for (let rest = line; rest !== ""; ) {
    const { token, rest: next } = readToken(rest, false);
    found.push(token.toLowerCase());
    rest = /^[,;]/.test(next) ? next.slice(1) : next;
  }
  return found;
}

class TypeMapReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Returns a header with its continuations, empty at a blank line, undefined at the end (`get_header_line`). */
  next(): string | undefined {
    let line: string;
    do {
      if (this.at >= this.text.length) return undefined;
      line = this.takeLine();
    } while (line.startsWith("#"));
    if (line.trim() === "") return "";
    if (/^body:/i.test(line)) return line;
    while (this.at < this.text.length) {
      if (this.text[this.at] === "#") {
        this.takeLine();
        continue;
      }
      const [blank = ""] = /^[^\S\n]*/.exec(this.text.slice(this.at, this.at + MAX_LENGTH)) ?? [];
      const isEmpty = this.text[this.at + blank.length] === "\n";
      if (isEmpty) {
        this.at += blank.length;
        return line;
      }
      if (blank === "") return line;
      this.at += blank.length;
      line += this.takeLine();
    }
    return line;
  }

  private takeLine(): string {
    const end = this.text.indexOf("\n", this.at);
    const line = this.text.slice(this.at, end < 0 ? undefined : end + 1);
    this.at += line.length;
    return line;
  }

  /** Skips a body and its end tag; returns its length, or undefined without an end tag (`get_body`). */
  skipBody(tag: string): number | undefined {
    const read = this.text.slice(this.at, this.at + MAX_LENGTH - 1);
    const length = read.indexOf(tag);
    if (length < 0) return undefined;
    this.at += length + tag.length;
    this.takeLine();
    return length;
  }
}
