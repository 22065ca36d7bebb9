import { Transform, type TransformCallback } from "node:stream";

/** Limit of header blocks. */
const MAX_HEADER_BYTES = 8192;
/** Limit of messages; documents that people edit are much shorter. */
const MAX_MESSAGE_BYTES = 1 << 30;

const HEADER_END = "\r\n\r\n";
const lengthField = /(?:^|\r\n)content-length:[\t ]*(\d+)[\t ]*(?=\r\n|$)/i;
const nextHeader = /content-length:/i;

/**
 * Forwards the messages of an editor, except those whose header has no valid length: the protocol reader would wait
 * forever after one. Continues at the next header.
 */
export class MessageFrameFilter extends Transform {
  private waiting: Buffer = Buffer.alloc(0);
  /** Remaining bytes of the current message. */
  private left = 0;
  private isInvalid = false;

  /** @param warn is called with the reason for each skipped header */
  constructor(private readonly warn: (reason: string) => void) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    if (this.left > 0 && this.waiting.length === 0) rest = this.forwardBytes(chunk);
    if (rest.length > 0) {
      this.waiting = this.waiting.length === 0 ? rest : Buffer.concat([this.waiting, rest]);
      while (this.takeHeader());
    }
    done();
  }

  /** Forwards the bytes of the current message. @returns the bytes after it */
  private forwardBytes(bytes: Buffer): Buffer {
    const length = Math.min(this.left, bytes.length);
    this.left -= length;
    this.push(bytes.subarray(0, length));
    return bytes.subarray(length);
  }

  /** @returns whether another header may follow */
  private takeHeader(): boolean {
    if (this.isInvalid && !this.seekHeader()) return false;
    const end = this.waiting.indexOf(HEADER_END);
    if (end < 0 && this.waiting.length <= MAX_HEADER_BYTES) return false;
    if (end < 0 || end > MAX_HEADER_BYTES) {
      this.discardInput("the end of its header is missing");
      return true;
    }
    const header = this.waiting.toString("latin1", 0, end);
    const length = lengthField.exec(header)?.[1];
    if (length === undefined || Number(length) > MAX_MESSAGE_BYTES) {
      this.waiting = this.waiting.subarray(end);
      this.discardInput("its header has no valid Content-Length");
      return true;
    }
    this.left = end + HEADER_END.length + Number(length);
    this.waiting = this.forwardBytes(this.waiting);
    return this.left === 0 && this.waiting.length > 0;
  }

  private discardInput(why: string): void {
    this.isInvalid = true;
    this.waiting = this.waiting.subarray(1);
    this.warn(`ignored a message from the editor: ${why}`);
  }

  /** Drops bytes before the next header. @returns whether there is one */
  private seekHeader(): boolean {
    const at = this.waiting.toString("latin1").search(nextHeader);
    // The field name may be incomplete.
    const start = at < 0 ? Math.max(0, this.waiting.length - "content-length:".length) : at;
    this.waiting = this.waiting.subarray(start);
    if (at >= 0) this.isInvalid = false;
    return at >= 0;
  }
}
