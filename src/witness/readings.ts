import { accessOf, type OldInForce, oldInForce, type ReadRules, replacesOld } from "../access/merged.js";
import type { Directive } from "../project/directive.js";
import type { Layer } from "../scope/layer.js";
import type { Situation } from "./inspector.js";

const requireLines: ReadonlySet<string> = new Set(["require"]);

/** The rules without the old ones, and without Require. */
export const withoutOld: ReadRules = ({ require }) => ({ old: undefined, require });
export const withoutRequire: ReadRules = ({ old }) => ({ old, require: undefined });

/** What a layer itself says about access. */
export function ownRulesOf({ layer }: Situation) {
  const { old, authz } = accessOf(layer);
  return { old, require: authz?.rules };
}

/** The old rules that would be in force without those of one layer. */
export function oldWithout({ state }: Situation, layer: Layer): OldInForce | undefined {
  return oldInForce(
    state.layers.filter((each) => each !== layer),
    replacesOld("2.4"),
  );
}

/** The Require lines of all sections that apply, in force or not: they tell clients apart. */
export function requireLinesAround({ state }: Situation): readonly Directive[] {
  return state.layers.flatMap((layer) => layer.only(requireLines));
}
