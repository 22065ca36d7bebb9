/**
 * A deterministic finite automaton (DFA) over bytes. It is in one state at a time, and reads every text to its end.
 * Bytes without a difference share a class.
 *
 * The results of `Automata` are minimal and numbered canonically: two that accept the same texts are identical.
 */
export interface Automaton {
  /** The class of each byte, numbered by their first byte. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** The transition for each state and class, at state × classes + class. The initial state is 0. */
  readonly next: Int32Array;
  /** 1 for an accepting state. */
  readonly accepting: Uint8Array;
}

/** Returns the state after a state and a byte class. */
export function stepAutomaton({ classes, next }: Automaton, state: number, byteClass: number): number {
  return next[state * classes + byteClass] ?? 0;
}

export function isAcceptingState({ accepting }: Automaton, state: number): boolean {
  return accepting[state] === 1;
}

/** Reports whether a text, one character per byte, is accepted. */
export function acceptsText(automaton: Automaton, text: string): boolean {
  let state = 0;
  for (let at = 0; at < text.length; at++)
    state = stepAutomaton(automaton, state, automaton.classOf[text.charCodeAt(at)] ?? 0);
  return isAcceptingState(automaton, state);
}

/** Reports whether no text is accepted. */
export function isEmptyLanguage({ accepting }: Automaton): boolean {
  return !accepting.includes(1);
}

/** Reports whether every text is accepted. */
export function isUniversalLanguage({ accepting }: Automaton): boolean {
  return !accepting.includes(0);
}

/** Reports whether two automata of `Automata` accept the same texts. */
export function isSameLanguage(a: Automaton, b: Automaton): boolean {
  return (
    hasSameElements(a.accepting, b.accepting) &&
    hasSameElements(a.classOf, b.classOf) &&
    hasSameElements(a.next, b.next)
  );
}

function hasSameElements(a: Uint8Array | Int32Array, b: Uint8Array | Int32Array): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}

/**
 * Returns the minimal automaton that accepts the same texts, with states and classes in canonical order.
 *
 * @param automaton one with its classes numbered by their first byte
 */
export function minimize(automaton: Automaton): Automaton {
  return renumberStates(automaton, new Partition(automaton).blocks());
}

/** Partitions the states by the texts that they accept (Hopcroft's algorithm). */
class Partition {
  private readonly count: number;
  /** The states, grouped by block; the position of each; the block of each. */
  private readonly states: Int32Array;
  private readonly places: Int32Array;
  private readonly blockOf: Int32Array;
  /** The start and end of each block, and the number of marked states at its start. */
  private readonly starts: number[] = [0];
  private readonly ends: number[];
  private readonly marked: number[] = [0];
  private readonly queue: number[] = [];
  private readonly isQueued: boolean[] = [];

  constructor(private readonly automaton: Automaton) {
    this.count = automaton.accepting.length;
    this.states = Int32Array.from({ length: this.count }, (_, state) => state);
    this.places = this.states.slice();
    this.blockOf = new Int32Array(this.count);
    this.ends = [this.count];
  }

  /** Returns the block of each state. */
  blocks(): Int32Array {
    const sources = new InverseTransitions(this.automaton);
    for (let state = 0; state < this.count; state++) if (this.automaton.accepting[state] === 1) this.mark(state);
    this.enqueue(0);
    this.split([0]);
    for (let block = this.queue.pop(); block !== undefined; block = this.queue.pop()) {
      this.isQueued[block] = false;
      const members = this.states.slice(this.starts[block], this.ends[block]);
      for (let byteClass = 0; byteClass < this.automaton.classes; byteClass++) {
        const touched = new Set<number>();
        for (const member of members)
          for (const source of sources.of(member, byteClass)) touched.add(this.mark(source));
        this.split(touched);
      }
    }
    return this.blockOf;
  }

  private enqueue(block: number): void {
    if (this.isQueued[block]) return;
    this.isQueued[block] = true;
    this.queue.push(block);
  }

  /** Moves a state to the marked ones of its block, and returns the block. */
  private mark(state: number): number {
    const block = this.blockOf[state] ?? 0;
    const place = this.places[state] ?? 0;
    const free = (this.starts[block] ?? 0) + (this.marked[block] ?? 0);
    if (place < free) return block;
    const other = this.states[free] ?? 0;
    this.states[place] = other;
    this.places[other] = place;
    this.states[free] = state;
    this.places[state] = free;
    this.marked[block] = (this.marked[block] ?? 0) + 1;
    return block;
  }

  /** Splits the marked states off into new blocks. It suffices to continue with the smaller half. */
  private split(blocks: Iterable<number>): void {
    for (const block of blocks) {
      const start = this.starts[block] ?? 0;
      const end = this.ends[block] ?? 0;
      const middle = start + (this.marked[block] ?? 0);
      this.marked[block] = 0;
      if (middle === start || middle === end) continue;
      const added = this.starts.length;
      this.starts.push(start);
      this.ends.push(middle);
      this.marked.push(0);
      this.starts[block] = middle;
      for (let place = start; place < middle; place++) this.blockOf[this.states[place] ?? 0] = added;
      this.enqueue(this.isQueued[block] || middle - start <= end - middle ? added : block);
    }
  }
}

/** The predecessors of each state, by class. */
class InverseTransitions {
  private readonly firsts: Int32Array;
  private readonly sources: Int32Array;

  constructor(private readonly automaton: Automaton) {
    const { next, classes } = automaton;
    this.firsts = new Int32Array(next.length + 1);
    for (let at = 0; at < next.length; at++) this.add(at, 1);
    for (let slot = 1; slot < this.firsts.length; slot++) this.firsts[slot] = this.first(slot) + this.first(slot - 1);
    this.sources = new Int32Array(next.length);
    for (let at = next.length - 1; at >= 0; at--) this.sources[this.add(at, -1)] = Math.floor(at / classes);
  }

  of(state: number, byteClass: number): Int32Array {
    const slot = state * this.automaton.classes + byteClass;
    return this.sources.subarray(this.first(slot), this.first(slot + 1));
  }

  private first(slot: number): number {
    return this.firsts[slot] ?? 0;
  }

  /** Adds to the counter for the target and class of a transition. */
  private add(at: number, by: number): number {
    const { next, classes } = this.automaton;
    const slot = (next[at] ?? 0) * classes + (at % classes);
    const value = this.first(slot) + by;
    this.firsts[slot] = value;
    return value;
  }
}

/** Builds one state for each block, in order of first visit, with classes in order. */
function renumberStates(automaton: Automaton, blockOf: Int32Array): Automaton {
  const { classOf, classes } = automaton;
  const representatives = [0];
  const numbers = new Map([[blockOf[0], 0]]);
  const next: number[] = [];
  for (const state of representatives)
    for (let byteClass = 0; byteClass < classes; byteClass++) {
      const to = stepAutomaton(automaton, state, byteClass);
      const number = numbers.get(blockOf[to]) ?? representatives.push(to) - 1;
      numbers.set(blockOf[to], number);
      next.push(number);
    }
  const accepting = Uint8Array.from(representatives, (state) => automaton.accepting[state] ?? 0);
  return mergeByteClasses({ classOf, classes, next: Int32Array.from(next), accepting });
}

/** Merges classes that lead to the same states. */
function mergeByteClasses(automaton: Automaton): Automaton {
  const { accepting, classes } = automaton;
  const columns = Array.from({ length: classes }, (_, byteClass) =>
    Array.from(accepting, (_, state) => stepAutomaton(automaton, state, byteClass)).join(),
  );
  const known = new Map<string, number>();
  const kept: number[] = [];
  const classOf = automaton.classOf.map((old) => {
    const column = columns[old] ?? "";
    const number = known.get(column) ?? kept.push(old) - 1;
    known.set(column, number);
    return number;
  });
  const next = Array.from(accepting, (_, state) => kept.map((old) => stepAutomaton(automaton, state, old))).flat();
  return { classOf, classes: kept.length, next: Int32Array.from(next), accepting };
}
