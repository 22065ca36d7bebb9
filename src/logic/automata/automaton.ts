/**
 * A deterministic automaton over bytes: it is in one state at a time, and reads every text to its end. Bytes that make no
 * difference are one class.
 *
 * Those that come out of `Automata` are minimal and numbered in one way, so that two that accept the same texts are alike
 * in every number.
 */
export interface Automaton {
  /** The class of each byte, numbered by their first byte. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** The state behind each state and class, at state × classes + class. The first state is 0. */
  readonly next: Int32Array;
  /** 1 for a state in which a text may end. */
  readonly accepting: Uint8Array;
}

/** The state behind a state and a class. */
export function stepAutomaton({ classes, next }: Automaton, state: number, byteClass: number): number {
  return next[state * classes + byteClass] ?? 0;
}

export function isAcceptingState({ accepting }: Automaton, state: number): boolean {
  return accepting[state] === 1;
}

/** Whether a text, a character a byte, is accepted. */
export function acceptsText(automaton: Automaton, text: string): boolean {
  let state = 0;
  for (let at = 0; at < text.length; at++)
    state = stepAutomaton(automaton, state, automaton.classOf[text.charCodeAt(at)] ?? 0);
  return isAcceptingState(automaton, state);
}

/** Whether no text is accepted. */
export function isEmptyLanguage({ accepting }: Automaton): boolean {
  return !accepting.includes(1);
}

/** Whether every text is accepted. */
export function isUniversalLanguage({ accepting }: Automaton): boolean {
  return !accepting.includes(0);
}

/** Whether two automata of `Automata` accept the same texts. */
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
 * The least automaton that accepts the same texts, its states and classes numbered in one way.
 *
 * @param automaton one with its classes numbered by their first byte
 */
export function minimize(automaton: Automaton): Automaton {
  return renumberStates(automaton, new Partition(automaton).blocks());
}

/** Puts apart the states that differ in what they accept (Hopcroft's algorithm). */
class Partition {
  private readonly count: number;
  /** The states, those of a block side by side; where each stands; the block of each. */
  private readonly states: Int32Array;
  private readonly places: Int32Array;
  private readonly blockOf: Int32Array;
  /** Where each block starts and ends, and how many states at its start are marked. */
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

  /** The block of each state. */
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

  /** Moves a state to the marked ones of its block, and tells the block. */
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

  /** Makes blocks of their own of what is marked. Of two halves the smaller one is enough to go on with. */
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

/** From where each state is reached by each class. */
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

  /** Changes the number of the target and class of a transition. */
  private add(at: number, by: number): number {
    const { next, classes } = this.automaton;
    const slot = (next[at] ?? 0) * classes + (at % classes);
    const value = this.first(slot) + by;
    this.firsts[slot] = value;
    return value;
  }
}

/** One state for each block, in the order in which they are first reached by the classes in their order. */
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

/** Classes that lead to the same states are one. */
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
