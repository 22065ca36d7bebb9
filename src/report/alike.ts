import { counted } from "./painter.js";

/** So many names are shown. */
const MOST_NAMES = 20;

/** The first of some of which the same is so, and the others. */
export interface Alike<T> {
  readonly first: T;
  readonly others: readonly T[];
}

/** Puts together what has the same key, in the order of the first of each. */
export function alikeBy<T>(all: readonly T[], keyOf: (each: T) => string): readonly Alike<T>[] {
  const groups = new Map<string, { readonly first: T; readonly others: T[] }>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.others.push(each);
    else groups.set(key, { first: each, others: [] });
  }
  return [...groups.values()];
}

/** `2 more hosts: a, b`: those beside the one that is told of, by a name of each. */
export function moreOf(noun: string, names: readonly string[]): string {
  const known = names.filter((name) => name !== "");
  const left = known.length > MOST_NAMES ? ` and ${known.length - MOST_NAMES} others` : "";
  const shown = known.slice(0, MOST_NAMES).join(", ");
  return `${counted(names.length, `more ${noun}`)}${shown === "" ? "" : `: ${shown}${left}`}`;
}
