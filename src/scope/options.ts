import type { Layer } from "./layer.js";
import { wordsOf } from "./words.js";

const names = [
  "indexes",
  "includes",
  "followsymlinks",
  "execcgi",
  "symlinksifownermatch",
  "multiviews",
  "exec",
] as const;
type Name = (typeof names)[number];

function bits(...some: readonly Name[]): number {
  return some.reduce((sum, name) => sum | (1 << names.indexOf(name)), 0);
}

/** The bits that a word stands for, lower case. */
const meanings: ReadonlyMap<string, number> = new Map([
  ...names.map((name) => [name, bits(name)] as const),
  ["includes", bits("includes", "exec")],
  ["includesnoexec", bits("includes")],
  ["runscripts", bits("multiviews", "execcgi")],
  ["all", bits("indexes", "includes", "exec", "followsymlinks", "execcgi")],
  ["none", 0],
]);

/** What Options lines make of options. A line without signs sets them, yet leaves what others add and remove. */
interface Options {
  readonly isSet: boolean;
  readonly on: number;
  readonly added: number;
  readonly removed: number;
}

const start: Options = { isSet: false, on: bits("followsymlinks"), added: 0, removed: 0 };
const optionLines: ReadonlySet<string> = new Set(["options"]);
const known = new WeakMap<Layer, Options>();
const sets = new Map<number, ReadonlySet<string>>();

/** The Options in force, lower case, as the layers are merged one over the other (server/core.c `merge_core_dir_configs`). */
export function optionsIn(layers: readonly Layer[]): ReadonlySet<string> {
  let merged = start;
  for (const layer of layers) merged = over(merged, ownOptions(layer));
  const before = sets.get(merged.on);
  if (before) return before;
  const found = new Set<string>(names.filter((name) => (merged.on & bits(name)) !== 0));
  sets.set(merged.on, found);
  return found;
}

function over(base: Options, own: Options): Options {
  if (own.isSet) return own;
  if ((own.added | own.removed | base.added | base.removed) === 0) return base;
  const added = (base.added & ~own.removed) | own.added;
  const removed = (base.removed & ~own.added) | own.removed;
  return { isSet: base.isSet, added, removed, on: (base.on & ~removed) | added };
}

function ownOptions(layer: Layer): Options {
  const before = known.get(layer);
  if (before) return before;
  let own: Options = { ...start, on: 0 };
  for (const line of layer.only(optionLines)) own = withLine(own, wordsOf(line));
  known.set(layer, own);
  return own;
}

/** `set_options`: the first word tells whether the line begins anew. */
function withLine(before: Options, words: readonly string[]): Options {
  let { isSet, on, added, removed } = before;
  for (const [index, word] of words.entries()) {
    const meant = meanings.get(word.replace(/^[+-]/, "").toLowerCase()) ?? 0;
    if (word.startsWith("-")) {
      removed |= meant;
      added &= ~meant;
      on &= ~meant;
    } else if (word.startsWith("+")) {
      added |= meant;
      removed &= ~meant;
      on |= meant;
    } else {
      if (index === 0) {
        isSet = true;
        on = 0;
      }
      on |= meant;
    }
  }
  return { isSet, on, added, removed };
}
