import { fstatSync, readSync, realpathSync } from "node:fs";
import type { Result } from "../../text/result.js";
import type { FileFailure } from "./file-access.js";

/** How long a pipe that the user named may send nothing. */
export const PIPE_PATIENCE_MS = 60_000;
/** Delay before reading again while data is missing. */
const PAUSE_MS = 5;

/** Reads a pipe, a terminal or a file that is opened without blocking. Waits for data, but not forever. */
export class PipeReader {
  private readonly isPipe: boolean;
  /** Whether a read of nothing is the end. Before, no program may have opened the pipe to write. */
  private isStarted: boolean;

  /** @param patienceMs how long a pipe may send nothing */
  constructor(
    private readonly handle: number,
    path: string,
    private readonly patienceMs = PIPE_PATIENCE_MS,
  ) {
    this.isPipe = fstatSync(handle).isFIFO();
    this.isStarted = !this.isPipe || isAnonymous(path) || patienceMs === Number.POSITIVE_INFINITY;
  }

  /** Reads the next bytes into a buffer. @returns their number, 0 at the end, or why there are none */
  read(bytes: Buffer, offset = 0): Result<number, FileFailure> {
    const start = Date.now();
    while (!this.isPipe || Date.now() - start < this.patienceMs) {
      const read = this.readNow(bytes, offset);
      if (read !== undefined) this.isStarted ||= read > 0;
      if (read !== undefined && this.isStarted) return { ok: true, value: read };
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
    return {
      ok: false,
      error: { message: `it is a pipe that sent nothing for ${Math.round(this.patienceMs / 1000)} seconds` },
    };
  }

  /** @returns undefined if data has not arrived yet */
  private readNow(bytes: Buffer, offset: number): number | undefined {
    try {
      return readSync(this.handle, bytes, offset, bytes.length - offset, null);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      return undefined;
    }
  }
}

/** Reports whether a pipe has no name on the disk, as with `<(…)`: its writer is already connected. */
function isAnonymous(path: string): boolean {
  try {
    realpathSync.native(path);
    return false;
  } catch {
    return true;
  }
}
