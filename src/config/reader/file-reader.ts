import { parseArguments } from "../../../grammar/arguments.js";
import type { Line } from "../../../grammar/ast.js";
import { normalizeLine } from "../../../grammar/line-scanner.js";
import { isSince } from "../../facts/release.js";
import { type MappedText, MappedTextBuilder, mapCopiedText, originOf } from "../../text/mapped-text.js";
import { lineAt } from "../../text/source.js";
import { formatNumber } from "../../text/words.js";
import { Directive, type FileReading, lacksBracket, type Section } from "../model/directive.js";
import { expandVariables, MAX_EXPANSION_BYTES } from "../model/variables.js";
import { wordingOf } from "../refusals/refusal.js";
import type { ConfigReader } from "./config-reader.js";
import { LineCursor } from "./line-cursor.js";
import { executeReadTimeDirective, startReadTimeSection } from "./read-time-directives.js";
import { SectionStack } from "./section-stack.js";
import { skipProgram, skipTooDeep } from "./skipped-sections.js";

/** Longest logical line in bytes: 16 MB in the main files of 2.4, 8 KB in `.htaccess` files and on 2.2. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_SHORT_LINE_BYTES = 8192;

/** Sections of third-party modules that contain a program. */
const programSections: ReadonlySet<string> = new Set(["<perl"]);

/** A first word without quotes or escapes. */
const bareFirstWord = /^[^\t-\r "'\\]+(?=[\t-\r ]|$)/;

/**
 * Reads the lines of one file as httpd sees them. Each is a closing tag, a directive that takes effect while reading,
 * or a directive of the configuration.
 */
export class FileReader {
  private readonly lines: LineCursor;
  private readonly sections: SectionStack;
  private readonly longestLine: number;

  /** @param section the section around the Include that led to the file */
  constructor(
    private readonly reader: ConfigReader,
    reading: FileReading,
    private readonly into: Directive[],
    section: Directive | undefined,
  ) {
    const { inHtaccess, release } = reader.state;
    this.lines = new LineCursor(reading);
    this.sections = new SectionStack(reader.problems, reading, section, into);
    this.longestLine = inHtaccess || !isSince(release, "2.4") ? MAX_SHORT_LINE_BYTES : MAX_LINE_BYTES;
  }

  read(): void {
    this.takeRepeated();
    const { includedFrom } = this.lines.reading;
    for (let line = this.lines.next(); line; line = this.lines.next()) {
      // Sections that are still open are not an error of the file.
      if (includedFrom && this.reader.stopsIncluding(includedFrom.span)) return;
      if (line.end - line.start > this.longestLine) this.lineTooLong(line);
      else if (line.kind !== "blank" && line.kind !== "comment") this.readLine(line);
      this.takeRepeated();
    }
    this.sections.atEndOfFile();
  }

  /**
   * Reads lines that contain nothing new: comments, repetitions of earlier lines, and matching closing tags. In a large
   * configuration these are most lines.
   */
  private takeRepeated(): void {
    const { lines: cursor, sections } = this;
    if (cursor.hasDollars) return;
    const { lineCache } = this.reader;
    const { tree } = cursor;
    const { lines } = tree;
    const { text } = tree;
    for (let index = cursor.index + 1; index < lines.length; index++) {
      const kind = lines.kindAt(index);
      const isEmpty = kind === "blank" || kind === "comment";
      if (lines.lengthOf(index) > MAX_SHORT_LINE_BYTES || (lines.isCooked(index) && !isEmpty)) return;
      const start = lines.startOfWords(index);
      const end = lines.endOfWords(index);
      if (kind === "close") {
        if (!sections.closeIfExactly(text, start, end)) return;
      } else if (!isEmpty) {
        const slot = lineCache.slotOf(text, start, end);
        const same = lineCache.find(slot, text, start, end);
        if (same === undefined) return;
        cursor.index = index;
        const directiveContext = sections.contextIn(cursor.reading);
        this.take(new Directive(same.word, directiveContext, index, undefined, lineCache.numberOf(slot)));
        // Skipped lines may reach the end of the inserted macro lines.
        if (cursor.index !== index || cursor.tree !== tree) return;
      }
      cursor.index = index;
    }
  }

  private readLine(line: Line): void {
    if (this.skipTag(line)) return;
    const derived = this.derive(line);
    if (derived === undefined) {
      this.readPlainLine(line);
      return;
    }
    const bare = bareFirstWord.exec(derived.text)?.[0];
    const first = bare === undefined ? parseArguments(derived.text)[0] : { value: bare, end: bare.length };
    if (first === undefined) return;
    const rest = derived.text.slice(first.end).search(/[^\t-\r ]/);
    const restStart = rest < 0 ? derived.text.length : first.end + rest;
    const restText = new MappedTextBuilder().copyMapped(derived, restStart, derived.text.length).build(line.restEnd);
    if (first.value.startsWith("</")) this.sections.close(first.value, restText.text === "", this.lines, line);
    else this.readWord(first.value, restText);
  }

  /** Skips the tag of a template; the first one of each file is recorded. @returns whether the line begins with one */
  private skipTag(line: Line): boolean {
    const { source } = this.lines.tree;
    if (!this.lines.isTag(line)) return false;
    const { nameStart, end } = line;
    const length = source.text.slice(nameStart, end).trimEnd().length;
    this.reader.templateTag({ file: source, start: nameStart, end: nameStart + length });
    return true;
  }

  /** Reads a line that needs no transformation; a repeated line reuses the earlier result. */
  private readPlainLine(line: Line): void {
    const { text } = this.lines.tree;
    const { nameStart, nameEnd, restStart, restEnd } = line;
    const word = text.slice(nameStart, nameEnd);
    if (line.kind === "close") {
      this.sections.close(word, restStart >= restEnd, this.lines, line);
      return;
    }
    const directive = this.readWord(word, undefined);
    if (directive) this.reader.lineCache.remember(text, nameStart, Math.max(nameEnd, restEnd), directive);
  }

  /**
   * Returns the line as httpd sees it if that differs from the bytes: joined, cut at a NUL, with variables replaced.
   */
  private derive(line: Line): MappedText | undefined {
    const { hasDollars, tree } = this.lines;
    const { text } = tree;
    const mayHaveVariables = hasDollars && text.slice(line.start, line.end).includes("${");
    if (!line.needsNormalizing && !mayHaveVariables) return undefined;
    const seen = line.needsNormalizing
      ? normalizeLine(text, line)
      : mapCopiedText(text.slice(line.nameStart, Math.max(line.nameEnd, line.restEnd)), line.nameStart);
    return mayHaveVariables ? this.expand(seen, line) : seen;
  }

  private expand(seen: MappedText, line: Line): MappedText {
    const { variables, release } = this.reader.state;
    const { text: expanded, undefinedVariables } = expandVariables(seen, variables, release);
    if (expanded === undefined) {
      this.reader.problems.add(
        this.lines.spanOf(line),
        wordingOf("variables-too-long", formatNumber(MAX_EXPANSION_BYTES)),
      );
      return seen;
    }
    const { source } = this.lines.tree;
    if (expanded !== seen && !this.reader.allowsExpandedBytes(expanded.text.length, this.lines.spanOf(line), "line"))
      return seen;
    for (const { name } of undefinedVariables) {
      const at = source.text.indexOf(`\${${name}}`, line.start);
      const start = at < 0 || at >= line.end ? line.nameStart : at;
      this.reader.undefinedVariable(name, { file: source, start, end: start + name.length + 3 });
    }
    return expanded;
  }

  /**
   * Reads a line by its first word.
   *
   * @param derived the rest of the line if it differs from the file
   * @returns the directive, if the server would load one
   */
  private readWord(word: string, derived: MappedText | undefined): Directive | undefined {
    const { lines, reader, sections } = this;
    const name = reader.lookUp(word.endsWith(">") ? word.slice(0, -1) : word);
    const rest = derived?.text === "" && word.startsWith("<") ? mapCopiedText(">", originOf(derived, 0)) : derived;
    const directive = new Directive(name, sections.contextIn(lines.reading), lines.index, rest, 0);
    if (!name.runsNow) {
      this.take(directive);
      return directive;
    }
    if (name.isSkipped) return undefined;
    if (directive.children === undefined) executeReadTimeDirective(directive, lines, sections, reader);
    else if (startReadTimeSection(directive, lines, sections, reader)) {
      this.into.push(directive);
      return directive;
    }
    return undefined;
  }

  /** Adds a directive to its section, and opens it if it is a section. */
  private take(directive: Directive): void {
    const { lines, reader, sections } = this;
    if (!isSection(directive)) {
      if (lacksBracket(directive, reader.state.release)) sections.ignoreClosingTag(directive.key);
      this.into.push(directive);
      return;
    }
    if (sections.isFull) {
      skipTooDeep(directive, lines, reader.problems);
      return;
    }
    this.into.push(directive);
    if (programSections.has(directive.key)) skipProgram(directive, lines, reader.problems);
    else sections.openSection(directive);
  }

  private lineTooLong(line: Line): void {
    const { source } = this.lines.tree;
    const is22 = !isSince(this.reader.state.release, "2.4");
    const bytes = formatNumber(line.end - line.start);
    const at = lineAt(source, line.start + this.longestLine);
    this.reader.problems.add(
      { file: source, start: line.nameStart, end: Math.min(line.nameEnd, line.nameStart + 80) },
      {
        ...wordingOf("line-too-long", bytes, formatNumber(this.longestLine)),
        ...(is22
          ? { consequence: "httpd reads the rest as a separate line" }
          : { server: `Error reading ${source.path} at line ${at}: Line too long` }),
      },
    );
  }
}

function isSection(directive: Directive): directive is Section {
  return directive.children !== undefined;
}
