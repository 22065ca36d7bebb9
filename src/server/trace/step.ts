import type { Directive } from "../../config/model/directive.js";
import { toReadable } from "../../text/source.js";
import { formatWordList, shortenText } from "../../text/words.js";
import { formatLimits, limitsOf } from "../access/clients-and-methods.js";
import type { TracedSection, TraceStep } from "../model/trace-step.js";

/** Creates a step; omitted properties are empty. */
export function createStep({ section, span }: TracedSection, more: Partial<TraceStep> = {}): TraceStep {
  const effect = more.effect ?? "has no access rules";
  const role = more.role ?? (more.effect === undefined ? "no-effect" : undefined);
  return { section, span, lines: [], details: [], replaced: [], combined: [], ...more, effect, role };
}

/** Creates a step from a single line. @param related further lines with the same effect */
export function createLineStep(line: Directive, effect: string, related: readonly Directive[] = []): TraceStep {
  return createStep({ section: formatLine(line), span: line.span }, { effect, lines: [line, ...related] });
}

const MAX_LINE_LENGTH = 80;

/** Returns a line of the configuration, joined to one line and shortened. */
export function formatLine(directive: Directive): string {
  return shortenText(formatWholeLine(directive), MAX_LINE_LENGTH);
}

/**
 * Returns a line of the configuration, joined to one line.
 *
 * @param rest what to write after its name instead of its arguments
 */
export function formatWholeLine(directive: Directive, rest: string = directive.argumentText): string {
  const { file, start, end } = directive.nameSpan;
  const name = file.text.slice(start, end).replace(/["]|>$/g, "");
  const text = toReadable(rest === "" || rest === ">" ? name + rest : `${name} ${rest}`);
  return text.replace(/\s+/g, " ").trim();
}

/** Returns lines to write, in backticks: `a`, `b` and `c`. */
export function quoteWritten(...lines: readonly string[]): string {
  return formatWordList(lines.map((line) => `\`${line}\``));
}

/** Names the place for a line of a server: its virtual host, or the main server. */
export function nameServer(section: Directive | undefined): string {
  return section === undefined ? "the main server" : quoteLine(section);
}

/** Returns a line in backticks, with the methods that it is limited to. */
export function quoteLine(directive: Directive): string {
  const limits = limitsOf(directive);
  return limits.length === 0
    ? `\`${formatLine(directive)}\``
    : `\`${formatLine(directive)}\` (${formatLimits(limits)})`;
}

const MAX_LINES = 6;

/** Lists lines; a long list is shortened. */
export function quoteLines(directives: readonly Directive[]): string {
  const shown = directives.slice(0, MAX_LINES).map(quoteLine).join(", ");
  return directives.length > MAX_LINES ? `${shown} and ${directives.length - MAX_LINES} more` : shown;
}
