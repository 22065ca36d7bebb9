import { columns, isTerminal } from "./terminal.js";

/** How text is to look, by the flags and the terminal. */
export function shownBy(flags: { readonly color: "auto" | "always" | "never"; readonly output?: string | undefined }) {
  return { colour: useColour(flags.color, flags.output), width: flags.output === undefined ? columns() : undefined };
}

/** Colours on a terminal, unless NO_COLOR is set; FORCE_COLOR and the flag win. */
function useColour(flag: "auto" | "always" | "never", output: string | undefined): boolean {
  if (flag !== "auto") return flag === "always";
  if (process.env["NO_COLOR"]) return false;
  if (process.env["FORCE_COLOR"]) return true;
  return output === undefined && isTerminal(1);
}
