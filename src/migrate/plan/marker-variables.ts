import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import { chooseByVariable, grantAll, type RuleNode, ruleKey } from "../model/rule-nodes.js";
import { isSameLayerSet } from "./obligations.js";

/** A rule for requests that some sections apply to. */
export interface MarkedCase {
  /** Those that tell it from the others. */
  readonly marks: ReadonlySet<ConfigLayer>;
  readonly rule: RuleNode;
}

/** Adds a case; false where another with the same marks says something else. */
export function addMarkedCase(cases: MarkedCase[], added: MarkedCase): boolean {
  const known = cases.find(({ marks }) => isSameLayerSet(marks, added.marks));
  if (known) return ruleKey(known.rule) === ruleKey(added.rule);
  cases.push(added);
  return true;
}

/**
 * The variables by which rules know that other sections apply as well: a section sets its own for all requests that it applies
 * to, which the server does before it looks at any rule.
 */
export class MarkerVariables {
  private readonly names = new Map<ConfigLayer, string>();

  /** @param taken names that the configuration uses already, in lower case */
  constructor(private readonly taken: (name: string) => boolean) {}

  get all(): ReadonlyMap<ConfigLayer, string> {
    return this.names;
  }

  /** The name of a section's variable, which it sets from now on. */
  nameOf(layer: ConfigLayer): string {
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
  selectRule(cases: readonly MarkedCase[]): RuleNode {
    const [first, ...others] = cases;
    if (first === undefined) return grantAll();
    if (others.every(({ rule }) => ruleKey(rule) === ruleKey(first.rule))) return first.rule;
    const mark = bestMark(cases);
    if (mark === undefined) return first.rule;
    const set = cases.filter(({ marks }) => marks.has(mark));
    const unset = cases.filter(({ marks }) => !marks.has(mark));
    return chooseByVariable(this.nameOf(mark), this.selectRule(set), this.selectRule(unset));
  }
}

const LONGEST_NAME = 40;

/** `in_location_server_status`. */
function nameFor({ section, content }: ConfigLayer): string {
  const words = section ? `${section.key} ${section.argumentText}` : (content[0]?.span.file.path ?? "");
  const plain = words.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return `in_${plain.toLowerCase()}`.slice(0, LONGEST_NAME).replace(/_$/, "");
}

/** More than rules are told apart anywhere. */
const UNSTABLE = 1_000;

/**
 * Whether a section is for a directory and for its index file alike. The server asks itself for the index file with the
 * variables that were set for the directory, and sets none anew.
 */
function isStable({ section }: ConfigLayer): boolean {
  return section === undefined || !/^<(files|if|else)/.test(section.key);
}

/** The one that leaves least to be told apart. */
function bestMark(cases: readonly MarkedCase[]): ConfigLayer | undefined {
  const all = new Set(cases.flatMap(({ marks }) => [...marks]));
  const left = (part: readonly MarkedCase[]) => new Set(part.map(({ rule }) => ruleKey(rule))).size;
  let best: { readonly mark: ConfigLayer; readonly left: number } | undefined;
  for (const mark of all) {
    const set = cases.filter(({ marks }) => marks.has(mark));
    if (set.length === cases.length) continue;
    const sum = left(set) + left(cases.filter(({ marks }) => !marks.has(mark))) + (isStable(mark) ? 0 : UNSTABLE);
    if (best === undefined || sum < best.left) best = { mark, left: sum };
  }
  return best?.mark;
}

/**
 * How sections are told apart that something is laid over: by what lies over them, which is mostly shorter; by themselves; or
 * by themselves only where what lies over them may not be the same for a directory and its index file.
 */
export const splitStrategies = ["from above", "from below", "from below where unsteady"] as const;
export type SplitStrategy = (typeof splitStrategies)[number];

/** Whether a section that something is laid over is told apart by itself rather than by that. */
export function isSplitFromBelow(layer: ConfigLayer, manner: SplitStrategy): boolean {
  switch (manner) {
    case "from above":
      return false;
    case "from below":
      return true;
    case "from below where unsteady":
      return !isStable(layer);
  }
}
