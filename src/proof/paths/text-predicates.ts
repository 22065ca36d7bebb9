import {
  type Classifier,
  classifyByAutomaton,
  intersectByteClasses,
  productOf,
} from "../../regex/automata/classifier.js";
import type { AutomatonAlgebra } from "../../regex/automata/operations.js";
import { buildPathTrie } from "../../regex/automata/path-trie.js";
import type { RegularLanguage } from "../../regex/automata/regular-language.js";
import type { BudgetExceeded, StepBudget } from "../../regex/budget.js";
import { type PcreOptions, parsePattern } from "../../regex/pcre/language.js";

/** The predicates on one kind of text: URL paths, or file names. */
export class TextPredicates {
  /** Literal paths, which match themselves and everything below. */
  readonly paths = new Set<string>();
  /** Texts that match only themselves. */
  readonly texts = new Set<string>();
  /** All other classifiers, by key, so that equal ones are built once. */
  readonly others = new Map<string, Classifier>();

  get isEmpty(): boolean {
    return this.paths.size + this.texts.size + this.others.size === 0;
  }
}

/** Builds a classifier that distinguishes everything that any of the tests does. */
export function buildProductClassifier(tests: readonly TextPredicates[], allowance: StepBudget): Classifier {
  const paths = new Set(tests.flatMap((each) => [...each.paths]));
  const texts = new Set(tests.flatMap((each) => [...each.texts]));
  const others = new Map(tests.flatMap((each) => [...each.others]));
  const literal = paths.size + texts.size > 0 ? [buildPathTrie({ paths, texts })] : [];
  return productOf([...literal, ...others.values()], allowance);
}

/** Maximum number of cached automata. */
const MAX_CACHED = 5_000;

/** Builds classifiers for the texts in configurations, each once. */
export class ClassifierCache {
  private readonly patterns = new Map<string, Classifier | IrregularPattern | BudgetExceeded>();
  private readonly regulars = new Map<string, Classifier | BudgetExceeded>();

  /** @param allowance for what is built from them */
  constructor(
    private readonly automata: AutomatonAlgebra,
    readonly allowance: StepBudget,
  ) {}

  /** Returns a classifier for the texts in which a pattern is found. */
  pattern(text: string, form: PcreOptions): Classifier | IrregularPattern | BudgetExceeded {
    const key = `${form.ignoreCase ? "i" : ""}${form.withoutEnd ? "e" : ""} ${text}`;
    const known = this.patterns.get(key);
    if (known) return known;
    const reading = parsePattern(text, form);
    const made = reading.kind === "regular" ? this.made(reading.texts) : { construct: reading.construct };
    if (this.patterns.size >= MAX_CACHED) this.patterns.clear();
    this.patterns.set(key, made);
    return made;
  }

  /** @param key equal for equal texts */
  regular(key: string, texts: () => RegularLanguage): Classifier | BudgetExceeded {
    const known = this.regulars.get(key);
    if (known) return known;
    const made = this.made(texts());
    if (this.regulars.size >= MAX_CACHED) this.regulars.clear();
    this.regulars.set(key, made);
    return made;
  }

  private made(texts: RegularLanguage): Classifier | BudgetExceeded {
    const automaton = this.automata.of(texts);
    return automaton === "too large" ? automaton : classifyByAutomaton(automaton);
  }
}

/** A pattern beyond the regular subset. */
export interface IrregularPattern {
  readonly construct: string;
}

const slashBytes = new Uint8Array(256);
slashBytes[0x2f] = 1;

/** Applies a classifier to the part after the last slash of a text. */
export function classifyLastName(of: Classifier): Classifier {
  const { classOf, firsts } = intersectByteClasses(of.classOf, slashBytes);
  const slash = classOf[0x2f];
  return {
    classOf,
    classes: firsts.length,
    next: (state, byteClass) => (byteClass === slash ? 0 : of.next(state, of.classOf[firsts[byteClass] ?? 0] ?? 0)),
    output: (state, view) => of.output(state, view),
  };
}
