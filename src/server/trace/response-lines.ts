import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { effectsOf } from "../../facts/effects.js";
import type { AccessState } from "../access/access-state.js";
import type { ResponseLines } from "../model/answer.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import { extensionsOf, findTypeSetting, phpSettings } from "../phases/handler-lookup.js";
import { likelyTypesInFile } from "../phases/types-file.js";
import { responderOf } from "./destination.js";

/** The effects of lines for each response. */
const effectsForAll: ReadonlySet<string> = new Set(["response-header", "response-headers", "filter"]);

/** The effects of lines for files with an extension. */
const effectsForKinds: ReadonlySet<string> = new Set(["extension-type", "modelled-filter", "variant"]);

/** Returns the lines that change a successful response; undefined for other responses. */
export function responseLinesOf(outcome: RequestOutcome, { release }: Project): ResponseLines | undefined {
  const { status, layers, pass, served = pass } = outcome;
  if (status !== 200) return undefined;
  const forAll: Directive[] = [];
  const forKinds: Directive[] = [];
  for (const line of layers.flatMap(({ directives }) => directives)) {
    const effect = effectsOf(line.key, release)?.effect;
    if (effect === undefined || line.key.startsWith("<")) continue;
    if (effectsForKinds.has(effect) || line.key.endsWith("bytype")) forKinds.push(line);
    else if (effectsForAll.has(effect) || phpSettings.has(line.key)) forAll.push(line);
  }
  const { state, walked } = served ?? {};
  const file = responderOf(outcome) === undefined ? walked?.filename : undefined;
  return { forAll, forKinds, kinds: new Set(state && file !== undefined ? kindsOf(state, file) : []) };
}

/** Returns the extensions of a file, and the types that it may have. */
function kindsOf(state: AccessState, file: string): readonly string[] {
  const extensions = extensionsOf(file);
  return [...extensions, ...likelyTypesOf(state, extensions)];
}

/** Returns the types that files of some extensions may have, in lower case (mod_mime.c `find_ct`). */
export function likelyTypesOf(state: AccessState, extensions: readonly string[]): readonly string[] {
  const forced = state.config.setting("forcetype")?.arguments[0]?.value.toLowerCase();
  if (forced !== undefined && forced !== "none") return [forced];
  const set = extensions.map((each) => findTypeSetting(state, each)).findLast((each) => each !== undefined);
  if (set !== undefined) return [set];
  return likelyTypesInFile(state, extensions);
}
