import { EmbeddedActionsParser, type IToken } from "chevrotain";
import type { SourceFile } from "../src/text/source.js";
import type { ConfigTree } from "./ast.js";
import { type LineRun, Lines } from "./lines.js";
import {
  BlankLines,
  CommentLines,
  DirectiveLines,
  lineTokens,
  SectionCloses,
  SectionOpens,
  tokenizeLines,
} from "./tokens.js";

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
