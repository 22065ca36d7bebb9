import { fstatSync, statSync } from "node:fs";

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
const MIN_VTE_VERSION = 5001;

/** Reports whether standard output is a terminal that shows hyperlinks; FORCE_HYPERLINK takes precedence. */
export function supportsHyperlinks(env: NodeJS.ProcessEnv, isOnTerminal = () => isTerminal(1)): boolean {
  const { FORCE_HYPERLINK: forced, TERM: terminal = "", TERM_PROGRAM: program = "" } = env;
  if (forced !== undefined) return forced !== "0";
  if (env["CI"] || terminal === "dumb") return false;
  const isKnown =
    linkingPrograms.has(program) ||
    linkingTerminals.test(terminal) ||
    ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"].some((name) => env[name]) ||
    Number(env["VTE_VERSION"]) >= MIN_VTE_VERSION;
  return isKnown && isOnTerminal();
}

/** Reports whether to use colours: on a terminal, unless NO_COLOR is set; FORCE_COLOR and the flag take precedence. */
function useColour({ color, output }: OutputStyleFlags): boolean {
  if (color !== "auto") return color === "always";
  if (process.env["NO_COLOR"]) return false;
  if (process.env["FORCE_COLOR"]) return true;
  return output === undefined && isTerminal(1);
}
