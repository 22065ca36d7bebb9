/** The position of a construct in a pattern. */
export interface PatternSpan {
  readonly start: number;
  /** The offset after it. */
  readonly end: number;
}

/** A part of a pattern. */
export type PatternNode =
  | LiteralNode
  | DotNode
  | SetNode
  | ClassNode
  | AssertionNode
  | OptionsNode
  | GroupNode
  | RepeatNode
  | IrregularNode;

/** One character, escaped or not. */
export interface LiteralNode extends PatternSpan {
  readonly kind: "literal";
  readonly code: number;
  readonly ignoreCase: boolean;
  /** Whether it starts `{,n}` or a quantifier with spaces, which is a quantifier since PCRE2 10.43. */
  readonly isNewQuantifier: boolean;
}

/** `.` */
export interface DotNode extends PatternSpan {
  readonly kind: "dot";
  /** Whether it also matches a newline. */
  readonly dotAll: boolean;
}

/** An escape for one of several characters, such as `\d`. */
export interface SetNode extends PatternSpan {
  readonly kind: "set";
  readonly letter: string;
}

/** `[…]` */
export interface ClassNode extends PatternSpan {
  readonly kind: "class";
  readonly isNegated: boolean;
  readonly ignoreCase: boolean;
  readonly items: readonly ClassItem[];
  readonly isClosed: boolean;
}

/** A part of `[…]`. */
export type ClassItem =
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "set"; readonly letter: string }
  /** `[:name:]` or `[:^name:]` */
  | { readonly kind: "posix"; readonly name: string; readonly isNegated: boolean }
  /** @property construct as that of `IrregularNode` */
  | { readonly kind: "irregular"; readonly construct: string };

/** A position in the text: `^`, `$`, `\A`, `\z` or `\Z`. */
export interface AssertionNode extends PatternSpan {
  readonly kind: "assertion";
  readonly mark: "^" | "$" | "A" | "z" | "Z";
}

/** `(?i)`: the nodes after it carry the options. */
export interface OptionsNode extends PatternSpan {
  readonly kind: "options";
}

/** A sequence of nodes, one of the alternatives of a group. */
export type PatternBranch = readonly PatternNode[];

export interface GroupNode extends PatternSpan {
  readonly kind: "group";
  /** The number of a capture group. A branch reset `(?|…)` is not regarded. */
  readonly number: number | undefined;
  readonly name: string | undefined;
  /** The number of groups around it. */
  readonly depth: number;
  /** Offset of the text after its opening, such as `(?:`. */
  readonly bodyStart: number;
  readonly branches: readonly PatternBranch[];
  readonly isClosed: boolean;
  /** Its name if it is more than a group of alternatives, for instance a lookaround. */
  readonly construct: string | undefined;
}

export interface RepeatNode extends PatternSpan {
  readonly kind: "repeat";
  readonly of: PatternNode;
  readonly min: number;
  /** Infinity if unlimited. */
  readonly max: number;
  readonly mode: "greedy" | "lazy" | "possessive";
}

/** A construct that is invalid or outside the regular subset. */
export interface IrregularNode extends PatternSpan {
  readonly kind: "irregular";
  /** A noun, as "a back reference". */
  readonly construct: string;
}

/** The kind of an error that prevents a pattern from compiling in PCRE2. */
export type PatternErrorCode =
  | "bad-range"
  | "collating-element"
  | "missing-group"
  | "missing-group-name"
  | "nothing-to-repeat"
  | "posix-outside-class"
  | "quantifier-order"
  | "quantifier-size"
  | "range-order"
  | "trailing-backslash"
  | "unclosed-class"
  | "unclosed-comment"
  | "unclosed-group"
  | "unknown-escape"
  | "unknown-group"
  | "unknown-posix-class"
  | "unmatched-parenthesis";

export interface PatternError extends PatternSpan {
  readonly code: PatternErrorCode;
}

/** A parsed pattern. The nodes cover the whole text, even if it has errors. */
export interface PatternTree {
  readonly text: string;
  readonly branches: readonly PatternBranch[];
  /** The capture groups by number, from 1 on. */
  readonly groups: readonly GroupNode[];
  /** Comments, `\Q` and `\E`, which are not in the tree. */
  readonly ignored: readonly PatternSpan[];
  /** The first error, if PCRE2 is certain to report it. */
  readonly error: PatternError | undefined;
}

/** Limit of nested groups in PCRE. Visitors that recurse do not go deeper. */
export const MAX_NESTED_GROUPS = 250;

/** Iterates over the nodes without parts below some branches, in the order of the text; for any depth of groups. */
export function* leavesOf(branches: readonly PatternBranch[]): Generator<Exclude<PatternNode, GroupNode | RepeatNode>> {
  const pending = branches.flat().reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "group") for (const inner of node.branches.flat().reverse()) pending.push(inner);
    else if (node.kind === "repeat") pending.push(node.of);
    else yield node;
  }
}
