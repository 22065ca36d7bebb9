import { limitsOf, limitsText } from "../access/limits.js";
import type { Directive } from "../project/directive.js";
import { toReadable } from "../text/source.js";

const LONGEST = 80;

/** A line as the configuration has it, on one line and not too long. */
export function lineText(directive: Directive): string {
  const { file, start, end } = directive.nameSpan;
  const name = file.text.slice(start, end).replace(/["]|>$/g, "");
  const rest = directive.argumentText;
  return shortened(toReadable(rest === "" || rest === ">" ? name + rest : `${name} ${rest}`));
}

/** A line in backticks, with the methods that it is limited to. */
export function quotedLine(directive: Directive): string {
  const limits = limitsOf(directive);
  return limits.length === 0 ? `\`${lineText(directive)}\`` : `\`${lineText(directive)}\` (${limitsText(limits)})`;
}

const MOST_LINES = 6;

/** Some lines, one after the other; a long list is cut. */
export function quotedLines(directives: readonly Directive[]): string {
  const shown = directives.slice(0, MOST_LINES).map(quotedLine).join(", ");
  return directives.length > MOST_LINES ? `${shown} and ${directives.length - MOST_LINES} more` : shown;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
