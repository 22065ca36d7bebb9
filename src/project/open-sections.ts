import type { Line } from "../../grammar/ast.js";
import { thirdPartyDirective } from "../directives/directives.js";
import { nearest } from "../text/nearest.js";
import { type Span, toReadable } from "../text/source.js";
import type { Directive, Reading, Section, Surroundings } from "./directive.js";
import type { Guard } from "./guards.js";
import type { LineCursor } from "./line-cursor.js";
import { NameCounts } from "./name-counts.js";
import { type Fault, type ProblemLog, quoted, type Related } from "./problems.js";
import { notClosed } from "./unclosed.js";

/** Sections nested deeper than this are reported and passed over; no real configuration comes near. */
export const DEEPEST_SECTION = 256;

/** A section, or a guard that holds, whose closing tag is still to come. */
interface Open {
  readonly opener: Directive;
  /** The same where it is no guard. */
  readonly section: Section | undefined;
  /** Where its content starts among the directives that were taken. */
  readonly content: number;
  /** What is around it. */
  readonly outside: Surroundings;
}

/** What is open at a place of one file, and with it what is around the directive that stands there. */
export class OpenSections {
  private readonly open: Open[] = [];
  /** Sections in which the closing tag of another stands, which is told there. */
  private readonly misclosed = new Set<Open>();
  /**
   * Closing tags that are told of no more: those whose opening line was given up because another section was closed first, and
   * that of the other, which may have been written in place of one of them.
   */
  private readonly forgiven = new NameCounts();
  private around: Surroundings;

  /**
   * @param reading the file
   * @param section the section around the Include that led to it
   * @param into takes the directives; those of a section go over to it when it is closed
   */
  constructor(
    private readonly problems: ProblemLog,
    reading: Reading,
    section: Directive | undefined,
    readonly into: Directive[],
  ) {
    this.around = { reading, section, guard: undefined };
  }

  get isFull(): boolean {
    return this.open.length >= DEEPEST_SECTION;
  }

  /** What is around a directive of the file, or of a macro laid over it. */
  aroundIn(reading: Reading): Surroundings {
    const { section, guard } = this.around;
    if (this.around.reading !== reading) this.around = { reading, section, guard };
    return this.around;
  }

  /** The section around the next directive. */
  get section(): Directive | undefined {
    return this.around.section;
  }

  /** The innermost guard that holds. */
  get guard(): Guard | undefined {
    return this.around.guard;
  }

  openSection(section: Section): void {
    const { reading, guard } = this.around;
    this.open.push({ opener: section, section, content: this.into.length, outside: this.around });
    this.around = { reading, section, guard };
  }

  openGuard(opener: Directive, guard: Guard): void {
    const { reading, section } = this.around;
    this.open.push({ opener, section: undefined, content: this.into.length, outside: this.around });
    this.around = { reading, section, guard };
  }

  /** Closes the innermost section where a stretch of text is exactly its closing tag; whether it was. */
  closeIfExactly(text: string, start: number, end: number): boolean {
    const closing = this.open[this.open.length - 1]?.section?.word.closing;
    if (closing === undefined || closing.length !== end - start || !text.startsWith(closing, start)) return false;
    this.pop();
    return true;
  }

  /** A line opens a section but for its `<`: of the closing tag there is nothing more to tell. */
  forgive(name: string): void {
    this.forgiven.add(name);
  }

  /**
   * Closes what a closing tag is meant to close, and reports where the server would not have it.
   *
   * @param word the tag as written, up to the first space
   * @param isAlone whether nothing stands behind it
   */
  close(word: string, isAlone: boolean, lines: LineCursor, line: Line): void {
    const top = this.open[this.open.length - 1];
    const hasEnd = word.endsWith(">");
    const bracket = hasEnd ? word.length - 1 : word.indexOf(">");
    const name = word.slice(2, bracket < 0 ? undefined : bracket).toLowerCase();
    if (top !== undefined && nameOf(top) === name) {
      if (!hasEnd) this.closedWithoutEnd(top, word, bracket, lines.spanOf(line));
      else if (!top.section && !isAlone) this.closedWithText(top, word, lines.spanOf(line));
      this.pop();
    } else if (top?.section && !hasEnd) {
      // In a section the server looks for the `>` before it looks at the name.
      this.closedWithoutEnd(top, word, bracket, lines.spanOf(line));
    } else if (!this.forgiven.take(name)) {
      this.closedOutOfOrder(top, name, word, lines.spanOf(line));
    }
  }

  /** Reports what is still open, and closes it. */
  atEndOfFile(): void {
    // The server reads a section that stands inside a guard which holds as finished when the file ends.
    const firstGuard = this.open.findIndex((open) => !open.section);
    const unclosed = firstGuard < 0 ? this.open : this.open.slice(0, firstGuard);
    const server = notClosed(unclosed.map(({ opener }) => opener));
    for (const [index, open] of this.open.entries()) {
      if (this.misclosed.has(open)) continue;
      const { span } = open.opener;
      const title = titleOf(open);
      const remedy = `add \`</${title}>\``;
      if (firstGuard >= 0 && index >= firstGuard) {
        const condition = open.section ? "a guard around it, not closed either, holds" : "the condition holds";
        this.problems.add("fragile", span, {
          wrong: `\`<${title}>\` is never closed`,
          so: `the server takes the file only as long as ${condition}`,
          remedy,
        });
      } else {
        const fault = { wrong: `\`<${title}>\` is never closed in this file`, remedy, server };
        const more = isNobodys(open.opener) ? ({ ofUnknownSection: true } as const) : {};
        this.problems.add("syntax", span, fault, [], { atEnd: true, ...more });
      }
    }
    while (this.open.length > 0) this.pop();
  }

  private pop(): void {
    const closed = this.open.pop();
    if (closed === undefined) return;
    if (closed.section) closed.section.children = this.into.splice(closed.content);
    this.around = closed.outside;
  }

  /** @param bracket where a `>` stands that is not at the end; negative where none does */
  private closedWithoutEnd(top: Open, word: string, bracket: number, span: Span): void {
    const server = top.section ? `${toReadable(word)}> directive missing closing '>'` : withoutMatching(word);
    const advice =
      bracket < 0
        ? { wrong: `${quoted(word)} has no \`>\` right behind the name`, remedy: `write ${quoted(`${word}>`)}` }
        : hiddenTag(word.slice(0, bracket + 1));
    this.problems.add("syntax", span, { ...advice, server }, openedHere([top]));
  }

  /** `</IfModule> # text`: where the condition holds, the server wants the closing tag alone on its line. */
  private closedWithText(top: Open, word: string, span: Span): void {
    this.problems.add("syntax", span, { ...hiddenTag(word), server: withoutMatching(word) }, openedHere([top]));
  }

  /** A closing tag that closes nothing open, or not the innermost: reported, and repaired as best it can be. */
  private closedOutOfOrder(top: Open | undefined, name: string, word: string, span: Span): void {
    const server = top?.section
      ? `Expected </${top.opener.name.slice(1)}> but saw ${toReadable(word)}`
      : withoutMatching(word);
    if (top === undefined) {
      this.problems.add("syntax", span, {
        wrong: `${quoted(word)} closes a section that was never opened here`,
        remedy: "take it out, or open the section in this file",
        server,
      });
      return;
    }
    const remedy = "close the sections in the order they were opened";
    const opener = this.open.findLastIndex((open) => nameOf(open) === name);
    if (opener < 0) {
      const wrong = `${quoted(word)} stands where \`</${titleOf(top)}>\` is expected`;
      // A slip in one of the two names: the section is meant, and nothing else is wrong with it.
      const isUnknown = top.section !== undefined && isNobodys(top.opener);
      const isSlip = isUnknown || (top.section !== undefined && nearest(name, [nameOf(top)]) !== undefined);
      const same = isSlip ? "give both tags the same name" : remedy;
      const more = isUnknown ? ({ ofUnknownSection: true } as const) : isSlip ? {} : ({ crosses: true } as const);
      this.problems.add("syntax", span, { wrong, remedy: same, server }, openedHere([top]), more);
      if (isSlip) this.pop();
      else if (top.section) this.misclosed.add(top);
      return;
    }
    const crossed = this.open.slice(opener + 1);
    const wrong = `${quoted(word)} comes before ${tagsOf(crossed)}`;
    if (!crossed.every((open) => this.misclosed.has(open)))
      this.problems.add("syntax", span, { wrong, remedy, server }, openedHere(crossed), { crosses: true });
    for (const open of crossed) this.forgiven.add(nameOf(open));
    this.forgiven.add(name);
    while (this.open.length > opener) this.pop();
  }
}

/** Whether the release knows no such section, nor a module from elsewhere that we know. */
function isNobodys({ key, known }: Directive): boolean {
  return known.facts.length === 0 && thirdPartyDirective(key) === undefined;
}

function hiddenTag(tag: string): Pick<Fault, "wrong" | "remedy"> {
  return { wrong: `text behind ${quoted(tag)} hides the closing tag`, remedy: "put the tag alone on its line" };
}

/** What the server says of a closing tag without a section of its own to close. */
function withoutMatching(word: string): string {
  const shown = toReadable(word);
  return `${shown} without matching <${shown.slice(2)} section`;
}

function nameOf(open: Open): string {
  return open.opener.key.slice(1);
}

/** The section's name as the user writes it, without its brackets. */
function titleOf({ opener }: Open): string {
  const { file, start, end } = opener.span;
  const written = file.text.slice(start, end).match(/^["']?<([^\t-\r >"']*)/)?.[1];
  return toReadable(written ?? opener.key.slice(1));
}

/** The tags that close sections, from the innermost on; of several with one name their number. */
function tagsOf(opens: readonly Open[]): string {
  const counts = new Map<string, number>();
  for (const open of opens.toReversed()) counts.set(titleOf(open), (counts.get(titleOf(open)) ?? 0) + 1);
  return [...counts].map(([title, count]) => `${count > 1 ? `${count} ` : ""}\`</${title}>\``).join(", ");
}

function openedHere(opens: readonly Open[]): Related[] {
  return opens.map((open) => ({ message: `\`<${titleOf(open)}>\` is opened here`, span: open.opener.span }));
}
