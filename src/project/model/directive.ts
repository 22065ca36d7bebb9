import { parseArguments } from "../../../grammar/arguments.js";
import type { Argument, ConfigTree, Line, RestShape } from "../../../grammar/ast.js";
import {
  type DirectiveFacts,
  findDirectiveFacts,
  type Release,
  suggestDirectiveName,
} from "../../directives/directives.js";
import { type MappedText, originOf } from "../../text/mapped-text.js";
import { type Span, toReadable } from "../../text/source.js";
import type { Guard } from "./guards.js";

/** One time that a file was read: an Include that is reached twice reads its files twice. */
export interface FileReading {
  readonly tree: ConfigTree;
  /** The Include line that led here; absent for the entry itself. */
  readonly includedFrom?: Span;
}

/** What the release knows of a name, looked up once for each spelling. */
export interface NameFacts {
  /** Lower case, a section with its `<`: `order`, `<directory`. */
  readonly key: string;
  /** One for each module that defines it, loaded or not; empty where the release knows no such directive. */
  readonly facts: readonly DirectiveFacts[];
}

/** A name as read at some point of the configuration. */
export interface ResolvedName {
  readonly known: NameFacts;
  /** As the server's table spells it where a module that is loaded by then defines it, else as written. */
  readonly name: string;
  /** The tag that closes such a section, in the case that it was opened in. */
  readonly closing: string;
}

/** What directives that stand side by side in one reading of a file share. */
export interface DirectiveContext {
  readonly reading: FileReading;
  readonly section: Directive | undefined;
  readonly guard: Guard | undefined;
}

const noChildren: readonly Directive[] = [];

/** Whoever looks at the words of a directive is mostly followed by others who do. */
let lastArguments: { readonly directive: Directive; readonly words: readonly Argument[] } | undefined;

/**
 * A directive or section that the server would load, with the place it was written at. Reading is over when these
 * exist: Include, IfModule, Define, Macro and the like are not among them.
 */
export class Directive {
  /** The directives inside a section, in order; undefined for a directive that is none. */
  readonly children: readonly Directive[] | undefined;

  constructor(
    readonly word: ResolvedName,
    private readonly around: DirectiveContext,
    private readonly lineIndex: number,
    /** The text behind the name as httpd sees it, where that differs from the bytes of the file. */
    private readonly derived: MappedText | undefined,
    /** The same number for all that say the same in the same words; 0 for one that nobody said before. */
    readonly wording: number,
  ) {
    this.children = word.known.key[0] === "<" ? noChildren : undefined;
  }

  /** The same section with other directives in it. */
  withChildren(children: readonly Directive[]): Directive {
    const { word, around, lineIndex, derived, wording } = this;
    return Object.assign(new Directive(word, around, lineIndex, derived, wording), { children });
  }

  /** As the server's table spells it where a loaded module defines it, else as written. */
  get name(): string {
    return this.word.name;
  }

  get known(): NameFacts {
    return this.word.known;
  }

  get reading(): FileReading {
    return this.around.reading;
  }

  /** The section around it; undefined at the top of a file. */
  get parent(): Directive | undefined {
    return this.around.section;
  }

  /** The innermost guard (`<IfModule>`, `<IfVersion>` …) whose condition held around it. */
  get guard(): Guard | undefined {
    return this.around.guard;
  }

  /** The line it was written in; made anew at each call. */
  get line(): Line {
    const line = this.reading.tree.lines.at(this.lineIndex);
    if (line === undefined) throw new Error("a directive has lost its line");
    return line;
  }

  /** Lower-case name; a section keeps its `<`. */
  get key(): string {
    return this.known.key;
  }

  /** Everything behind the name, as httpd hands it to the directive; for a section with its closing `>`. */
  get argumentText(): string {
    if (this.derived) return this.derived.text;
    const { lines, source } = this.reading.tree;
    const text = lines.restOf(source.text, this.lineIndex);
    // A section tag without arguments (`<Else>`) hands its `>` to the directive, as the server does.
    return text === "" && this.children ? ">" : text;
  }

  /** What the text behind the name looks like; `quoted` where that is not seen from the file alone. */
  get argumentShape(): RestShape {
    return this.derived ? "quoted" : this.reading.tree.lines.shapeOfRest(this.lineIndex);
  }

  /** The words behind the name; for a section without what stands at and after its last `>`. */
  get arguments(): readonly Argument[] {
    if (lastArguments?.directive !== this) lastArguments = { directive: this, words: this.readArguments() };
    return lastArguments.words;
  }

  private readArguments(): readonly Argument[] {
    const text = this.argumentText;
    if (this.children === undefined) return parseArguments(text);
    const close = text.lastIndexOf(">");
    return parseArguments(close < 0 ? text : text.slice(0, close));
  }

  /** Where the directive stands: from its name to its last argument. */
  get span(): Span {
    const { nameStart, nameEnd, restEnd } = this.line;
    return { file: this.reading.tree.source, start: nameStart, end: Math.max(nameEnd, restEnd) };
  }

  /** Where its name stands. */
  get nameSpan(): Span {
    const { nameStart, nameEnd } = this.line;
    return { file: this.reading.tree.source, start: nameStart, end: nameEnd };
  }

  /** Where one of its arguments stands. */
  spanOf(argument: Pick<Argument, "start" | "end">): Span {
    const file = this.reading.tree.source;
    if (!this.derived) {
      const { restStart } = this.line;
      return { file, start: restStart + argument.start, end: restStart + argument.end };
    }
    return { file, start: originOf(this.derived, argument.start), end: originOf(this.derived, argument.end, "end") };
  }
}

/** Whether a line opens a section of the release but for its `<`: `Directory /srv>`. */
export function lacksBracket(directive: Directive, release: Release): boolean {
  const { facts, key } = directive.known;
  if (facts.length > 0 || key.startsWith("<")) return false;
  return findDirectiveFacts(release, `<${key}`).length > 0 && directive.argumentText.endsWith(">");
}

/** The name that the release knows and that an unknown one is likely a slip for. */
export function suggestIntendedName({ name, known }: Directive, release: Release): string | undefined {
  return known.facts.length === 0 ? suggestDirectiveName(release, toReadable(name)) : undefined;
}

/** The line that a directive was read of: the same for two that were read of it, as by two releases. */
export function lineKeyOf({ span }: Pick<Directive, "span">): string {
  return `${span.file.path}:${span.start}`;
}

/** What was read of the same lines, as by two releases or of a file that is read twice, each once: the first of each, where the last of it stands. */
export function dedupeByLine<T extends Pick<Directive, "span">>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((each) => [lineKeyOf(each), each] as const).toReversed()).values()].toReversed();
}

/** A directive that holds others. */
export type Section = Directive & { children: readonly Directive[] };
