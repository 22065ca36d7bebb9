import { writeSync } from "node:fs";
import { constants } from "node:os";
import { runInNewContext } from "node:vm";
import type { FileAccess } from "../../../config/files/file-access.js";
import type { ExplorationProgress, ProgressListener } from "../../../proof/model/progress.js";
import { formatNumber } from "../../../text/words.js";
import { isTerminal } from "./terminal.js";

/** Minimum duration of a run before progress is shown, and minimum interval between updates. */
const INITIAL_DELAY_MS = 1_000;
const UPDATE_INTERVAL_MS = 200;
/** From this remaining time on, minutes are shown. */
const MIN_MINUTES_MS = 90_000;
const DEFAULT_WIDTH = 80;

/** Moves to the start of the line on the terminal, and erases it. */
const ERASE = "\r\x1b[K";

/** Runs a computation that may report its progress. */
export type ProgressRunner = <T>(compute: (onProgress?: ProgressListener) => T) => T;

/** The work done, in any unit, since a time. */
interface WorkDone {
  readonly done: number;
  /** Undefined if it is not known how much there is. */
  readonly all?: number;
  readonly since: number;
}

/** A progress line on a terminal's standard error, which is erased at the end. */
export class ProgressLine {
  private readonly started = Date.now();
  private shown = 0;
  private files = 0;
  private folders = 0;
  /** The current work, which is shown instead of the files read. */
  private work: { readonly began: number } | undefined;
  private explorations = 0;

  /** @param write where the line goes; nothing is shown without it */
  constructor(
    private readonly write: ((text: string) => void) | undefined,
    private readonly width = DEFAULT_WIDTH,
  ) {}

  /** Creates the progress line if standard error is a terminal, and the run is neither quiet nor in CI. */
  static onTerminal(quiet = 0): ProgressLine {
    const isShown = quiet === 0 && !process.env["CI"] && process.env["TERM"] !== "dumb" && isTerminal(2);
    return isShown
      ? new ProgressLine((text) => writeSync(2, text), process.stderr.columns || DEFAULT_WIDTH)
      : new ProgressLine(undefined);
  }

  /** Counts each file read and each folder listed. */
  watch(access: FileAccess): FileAccess {
    return {
      ...access,
      read: (path) => {
        this.files++;
        if (this.work === undefined) this.show("", "files read", { done: this.files, since: this.started });
        return access.read(path);
      },
      list: (path) => {
        this.folders++;
        if (this.work === undefined) this.show("", "directories searched", { done: this.folders, since: this.started });
        return access.list(path);
      },
    };
  }

  /** Shows how many of all files are done, starting at none. */
  update(done: number, all: number): void {
    this.work = done === all ? undefined : (this.work ?? { began: Date.now() });
    if (this.work) this.show("", "files", { done, all, since: this.work.began });
  }

  /** Runs a computation and shows its progress. The line is erased when it ends, fails, or is interrupted with Ctrl+C. */
  run<T>(compute: (onProgress?: ProgressListener) => T): T {
    if (this.write === undefined) return compute();
    let isRunning = true;
    try {
      const onProgress: ProgressListener = (progress) => {
        if (isRunning) this.showExploration(progress);
      };
      return runUntilInterrupted(
        () => compute(onProgress),
        () => this.end(),
      );
    } finally {
      isRunning = false;
      this.end();
    }
  }

  end(): void {
    if (this.shown > 0) this.write?.(ERASE);
    this.shown = 0;
    this.work = undefined;
  }

  private showExploration({ hosts, allHosts, classes, allClasses }: ExplorationProgress): void {
    if (hosts === 0 && allClasses === 0) {
      this.explorations++;
      this.work = { began: Date.now() };
    }
    const since = this.work?.began ?? this.started;
    const title = `exploring requests${this.explorations > 1 ? `, pass ${this.explorations}` : ""}: `;
    if (allHosts === 1) this.show(title, "groups", { done: classes, all: allClasses, since });
    else this.show(title, "hosts", { done: hosts, all: allHosts, since });
  }

  private show(title: string, unit: string, work: WorkDone): void {
    const now = Date.now();
    if (!this.write || now - this.started < INITIAL_DELAY_MS || now - this.shown < UPDATE_INTERVAL_MS) return;
    this.shown = now;
    const text = `httpd-lint: ${title}${describeWork(work, unit, now)}`;
    this.write(`${ERASE}${text.slice(0, this.width - 1)}`);
  }
}

/** Describes the work done, its rate, and the remaining time. */
function describeWork({ done, all, since }: WorkDone, unit: string, now: number): string {
  const passed = now - since;
  const count = `${formatNumber(done)} ${all === undefined ? "" : `of ${formatNumber(all)} `}${unit}`;
  if (passed === 0 || done === 0) return count;
  const rate = (done * 1000) / passed;
  const shownRate = rate.toLocaleString("en", { maximumFractionDigits: rate < 10 ? 1 : 0 });
  const left = all === undefined ? "" : `, ${describeTime(((all - done) * passed) / done)} left`;
  return `${count}, ${shownRate}/s${left}`;
}

function describeTime(milliseconds: number): string {
  if (milliseconds >= MIN_MINUTES_MS) return `about ${Math.round(milliseconds / 60_000)} min`;
  return `about ${Math.ceil(milliseconds / 1000)} s`;
}

/**
 * Runs a long computation that Ctrl+C ends at once. A listener for the signal would only be called after it, so the
 * computation runs as a script that Node breaks on the signal.
 *
 * @param onInterrupt is called before the process ends
 */
function runUntilInterrupted<T>(compute: () => T, onInterrupt: () => void): T {
  try {
    return runInNewContext("compute()", { compute }, { breakOnSigint: true });
  } catch (error) {
    if (!isInterruption(error)) throw error;
    onInterrupt();
    // Bun restores the default action of the signal only when a listener is removed.
    process.on("SIGINT", onInterrupt).off("SIGINT", onInterrupt);
    process.kill(process.pid, "SIGINT");
    // Another thread may receive the signal, and end the process a moment later.
    return process.exit(128 + constants.signals.SIGINT);
  }
}

/** Reports whether an error is the one that Node throws for the signal. It is not an instance of this context's `Error`. */
function isInterruption(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("code" in error)) return false;
  return error.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED";
}
