import { Transform, type TransformCallback } from "node:stream";
import type { Result } from "../../text/result.js";

/** Limit of header blocks. */
const MAX_HEADER_BYTES = 8192;
/** Limit of messages: Node has no longer strings than twice this. Documents that people edit are much shorter. */
const MAX_MESSAGE_BYTES = 1 << 28;

/** Codes of JSON-RPC errors. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** The answer to a message that cannot be read: JSON-RPC demands an error, with the id null if the id is unknown. */
export interface InvalidMessageAnswer {
  readonly jsonrpc: "2.0";
  readonly id: number | string | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** The name of a field as in HTTP (RFC 9110, token). */
const fieldName = String.raw`[!#$%&'*+.^_${"`"}|~\w-]`;
const field = new RegExp(`^(${fieldName}+):(.*)\r?$`);
const startOfField = new RegExp(`^${fieldName}*(?::.*)?\r?$`);
/** Some programs end lines with LF only, which HTTP permits a reader to accept. */
const headerEnd = /\r?\n\r?\n/;
const blankLines = /^(?:\r?\n)+/;
/** A field with a valid length: a document that contains the name alone is not a header. */
const lengthLine = /content-length:[\t ]{0,64}\d{1,16}[\t ]{0,64}\r?\n/i;
/** The maximum length of such a field. */
const MAX_LENGTH_LINE = 256;

/**
 * Forwards the messages of an editor in a canonical form. It answers a message that cannot be read, and continues at
 * the next header: the protocol reader would wait forever.
 */
export class MessageFrameFilter extends Transform {
  private waiting: Buffer = Buffer.alloc(0);
  /** The parts of the current message so far, and its remaining bytes; undefined in a header. */
  private message: { readonly parts: Buffer[]; left: number; readonly refused: string | undefined } | undefined;
  /** Whether the place of the next header is unknown. */
  private isLost = false;

  /**
   * @param warn is called with the reason for each message that is not forwarded
   * @param answer sends the answer to it
   */
  constructor(
    private readonly warn: (reason: string) => void,
    private readonly answer: (answer: InvalidMessageAnswer) => void,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.waiting = this.waiting.length === 0 ? chunk : Buffer.concat([this.waiting, chunk]);
    while (this.message === undefined ? this.takeHeader() : this.takeBody(this.message));
    done();
  }

  /** @returns whether a message may follow */
  private takeHeader(): boolean {
    if (this.isLost && !this.seekHeader()) return false;
    const text = this.waiting.toString("latin1", 0, MAX_HEADER_BYTES);
    const blank = blankLines.exec(text)?.[0].length ?? 0;
    if (blank > 0) this.waiting = this.waiting.subarray(blank);
    if (blank > 0) return this.waiting.length > 0;
    const end = headerEnd.exec(text);
    const lines = text.slice(0, end?.index).split("\n");
    const malformed = lines.findIndex((line) => !startOfField.test(line));
    if (malformed >= 0) {
      // The next header may follow on the same line.
      const before = lines.slice(0, malformed).join("\n").length;
      this.waiting = this.waiting.subarray(before + 1);
      this.loseTrack("its header has a line that is not a field");
    } else if (end !== null) {
      this.waiting = this.waiting.subarray(end.index + end[0].length);
      const header = parseHeader(lines);
      if (!header.ok) this.loseTrack(header.error);
      else this.message = { parts: [], left: header.value.length, refused: header.value.refused };
    } else if (text.length === MAX_HEADER_BYTES) {
      this.waiting = this.waiting.subarray(1);
      this.loseTrack("the end of its header is missing");
    } else return false;
    return true;
  }

  /** @returns whether another message may follow */
  private takeBody(message: NonNullable<typeof this.message>): boolean {
    const part = this.waiting.subarray(0, message.left);
    message.parts.push(part);
    message.left -= part.length;
    this.waiting = this.waiting.subarray(part.length);
    if (message.left > 0) return false;
    this.message = undefined;
    const body = Buffer.concat(message.parts);
    const refusal = message.refused === undefined ? findRefusal(body) : invalidRequest(message.refused);
    if (refusal === undefined) {
      this.push(`Content-Length: ${body.length}\r\n\r\n`);
      this.push(body);
    } else this.refuse(refusal);
    return this.waiting.length > 0;
  }

  private loseTrack(why: string): void {
    this.isLost = true;
    this.refuse({ jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: why } });
  }

  private refuse(answer: InvalidMessageAnswer): void {
    this.warn(`ignored a message from the editor: ${answer.error.message}`);
    this.answer(answer);
  }

  /** Drops bytes before the next header. @returns whether there is one */
  private seekHeader(): boolean {
    const at = this.waiting.toString("latin1").search(lengthLine);
    // The line may be incomplete.
    const start = at < 0 ? Math.max(0, this.waiting.length - MAX_LENGTH_LINE) : at;
    this.waiting = this.waiting.subarray(start);
    if (at >= 0) this.isLost = false;
    return at >= 0;
  }
}

/** The length of a message, and why it is not accepted; or why its length is unknown. */
interface Header {
  readonly length: number;
  readonly refused?: string;
}

/**
 * Parses the fields of a header as the base protocol of LSP does: names ignore case, and unknown fields are ignored.
 * The length may be repeated, but not with another value: the end of the message would be ambiguous (RFC 9110).
 */
function parseHeader(lines: readonly string[]): Result<Header, string> {
  const lengths = new Set<string>();
  let refused: string | undefined;
  for (const line of lines) {
    const [, name = "", text = ""] = field.exec(line) ?? [];
    if (name === "") return { ok: false, error: "its header has a line that is not a field" };
    const value = text.trim();
    if (/^content-length$/i.test(name)) for (const each of value.split(",")) lengths.add(each.trim());
    if (/^content-type$/i.test(name) && !isUtf8(value)) refused = "its charset is not UTF-8";
  }
  const [length, other] = lengths;
  if (other !== undefined) return { ok: false, error: "its header has several different values of Content-Length" };
  if (length === undefined || !/^\d+$/.test(length) || Number(length) > MAX_MESSAGE_BYTES)
    return { ok: false, error: "its header has no valid Content-Length" };
  return { ok: true, value: { length: Number(length), ...(refused === undefined ? {} : { refused }) } };
}

/** Reports whether a content type is encoded as UTF-8, the only encoding of the protocol. */
function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Returns the answer to a body that is not a message; undefined for a message. */
function findRefusal(body: Buffer): InvalidMessageAnswer | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return { jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: "it is not JSON" } };
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return invalidRequest("it is not a JSON object");
  const id = "id" in parsed ? parsed.id : undefined;
  const isRequest = "method" in parsed && typeof parsed.method === "string";
  const hasValidId = id === undefined || id === null || typeof id === "string" || typeof id === "number";
  if (hasValidId && (isRequest || "result" in parsed || "error" in parsed)) return undefined;
  return invalidRequest(
    hasValidId ? "it has no method" : "its id is neither a number nor a string",
    typeof id === "string" || typeof id === "number" ? id : null,
  );
}

function invalidRequest(message: string, id: InvalidMessageAnswer["id"] = null): InvalidMessageAnswer {
  return { jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } };
}
