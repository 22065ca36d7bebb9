import type { PcreProgram, PositionMark } from "./instruction.js";

/** The result of a search. */
export interface PcreMatch {
  /** The matched text and its groups, undefined for a group that did not participate; undefined without a match. */
  readonly groups: readonly (string | undefined)[] | undefined;
  /** Whether the search was stopped at the limit of steps; PCRE has such a limit as well. */
  readonly isStopped: boolean;
  /** The number of steps taken. */
  readonly steps: number;
}

/**
 * Searches a text as PCRE2's interpreter does: from each position on, depth first, alternatives in order.
 *
 * @param subject one character per byte
 * @param steps the most instructions to run
 */
export function searchPcre(program: PcreProgram, subject: string, steps: number): PcreMatch {
  const matcher = new Matcher(program, subject, steps);
  const found = matcher.search();
  return { groups: found === "stopped" ? undefined : found, isStopped: found === "stopped", steps: matcher.taken };
}

/** A result of running instructions, besides the position after the match. */
const FAILED = -1;
const EXCEEDED = -2;

/** A position that was not stored. */
const UNSET = -1;

/** The numbers of an entry of the backtracking stack. */
const ENTRY = 3;

class Matcher {
  private readonly registers: Int32Array;
  /**
   * Entries of three numbers. To try again: an instruction, a position, and the least position to go back to, one byte
   * at a time. To restore a register: -1 minus its number, the old value, and 0.
   */
  private readonly stack: number[] = [];
  /** The steps left. */
  private steps: number;

  constructor(
    private readonly program: PcreProgram,
    private readonly subject: string,
    private readonly limit: number,
  ) {
    this.steps = limit;
    this.registers = new Int32Array(program.registers);
  }

  get taken(): number {
    return Math.min(this.limit - this.steps, this.limit);
  }

  search(): readonly (string | undefined)[] | "stopped" | undefined {
    const { subject, program, stack } = this;
    const [first] = program.instructions;
    const isAnchored = first?.op === "assert" && (first.mark === "^" || first.mark === "A");
    const last = isAnchored ? 0 : subject.length;
    for (let start = 0; start <= last; start++) {
      if (first?.op === "byte" && first.set[subject.charCodeAt(start)] !== 1) {
        if (--this.steps < 0) return "stopped";
        continue;
      }
      this.registers.fill(UNSET);
      if (stack.length > 0) stack.length = 0;
      const end = this.run(0, start);
      if (end === EXCEEDED) return "stopped";
      if (end !== FAILED) return this.groupsOf(start, end);
    }
    return undefined;
  }

  private groupsOf(start: number, end: number): readonly (string | undefined)[] {
    const groups: (string | undefined)[] = [this.subject.slice(start, end)];
    for (let group = 1; group <= this.program.groupCount; group++) groups.push(this.textOf(group));
    return groups;
  }

  private textOf(group: number): string | undefined {
    const start = this.registers[2 * group] ?? UNSET;
    return start === UNSET ? undefined : this.subject.slice(start, this.registers[2 * group + 1]);
  }

  /** Runs instructions until `accept`. Returns the position there, or why there is none. */
  private run(first: number, from: number): number {
    const { subject, stack } = this;
    const { instructions } = this.program;
    const base = stack.length;
    let at = first;
    let position = from;
    for (;;) {
      if (--this.steps < 0) return EXCEEDED;
      const instruction = instructions[at];
      let isMatched = true;
      at++;
      switch (instruction?.op) {
        case "byte":
          isMatched = instruction.set[subject.charCodeAt(position)] === 1;
          position++;
          break;
        case "span": {
          const min = position + instruction.min;
          const max = Math.min(position + instruction.max, subject.length);
          while (position < max && instruction.set[subject.charCodeAt(position)] === 1) position++;
          this.steps -= Math.max(0, position - min);
          isMatched = position >= min;
          if (position > min && !instruction.isPossessive) stack.push(at, position - 1, min);
          break;
        }
        case "split":
          stack.push(instruction.second, position, position);
          at = instruction.first;
          break;
        case "jump":
          at = instruction.to;
          break;
        case "save":
          this.store(instruction.register, position);
          break;
        case "capture":
          this.store(2 * instruction.group, this.registers[instruction.register] ?? UNSET);
          this.store(2 * instruction.group + 1, position);
          break;
        case "leaveIfEmpty":
          if (this.registers[instruction.register] === position) at = instruction.to;
          break;
        case "assert":
          isMatched = this.holds(instruction.mark, position);
          break;
        case "reference": {
          const length = this.matchReference(instruction.group, instruction.ignoreCase, position);
          isMatched = length >= 0;
          position += length;
          break;
        }
        case "back":
          position -= instruction.by;
          isMatched = position >= 0;
          break;
        case "group": {
          const end = this.runGroup(at, position, instruction.isNegative);
          if (end === EXCEEDED) return EXCEEDED;
          isMatched = (end === FAILED) === instruction.isNegative;
          if (instruction.kind === "atomic") position = end;
          at = instruction.to;
          break;
        }
        case "accept":
          return position;
        case "fail":
        case undefined:
          isMatched = false;
          break;
      }
      if (isMatched) continue;
      const place = this.backtrack(base);
      if (place === undefined) return FAILED;
      at = place.at;
      position = place.position;
    }
  }

  /** Runs a group on its own: once it has matched, other ways to match it do not count. */
  private runGroup(first: number, position: number, isNegative: boolean): number {
    const base = this.stack.length;
    const end = this.run(first, position);
    if (end < 0) return end;
    if (isNegative) this.restore(base);
    else this.forgetChoices(base);
    return end;
  }

  private store(register: number, value: number): void {
    this.stack.push(-1 - register, this.registers[register] ?? UNSET, 0);
    this.registers[register] = value;
  }

  /** Returns the latest place to try again; undefined if there is none. */
  private backtrack(base: number): { readonly at: number; readonly position: number } | undefined {
    const { stack } = this;
    while (stack.length > base) {
      const top = stack.length - ENTRY;
      const at = stack[top] ?? 0;
      const position = stack[top + 1] ?? 0;
      if (at < 0) this.registers[-1 - at] = position;
      else if (position > (stack[top + 2] ?? 0)) {
        stack[top + 1] = position - 1;
        return { at, position };
      }
      stack.length = top;
      if (at >= 0) return { at, position };
    }
    return undefined;
  }

  /** Restores the registers as they were at a height of the stack. */
  private restore(base: number): void {
    const { stack } = this;
    while (stack.length > base) {
      const top = stack.length - ENTRY;
      const at = stack[top] ?? 0;
      if (at < 0) this.registers[-1 - at] = stack[top + 1] ?? UNSET;
      stack.length = top;
    }
  }

  /** Removes the places to try again above a height of the stack; registers can still be restored. */
  private forgetChoices(base: number): void {
    const { stack } = this;
    let kept = base;
    for (let entry = base; entry < stack.length; entry += ENTRY) {
      if ((stack[entry] ?? 0) >= 0) continue;
      stack.copyWithin(kept, entry, entry + ENTRY);
      kept += ENTRY;
    }
    stack.length = kept;
  }

  private holds(mark: PositionMark, position: number): boolean {
    const { length } = this.subject;
    switch (mark) {
      case "^":
      case "A":
        return position === 0;
      case "$":
      case "z":
        return position === length;
      case "$newline":
      case "Z":
        return position === length || (position === length - 1 && this.subject.endsWith("\n"));
      case "word":
        return this.isWord(position - 1) !== this.isWord(position);
      case "not-word":
        return this.isWord(position - 1) === this.isWord(position);
    }
  }

  private isWord(position: number): boolean {
    return /^\w$/.test(this.subject.charAt(position));
  }

  /** Returns the length of the referenced text; -1 if the text at the position differs, or the group is not set. */
  private matchReference(group: number, ignoreCase: boolean, position: number): number {
    const text = this.textOf(group);
    if (text === undefined) return -1;
    this.steps -= text.length;
    const found = this.subject.slice(position, position + text.length);
    const isSame = ignoreCase ? lowerCase(found) === lowerCase(text) : found === text;
    return isSame ? text.length : -1;
  }
}

/** Only ASCII has letters in httpd's locale. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
