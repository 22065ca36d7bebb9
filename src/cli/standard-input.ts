import { readSync } from "node:fs";

const CHUNK = 1 << 16;
const PAUSE_MS = 5;

let known: { readonly bytes: Buffer | undefined } | undefined;

/**
 * All of standard input; waits where nothing has come yet. Undefined where it is nothing that can be read, like a folder.
 * It comes once, whoever asks.
 */
export function readStandardInput(): Buffer | undefined {
  known ??= { bytes: readAll() };
  return known.bytes;
}

function readAll(): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    try {
      const length = readSync(0, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return Buffer.concat(chunks);
      if (code !== "EAGAIN") return undefined;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
