/** Bytes as Node has them, and the binary strings that stand for them. */

/** Bytes to the binary string that the grammar reads. */
export function fromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** A binary string back to the very bytes it came from. */
export function toBytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
