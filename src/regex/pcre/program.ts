import { type ByteSet, foldCase, hasByte, singleByte } from "../automata/regular-language.js";
import type { AssertionNode, GroupNode, IrregularNode, PatternBranch, PatternNode, RepeatNode } from "./ast.js";
import { MAX_NESTED_GROUPS } from "./ast.js";
import { byteSetOfNode, classSets } from "./byte-sets.js";
import type { Instruction, PcreProgram } from "./instruction.js";
import type { PcreOptions } from "./language.js";
import { parsePcre } from "./parser.js";

export type PcreCompileResult =
  | { readonly kind: "program"; readonly program: PcreProgram }
  /** @property construct the construct that is invalid or not supported: a noun, as "a recursion" */
  | { readonly kind: "unsupported"; readonly construct: string };

/** The most instructions of a program: repeated groups are copied as often as they must occur. */
const MAX_INSTRUCTIONS = 20_000;

/**
 * Compiles a PCRE pattern for a backtracking matcher: all that httpd's patterns use, including lookaround, back
 * references, atomic groups and possessive quantifiers. Recursion, conditions and verbs are not supported.
 *
 * @param pattern one character per byte
 */
export function compilePcre(pattern: string, options: PcreOptions = {}): PcreCompileResult {
  if (/[^\0-\xff]/.test(pattern)) return { kind: "unsupported", construct: "a character that is not a byte" };
  const { ignoreCase = false, dotAll = true } = options;
  const { branches, groups, error } = parsePcre(pattern, { ignoreCase, dotAll });
  if (error !== undefined) return { kind: "unsupported", construct: "an invalid pattern" };
  const numbers = groups.flatMap(({ name, number }) => (name === undefined ? [] : [[name, number ?? 0] as const]));
  const names = new Map(numbers);
  if (names.size < numbers.length) return { kind: "unsupported", construct: "two groups with the same name" };
  const compiler = new ProgramCompiler(pattern, options, groups, names);
  return compiler.compile(branches);
}

class ProgramCompiler {
  private readonly instructions: Instruction[] = [];
  private construct: string | undefined;
  private registers: number;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly options: PcreOptions,
    private readonly groups: readonly GroupNode[],
    private readonly names: ReadonlyMap<string, number>,
  ) {
    this.registers = 2 * (groups.length + 1);
  }

  compile(branches: readonly PatternBranch[]): PcreCompileResult {
    this.addBranches(branches);
    this.add({ op: "accept" });
    const { construct, instructions, registers, names } = this;
    if (construct !== undefined) return { kind: "unsupported", construct };
    return { kind: "program", program: { instructions, groupCount: this.groups.length, registers, names } };
  }

  private refuse(construct: string): undefined {
    this.construct ??= construct;
  }

  private add<T extends Instruction>(instruction: T): T {
    if (this.instructions.length >= MAX_INSTRUCTIONS) this.refuse("a quantifier with very large numbers");
    else this.instructions.push(instruction);
    return instruction;
  }

  private get next(): number {
    return this.instructions.length;
  }

  /** Adds alternatives; each is tried in turn. */
  private addBranches(branches: readonly PatternBranch[], isBehind = false): void {
    const ends: { to: number }[] = [];
    branches.forEach((branch, index) => {
      if (this.construct !== undefined) return;
      const isLast = index === branches.length - 1;
      const split = isLast ? undefined : this.add({ op: "split", first: this.next + 1, second: 0 });
      if (isBehind) this.addLengthOf(branch);
      this.addBranch(branch);
      if (!isLast) ends.push(this.add({ op: "jump", to: 0 }));
      if (split) split.second = this.next;
    });
    for (const end of ends) end.to = this.next;
  }

  private addBranch(branch: PatternBranch): void {
    for (const node of branch) if (this.construct === undefined) this.addNode(node);
  }

  private addNode(node: PatternNode): undefined {
    switch (node.kind) {
      case "literal":
      case "dot":
      case "set":
      case "class": {
        const set = this.setOf(node);
        if (set) this.add({ op: "byte", set });
        return;
      }
      case "assertion":
        return this.addAssertion(node);
      case "options":
        return;
      case "group":
        return this.addGroup(node);
      case "repeat":
        return this.addRepeat(node);
      case "irregular":
        return this.addIrregular(node);
    }
  }

  /** Returns the bytes that a node for one byte matches. */
  private setOf(node: PatternNode): Uint8Array | undefined {
    if (node.kind === "irregular") {
      const letter = /^\\([hHvV])$/.exec(this.text.slice(node.start, node.end))?.[1];
      const set = letter === undefined ? undefined : classSets.get(letter);
      return set === undefined ? undefined : tableOf(set);
    }
    if (node.kind !== "literal" && node.kind !== "dot" && node.kind !== "set" && node.kind !== "class")
      return undefined;
    if (node.kind === "literal") {
      const set = singleByte(node.code);
      return tableOf(node.ignoreCase ? foldCase(set) : set);
    }
    const set = byteSetOfNode(node);
    if (typeof set === "string") return this.refuse(set);
    return tableOf(set);
  }

  private addAssertion({ mark }: AssertionNode): undefined {
    const { endOnly = true, withoutEnd = false } = this.options;
    if (mark !== "$") this.add({ op: "assert", mark });
    else if (withoutEnd) this.add({ op: "fail" });
    else this.add({ op: "assert", mark: endOnly ? "$" : "$newline" });
  }

  private addIrregular(node: IrregularNode): undefined {
    const text = this.text.slice(node.start, node.end);
    const set = this.setOf(node);
    if (set) this.add({ op: "byte", set });
    else if (text === "\\b") this.add({ op: "assert", mark: "word" });
    else if (text === "\\B") this.add({ op: "assert", mark: "not-word" });
    else if (node.construct === "a back reference") this.addReference(node, text);
    else this.refuse(node.construct);
  }

  private addReference(node: IrregularNode, text: string): undefined {
    const group = this.referencedGroup(node, text);
    if (group === undefined || group < 1 || group > this.groups.length) return this.refuse("a back reference");
    // The options at a reference are not in the tree: those at its nearest earlier letter are a guess.
    if (/\(\?\^?[a-zA-Z]*-?[a-zA-Z]*i/.test(this.text)) return this.refuse("a back reference after `(?i)`");
    this.add({ op: "reference", group, ignoreCase: this.options.ignoreCase === true });
  }

  private referencedGroup(node: IrregularNode, text: string): number | undefined {
    // More digits may be a character code.
    const short = /^\\(\d)$/.exec(text)?.[1];
    if (short !== undefined) return /\d/.test(this.text.charAt(node.end)) ? undefined : Number(short);
    const [, number, name] = /^(?:\\[gk]|\(\?P=)[{<']?(?:([+-]?\d+)|(\w+))[}>')]?$/.exec(text) ?? [];
    if (name !== undefined) return this.names.get(name);
    if (number === undefined) return undefined;
    if (/^\d/.test(number)) return Number(number);
    const opened = this.groups.filter(({ start }) => start < node.start).length;
    return number.startsWith("-") ? opened + 1 + Number(number) : opened + Number(number);
  }

  private addGroup(node: GroupNode): undefined {
    const { number, branches, isClosed } = node;
    if (!isClosed) return this.refuse("`(` without `)`");
    if (++this.depth > MAX_NESTED_GROUPS) return this.refuse("too many nested groups");
    const opening = this.text.slice(node.start, node.bodyStart);
    if (opening === "(?|") this.refuse("a branch reset");
    else if (opening === "(?>") this.addSubProgram("atomic", false, () => this.addBranches(branches));
    else if (opening === "(?=" || opening === "(?!")
      this.addSubProgram("ahead", opening === "(?!", () => this.addBranches(branches));
    else if (opening === "(?<=" || opening === "(?<!")
      this.addSubProgram("behind", opening === "(?<!", () => this.addBranches(branches, true));
    else if (node.construct !== undefined) this.refuse(node.construct);
    else if (number === undefined) this.addBranches(branches);
    else {
      // A back reference in the group still refers to its previous iteration.
      const register = this.registers++;
      this.add({ op: "save", register });
      this.addBranches(branches);
      this.add({ op: "capture", group: number, register });
    }
    this.depth--;
  }

  private addSubProgram(kind: "ahead" | "behind" | "atomic", isNegative: boolean, addBody: () => void): void {
    const group = this.add({ op: "group", kind, isNegative, to: 0 });
    addBody();
    this.add({ op: "accept" });
    group.to = this.next;
  }

  /** Goes back by the length of a branch of a lookbehind, which is fixed in PCRE2. */
  private addLengthOf(branch: PatternBranch): void {
    const by = this.lengthOf(branch);
    if (by === undefined) this.refuse("a lookbehind of variable length");
    else this.add({ op: "back", by });
  }

  private lengthOf(branch: PatternBranch): number | undefined {
    let sum = 0;
    for (const node of branch) {
      const length = this.lengthOfNode(node);
      if (length === undefined) return undefined;
      sum += length;
    }
    return sum;
  }

  private lengthOfNode(node: PatternNode): number | undefined {
    switch (node.kind) {
      case "literal":
      case "dot":
      case "set":
      case "class":
        return 1;
      case "assertion":
      case "options":
        return 0;
      case "repeat": {
        const once = node.min === node.max ? this.lengthOfNode(node.of) : undefined;
        return once === undefined ? undefined : once * node.min;
      }
      case "group": {
        if (/^\(\?(?:=|!|<=|<!)/.test(this.text.slice(node.start, node.start + 4))) return 0;
        const [first, ...others] = node.branches.map((branch) => this.lengthOf(branch));
        return others.every((each) => each === first) ? first : undefined;
      }
      case "irregular":
        return /^\\[bB]$/.test(this.text.slice(node.start, node.end)) ? 0 : this.setOf(node) && 1;
    }
  }

  private addRepeat(node: RepeatNode): undefined {
    const { of, min, max, mode } = node;
    const set = mode === "lazy" || of.kind === "group" || of.kind === "repeat" ? undefined : this.setOf(of);
    if (this.construct !== undefined) return;
    if (set) this.add({ op: "span", set, min, max, isPossessive: mode === "possessive" });
    else if (mode === "possessive") this.addSubProgram("atomic", false, () => this.addCopies(node));
    else this.addCopies(node);
  }

  /** Adds the required iterations of a repeated part, then the optional ones. */
  private addCopies({ of, min, max, mode }: RepeatNode): void {
    const isLazy = mode === "lazy";
    for (let left = min; left > 0 && this.construct === undefined; left--) this.addNode(of);
    if (max === Number.POSITIVE_INFINITY) {
      this.addLoop(of, isLazy);
      return;
    }
    const exits: (() => void)[] = [];
    for (let left = max - min; left > 0 && this.construct === undefined; left--) {
      exits.push(this.addChoice(isLazy));
      this.addNode(of);
    }
    for (const exit of exits) exit();
  }

  /** Adds the choice between an iteration, which follows, and leaving. Returns a function that sets where to leave to. */
  private addChoice(isLazy: boolean): () => void {
    const body = this.next + 1;
    const split = this.add({ op: "split", first: body, second: body });
    return () => {
      if (isLazy) split.first = this.next;
      else split.second = this.next;
    };
  }

  private addLoop(of: PatternNode, isLazy: boolean): void {
    const start = this.next;
    const leave = this.addChoice(isLazy);
    const register = this.registers++;
    this.add({ op: "save", register });
    this.addNode(of);
    const check = this.add({ op: "leaveIfEmpty", register, to: 0 });
    this.add({ op: "jump", to: start });
    leave();
    check.to = this.next;
  }
}

const tables = new Map<ByteSet, Uint8Array>();

function tableOf(set: ByteSet): Uint8Array {
  const known = tables.get(set);
  if (known) return known;
  const table = Uint8Array.from({ length: 256 }, (_, byte) => (hasByte(set, byte) ? 1 : 0));
  tables.set(set, table);
  return table;
}
