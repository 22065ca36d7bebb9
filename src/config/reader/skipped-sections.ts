import { parseArguments } from "../../../grammar/arguments.js";
import type { Line } from "../../../grammar/ast.js";
import { normalizeLine } from "../../../grammar/line-scanner.js";
import { findClosestWord } from "../../text/closest-word.js";
import { type Span, toReadable } from "../../text/source.js";
import type { Directive } from "../model/directive.js";
import { type RefusalLog, wordingOf } from "../refusals/refusal.js";
import type { LineCursor } from "./line-cursor.js";
import { findSpacedName, MAX_SECTION_DEPTH, NameCounter } from "./section-stack.js";

/** A section whose lines are skipped. */
interface SkippedSection {
  readonly name: string;
  readonly span: Span;
}

/** Skips a section whose condition does not hold, counting the nested sections (`ap_soak_end_container`). */
export function skipSection(opener: Directive, lines: LineCursor, problems: RefusalLog): void {
  const unclosed = skipLines(opener, lines, problems);
  if (unclosed === undefined) return;
  const shown = toReadable(unclosed.name);
  const fault = wordingOf("unclosed-skipped-section", shown);
  problems.add(unclosed.span, fault, [], { atEnd: true });
}

/** Skips a section that was rejected as a whole; errors inside are not reported. */
export function skipRefused(opener: Directive, lines: LineCursor): void {
  skipLines(opener, lines, undefined);
}

/** Skips a section that is nested too deeply. */
export function skipTooDeep(opener: Directive, lines: LineCursor, problems: RefusalLog): void {
  problems.add(opener.span, wordingOf("sections-too-deep", MAX_SECTION_DEPTH));
  skipRefused(opener, lines);
}

/** Skips a `<LuaHook…>` or `<Perl>` section, whose body is a program: it ends at the first closing tag. */
export function skipProgram(opener: Directive, lines: LineCursor, problems: RefusalLog): void {
  const closing = `</${opener.name.slice(1)}>`;
  for (let line = lines.next(); line; line = lines.next()) {
    if (line.kind === "close" && firstWord(line, lines).toLowerCase() === closing.toLowerCase()) return;
  }
  problems.add(opener.span, wordingOf("unclosed-program", opener.name, opener.name.slice(1)));
}

/**
 * @param problems receives closing tags in the wrong order, which the server rejects even here
 * @returns the innermost section that is open at the end of the file and has no unknown closing tag, if any
 */
function skipLines(opener: Directive, lines: LineCursor, problems: RefusalLog | undefined): SkippedSection | undefined {
  const open: SkippedSection[] = [];
  const names = new NameCounter();
  // Sections with a closing tag in them that no section has: it may be meant for them.
  const misnested = new Set<SkippedSection>();
  const enter = (name: string, span: Span) => {
    open.push({ name, span });
    names.add(name.toLowerCase());
  };
  enter(opener.name.slice(1), opener.span);
  for (let line = lines.next(); line; line = lines.next()) {
    if (line.kind === "blank" || line.kind === "comment" || lines.isTag(line)) continue;
    if (line.kind === "directive") continue;
    const word = firstWord(line, lines);
    const hasEnd = word.endsWith(">");
    if (line.kind === "open") {
      enter(word.slice(1, hasEnd && line.restStart >= line.restEnd ? -1 : undefined), lines.spanOf(line));
      continue;
    }
    const span = lines.spanOf(line);
    const spaced = findSpacedName(word, span);
    const written = (spaced ?? word.slice(2, hasEnd ? -1 : undefined)).toLowerCase();
    const innermost = open[open.length - 1];
    const expected = innermost?.name.toLowerCase() ?? "";
    const isTypo = !names.has(written) && findClosestWord(written, [expected]) !== undefined;
    const closed = isTypo ? expected : written;
    if (problems && innermost && (expected !== written || !hasEnd))
      reportClosing({ word, spaced, isTypo, span }, innermost, problems);
    if (innermost && !names.has(closed)) misnested.add(innermost);
    // A name that is not open closes nothing; for an open one, all sections inside it are discarded.
    while (names.has(closed)) {
      const last = open.pop()?.name.toLowerCase() ?? "";
      names.take(last);
      if (last === closed) break;
    }
    if (open.length === 0) return undefined;
  }
  return open.findLast((section) => !misnested.has(section));
}

/** A closing tag in a skipped section. */
interface ClosingTag {
  /** As written, up to the first space. */
  readonly word: string;
  /** The name after a space: `</ Files>`. */
  readonly spaced: string | undefined;
  /** Whether the name is likely to be that of the innermost section. */
  readonly isTypo: boolean;
  readonly span: Span;
}

/** Reports a closing tag that the server does not expect, or whose end it does not find. */
function reportClosing(
  { word, spaced, isTypo, span }: ClosingTag,
  innermost: SkippedSection,
  problems: RefusalLog,
): void {
  const expected = toReadable(innermost.name);
  const isSameName = innermost.name.toLowerCase() === word.slice(2).toLowerCase();
  // The server removes the last character, whatever it is.
  const server = `Expected </${expected}> but saw ${toReadable(word.slice(0, -1))}>`;
  const fault =
    spaced !== undefined
      ? wordingOf("space-in-closing-tag", spaced, server)
      : isSameName
        ? wordingOf("missing-bracket-after-tag", word, server)
        : wordingOf("wrong-closing-tag-when-skipped", expected, word, isTypo, server);
  const related = [{ message: `\`<${expected}>\` is opened here`, span: innermost.span }];
  problems.add(span, fault, related);
}

function firstWord(line: Line, lines: LineCursor): string {
  const { text } = lines.tree;
  if (line.needsNormalizing) return parseArguments(normalizeLine(text, line).text)[0]?.value ?? "";
  return text.slice(line.nameStart, line.nameEnd);
}
