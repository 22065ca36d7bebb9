import type { Directive } from "../project/directive.js";
import { earlySetterOf, setEnvironment } from "../scope/environment.js";
import { conditionOf, holds } from "../scope/expression-value.js";
import type { Layer } from "../scope/layer.js";
import { environmentOf } from "../scope/request.js";
import type { Pass } from "./pass.js";

/** A line that changed variables which were looked at. */
export interface Setter {
  readonly directive: Directive;
  readonly layer: Layer;
  readonly names: readonly string[];
}

/**
 * The SetEnvIf lines and their like that changed what was looked at, by carrying them out one by one.
 *
 * @param wanted the variables that were looked at
 */
export function settersOf({ state, walk, request: sent }: Pass, wanted: ReadonlySet<string>): readonly Setter[] {
  if (wanted.size === 0) return [];
  const { request, path, filename, names, questions, layers } = state ?? walk.atServer;
  const env = environmentOf(sent);
  const context = { request, path, env, user: undefined, filename, names, questions };
  const holdsFor = (directive: Directive) => {
    const condition = conditionOf(directive);
    return condition !== undefined && holds(condition, context);
  };
  const found: Setter[] = [];
  for (const layer of layers) {
    for (const directive of layer.directives) {
      const setter = earlySetterOf(directive);
      if (setter === undefined) continue;
      const before = new Map(env);
      setEnvironment([setter], request, path, env, questions, holdsFor);
      const names = changedIn(before, env).filter((name) => wanted.has(name));
      if (names.length > 0) found.push({ directive, layer, names });
    }
  }
  return found;
}

function changedIn(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name) || before.has(name) !== after.has(name));
}
