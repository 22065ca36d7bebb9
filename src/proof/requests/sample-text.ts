import { MAX_NESTED_GROUPS, type PatternBranch, type PatternNode, type RepeatNode } from "../../regex/pcre/ast.js";
import { parsePcre } from "../../regex/pcre/parser.js";
import { Oracle } from "../../server/model/oracle.js";
import { compileRegexPattern, type MatchGroups } from "../../server/model/patterns.js";

/**
 * Returns a text that a simple regular expression matches. It takes the first alternative, repeats once, and omits
 * optional parts. Returns undefined for other constructs. The caller must check that the text matches.
 */
export function samplePattern(pattern: string): string | undefined {
  const { branches, ignored } = parsePcre(pattern);
  return ignored.length > 0 ? undefined : sampleBranches(pattern, branches);
}

/** Returns a file name for a pattern: `\.bak$` gives `x.bak`, which is clearer than `.bak`. */
export function sampleNameFor(pattern: string): string | undefined {
  const sample = samplePattern(pattern);
  return sample?.startsWith(".") && !/^\(*\^/.test(pattern) ? `x${sample}` : sample;
}

/** Returns the groups that a pattern matches, or false; undefined if that cannot be known. */
export function matchGroupsOf(pattern: string, subject: string, ignoreCase: boolean): MatchGroups | false | undefined {
  const oracle = new Oracle(new Map());
  const groups = compileRegexPattern(pattern, { ignoreCase }).find(subject, oracle);
  return oracle.answered.size > 0 || oracle.undecidable !== undefined ? undefined : (groups ?? false);
}

const MAX_REPEATS = 100;
/** No line is longer than this. */
const MAX_SAMPLE_LENGTH = 1_000_000;

/** Returns a sample of the first branch. The others only have to be supported. */
function sampleBranches(pattern: string, branches: readonly PatternBranch[]): string | undefined {
  const [first, ...others] = branches.map((branch) => sampleBranch(pattern, branch));
  return others.includes(undefined) ? undefined : first;
}

function sampleBranch(pattern: string, branch: PatternBranch): string | undefined {
  let text = "";
  for (const [index, node] of branch.entries()) {
    const before = branch[index - 1]?.kind;
    // A quantifier after an assertion such as `^` is an error, too, but has no text.
    if ((before === "assertion" || before === "options") && isLostQuantifier(pattern.charAt(node.start), node))
      continue;
    const sample = sampleNode(pattern, node);
    if (sample === undefined) return undefined;
    text += sample;
  }
  return text;
}

function isLostQuantifier(source: string, { kind }: PatternNode): boolean {
  return kind === "irregular" && /^[*+?{]/.test(source);
}

function sampleNode(pattern: string, node: PatternNode): string | undefined {
  const source = pattern.slice(node.start, node.end);
  const isEscape = source.startsWith("\\") && node.kind !== "repeat";
  if (isEscape || node.kind === "set") return sampleEscape(source.charAt(1));
  switch (node.kind) {
    case "literal":
      return source;
    case "dot":
      return "x";
    case "assertion":
      return "";
    case "options":
      // Modifiers such as case-insensitivity do not affect the sample.
      return /^\(\?[ims]+\)$/.test(source) ? "" : undefined;
    case "class":
      return node.isClosed ? sampleClass(source) : undefined;
    case "group": {
      const opening = pattern.slice(node.start, node.bodyStart);
      const isSupported = node.isClosed && /^\((?:\?(?::|P?<[A-Za-z]\w*>))?$/.test(opening);
      return isSupported && node.depth < MAX_NESTED_GROUPS ? sampleBranches(pattern, node.branches) : undefined;
    }
    case "repeat":
      return sampleRepeat(pattern, node);
    case "irregular":
      // Other libraries compile `[:alpha:]` outside of a class, and `^*.php`.
      if (/^\[[:.=]/.test(source)) return sampleClass(source);
      return isLostQuantifier(source, node) ? source : undefined;
  }
}

/** Repeats a part once if any number is allowed, because an empty part between two slashes is not a path. */
function sampleRepeat(pattern: string, { of, min }: RepeatNode): string | undefined {
  const once = sampleNode(pattern, of);
  const times = pattern.charAt(of.end) === "*" ? 1 : min;
  if (once === undefined || times > MAX_REPEATS || once.length * times > MAX_SAMPLE_LENGTH) return undefined;
  return once.repeat(times);
}

function sampleClass(source: string): string {
  const [, first = "", second = ""] = source;
  if (first === "\\") return characterOf(second);
  return first === "^" || first === "[" ? outside(source) : first;
}

function sampleEscape(letter: string): string | undefined {
  return /[dDsSwW]|\W|_/.test(letter) ? characterOf(letter) : undefined;
}

/** Returns a character for a negated or named class. */
function outside(pattern: string): string {
  const matcher = compileRegexPattern(`^${pattern}$`);
  return ["x", "0", "_", "~", "X", "-", " "].find((each) => matcher.find(each, new Oracle(new Map()))) ?? "";
}

/** Returns the character of an escaped letter: of its class, or the character itself. */
function characterOf(letter: string): string {
  switch (letter) {
    case "d":
      return "0";
    case "w":
    case "S":
    case "D":
      return "x";
    case "s":
      return " ";
    case "W":
      return "-";
    default:
      return letter;
  }
}
