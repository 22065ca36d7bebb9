/** Conversion between bytes in Node and binary strings. */

/** Converts bytes to the binary string that the grammar reads. */
export function fromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Converts a binary string back to its original bytes. */
export function toBytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
