import { fstatSync, statSync, writeSync } from "node:fs";
import type { FileAccess } from "../../project/files/file-access.js";

/**
 * Reports whether standard output (1) or standard error (2) is a terminal. Node's own streams take milliseconds to set
 * up, so they are used only if the descriptor is a device that may be a terminal.
 */
export function isTerminal(descriptor: 1 | 2): boolean {
  try {
    const status = fstatSync(descriptor);
    if (!status.isCharacterDevice() || status.rdev === statSync("/dev/null").rdev) return false;
  } catch {
    // A closed descriptor is not a terminal; on a system without the null device, Node decides.
  }
  return (descriptor === 1 ? process.stdout : process.stderr).isTTY === true;
}

/** Returns the width of standard output in columns; undefined if it is not a terminal. */
export function getTerminalWidth(): number | undefined {
  return isTerminal(1) ? process.stdout.columns : undefined;
}

/** The flags that determine the style of output. */
export interface OutputStyleFlags {
  readonly color: "auto" | "always" | "never";
  readonly output?: string | undefined;
}

/** How text is laid out. */
export interface OutputStyle {
  readonly colour: boolean;
  /** The number of columns, if the output is a terminal. */
  readonly width: number | undefined;
  /** Whether locations are hyperlinks. */
  readonly hyperlinks: boolean;
}

/** Returns the output style that the flags and the terminal determine. */
export function outputStyleOf(flags: OutputStyleFlags): OutputStyle {
  return {
    colour: useColour(flags),
    width: flags.output === undefined ? getTerminalWidth() : undefined,
    hyperlinks: flags.color !== "never" && flags.output === undefined && supportsHyperlinks(process.env),
  };
}

/** Programs that show hyperlinks (OSC 8), by TERM_PROGRAM and by TERM; others may print the address as text. */
const linkingPrograms = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "zed"]);
const linkingTerminals = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour|rio)(?:-.*)?$/;
/** The first version of VTE with hyperlinks that work: 0.50.1. */
const LEAST_VTE_VERSION = 5001;

/** Reports whether standard output is a terminal that shows hyperlinks; FORCE_HYPERLINK takes precedence. */
export function supportsHyperlinks(env: NodeJS.ProcessEnv, isOnTerminal = () => isTerminal(1)): boolean {
  const { FORCE_HYPERLINK: forced, TERM: terminal = "", TERM_PROGRAM: program = "" } = env;
  if (forced !== undefined) return forced !== "0";
  if (env["CI"] || terminal === "dumb") return false;
  const isKnown =
    linkingPrograms.has(program) ||
    linkingTerminals.test(terminal) ||
    ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"].some((name) => env[name]) ||
    Number(env["VTE_VERSION"]) >= LEAST_VTE_VERSION;
  return isKnown && isOnTerminal();
}

/** Reports whether to use colours: on a terminal, unless NO_COLOR is set; FORCE_COLOR and the flag take precedence. */
function useColour({ color, output }: OutputStyleFlags): boolean {
  if (color !== "auto") return color === "always";
  if (process.env["NO_COLOR"]) return false;
  if (process.env["FORCE_COLOR"]) return true;
  return output === undefined && isTerminal(1);
}

/** Minimum duration of a run before progress is shown, and minimum interval between updates. */
const INITIAL_DELAY_MS = 1_000;
const UPDATE_INTERVAL_MS = 200;

/** A progress line on a terminal's standard error, which is erased at the end. */
export class ProgressLine {
  private readonly started = Date.now();
  private shown = 0;
  private files = 0;
  private folders = 0;
  /** The current work, which is shown instead of the files read. */
  private work: { readonly began: number } | undefined;

  /** @param write where the line goes; nothing is shown without it */
  constructor(private readonly write: ((text: string) => void) | undefined) {}

  /** Creates the progress line if standard error is a terminal and the run is not quiet. */
  static onTerminal(quiet: boolean): ProgressLine {
    const isShown = !quiet && isTerminal(2);
    return new ProgressLine(isShown ? (text) => writeSync(2, text) : undefined);
  }

  /** Counts each file read and each folder listed. */
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
        if (this.work === undefined) this.show(this.folders, "directories searched", this.started);
        return access.list(path);
      },
    };
  }

  /** Shows how many of all files are done, starting at none. */
  update(done: number, all: number): void {
    this.work = done === all ? undefined : (this.work ?? { began: Date.now() });
    if (this.work) this.show(done, `of ${all.toLocaleString("en")} files`, this.work.began);
  }

  end(): void {
    if (this.shown > 0) this.write?.("\r\x1b[K");
  }

  private show(count: number, what: string, since: number): void {
    const now = Date.now();
    if (!this.write || now - this.started < INITIAL_DELAY_MS || now - this.shown < UPDATE_INTERVAL_MS) return;
    this.shown = now;
    const rate = now > since ? `, ${Math.round((count * 1000) / (now - since)).toLocaleString("en")} per second` : "";
    this.write(`\r\x1b[Khttpd-lint: ${count.toLocaleString("en")} ${what}${rate}`);
  }
}
