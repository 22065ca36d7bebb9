import { parseArguments } from "../../../grammar/arguments.js";
import type { Argument, ConfigTree, Line, RestShape } from "../../../grammar/ast.js";
import {
  type DirectiveFacts,
  findDirectiveFacts,
  findThirdPartyDirective,
  suggestDirectiveName,
} from "../../facts/directives.js";
import { type Release, releaseLines } from "../../facts/release.js";
import { type MappedText, originOf } from "../../text/mapped-text.js";
import { memoizeLast } from "../../text/memoize.js";
import { type Span, toReadable } from "../../text/source.js";
import type { Guard } from "./guards.js";

/** One reading of a file: an Include that takes effect twice reads its files twice. */
export interface FileReading {
  readonly tree: ConfigTree;
  /** The Include or Use line that led here; absent for the entry itself. */
  readonly includedFrom?: Directive;
}

/** Facts of a release about a name, looked up once for each spelling. */
export interface NameFacts {
  /** In lower case, a section with its `<`: `order`, `<directory`. */
  readonly key: string;
  /** Facts for each module that defines it, loaded or not; empty if the release does not know the directive. */
  readonly facts: readonly DirectiveFacts[];
}

/** A name as read at a point of the configuration. */
export interface ResolvedName {
  readonly known: NameFacts;
  /** The spelling in the server's table if a module loaded by then defines it, else as written. */
  readonly name: string;
  /** The closing tag of such a section, in the case of its opening tag. */
  readonly closing: string;
}

/** The context that sibling directives of one reading share. */
export interface DirectiveContext {
  readonly reading: FileReading;
  readonly section: Directive | undefined;
  readonly guard: Guard | undefined;
}

const noChildren: readonly Directive[] = [];

/**
 * A directive or section that the server would load, with its location. Directives that take effect while reading
 * (Include, IfModule, Define, Macro) are not among them.
 */
export class Directive {
  /** The directives inside a section, in order; undefined for a directive that is not a section. */
  readonly children: readonly Directive[] | undefined;
  /** Lower-case name; a section keeps its `<`. */
  readonly key: string;

  constructor(
    readonly word: ResolvedName,
    private readonly directiveContext: DirectiveContext,
    /** The index of its line in its file. */
    readonly lineIndex: number,
    /** The text after the name as httpd sees it, if it differs from the bytes of the file. */
    private readonly derived: MappedText | undefined,
    /** The number that identical lines share; 0 for a line not seen before. */
    readonly wording: number,
  ) {
    this.key = word.known.key;
    this.children = this.key.startsWith("<") ? noChildren : undefined;
  }

  /** Returns a copy of the section with other children. */
  withChildren(children: readonly Directive[]): Directive {
    const { word, directiveContext, lineIndex, derived, wording } = this;
    return Object.assign(new Directive(word, directiveContext, lineIndex, derived, wording), { children });
  }

  /** The spelling in the server's table if a loaded module defines it, else as written. */
  get name(): string {
    return this.word.name;
  }

  get known(): NameFacts {
    return this.word.known;
  }

  get reading(): FileReading {
    return this.directiveContext.reading;
  }

  /** The enclosing section; undefined at the top of a file. */
  get parent(): Directive | undefined {
    return this.directiveContext.section;
  }

  /** The innermost conditional section around it (`<IfModule>`, `<IfVersion>` …), whose condition holds. */
  get guard(): Guard | undefined {
    return this.directiveContext.guard;
  }

  /** The line it was written in; created on each call. */
  get line(): Line {
    const line = this.reading.tree.lines.at(this.lineIndex);
    if (line === undefined) throw new Error("a directive has lost its line");
    return line;
  }

  /** The text after the name, as httpd passes it to the directive; for a section, with its closing `>`. */
  get argumentText(): string {
    if (this.derived) return this.derived.text;
    const { lines, text: all } = this.reading.tree;
    const text = lines.restOf(all, this.lineIndex);
    // A section tag without arguments (`<Else>`) passes its `>` to the directive, as in the server.
    return text === "" && this.children ? ">" : text;
  }

  /** Whether the text after the name differs from the bytes of the file. */
  get isDerived(): boolean {
    return this.derived !== undefined;
  }

  /** The shape of the text after the name; `quoted` if the file does not show it. */
  get argumentShape(): RestShape {
    return this.derived ? "quoted" : this.reading.tree.lines.shapeOfRest(this.lineIndex);
  }

  /** The words after the name; for a section, without the last `>` and the text after it. */
  get arguments(): readonly Argument[] {
    return readArguments(this);
  }

  /** The span of the directive: from its name to its last argument. */
  get span(): Span {
    const { lines, source } = this.reading.tree;
    return { file: source, start: lines.startOfWords(this.lineIndex), end: lines.endOfWords(this.lineIndex) };
  }

  /** The span of its name. */
  get nameSpan(): Span {
    const { nameStart, nameEnd } = this.line;
    return { file: this.reading.tree.source, start: nameStart, end: nameEnd };
  }

  /** Returns the span of one of its arguments. */
  spanOf(argument: Pick<Argument, "start" | "end">): Span {
    const file = this.reading.tree.source;
    if (!this.derived) {
      const { restStart } = this.line;
      return { file, start: restStart + argument.start, end: restStart + argument.end };
    }
    return { file, start: originOf(this.derived, argument.start), end: originOf(this.derived, argument.end, "end") };
  }
}

const readArguments = memoizeLast(({ argumentText, children }: Directive): readonly Argument[] => {
  if (children === undefined) return parseArguments(argumentText);
  const close = argumentText.lastIndexOf(">");
  return parseArguments(close < 0 ? argumentText : argumentText.slice(0, close));
});

/** Reports whether a directive is a section tag of the release without its `<`: `Directory /srv>`. */
export function lacksBracket(directive: Directive, release: Release): boolean {
  const { facts, key } = directive.known;
  if (facts.length > 0 || key.startsWith("<")) return false;
  return findDirectiveFacts(release, `<${key}`).length > 0 && directive.argumentText.endsWith(">");
}

/** Returns the known name that an unknown one is probably a misspelling of. */
export function suggestIntendedName({ name, known }: Directive, release: Release): string | undefined {
  return known.facts.length === 0 ? suggestDirectiveName(release, toReadable(name)) : undefined;
}

/** Returns whether only a module that is not known can define a directive; a name may also be misspelt or removed. */
export function isOfUnknownModule(directive: Directive): boolean {
  const { facts, key } = directive.known;
  return (
    facts.length === 0 &&
    findThirdPartyDirective(key) === undefined &&
    releaseLines.every((release) => findDirectiveFacts(release, key).length === 0) &&
    releaseLines.every((release) => suggestIntendedName(directive, release) === undefined)
  );
}

/** Returns a key for the source line of a directive: equal if two releaseLines read the same line. */
export function lineKeyOf({ span }: Pick<Directive, "span">): string {
  return `${span.file.path}:${span.start}`;
}

/**
 * Removes duplicates of a source line, as read by two releaseLines or from a file that is read twice. Keeps the first of
 * each, at the position of the last.
 */
export function dedupeByLine<T extends Pick<Directive, "span">>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((each) => [lineKeyOf(each), each] as const).toReversed()).values()].toReversed();
}

/** Reports whether a directive is in a section, at any depth. */
export function isInSection({ parent }: Directive, section: Directive): boolean {
  return parent !== undefined && (parent === section || isInSection(parent, section));
}

/** Returns the innermost section around a directive that fits; undefined if there is none. */
export function findSectionAround({ parent }: Directive, fits: (section: Directive) => boolean): Directive | undefined {
  for (let each = parent; each; each = each.parent) if (fits(each)) return each;
  return undefined;
}

/** Reports whether a section has a condition that is tested for each request. */
export function isIfSection({ key }: Directive): boolean {
  return key === "<if" || key === "<elseif" || key === "<else";
}

/** Returns the virtual host around a directive; undefined on the main server and in a `.htaccess` file. */
export function virtualHostAround(line: Directive): Directive | undefined {
  return findSectionAround(line, ({ key }) => key === "<virtualhost");
}

/** A directive with children. */
export type Section = Directive & { children: readonly Directive[] };
