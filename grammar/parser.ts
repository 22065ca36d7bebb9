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
 * The chunk of text that the lexer works on. A token is a run of lines of one kind: lines are httpd's own unit, and the
 * running time depends on the number of tokens. The lines are the token's payload.
 */
interface TextChunk {
  /** The lines of the current chunk, scanned before the lexer starts. */
  readonly lines: Lines;
  /** Offset of the chunk in the file. */
  base: number;
  /** The first line that is not in a token yet. */
  next: number;
}

/** The state belongs to one lexer run, which is synchronous. */
const chunk: TextChunk = { lines: new Lines(1 << 12), base: 0, next: 0 };

/** The reused result of the patterns; the lexer consumes it before the next call. */
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

/** Bytes lexed and parsed at a time, so that the tokens of a chunk can be freed before the next one. */
const CHUNK_SIZE = 1 << 16;

/**
 * Yields the tokens of a file, in chunks of whole lines. Every input tiles into tokens: the lexer never reports an
 * error.
 */
function* tokenizeLines(text: string): Generator<IToken[]> {
  // Only its pattern determines a line's kind: there are no first characters to sort by.
  lineLexer ??= new Lexer(lineTokens, { positionTracking: "onlyOffset", skipValidations: true, safeMode: true });
  const hasNul = text.includes("\0");
  for (let start = 0; start < text.length; ) {
    const end = scanChunk(text, start, hasNul);
    yield lineLexer.tokenize(text.slice(start, end)).tokens;
    start = end;
  }
}

/** Scans the lines of a chunk and returns the offset after them. */
function scanChunk(text: string, start: number, hasNul: boolean): number {
  chunk.base = start;
  chunk.next = 0;
  chunk.lines.clear();
  let end = start;
  while (end < text.length && end < start + CHUNK_SIZE) end = scanLine(text, end, hasNul, chunk.lines);
  return end;
}

/**
 * The grammar of a configuration file: any number of lines of five kinds, in runs of one kind. Nesting is not recursive
 * here: Chevrotain's rules recurse on the JavaScript stack and would overflow on deep input. `buildTree` therefore
 * nests with an explicit stack.
 */
class ConfigParser extends EmbeddedActionsParser {
  /** The output of the current parse. */
  lines = new Lines();

  /** Created once, not for each token. */
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
    // While Chevrotain records the grammar there are no lines.
    if (!this.RECORDING_PHASE) this.lines.appendRun(runOf(token));
  }
}

function runOf(token: IToken): LineRun {
  return token.payload;
}

let parser: ConfigParser | undefined;

/**
 * Parses a file into its lines. Accepts any bytes; errors that httpd would report are found later, when the lines are
 * resolved.
 */
export function parseFile(source: SourceFile): ConfigTree {
  parser ??= new ConfigParser();
  // Unused capacity costs nothing, but growing does.
  const lines = new Lines(source.text.length >> 4);
  parser.lines = lines;
  for (const tokens of tokenizeLines(source.text)) {
    parser.input = tokens;
    parser.file();
  }
  return { source, lines };
}
