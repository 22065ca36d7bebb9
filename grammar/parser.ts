import { createToken as createTokenType, EmbeddedActionsParser, type IToken, Lexer, type TokenType } from "chevrotain";
import { getOrCreate } from "../src/text/collections.js";
import type { SourceFile } from "../src/text/source.js";
import type { ConfigTree, SectionNode, TreeNode } from "./ast.js";
import { omitted, scanLine } from "./line-scanner.js";
import { Lines } from "./lines.js";

/** The tokens of a configuration file: the line that opens a section, the one that closes it, and the lines between. */
const Opening = createTokenType({ name: "Opening", pattern: Lexer.NA });
const Closing = createTokenType({ name: "Closing", pattern: Lexer.NA });
/** Directives, comments and blank lines. */
const Content = createTokenType({ name: "Content", pattern: Lexer.NA });

/**
 * The depth of sections from which on openings are lines: rules call each other on the JavaScript stack. The reader of
 * configurations skips sections that are nested deeper, too.
 */
const MAX_DEPTH = 256;

/**
 * The grammar of a configuration file. Its lexer is `scanLine`, which knows what a line is.
 *
 * ```
 * file    = { part }
 * section = Opening { part } [ Closing ]
 * part    = Content | section | Closing
 * ```
 *
 * A closing tag ends the innermost open section of its name, and also the sections inside, which have no tag of their
 * own. One that ends no section is a part like others. So each file has a tree, and a mistake affects only its own
 * sections. Sections are nested as written: conditional sections and macros are resolved when the lines are read.
 */
class ConfigParser extends EmbeddedActionsParser {
  private text = "";
  private lines = new Lines();
  /** The names of tags, each computed once for all that are written alike. */
  private readonly names = new Map<string, string>();
  /** The names of the open sections, and after these of openings that are too deep. */
  private readonly open: string[] = [];
  /** The number of open sections: the rest of `open` is too deep. */
  private depth = 0;
  /** The nodes of the innermost section so far. */
  private nodes: TreeNode[] = [];

  constructor() {
    super([Content, Opening, Closing], { skipValidations: true, maxLookahead: 1 });
    this.performSelfAnalysis();
  }

  /** Parses the lines of a text. */
  parse(text: string, lines: Lines): readonly TreeNode[] {
    this.text = text;
    this.lines = lines;
    this.names.clear();
    this.open.length = 0;
    this.depth = 0;
    this.input = listTokens(lines);
    return this.file();
  }

  private readonly file = this.RULE("file", (): readonly TreeNode[] => {
    const nodes: TreeNode[] = [];
    this.nodes = nodes;
    this.MANY(this.partsInside);
    return nodes;
  });

  private readonly section = this.RULE("section", (): SectionNode | undefined => {
    const opening = this.CONSUME(Opening);
    const { nodes: around, depth: outside } = this;
    const children: TreeNode[] = [];
    this.nodes = children;
    this.depth = outside + 1;
    this.open.push(this.nameOf(opening));
    this.MANY(this.partsInside);
    const closing = this.OPTION(this.ownClosing);
    this.open.length = outside;
    this.depth = outside;
    this.nodes = around;
    const open = this.lines.at(lineOf(opening));
    const close = closing && this.lines.at(lineOf(closing));
    return open && (close ? { open, children, close } : { open, children });
  });

  /** Created once, not for each section. */
  private readonly alternatives = [
    { ALT: () => this.addLines(this.CONSUME1(Content)) },
    { GATE: () => this.depth < MAX_DEPTH, ALT: () => this.addSection(this.SUBRULE(this.section)) },
    { ALT: () => this.addOpening(this.CONSUME1(Opening)) },
    { ALT: () => this.addClosing(this.CONSUME1(Closing)) },
  ];

  private readonly partsInside = {
    GATE: () => this.isInside(this.LA(1)),
    DEF: () => this.OR(this.alternatives),
  };

  private readonly ownClosing = {
    GATE: () => this.sectionOf(this.LA(1)) === this.depth - 1,
    DEF: () => this.CONSUME2(Closing),
  };

  /** Reports whether a token belongs to the innermost section: all but the closing tags of open sections. */
  private isInside(token: IToken): boolean {
    if (token.tokenType !== Closing) return true;
    const section = this.sectionOf(token);
    return section < 0 || section >= this.depth;
  }

  /** Returns the number of the section that a closing tag ends; negative if there is none. */
  private sectionOf(token: IToken): number {
    return token.tokenType === Closing ? this.open.lastIndexOf(this.nameOf(token)) : -1;
  }

  /** Returns `directory` for `<Directory` and `</Directory>`. */
  private nameOf(tag: IToken): string {
    const word = this.lines.firstWordOf(this.text, lineOf(tag));
    return getOrCreate(this.names, word, () =>
      word
        .replace(/^["']?<\/?/, "")
        .replace(/>?["']?$/, "")
        .toLowerCase(),
    );
  }

  private addLines({ startOffset: first, endOffset: end = first + 1 }: IToken): void {
    for (const line of this.lines.iterate(first, end)) this.nodes.push(line);
  }

  private addSection(section: SectionNode | undefined): void {
    if (section) this.nodes.push(section);
  }

  /** Adds an opening that is too deep. */
  private addOpening(opening: IToken): void {
    this.addLines(opening);
    this.open.push(this.nameOf(opening));
  }

  /** Adds the closing tag of an opening that is too deep, or of none. */
  private addClosing(closing: IToken): void {
    this.addLines(closing);
    const section = this.sectionOf(closing);
    if (section >= 0) this.open.length = section;
  }
}

/** Returns the tokens of a file. */
function listTokens(lines: Lines): IToken[] {
  const tokens: IToken[] = [];
  for (let first = 0; first < lines.length; ) {
    const tokenType = tokenTypeAt(lines, first);
    let end = first + 1;
    if (tokenType === Content) while (end < lines.length && tokenTypeAt(lines, end) === Content) end++;
    tokens.push(createToken(tokenType, first, end));
    first = end;
  }
  return tokens;
}

function tokenTypeAt(lines: Lines, index: number): TokenType {
  const kind = lines.kindAt(index);
  if (kind === "open") return Opening;
  return kind === "close" ? Closing : Content;
}

/** Returns a token whose offsets are the numbers of its first line, and of the line after its last one. */
function createToken(tokenType: TokenType, startOffset: number, endOffset: number): IToken {
  return { tokenType, tokenTypeIdx: tokenType.tokenTypeIdx ?? 0, image: "", startOffset, endOffset };
}

function lineOf(tag: IToken): number {
  return tag.startOffset;
}

let parser: ConfigParser | undefined;

/**
 * A file whose tree is parsed when it is needed: to resolve a configuration, its lines are enough, because conditional
 * sections and macros decide which of them count.
 */
class ParsedFile implements ConfigTree {
  private parsed: readonly TreeNode[] | undefined;

  constructor(
    readonly source: SourceFile,
    readonly text: string,
    readonly lines: Lines,
  ) {}

  get nodes(): readonly TreeNode[] {
    parser ??= new ConfigParser();
    this.parsed ??= parser.parse(this.text, this.lines);
    return this.parsed;
  }
}

/**
 * Parses a file into its lines and their tree. Accepts any bytes; errors that httpd would report are found later, when
 * the lines are resolved.
 *
 * @param text the text that is read, if it differs from that of the source; of the same length
 */
export function parseFile(source: SourceFile, text = source.text): ConfigTree {
  // Unused capacity costs nothing, but growing does.
  const lines = new Lines(text.length >> 4);
  const hasOmitted = omitted.test(text);
  for (let start = 0; start < text.length; ) start = scanLine(text, start, hasOmitted, lines);
  return new ParsedFile(source, text, lines);
}
