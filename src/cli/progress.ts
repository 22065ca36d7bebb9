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
  private folders = 0;
  /** The work that is told of in place of what is read. */
  private work: { readonly began: number } | undefined;

  /** @param write where the line goes; nothing is shown without it */
  constructor(private readonly write: ((text: string) => void) | undefined) {}

  /** For the terminal that standard error is, unless the user wants it quiet. */
  static onTerminal(quiet: boolean): Progress {
    const isShown = !quiet && isTerminal(2);
    return new Progress(isShown ? (text) => writeSync(2, text) : undefined);
  }

  /** Counts each file that is read, and each folder that is looked through. */
  watch(access: FileAccess): FileAccess {
    return {
      ...access,
      read: (path) => {
        this.files++;
        if (this.work === undefined) this.show(this.files, "files read", this.started);
        return access.read(path);
      },
      list: (path) => {
        this.folders++;
        if (this.work === undefined) this.show(this.folders, "folders looked through", this.started);
        return access.list(path);
      },
    };
  }

  /** Tells how many of all files are done; it begins with none of them. */
  told(done: number, all: number): void {
    this.work = done === all ? undefined : (this.work ?? { began: Date.now() });
    if (this.work) this.show(done, `of ${all.toLocaleString("en")} files`, this.work.began);
  }

  end(): void {
    if (this.shown > 0) this.write?.("\r\x1b[K");
  }

  private show(count: number, what: string, since: number): void {
    const now = Date.now();
    if (!this.write || now - this.started < PATIENCE_MS || now - this.shown < PACE_MS) return;
    this.shown = now;
    const rate = now > since ? `, ${Math.round((count * 1000) / (now - since)).toLocaleString("en")} a second` : "";
    this.write(`\r\x1b[Khttpd-lint: ${count.toLocaleString("en")} ${what}${rate}`);
  }
}
