import { parseArguments } from "../../grammar/arguments.js";
import type { Argument, ConfigTree, Line } from "../../grammar/ast.js";
import { cook } from "../../grammar/logical.js";
import { parseFile } from "../../grammar/parser.js";
import { argumentCountRefusal } from "../directives/argument-count.js";
import { copied, type MappedText, MappedTextBuilder, originOf } from "../text/mapped.js";
import { lineAt } from "../text/position.js";
import { type SourceFile, type Span, toReadable } from "../text/source.js";
import { Directive, type Reading, type Section, type Surroundings } from "./directive.js";
import { decideGuard, type Guard, type GuardKind, guardKinds } from "./guards.js";
import { type Expansion, expandMacro, isExpansion, type Macro, readMacroBody, readMacroHead } from "./macros.js";
import { absolutePath } from "./paths.js";
import { type Related, refusalConsequence } from "./problems.js";
import type { ConfigReader, ReadingState } from "./reader.js";
import { expandVariables, LONGEST_EXPANSION } from "./variables.js";

/** Sections nested deeper than this are reported and passed over; no real configuration comes near. */
export const DEEPEST_SECTION = 256;

/** Longest logical line in bytes: 16 MB in the main files of 2.4, 8 KB in `.htaccess` files and on 2.2. */
const LONGEST_LINE = 16 * 1024 * 1024;
const LONGEST_SHORT_LINE = 8192;

/** An open section or a guard that holds, in the file that is being read. */
type Open =
  | {
      readonly kind: "section";
      readonly section: Section;
      /** Where its content starts among the directives that were taken. */
      readonly content: number;
      readonly span: Span;
    }
  | { readonly kind: "guard"; readonly guard: Guard; readonly closing: string; readonly span: Span };

/** Reads the lines of one file; `Use` lays the lines of a macro over them until those are used up. */
export class FileReader {
  private readonly outerCursors: Cursor[] = [];
  private cursor: Cursor;
  private readonly open: Open[] = [];
  /** Closing tags whose opening line was given up because another section was closed first. */
  private readonly forgiven = new NameCounts();
  private around: Surroundings;

  constructor(
    private readonly reader: ConfigReader,
    private readonly state: ReadingState,
    reading: Reading,
    /** Takes the directives; those of a section go over to it when it is closed. */
    private readonly into: Directive[],
    private readonly outerSection: Directive | undefined,
  ) {
    this.cursor = cursorOver(reading);
    this.around = { reading, section: outerSection, guard: undefined };
  }

  read(): void {
    this.takeRepeated();
    for (let line = this.nextLine(); line; line = this.nextLine()) {
      if (line.end - line.start > this.longestLine) this.lineTooLong(line, this.longestLine);
      else if (line.kind !== "blank" && line.kind !== "comment") this.readLine(line);
      this.takeRepeated();
    }
    this.atEndOfFile();
  }

  /**
   * Takes the next lines as far as there is nothing new in them: comments, lines that say what another said before, and
   * the tags that close what is open. In a large configuration these are most.
   */
  private takeRepeated(): void {
    const { cursor } = this;
    const { wordings } = this.reader;
    const { lines, source } = cursor.tree;
    const { text } = source;
    if (cursor.dollars) return;
    for (let index = cursor.next; index < lines.length; index = cursor.next) {
      const kind = lines.kindAt(index);
      const isEmpty = kind === "blank" || kind === "comment";
      if (lines.lengthOf(index) > LONGEST_SHORT_LINE || (lines.isCooked(index) && !isEmpty)) return;
      const start = lines.startOfWords(index);
      const end = lines.endOfWords(index);
      if (kind === "close") {
        const top = this.open[this.open.length - 1];
        if (top?.kind !== "section" || !isText(top.section.word.closing, text, start, end)) return;
        this.pop();
      } else if (!isEmpty) {
        const slot = wordings.slotOf(text, start, end);
        const same = wordings.find(slot, text, start, end);
        if (same === undefined) return;
        cursor.next++;
        this.take(new Directive(same.word, this.around, index, undefined, wordings.numberOf(slot)));
        continue;
      }
      cursor.next++;
    }
  }

  private get reading(): Reading {
    return this.cursor.reading;
  }

  /** What becomes of a file that the server refuses. */
  private get consequence(): string {
    return refusalConsequence(this.state.inHtaccess);
  }

  private get longestLine(): number {
    return this.state.inHtaccess || this.state.release === "2.2" ? LONGEST_SHORT_LINE : LONGEST_LINE;
  }

  /** The index of the line that was read last. */
  private get lineIndex(): number {
    return this.cursor.next - 1;
  }

  private get source(): SourceFile {
    return this.reading.tree.source;
  }

  private nextLine(): Line | undefined {
    for (;;) {
      const line = this.cursor.tree.lines.at(this.cursor.next);
      if (line) {
        this.cursor.next++;
        return line;
      }
      const outer = this.outerCursors.pop();
      if (outer === undefined) return undefined;
      this.cursor = outer;
      this.restore();
    }
  }

  private readLine(line: Line): void {
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
    if (first.value.startsWith("</")) this.close(line, first.value, restText);
    else this.readWord(first.value, restText);
  }

  /** A line that says what its bytes say: where another said the same it is read as that one was. */
  private readPlainLine(line: Line): void {
    const { text } = this.source;
    const { nameStart, nameEnd } = line;
    const end = Math.max(nameEnd, line.restEnd);
    if (line.kind === "close") {
      this.close(line, text.slice(nameStart, nameEnd), undefined);
      return;
    }
    const directive = this.readWord(text.slice(nameStart, nameEnd), undefined);
    if (directive) this.reader.wordings.remember(text, nameStart, end, directive);
  }

  /** The line as httpd sees it where that is not what the bytes say: joined, cut at a NUL, variables in place. */
  private derive(line: Line): MappedText | undefined {
    const { text } = this.source;
    const { dollars } = this.cursor;
    const mayHaveVariables = dollars && text.slice(line.start, line.end).includes("${");
    if (!line.cooked && !mayHaveVariables) return undefined;
    const seen = line.cooked
      ? cook(text, line)
      : copied(text.slice(line.nameStart, Math.max(line.nameEnd, line.restEnd)), line.nameStart);
    if (!mayHaveVariables) return seen;
    const { text: expanded, undefinedVariables } = expandVariables(seen, this.state.variables, this.state.release);
    if (expanded === undefined) {
      this.reader.problem({
        kind: "refused",
        message: `the variables in this line expand to more than ${LONGEST_EXPANSION.toLocaleString("en")} bytes, so it is read as it stands; shorten them`,
        span: spanOfLine(this.source, line),
        related: [],
      });
      return seen;
    }
    for (const { name } of undefinedVariables) {
      const at = text.indexOf(`\${${name}}`, line.start);
      const start = at < 0 || at >= line.end ? line.nameStart : at;
      this.reader.undefinedVariable(name, { file: this.source, start, end: start + name.length + 3 });
    }
    return expanded;
  }

  /**
   * Reads a line by its first word.
   *
   * @param derived the rest where it is not as in the file
   * @returns the directive, where the server would load one
   */
  private readWord(word: string, derived: MappedText | undefined): Directive | undefined {
    const name = this.reader.lookUp(word.endsWith(">") ? word.slice(0, -1) : word);
    const rest = derived?.text === "" && word.startsWith("<") ? copied(">", originOf(derived, 0)) : derived;
    const directive = new Directive(name, this.around, this.lineIndex, rest, 0);
    if (!name.runsNow) {
      this.take(directive);
      return directive;
    }
    if (directive.children) this.startReadTimeSection(directive);
    else this.execute(directive);
    return undefined;
  }

  /** Puts a directive where it belongs, and opens it if it is a section. */
  private take(directive: Directive): void {
    if (!isSection(directive)) {
      this.into.push(directive);
      return;
    }
    if (this.open.length >= DEEPEST_SECTION) {
      this.tooDeep(directive);
      return;
    }
    this.into.push(directive);
    if (programSections.has(directive.key)) this.skipForeignText(directive);
    else this.push({ kind: "section", section: directive, content: this.into.length, span: directive.span });
  }

  // ---- sections -----------------------------------------------------------------------------------------------

  private push(open: Open): void {
    this.open.push(open);
    this.restore();
  }

  private pop(): void {
    const open = this.open.pop();
    if (open?.kind === "section") open.section.children = this.into.splice(open.content);
    this.restore();
  }

  /** What is around the next directive, by what is open. */
  private restore(): void {
    let guard: Guard | undefined;
    for (let i = this.open.length - 1; i >= 0; i--) {
      const open = this.open[i];
      if (open?.kind === "guard") guard ??= open.guard;
      if (open?.kind !== "section") continue;
      this.around = { reading: this.reading, section: open.section, guard: guard ?? open.section.guard };
      return;
    }
    this.around = { reading: this.reading, section: this.outerSection, guard };
  }

  private close(line: Line, word: string, derived: MappedText | undefined): void {
    const top = this.open[this.open.length - 1];
    const span = spanOfLine(this.source, line);
    const rest = derived ? derived.text : this.source.text.slice(line.restStart, line.restEnd);
    const isWholeLine = rest === "";
    if (top?.kind === "guard") {
      if (isWholeLine && word.toLowerCase() === `${top.closing}>`) this.pop();
      else if (word.toLowerCase() === `${top.closing}>`) this.closedWithText(top, word, span);
      else this.unmatchedClose(word, span);
      return;
    }
    if (top === undefined) {
      this.unmatchedClose(word, span);
      return;
    }
    const closes = word.slice(2).replace(/>$/, "").toLowerCase() === top.section.known.key.slice(1);
    if (!word.endsWith(">")) {
      this.reader.problem({
        kind: "syntax",
        message: `\`${toReadable(word)}\` has no \`>\` right behind the name, so ${this.consequence}; write \`${toReadable(word)}>\``,
        span,
        related: openedHere([top]),
        server: `${toReadable(word)}> directive missing closing '>'`,
      });
      if (closes) this.pop();
      return;
    }
    if (closes) this.pop();
    else this.unmatchedClose(word, span);
  }

  /** `</IfModule> # text`: where the condition holds, the server wants the closing tag alone on its line. */
  private closedWithText(top: Open, word: string, span: Span): void {
    this.reader.problem({
      kind: "syntax",
      message: `text behind \`${toReadable(word)}\` hides the closing tag, so ${this.consequence}; put the tag alone on its line`,
      span,
      related: openedHere([top]),
      server: `${toReadable(word)} without matching <${toReadable(word.slice(2))} section`,
    });
    this.pop();
  }

  /** A closing tag that closes nothing open, or not the innermost: reported, and repaired as best it can be. */
  private unmatchedClose(word: string, span: Span): void {
    const name = word.slice(2).replace(/>$/, "");
    const lower = name.toLowerCase();
    if (this.forgiven.take(lower)) {
      return;
    }
    const top = this.open[this.open.length - 1];
    const server =
      top?.kind === "section"
        ? `Expected </${top.section.name.slice(1)}> but saw ${toReadable(word)}`
        : `${toReadable(word)} without matching <${toReadable(word.slice(2))} section`;
    const opener = this.open.findLastIndex((open) => nameOf(open) === lower);
    if (opener < 0) {
      const related = top ? openedHere([top]) : [];
      this.reader.problem({
        kind: "syntax",
        message: top
          ? `\`${toReadable(word)}\` stands where \`</${titleOf(top)}>\` is expected, so ${this.consequence}; close the sections in the order they were opened`
          : `\`${toReadable(word)}\` closes a section that was never opened here, so ${this.consequence}; take it out, or open the section in this file`,
        span,
        related,
        server,
      });
      return;
    }
    const crossed = this.open.slice(opener + 1);
    this.reader.problem({
      kind: "syntax",
      message: `\`${toReadable(word)}\` comes before \`${crossed
        .map((open) => `</${titleOf(open)}>`)
        .reverse()
        .join("`, `")}\`, so ${this.consequence}; close the sections in the order they were opened`,
      span,
      related: openedHere(crossed),
      server,
    });
    for (const open of crossed) this.forgiven.add(nameOf(open));
    while (this.open.length > opener) this.pop();
  }

  private tooDeep(directive: Directive): void {
    this.reader.problem({
      kind: "syntax",
      message: `sections are nested more than ${DEEPEST_SECTION} deep here, so what stands inside is not checked; flatten them`,
      span: directive.span,
      related: [],
    });
    this.skipSection(directive.name, directive.span, false);
  }

  private atEndOfFile(): void {
    // The server reads a section that stands inside a guard which holds as finished when the file ends.
    const firstGuard = this.open.findIndex((open) => open.kind === "guard");
    for (const [index, open] of this.open.entries()) {
      const forgivenByServer = firstGuard >= 0 && index >= firstGuard;
      const title = titleOf(open);
      if (forgivenByServer) {
        this.reader.problem({
          kind: "fragile",
          message: `\`<${title}>\` is never closed; the server overlooks it only because ${open.kind === "guard" ? "the condition holds" : "a guard around it is not closed either"}, and stops where it does not; add \`</${title}>\``,
          span: open.span,
          related: [],
        });
      } else {
        this.reader.problem({
          kind: "syntax",
          message: `\`<${title}>\` is never closed in this file, so ${this.consequence}; add \`</${title}>\``,
          span: open.span,
          related: [],
          server: `${toReadable(open.span.file.path)}:${lineAt(open.span.file, open.span.end)}: <${title}> was not closed.`,
        });
      }
    }
    while (this.open.length > 0) this.pop();
  }

  // ---- what is carried out while reading ------------------------------------------------------------------------

  private startReadTimeSection(directive: Directive): void {
    const kind = guardKinds.find((each) => each === directive.key);
    if (kind) this.startGuard(kind, directive);
    else if (directive.key === "<macro") this.defineMacro(directive);
    else this.skipForeignText(directive);
  }

  /** The body of a `<LuaHook…>` or `<Perl>` section is a program, not directives: it ends at the first closing tag. */
  private skipForeignText(directive: Directive): void {
    const closing = `</${directive.name.slice(1)}>`.toLowerCase();
    for (let line = this.nextLine(); line; line = this.nextLine()) {
      const word = this.source.text.slice(line.nameStart, line.nameEnd);
      if (line.kind === "close" && word.toLowerCase() === closing) return;
    }
    this.reader.problem({
      kind: "syntax",
      message: `\`${directive.name}>\` is never closed, so ${this.consequence}; add \`</${directive.name.slice(1)}>\``,
      span: directive.span,
      related: [],
    });
  }

  private startGuard(kind: GuardKind, directive: Directive): void {
    const verdict = decideGuard(kind, directive.argumentText, {
      release: this.state.release,
      version: this.state.version,
      isModuleLoaded: (name) => this.state.modules.matchesGuard(name),
      isDefined: (name) => this.state.variables.isDefined(name),
      fileExists: (path) => this.state.access.exists(absolutePath(this.state.serverRoot, path)),
      directiveExists: (name) =>
        this.reader.lookUp(name).known.facts.some((facts) => this.state.modules.provides(facts)),
    });
    if ("refused" in verdict) {
      this.refused(verdict.refused, directive.span, "the guard cannot be read");
      this.skipSection(directive.name, directive.span, false);
      return;
    }
    const guard: Guard = { kind, ...verdict, span: directive.span, parent: this.around.guard };
    this.reader.report.guards.push(guard);
    if (!guard.holds) {
      this.skipSection(directive.name, directive.span, true);
    } else if (this.open.length >= DEEPEST_SECTION) {
      this.tooDeep(directive);
    } else {
      this.push({ kind: "guard", guard, closing: `</${kind.slice(1)}`, span: directive.span });
    }
  }

  /**
   * Passes over a section whose condition does not hold, counting the sections inside (`ap_soak_end_container`).
   *
   * @param name as the server spells it, with its `<`
   */
  private skipSection(name: string, span: Span, report: boolean): void {
    const open = [{ name: name.slice(1), span }];
    const names = new NameCounts();
    names.add(name.slice(1).toLowerCase());
    for (let line = this.nextLine(); line; line = this.nextLine()) {
      if (line.kind !== "open" && line.kind !== "close") continue;
      const { text } = this.source;
      const word = line.cooked
        ? (parseArguments(cook(text, line).text)[0]?.value ?? "")
        : text.slice(line.nameStart, line.nameEnd);
      if (line.kind === "open") {
        const bare = line.restStart >= line.restEnd && word.endsWith(">") ? word.slice(0, -1) : word;
        open.push({ name: bare.slice(1), span: spanOfLine(this.source, line) });
        names.add(bare.slice(1).toLowerCase());
        continue;
      }
      const closed = word.slice(2, -1);
      const innermost = open[open.length - 1];
      if (innermost && innermost.name.toLowerCase() !== closed.toLowerCase() && report) {
        this.reader.problem({
          kind: "syntax",
          message: `\`${toReadable(word)}\` stands where \`</${toReadable(innermost.name)}>\` is expected, so ${this.consequence} although the guard around it does not hold; close the sections in the order they were opened`,
          span: spanOfLine(this.source, line),
          related: [{ message: `\`<${toReadable(innermost.name)}>\` is opened here`, span: innermost.span }],
          server: `Expected </${toReadable(innermost.name)}> but saw </${toReadable(closed)}>`,
        });
      }
      // A name that is not open closes nothing; else all down to it are given up.
      while (names.has(closed.toLowerCase())) {
        const last = open.pop()?.name.toLowerCase() ?? "";
        names.take(last);
        if (last === closed.toLowerCase()) break;
      }
      if (open.length === 0) return;
    }
    const innermost = open[open.length - 1];
    if (!report || !innermost) return;
    this.reader.problem({
      kind: "syntax",
      message: `\`<${toReadable(innermost.name)}>\` is never closed, so ${this.consequence}; add \`</${toReadable(innermost.name)}>\``,
      span: innermost.span,
      related: [],
      server: `Expected </${toReadable(innermost.name)}> before end of configuration`,
    });
  }

  private defineMacro(directive: Directive): void {
    const { tree } = this.reading;
    const head = readMacroHead(directive.argumentText, spanOfWholeLine(tree.source, directive.line));
    const body = readMacroBody(tree, () => this.nextLine());
    if ("refused" in head) this.refused(head.refused, directive.span, "the macro cannot be read");
    else if (body === undefined) {
      this.reader.problem({
        kind: "syntax",
        message: `this macro is never closed, or a line of it is too long, so ${this.consequence}; add \`</Macro>\``,
        span: directive.span,
        related: [],
        server: `macro '${head.name}' (${head.location})\\n\\tcontents error: expected token not found: </Macro>`,
      });
    } else this.state.macros.set(head.name, { ...head, body });
  }

  private execute(directive: Directive): void {
    const { arguments: words, known } = directive;
    const [first, second] = words;
    const value = first?.value ?? "";
    const facts = known.facts.find((each) => this.state.modules.provides(each));
    const miscounted = facts && argumentCountRefusal(facts, countWords(words), /^o(n|ff)$/i.test(value));
    if (miscounted) {
      this.refused(miscounted, directive.span, "the number of arguments is wrong");
      return;
    }
    const { modules, variables } = this.state;
    switch (directive.key) {
      case "include":
      case "includeoptional":
        this.reader.include(value, directive.key === "includeoptional", directive.span, this.into, this.around.section);
        break;
      case "define":
        if (value.includes(":"))
          this.refused("Variable name must not contain ':'", directive.span, "the variable cannot be defined");
        else variables.define(value, second?.value);
        break;
      case "undefine":
        if (value.includes(":"))
          this.refused("Variable name must not contain ':'", directive.span, "the variable cannot be undefined");
        else variables.undefine(value);
        break;
      case "serverroot":
        if (!this.state.serverRootIsFixed) this.state.serverRoot = absolutePath(this.state.serverRoot, value);
        break;
      case "loadmodule":
        modules.add(value, second?.value);
        this.reader.wordings.forget();
        this.reader.report.loadModules.push({ identifier: value, span: directive.span });
        break;
      case "use":
        this.use(directive);
        break;
      case "undefmacro":
        this.undefineMacro(directive, value.toLowerCase());
        break;
      default:
        // LoadFile and DefaultRuntimeDir change nothing that we model.
        break;
    }
  }

  private undefineMacro(directive: Directive, name: string): void {
    const none = this.state.macros.size === 0;
    if (this.state.macros.delete(name)) return;
    const server = none ? "no macro defined before UndefMacro" : `cannot remove undefined macro '${toReadable(name)}'`;
    this.refused(server, directive.span, "there is no such macro");
  }

  private use(directive: Directive): void {
    const [first, ...values] = directive.arguments;
    const name = first?.value.toLowerCase() ?? "";
    const macro = this.state.macros.get(name);
    if (macro === undefined) {
      const words = name === "" ? "no macro name specified with Use" : `macro '${toReadable(name)}' undefined`;
      const server = this.state.macros.size === 0 ? "no macro defined before Use" : words;
      this.refused(server, directive.span, `there is no macro \`${toReadable(name)}\` at this point`);
      return;
    }
    if (isInExpansionOf(macro, this.source)) {
      this.refused(`recursive use of macro '${name}' is invalid`, directive.span, "the macro uses itself");
      return;
    }
    const expansion = expandMacro(
      macro,
      values.map((word) => word.value),
      spanOfWholeLine(this.source, directive.line),
    );
    if ("refused" in expansion) {
      this.refused(expansion.refused, directive.span, "the macro cannot be used like this", [
        { message: "the macro is defined here", span: macro.span },
      ]);
      return;
    }
    const tree = parseFile(expansion);
    if (!this.reader.allowsExpansion(tree.lines.length, directive.span)) return;
    this.outerCursors.push(this.cursor);
    this.cursor = cursorOver({ tree, includedFrom: directive.span });
    this.restore();
  }

  private refused(server: string, span: Span, what: string, related: readonly Related[] = []): void {
    this.reader.problem({
      kind: "refused",
      message: `${what}, so ${this.consequence}: ${toReadable(server)}`,
      span,
      related,
      server: toReadable(server),
    });
  }

  private lineTooLong(line: Line, limit: number): void {
    this.reader.problem({
      kind: "syntax",
      message: `this line has ${(line.end - line.start).toLocaleString("en")} bytes, more than the ${limit.toLocaleString("en")} that the server reads in one; split it`,
      span: { file: this.source, start: line.nameStart, end: Math.min(line.nameEnd, line.nameStart + 80) },
      related: [],
    });
  }
}

/** The server stops counting at an empty word. */
function countWords(words: readonly Argument[]): number {
  const empty = words.findIndex((word) => word.value === "");
  return empty < 0 ? words.length : empty;
}

/** How many of each name are open, or owed: asking costs the same however many there are. */
class NameCounts {
  private readonly counts = new Map<string, number>();

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  has(name: string): boolean {
    return this.counts.has(name);
  }

  /** Takes one away; whether there was one. */
  take(name: string): boolean {
    const count = this.counts.get(name);
    if (count === undefined) return false;
    if (count === 1) this.counts.delete(name);
    else this.counts.set(name, count - 1);
    return true;
  }
}

/** Sections of third-party modules that hold a program. */
const programSections: ReadonlySet<string> = new Set(["<perl"]);

/** A first word with nothing to resolve in it. */
const bareFirstWord = /^[^\t-\r "'\\]+(?=[\t-\r ]|$)/;

interface Cursor {
  readonly tree: ConfigTree;
  readonly reading: Reading;
  next: number;
  /** Whether a line may hold a variable. */
  readonly dollars: boolean;
}

function cursorOver(reading: Reading): Cursor {
  return { tree: reading.tree, reading, next: 0, dollars: reading.tree.source.text.includes("${") };
}

/** Whether a stretch of a text is exactly this. */
function isText(wanted: string, text: string, start: number, end: number): boolean {
  return wanted.length === end - start && text.startsWith(wanted, start);
}

function isSection(directive: Directive): directive is Section {
  return directive.children !== undefined;
}

function nameOf(open: Open): string {
  return open.kind === "guard" ? open.closing.slice(2) : open.section.key.slice(1);
}

/** The section's name as the server or the user writes it, without its brackets. */
function titleOf(open: Open): string {
  const written = open.span.file.text.slice(open.span.start, open.span.end).match(/^["']?<([^\t-\r >"']*)/)?.[1];
  return toReadable(written ?? nameOf(open));
}

function openedHere(opens: readonly Open[]): Related[] {
  return opens.map((open) => ({ message: `\`<${titleOf(open)}>\` is opened here`, span: open.span }));
}

function spanOfLine(file: SourceFile, line: Line): Span {
  return { file, start: line.nameStart, end: Math.max(line.nameEnd, line.restEnd) };
}

/** With the line ending, whose place is the line that the server's messages count. */
function spanOfWholeLine(file: SourceFile, line: Line): Span {
  return { file, start: line.nameStart, end: Math.max(line.nameEnd, line.end) };
}

function isInExpansionOf(macro: Macro, source: SourceFile): boolean {
  for (let file: SourceFile = source; isExpansion(file); file = (file as Expansion).use.file) {
    if (file.macro.name === macro.name) return true;
  }
  return false;
}
