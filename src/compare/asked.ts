import { asGet } from "../access/limits.js";
import { addressPattern } from "../logic/address-texts.js";
import type { Atom, Seen, Situation } from "../logic/atoms.js";
import type { Directive } from "../project/directive.js";
import type { FileKind, FileTree } from "../scope/files.js";
import type { AddressText, Look, Looks, Peeked, SentText } from "../scope/looks.js";
import { Questions } from "../scope/questions.js";
import { classOf, type SettledClass } from "../simulate/decision.js";
import type { Setup } from "../simulate/pass.js";
import { notesOf } from "../simulate/rewriting-steps.js";
import { run } from "../simulate/run.js";
import type { Subnet } from "../text/addresses.js";
import { requestIn, type Target } from "./situation-request.js";

/** What a request in some situation comes to, and all that it hangs on. */
export interface Asked {
  readonly class: SettledClass;
  /** The lines that decide, or the one that leaves it open. */
  readonly by: readonly Directive[];
  readonly seen: readonly Seen[];
  /** The tests of single headers among them, by their words. */
  readonly sent: ReadonlyMap<string, SentText>;
  /** What the method was held against. */
  readonly methods: LookedAtMethods;
  /** Whether it matters if a file or nothing is where the path leads. */
  readonly atPlace: boolean;
  /** Why it may come to something else; undefined where all that matters is in `seen`. */
  readonly untold: string | undefined;
}

/** Names of methods, or `all` where the whole method matters. */
export type LookedAtMethods = ReadonlySet<string> | "all";

/** A configuration that is asked, over files that a situation tells of. */
export interface AskedSide {
  readonly setup: Setup;
  /** Variables that nobody brings along. */
  readonly ownVariables: ReadonlySet<string>;
  readonly files: SituationFiles;
}

/** Asks the simulator about a target in one situation, in which every test and question has its answer. */
export function askIn(situation: Situation, target: Target, { setup, files, ownVariables }: AskedSide): Asked {
  const notes = new Notes(situation, ownVariables);
  files.use(notes);
  const questions = new NotedQuestions(notes);
  const outcome = run(setup, { ...requestIn(situation, target), looks: notes }, questions);
  const [note] = outcome.pass ? notesOf(outcome.pass) : [];
  const { seen, sent, methods, isPlaceSeen } = notes;
  // Behind a rule that leads on, the server does not look anew at what it has walked to.
  const atPlace = isPlaceSeen || outcome.pass?.next !== undefined;
  // No more is kept of the outcome: there are many, and all else in it is large.
  const { status } = outcome;
  const by = questions.unsettledBy ? [questions.unsettledBy] : outcome.by;
  return {
    class: classOf(status),
    by,
    seen,
    sent,
    methods,
    atPlace,
    untold: questions.unsettled ?? note?.text ?? notes.reason,
  };
}

/** Takes note of what is looked at, each thing once. */
class Notes implements Looks {
  readonly seen: Seen[] = [];
  readonly sent = new Map<string, SentText>();
  methods: Set<string> | "all" = new Set();
  isPlaceSeen = false;
  /** Why it may come to something else. */
  reason: string | undefined;

  constructor(
    readonly situation: Situation,
    readonly ownVariables: ReadonlySet<string>,
  ) {}

  at(look: Look, value: boolean): void {
    this.seen.push({ look, value });
  }

  test(text: string, actual: boolean, of?: SentText | AddressText): boolean {
    const { look, holds } = this.peek(text, actual, of);
    this.at(look, holds);
    return holds;
  }

  peek(text: string, actual: boolean, of?: SentText | AddressText): Peeked {
    const term = { look: { kind: "term", text }, holds: this.situation.terms.has(text) } as const;
    if (of && "addressPattern" in of) return this.peekAtAddress(of, actual, term);
    if (of) this.sent.set(text, of);
    return term;
  }

  /** What a pattern tells of IPv6 addresses may be left open: then it is a test like any other for these. */
  private peekAtAddress(
    { addressPattern: pattern, ignoreCase, isNegated }: AddressText,
    actual: boolean,
    open: Peeked,
  ): Peeked {
    const read = addressPattern(pattern, ignoreCase);
    if (read === undefined) return open;
    const matches = { kind: "address-text", pattern, ignoreCase } as const;
    const look: Look = isNegated ? not(matches) : matches;
    if (read.ofSix !== undefined) return { look, holds: actual };
    const isSix = { kind: "address", subnet: allSix } as const;
    const either: Look = { kind: "any", of: [both(not(isSix), look), both(isSix, open.look)] };
    return { look: either, holds: this.situation.address.family === 6 ? open.holds : actual };
  }

  atMethod(names?: readonly string[]): void {
    if (names === undefined) this.methods = "all";
    else if (this.methods !== "all") for (const name of names) this.methods.add(asGet(name));
  }

  untold(reason: string): void {
    this.reason ??= reason;
  }

  atPlace(): void {
    this.isPlaceSeen = true;
  }

  term(text: string): boolean {
    const value = this.situation.terms.has(text);
    this.at({ kind: "term", text }, value);
    return value;
  }

  /** What is at a path. */
  kindOf(path: string): FileKind {
    const kind = this.situation.files.get(path);
    const at = (atom: Atom, value: boolean) => {
      this.at(atom, value);
      return value;
    };
    if (!at({ kind: "exists", path }, kind !== undefined)) return "missing";
    return at({ kind: "directory", path }, kind === "directory") ? "directory" : "file";
  }
}

const allSix: Subnet = { family: 6, network: 0n, mask: 0n };

function not(of: Look): Look {
  return { kind: "not", of };
}

function both(a: Look, b: Look): Look {
  return not({ kind: "any", of: [not(a), not(b)] });
}

class NotedQuestions extends Questions {
  constructor(private readonly notes: Notes) {
    super(new Map());
  }

  override ask(question: string): boolean {
    return this.notes.term(question);
  }
}

/** Files of which some are known, and others are there or not as the situation says that is asked about. */
export class SituationFiles implements FileTree {
  readonly mayChange = true;
  private notes: Notes | undefined;
  private known: FileTree = { kindOf: () => "unknown" };
  private end: string | undefined;

  /** The same for whoever looks at them beside the walk to a file: that what is at the end of the walk matters is noted. */
  readonly besideWalks: FileTree = {
    mayChange: true,
    kindOf: (path, mayBeFile) => {
      if (this.end !== undefined && `${path}/`.startsWith(`${this.end}/`)) this.notes?.atPlace();
      return this.kindOf(path, mayBeFile);
    },
  };

  /**
   * Goes on with other files that are known.
   *
   * @param end where the walk to what is asked for ends
   */
  takeFrom(known: FileTree, end?: string): void {
    this.known = known;
    this.end = end;
  }

  use(notes: Notes): void {
    this.notes = notes;
  }

  kindOf(path: string, mayBeFile?: boolean): FileKind {
    const known = this.known.kindOf(path, mayBeFile);
    return known === "unknown" && this.notes ? this.notes.kindOf(path) : known;
  }
}
