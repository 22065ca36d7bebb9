import type { Line } from "../../../grammar/ast.js";
import { findThirdPartyDirective } from "../../facts/directives.js";
import { findClosestWord } from "../../text/closest-word.js";
import { lineAt, type Span, toReadable } from "../../text/source.js";
import type { Directive, DirectiveContext, FileReading, Section } from "../model/directive.js";
import type { Guard } from "../model/guards.js";
import { type RefusalLog, type Related, wordingOf } from "../refusals/refusal.js";
import type { LineCursor } from "./line-cursor.js";

/** Counts of names, with lookups in constant time. */
export class NameCounter {
  private readonly counts = new Map<string, number>();

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  has(name: string): boolean {
    return this.counts.has(name);
  }

  /** Removes one occurrence of a name; returns whether there was one. */
  take(name: string): boolean {
    const count = this.counts.get(name);
    if (count === undefined) return false;
    if (count === 1) this.counts.delete(name);
    else this.counts.set(name, count - 1);
    return true;
  }
}

/** Limit of nested sections; deeper ones are reported and skipped. No real configuration reaches it. */
export const MAX_SECTION_DEPTH = 256;

/** A section, or a conditional section that applies, without its closing tag so far. */
interface OpenSection {
  readonly opener: Directive;
  /** The section; undefined for a conditional section. */
  readonly section: Section | undefined;
  /** The index of its first content in the collected directives. */
  readonly content: number;
  /** The context around it. */
  readonly outside: DirectiveContext;
}

/** The stack of open sections at a position in one file, which gives the context of a directive there. */
export class SectionStack {
  private readonly open: OpenSection[] = [];
  /** Sections with a closing tag in them that may be meant for them, and is reported there. */
  private readonly misnested = new Set<OpenSection>();
  /**
   * Closing tags that are not reported again. Their opening line was discarded because another section was closed
   * first, or they close that other section, whose tag may have been written by mistake.
   */
  private readonly unreportedTags = new NameCounter();
  private directiveContext: DirectiveContext;

  /**
   * @param reading the file
   * @param section the section around the Include that led to it
   * @param into receives the directives; those of a section move to it when it is closed
   */
  constructor(
    private readonly problems: RefusalLog,
    reading: FileReading,
    section: Directive | undefined,
    readonly into: Directive[],
  ) {
    this.directiveContext = { reading, section, guard: undefined };
  }

  get isFull(): boolean {
    return this.open.length >= MAX_SECTION_DEPTH;
  }

  /** Returns the context of a directive of the file, or of a macro inserted in it. */
  contextIn(reading: FileReading): DirectiveContext {
    const { section, guard } = this.directiveContext;
    if (this.directiveContext.reading !== reading) this.directiveContext = { reading, section, guard };
    return this.directiveContext;
  }

  /** The section around the next directive. */
  get section(): Directive | undefined {
    return this.directiveContext.section;
  }

  /** The innermost conditional section that applies. */
  get guard(): Guard | undefined {
    return this.directiveContext.guard;
  }

  openSection(section: Section): void {
    const { reading, guard } = this.directiveContext;
    this.open.push({ opener: section, section, content: this.into.length, outside: this.directiveContext });
    this.directiveContext = { reading, section, guard };
  }

  openGuard(opener: Directive, guard: Guard): void {
    const { reading, section } = this.directiveContext;
    this.open.push({ opener, section: undefined, content: this.into.length, outside: this.directiveContext });
    this.directiveContext = { reading, section, guard };
  }

  /** Closes the innermost section if a part of a text is exactly its closing tag; returns whether it was. */
  closeIfExactly(text: string, start: number, end: number): boolean {
    const closing = this.open[this.open.length - 1]?.section?.word.closing;
    if (closing === undefined || closing.length !== end - start || !text.startsWith(closing, start)) return false;
    this.pop();
    return true;
  }

  /** Suppresses the report for the closing tag of a section whose opening line lacks its `<`. */
  ignoreClosingTag(name: string): void {
    this.unreportedTags.add(name);
  }

  /**
   * Closes the section that a closing tag is meant for, and reports tags that the server would reject.
   *
   * @param word the tag as written, up to the first space
   * @param isOnlyWord whether no text follows it
   */
  close(word: string, isOnlyWord: boolean, lines: LineCursor, line: Line): void {
    const top = this.open[this.open.length - 1];
    const hasEnd = word.endsWith(">");
    const bracket = hasEnd ? word.length - 1 : word.indexOf(">");
    const name = word.slice(2, bracket < 0 ? undefined : bracket).toLowerCase();
    const spaced = findSpacedName(word, lines.spanOf(line));
    if (spaced !== undefined) {
      const server = top?.section ? `${word}> directive missing closing '>'` : formatUnmatchedTag(word);
      this.problems.add(lines.spanOf(line), wordingOf("space-in-closing-tag", spaced, server), relatedOpenings(top));
      // The opening tag may have the same space.
      if (top && [spaced.toLowerCase(), ""].includes(tagNameOf(top))) this.pop();
    } else if (top !== undefined && tagNameOf(top) === name) {
      if (!hasEnd) this.reportMissingBracket(top, word, bracket, lines.spanOf(line));
      else if (!top.section && !isOnlyWord) this.reportTrailingText(top, word, lines.spanOf(line));
      this.pop();
    } else if (top?.section && !hasEnd) {
      // In a section the server looks for the `>` before it checks the name.
      this.reportMissingBracket(top, word, bracket, lines.spanOf(line));
    } else if (!this.unreportedTags.take(name)) {
      this.reportMisnestedTag(top, name, word, lines.spanOf(line));
    }
  }

  /** Reports and closes all open sections. */
  atEndOfFile(): void {
    // The server accepts an unclosed section inside a conditional section that applies when the file ends.
    const firstGuard = this.open.findIndex((open) => !open.section);
    const unclosed = firstGuard < 0 ? this.open : this.open.slice(0, firstGuard);
    const server = formatUnclosedSections(unclosed.map(({ opener }) => opener));
    for (const [index, open] of this.open.entries()) {
      if (this.misnested.has(open)) continue;
      const { span } = open.opener;
      const title = titleOf(open);
      if (firstGuard >= 0 && index >= firstGuard) {
        this.problems.add(span, wordingOf("unclosed-but-accepted", title, open.section !== undefined));
      } else {
        const fault = wordingOf("unclosed-section", title, server);
        const more = isUnknownSection(open.opener) ? ({ ofUnknownSection: true } as const) : {};
        this.problems.add(span, fault, [], { atEnd: true, ...more });
      }
    }
    while (this.open.length > 0) this.pop();
  }

  private pop(): void {
    const closed = this.open.pop();
    if (closed === undefined) return;
    if (closed.section) closed.section.children = this.into.splice(closed.content);
    this.directiveContext = closed.outside;
  }

  /** @param bracket the position of a `>` that is not at the end; negative if there is none */
  private reportMissingBracket(top: OpenSection, word: string, bracket: number, span: Span): void {
    const server = top.section ? `${toReadable(word)}> directive missing closing '>'` : formatUnmatchedTag(word);
    const fault =
      bracket < 0
        ? wordingOf("missing-bracket-after-tag", word, server)
        : wordingOf("text-after-closing-tag", word.slice(0, bracket + 1), server);
    this.problems.add(span, fault, relatedOpenings(top));
  }

  /**
   * Reports text after a tag (`</IfModule> # text`): if the condition holds, the server requires the closing tag on a
   * line of its own.
   */
  private reportTrailingText(top: OpenSection, word: string, span: Span): void {
    this.problems.add(span, wordingOf("text-after-closing-tag", word, formatUnmatchedTag(word)), relatedOpenings(top));
  }

  /** Reports and repairs a closing tag that matches no open section, or not the innermost. */
  private reportMisnestedTag(top: OpenSection | undefined, name: string, word: string, span: Span): void {
    const server = top?.section
      ? `Expected </${top.opener.name.slice(1)}> but saw ${toReadable(word)}`
      : formatUnmatchedTag(word);
    if (top === undefined) {
      this.problems.add(span, wordingOf("closing-tag-without-section", word, server));
      return;
    }
    const opener = this.open.findLastIndex((open) => tagNameOf(open) === name);
    if (opener < 0) {
      // One of the two names is misspelled: the section is meant, and nothing else is wrong with it.
      const isUnknown = top.section !== undefined && isUnknownSection(top.opener);
      const meant = this.open.findLast((open) => findClosestWord(name, [tagNameOf(open)]) !== undefined);
      const isTypo = isUnknown || meant === top;
      const code = isTypo ? "misspelled-closing-tag" : "wrong-closing-tag";
      const more = isUnknown ? ({ ofUnknownSection: true } as const) : isTypo ? {} : ({ crosses: true } as const);
      this.problems.add(span, wordingOf(code, titleOf(top), word, server), relatedOpenings(top), more);
      if (isTypo) this.pop();
      else for (const open of [top, meant]) if (open) this.misnested.add(open);
      return;
    }
    const crossed = this.open.slice(opener + 1);
    if (!crossed.every((open) => this.misnested.has(open)))
      this.problems.add(
        span,
        wordingOf("overlapping-sections", word, tagsOf(crossed), server),
        relatedOpenings(...crossed),
        { crosses: true },
      );
    for (const open of crossed) this.unreportedTags.add(tagNameOf(open));
    this.unreportedTags.add(name);
    while (this.open.length > opener) this.pop();
  }
}

/** Reports whether neither the release nor a known third-party module has such a section. */
function isUnknownSection({ key, known }: Directive): boolean {
  return known.facts.length === 0 && findThirdPartyDirective(key) === undefined;
}

/**
 * Returns the name of a section after a closing tag that ends at a space: `</ Files>`.
 *
 * @param word the tag as written, up to the first space
 */
export function findSpacedName(word: string, { file, start, end }: Span): string | undefined {
  return word === "</" ? /<\/[\t-\r ]+([^\t-\r >]+)/.exec(file.text.slice(start, end))?.[1] : undefined;
}

/** Returns the server's message for a closing tag without a matching section. */
function formatUnmatchedTag(word: string): string {
  const shown = toReadable(word);
  return `${shown} without matching <${shown.slice(2)} section`;
}

function tagNameOf(open: OpenSection): string {
  return open.opener.key.slice(1);
}

/** Returns the section's name as written, without its brackets. */
function titleOf({ opener }: OpenSection): string {
  const { file, start, end } = opener.span;
  const written = file.text.slice(start, end).match(/^["']?<([^\t-\r >"']*)/)?.[1];
  return toReadable(written ?? opener.key.slice(1));
}

/** Returns the closing tags of sections, innermost first; repeated names are counted. */
function tagsOf(opens: readonly OpenSection[]): string {
  const counts = new Map<string, number>();
  for (const open of opens.toReversed()) counts.set(titleOf(open), (counts.get(titleOf(open)) ?? 0) + 1);
  return [...counts].map(([title, count]) => `${count > 1 ? `${count} ` : ""}\`</${title}>\``).join(", ");
}

function relatedOpenings(...opens: readonly (OpenSection | undefined)[]): Related[] {
  return opens.flatMap((open) =>
    open && titleOf(open) !== "" ? [{ message: `\`<${titleOf(open)}>\` is opened here`, span: open.opener.span }] : [],
  );
}

/**
 * Returns the server's message for the sections that are open at the end of a file, as one text (server/config.c
 * `ap_build_config`).
 *
 * @param sections from the outside in, each with its name as the server spells it: `<Files`
 */
export function formatUnclosedSections(sections: readonly { readonly name: string; readonly span: Span }[]): string {
  return sections
    .toReversed()
    .map(({ name, span: { file, end } }) => `${file.path}:${lineAt(file, end)}: ${name}> was not closed.`)
    .join("\n");
}
