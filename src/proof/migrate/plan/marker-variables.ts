import {
  chooseByVariable,
  grantAll,
  linesOfRule,
  type RequireNode,
  ruleKey,
  wordsOfVariable,
} from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { isSameLayerSet } from "./obligations.js";
import type { SectionPlan } from "./section-plan.js";

/** A rule for the requests that some sections apply to. */
export interface MarkerCase {
  /** The sections that distinguish it from other cases. */
  readonly markers: ReadonlySet<ConfigLayer>;
  readonly rule: RequireNode;
}

/** Adds a case; returns false if another with the same markers has a different rule. */
export function addMarkerCase(cases: MarkerCase[], added: MarkerCase): boolean {
  const known = cases.find(({ markers }) => isSameLayerSet(markers, added.markers));
  if (known) return ruleKey(known.rule) === ruleKey(added.rule);
  cases.push(added);
  return true;
}

/**
 * The variables that tell rules which other sections apply. A section sets its variable for every request it applies
 * to, before the server checks any access rule.
 */
export class MarkerVariables {
  private readonly names = new Map<ConfigLayer, string>();

  /**
   * @param areAllowed whether rules may need variables
   * @param taken reports whether the configuration already uses a name, in lower case
   */
  constructor(
    readonly areAllowed: boolean,
    private readonly taken: (name: string) => boolean,
  ) {}

  /** Returns the markers of sections, and that of another section, if variables are allowed. */
  mark(layer: ConfigLayer, markers: ReadonlySet<ConfigLayer>): ReadonlySet<ConfigLayer> {
    return this.areAllowed ? new Set([...markers, layer]) : markers;
  }

  /** Returns the sections whose variables rules test, with the names. */
  usedIn(plans: Iterable<SectionPlan>): ReadonlyMap<ConfigLayer, string> {
    const tested = new Set<string>();
    for (const plan of plans)
      if (plan.kind === "written") for (const { words } of plan.rules.flatMap(linesOfRule)) tested.add(words);
    return new Map([...this.names].filter(([, name]) => tested.has(wordsOfVariable(name))));
  }

  /** Returns the name of a section's marker variable. */
  private nameOf(layer: ConfigLayer): string {
    const known = this.names.get(layer);
    if (known !== undefined) return known;
    const used = new Set(this.names.values());
    const plain = nameFor(layer);
    let name = plain;
    for (let number = 2; used.has(name) || this.taken(name.toLowerCase()); number++) name = `${plain}_${number}`;
    this.names.set(layer, name);
    return name;
  }

  /**
   * Returns one rule for several cases, which selects them by the variables that distinguish them; undefined if it
   * needs variables, but these are not allowed.
   */
  selectRule(cases: readonly MarkerCase[]): RequireNode | undefined {
    const [first, ...others] = cases;
    if (first === undefined || others.every(({ rule }) => ruleKey(rule) === ruleKey(first.rule)))
      return first?.rule ?? grantAll();
    const marker = this.areAllowed ? findBestMarker(cases) : undefined;
    if (marker === undefined) return undefined;
    const set = this.selectRule(cases.filter(({ markers }) => markers.has(marker)));
    const unset = this.selectRule(cases.filter(({ markers }) => !markers.has(marker)));
    return set && unset && chooseByVariable(this.nameOf(marker), set, unset);
  }
}

const MAX_NAME_LENGTH = 40;

/** `in_location_server_status`. */
function nameFor({ section, content }: ConfigLayer): string {
  const words = section ? `${section.key} ${section.argumentText}` : (content[0]?.span.file.path ?? "");
  const plain = words.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  return `in_${plain.toLowerCase()}`.slice(0, MAX_NAME_LENGTH).replace(/_$/, "");
}

/** Penalty for unsteady markers: more than the number of rules that any marker has to distinguish. */
const UNSTABLE = 1_000;

/**
 * Reports whether a section applies equally to a directory and its index file. The subrequest for the index file keeps
 * the variables set for the directory, and sets none again.
 */
function isStable({ section }: ConfigLayer): boolean {
  return section === undefined || !/^<(files|if|else)/.test(section.key);
}

/** Returns the marker that leaves the fewest rules to distinguish. */
function findBestMarker(cases: readonly MarkerCase[]): ConfigLayer | undefined {
  const all = new Set(cases.flatMap(({ markers }) => [...markers]));
  const left = (part: readonly MarkerCase[]) => new Set(part.map(({ rule }) => ruleKey(rule))).size;
  let best: { readonly marker: ConfigLayer; readonly left: number } | undefined;
  for (const marker of all) {
    const set = cases.filter(({ markers }) => markers.has(marker));
    if (set.length === cases.length) continue;
    const sum =
      left(set) + left(cases.filter(({ markers }) => !markers.has(marker))) + (isStable(marker) ? 0 : UNSTABLE);
    if (best === undefined || sum < best.left) best = { marker, left: sum };
  }
  return best?.marker;
}

/**
 * The strategies for splitting rules when a section is merged over others. They distinguish the requests by the marker
 * variables of the later sections (usually shorter), or of the underlying ones. The third uses the underlying ones only
 * if the later section may differ between a directory and its index file.
 */
export const splitStrategies = ["from above", "from below", "from below where unstable"] as const;
export type SplitStrategy = (typeof splitStrategies)[number];

/** Reports whether rules are split by the underlying sections rather than by this one. */
export function isSplitFromBelow(layer: ConfigLayer, strategy: SplitStrategy): boolean {
  switch (strategy) {
    case "from above":
      return false;
    case "from below":
      return true;
    case "from below where unstable":
      return !isStable(layer);
  }
}
