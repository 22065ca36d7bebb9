import { EmbeddedActionsParser, type IToken } from "chevrotain";
import type { SourceFile } from "../src/text/source.js";
import type { ConfigTree, Line } from "./ast.js";
import { Lines } from "./lines.js";
import {
  BlankLine,
  CommentLine,
  DirectiveLine,
  lineTokens,
  SectionClose,
  SectionOpen,
  tokenizeLines,
} from "./tokens.js";

/**
 * The grammar of a configuration file: any number of lines of five kinds. Nesting is not recursion here: Chevrotain's
 * rules recurse on the JavaScript stack and would overflow on deep input, so `buildTree` nests with a stack of its own.
 */
class ConfigParser extends EmbeddedActionsParser {
  /** Where the lines go. */
  lines = new Lines();

  constructor() {
    super(lineTokens, { skipValidations: true, maxLookahead: 1 });
    this.performSelfAnalysis();
  }

  readonly file = this.RULE("file", (): void => {
    this.MANY(() => {
      const token = this.OR([
        { ALT: () => this.CONSUME(DirectiveLine) },
        { ALT: () => this.CONSUME(SectionOpen) },
        { ALT: () => this.CONSUME(SectionClose) },
        { ALT: () => this.CONSUME(BlankLine) },
        { ALT: () => this.CONSUME(CommentLine) },
      ]);
      this.ACTION(() => this.lines.append(lineOf(token)));
    });
  });
}

function lineOf(token: IToken): Line {
  return token.payload;
}

let parser: ConfigParser | undefined;

/** Reads a file into its lines. Any bytes are read; what httpd would refuse is found later, by those who resolve it. */
export function parseFile(source: SourceFile): ConfigTree {
  parser ??= new ConfigParser();
  const lines = new Lines(source.text.length >> 5);
  parser.lines = lines;
  for (const tokens of tokenizeLines(source.text)) {
    parser.input = tokens;
    parser.file();
  }
  return { source, lines };
}
