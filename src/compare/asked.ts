import type { Atom, Seen, Situation } from "../logic/atoms.js";
import type { FileKind, FileTree } from "../scope/files.js";
import type { Look, Looks, SentText } from "../scope/looks.js";
import { Questions } from "../scope/questions.js";
import type { Outcome, Setup } from "../simulate/pass.js";
import { notesOf } from "../simulate/rewriting-steps.js";
import { run } from "../simulate/run.js";
import { requestIn, type Target } from "./situation-request.js";

/** What a request in some situation comes to, and all that it hangs on. */
export interface Asked {
  readonly outcome: Outcome;
  readonly seen: readonly Seen[];
  /** The tests of single headers among them, by their words. */
  readonly sent: ReadonlyMap<string, SentText>;
  /** What the method was held against. */
  readonly methods: LookedAtMethods;
  /** Why it may come to something else; undefined where all that matters is in `seen`. */
  readonly untold: string | undefined;
}

/** Names of methods, or `all` where the whole method matters. */
export type LookedAtMethods = ReadonlySet<string> | "all";

/** A configuration that is asked, over files that a situation tells of. */
export interface AskedSide {
  readonly setup: Setup;
  readonly files: SituationFiles;
}

/** Asks the simulator about a target in one situation, in which every test and question has its answer. */
export function askIn(situation: Situation, target: Target, { setup, files }: AskedSide): Asked {
  const notes = new Notes(situation);
  files.use(notes);
  const questions = new NotedQuestions(notes);
  const outcome = run(setup, { ...requestIn(situation, target), looks: notes }, questions);
  const [note] = outcome.pass ? notesOf(outcome.pass) : [];
  const { seen, sent, methods } = notes;
  return { outcome, seen, sent, methods, untold: questions.unsettled ?? note?.text };
}

/** Takes note of what is looked at, each thing once. */
class Notes implements Looks {
  readonly seen: Seen[] = [];
  readonly sent = new Map<string, SentText>();
  methods: Set<string> | "all" = new Set();

  constructor(readonly situation: Situation) {}

  at(look: Look, value: boolean): void {
    this.seen.push({ look, value });
  }

  test(text: string, actual: boolean, sent?: SentText): boolean {
    this.peek(text, actual, sent);
    return this.term(text);
  }

  peek(text: string, _: boolean, sent?: SentText): boolean {
    if (sent) this.sent.set(text, sent);
    return this.situation.terms.has(text);
  }

  atMethod(names?: readonly string[]): void {
    if (names === undefined) this.methods = "all";
    else if (this.methods !== "all") for (const name of names) this.methods.add(name === "HEAD" ? "GET" : name);
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

  /** Goes on with other files that are known. */
  takeFrom(known: FileTree): void {
    this.known = known;
  }

  use(notes: Notes): void {
    this.notes = notes;
  }

  kindOf(path: string, mayBeFile?: boolean): FileKind {
    const known = this.known.kindOf(path, mayBeFile);
    return known === "unknown" && this.notes ? this.notes.kindOf(path) : known;
  }
}
