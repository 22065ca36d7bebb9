import { writeSync } from "node:fs";
import type { FileAccess } from "../project/files.js";
import { isTerminal } from "./terminal.js";

/** Runs shorter than this show nothing, and longer ones change no oftener than that. */
const PATIENCE_MS = 1_000;
const PACE_MS = 200;

/** One line on a terminal's standard error that tells how far a long run has come, and is gone at its end. */
export class Progress {
  private readonly started = Date.now();
  private shown = 0;
  private files = 0;

  /** @param write where the line goes; nothing is shown without it */
  constructor(private readonly write: ((text: string) => void) | undefined) {}

  /** For the terminal that standard error is, unless the user wants it quiet. */
  static onTerminal(quiet: boolean): Progress {
    const isShown = !quiet && isTerminal(2);
    return new Progress(isShown ? (text) => writeSync(2, text) : undefined);
  }

  /** Counts each file that is read. */
  watch(access: FileAccess): FileAccess {
    return {
      ...access,
      read: (path) => {
        this.files++;
        this.show();
        return access.read(path);
      },
    };
  }

  end(): void {
    if (this.shown > 0) this.write?.("\r\x1b[K");
  }

  private show(): void {
    const now = Date.now();
    if (!this.write || now - this.started < PATIENCE_MS || now - this.shown < PACE_MS) return;
    this.shown = now;
    const rate = Math.round((this.files * 1000) / (now - this.started));
    this.write(
      `\r\x1b[Khttpd-lint: ${this.files.toLocaleString("en")} files read, ${rate.toLocaleString("en")} a second`,
    );
  }
}
