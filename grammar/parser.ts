import {
  type CustomPatternMatcherReturn,
  createToken,
  EmbeddedActionsParser,
  type IToken,
  Lexer,
  type TokenType,
} from "chevrotain";
import type { SourceFile } from "../src/text/source.js";
import type { ConfigTree, LineKind } from "./ast.js";
import { scanLine } from "./line-scanner.js";
import { type LineRun, Lines } from "./lines.js";

/**
 * A token is a run of lines of one kind: a line is httpd's own unit, and what the time goes with is the count of tokens.
 * Its lines ride along as the token's payload.
 */
interface TextChunk {
  /** The lines of the stretch that the lexer has, which are scanned before it begins. */
  readonly lines: Lines;
  /** Where the stretch begins in the file. */
  base: number;
  /** The first line that is in no token yet. */
  next: number;
}

/** The state belongs to one run of the lexer, which is synchronous. */
const chunk: TextChunk = { lines: new Lines(1 << 12), base: 0, next: 0 };

/** What the patterns answer; the lexer has taken it before it asks again. */
const match: CustomPatternMatcherReturn = [""];

function runOfKind(kind: LineKind) {
  return (text: string, offset: number): CustomPatternMatcherReturn | null => {
    const { lines, base, next } = chunk;
    if (lines.kindAt(next) !== kind) return null;
    const end = lines.endOfRun(next);
    chunk.next = end;
    const run: LineRun = { of: lines, first: next, end };
    match[0] = text.slice(offset, lines.endAt(end - 1) - base);
    match.payload = run;
    return match;
  };
}

function runToken(name: string, kind: LineKind): TokenType {
  return createToken({ name, pattern: { exec: runOfKind(kind) }, line_breaks: true });
}

const DirectiveLines = runToken("DirectiveLines", "directive");
const BlankLines = runToken("BlankLines", "blank");
const CommentLines = runToken("CommentLines", "comment");
const SectionOpens = runToken("SectionOpens", "open");
const SectionCloses = runToken("SectionCloses", "close");

/** All tokens of a configuration file, the most frequent first. */
const lineTokens: TokenType[] = [DirectiveLines, SectionOpens, SectionCloses, BlankLines, CommentLines];

let lineLexer: Lexer | undefined;

/** A stretch of this many bytes is lexed and parsed at a time, so that its tokens are gone before the next one's come. */
const CHUNK_SIZE = 1 << 16;

/** The tokens of a file, a stretch of whole lines at a time. Every input tiles into them: the lexer reports no error. */
function* tokenizeLines(text: string): Generator<IToken[]> {
  // Which kind a line is of only its pattern can tell: there are no first characters to sort by.
  lineLexer ??= new Lexer(lineTokens, { positionTracking: "onlyOffset", skipValidations: true, safeMode: true });
  const hasNul = text.includes("\0");
  for (let start = 0; start < text.length; ) {
    const end = scanChunk(text, start, hasNul);
    yield lineLexer.tokenize(text.slice(start, end)).tokens;
    start = end;
  }
}

/** Scans the lines of a stretch; the offset behind them comes out. */
function scanChunk(text: string, start: number, hasNul: boolean): number {
  chunk.base = start;
  chunk.next = 0;
  chunk.lines.clear();
  let end = start;
  while (end < text.length && end < start + CHUNK_SIZE) end = scanLine(text, end, hasNul, chunk.lines);
  return end;
}

/**
 * The grammar of a configuration file: any number of lines of five kinds, those of one kind in a row
 * at once. Nesting is not recursion here: Chevrotain's
 * rules recurse on the JavaScript stack and would overflow on deep input, so `buildTree` nests with a stack of its own.
 */
class ConfigParser extends EmbeddedActionsParser {
  /** Where the lines go. */
  lines = new Lines();

  /** Made once, not at each token. */
  private readonly kinds = [
    { ALT: () => this.take(this.CONSUME(DirectiveLines)) },
    { ALT: () => this.take(this.CONSUME(SectionOpens)) },
    { ALT: () => this.take(this.CONSUME(SectionCloses)) },
    { ALT: () => this.take(this.CONSUME(BlankLines)) },
    { ALT: () => this.take(this.CONSUME(CommentLines)) },
  ];
  private readonly run = (): void => this.OR(this.kinds);

  constructor() {
    super(lineTokens, { skipValidations: true, maxLookahead: 1 });
    this.performSelfAnalysis();
  }

  readonly file = this.RULE("file", (): void => this.MANY(this.run));

  private take(token: IToken): void {
    // While Chevrotain learns the grammar there are no lines.
    if (!this.RECORDING_PHASE) this.lines.appendRun(runOf(token));
  }
}

function runOf(token: IToken): LineRun {
  return token.payload;
}

let parser: ConfigParser | undefined;

/** Reads a file into its lines. Any bytes are read; what httpd would refuse is found later, by those who resolve it. */
export function parseFile(source: SourceFile): ConfigTree {
  parser ??= new ConfigParser();
  // Room that is not needed costs nothing, and to make more of it does.
  const lines = new Lines(source.text.length >> 4);
  parser.lines = lines;
  for (const tokens of tokenizeLines(source.text)) {
    parser.input = tokens;
    parser.file();
  }
  return { source, lines };
}
