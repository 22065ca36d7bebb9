import type { Layer } from "../scope/layer.js";
import { areSame } from "./demand.js";
import { chosen, granted, keyOf, type Rule } from "./rule.js";

/** A rule for requests that some sections apply to. */
export interface Case {
  /** Those that tell it from the others. */
  readonly marks: ReadonlySet<Layer>;
  readonly rule: Rule;
}

/** Adds a case; false where another with the same marks says something else. */
export function addCase(cases: Case[], added: Case): boolean {
  const known = cases.find(({ marks }) => areSame(marks, added.marks));
  if (known) return keyOf(known.rule) === keyOf(added.rule);
  cases.push(added);
  return true;
}

/**
 * The variables by which rules know that other sections apply as well: a section sets its own for all requests that it applies
 * to, which the server does before it looks at any rule.
 */
export class Marks {
  private readonly names = new Map<Layer, string>();

  /** @param taken names that the configuration uses already, in lower case */
  constructor(private readonly taken: (name: string) => boolean) {}

  get all(): ReadonlyMap<Layer, string> {
    return this.names;
  }

  /** The name of a section's variable, which it sets from now on. */
  of(layer: Layer): string {
    const known = this.names.get(layer);
    if (known !== undefined) return known;
    const used = new Set(this.names.values());
    const plain = nameFor(layer);
    let name = plain;
    for (let number = 2; used.has(name) || this.taken(name.toLowerCase()); number++) name = `${plain}_${number}`;
    this.names.set(layer, name);
    return name;
  }

  /** One rule for some cases, which goes by the variables that tell them apart. */
  selected(cases: readonly Case[]): Rule {
    const [first, ...others] = cases;
    if (first === undefined) return granted();
    if (others.every(({ rule }) => keyOf(rule) === keyOf(first.rule))) return first.rule;
    const mark = bestMark(cases);
    if (mark === undefined) return first.rule;
    const set = cases.filter(({ marks }) => marks.has(mark));
    const unset = cases.filter(({ marks }) => !marks.has(mark));
    return chosen(this.of(mark), this.selected(set), this.selected(unset));
  }
}

const LONGEST_NAME = 40;

/** `in_location_server_status`. */
function nameFor({ section, content }: Layer): string {
  const words = section ? `${section.key} ${section.argumentText}` : (content[0]?.span.file.path ?? "");
  const plain = words.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return `in_${plain.toLowerCase()}`.slice(0, LONGEST_NAME).replace(/_$/, "");
}

/** More than rules are told apart anywhere. */
const UNSTEADY = 1_000;

/**
 * Whether a section is for a directory and for its index file alike. The server asks itself for the index file with the
 * variables that were set for the directory, and sets none anew.
 */
export function isSteady({ section }: Layer): boolean {
  return section === undefined || !/^<(files|if|else)/.test(section.key);
}

/** The one that leaves least to be told apart. */
function bestMark(cases: readonly Case[]): Layer | undefined {
  const all = new Set(cases.flatMap(({ marks }) => [...marks]));
  const left = (part: readonly Case[]) => new Set(part.map(({ rule }) => keyOf(rule))).size;
  let best: { readonly mark: Layer; readonly left: number } | undefined;
  for (const mark of all) {
    const set = cases.filter(({ marks }) => marks.has(mark));
    if (set.length === cases.length) continue;
    const sum = left(set) + left(cases.filter(({ marks }) => !marks.has(mark))) + (isSteady(mark) ? 0 : UNSTEADY);
    if (best === undefined || sum < best.left) best = { mark, left: sum };
  }
  return best?.mark;
}
