import type { Directive } from "../../config/model/directive.js";
import type { AccessState } from "../access/access-state.js";
import { cleanPath } from "../mapping/url-target.js";
import { keywordArgumentOf } from "../model/config-layer.js";
import { isMethod } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { isServedByBackend } from "./handler.js";

const spellingNames: ReadonlySet<string> = new Set(["checkspelling", "checkcaseonly", "checkbasenamematch"]);

/** The settings of mod_speling that apply. */
interface SpellingSettings {
  readonly line: Directive;
  readonly isCaseOnly: boolean;
  readonly matchesBasenames: boolean;
}

/** Returns the settings; undefined if off. Those of a section replace all inherited ones: they are not merged. */
export function spellingSettingsOf({ layers, project }: AccessState): SpellingSettings | undefined {
  if (!project.modules.has("speling_module")) return undefined;
  const lines = layers.findLast((layer) => layer.pick(spellingNames).length > 0)?.pick(spellingNames) ?? [];
  const find = (key: string) => lines.findLast((line) => line.key === key);
  const line = find("checkspelling");
  if (line === undefined || keywordArgumentOf(line) !== "on") return undefined;
  return {
    line,
    isCaseOnly: keywordArgumentOf(find("checkcaseonly")) === "on",
    matchesBasenames: keywordArgumentOf(find("checkbasenamematch")) !== "off",
  };
}

/** Returns whether mod_speling checks a missing file before mod_dir applies FallbackResource: the first one loaded. */
export function correctsBeforeFallback({ project: { modules } }: AccessState): boolean {
  const names = modules.listIdentifiers();
  return names.indexOf("speling_module") < names.indexOf("dir_module");
}

/**
 * Redirects a missing file to one with a similar name (mod_speling.c `check_speling`). Returns undefined if there is
 * none.
 */
export function correctSpelling(checked: PassResult): PassResult | undefined {
  const { state, walked, mapping } = checked.pass;
  if (!state || walked?.kind !== "missing" || mapping.kind !== "file" || state.request.outer) return undefined;
  if (isServedByBackend(checked.pass)) return undefined;
  const settings = spellingSettingsOf(state);
  if (settings === undefined || !isMethod(state.request, "GET", "HEAD")) return undefined;
  const pathInfo = cleanPath(mapping.filename).slice(walked.filename.length);
  const status = statusOf(state, walked, pathInfo, settings);
  if (status === undefined) return undefined;
  const { line: by } = settings;
  const pass = { ...checked.pass, redirect: { kind: "answered", status, by } as const };
  return { ...checked, status, by: [by], pass };
}

function statusOf(
  { path, files, oracle, request }: AccessState,
  { filename }: DirectoryWalk,
  pathInfo: string,
  settings: SpellingSettings,
): number | undefined {
  const at = filename.lastIndexOf("/");
  const name = filename.slice(at + 1);
  if (path === "/" || !path.endsWith(name + pathInfo)) return undefined;
  const entries = request.tracker ? undefined : files.list?.(filename.slice(0, at));
  if (entries === undefined) {
    if (!oracle.ask(unknownFact("spelling-file", filename))) return undefined;
    if (request.tracker) return 301;
    return oracle.ask(unknownFact("only-spelling", filename)) ? 301 : 300;
  }
  // The server reads these names, too.
  const names = [".", "..", ...entries.map((entry) => entry.name)];
  if (names.includes(name)) return undefined;
  const found = names.map((each) => rateName(name, each, settings)).filter((each) => each !== undefined);
  if (found.length === 0) return undefined;
  const best = Math.min(...found);
  return best !== SIMILAR_BASENAME && found.filter((each) => each === best).length === 1 ? 301 : 300;
}

/** Rank of names that have only the part before the first dot in common: the least similar. */
const SIMILAR_BASENAME = 6;

function rateName(name: string, other: string, settings: SpellingSettings): number | undefined {
  const [lower, otherLower] = [lowerCase(name), lowerCase(other)];
  if (lower === otherLower) return 1;
  const distance = settings.isCaseOnly ? undefined : distanceOf(lower, otherLower);
  if (distance !== undefined) return distance;
  const isSame = lower.split(".")[0] === otherLower.split(".")[0];
  return settings.matchesBasenames && isSame ? SIMILAR_BASENAME : undefined;
}

/** Reports whether two names, in lower case, differ by one typing error. */
export function isOneTypingError(name: string, other: string): boolean {
  return distanceOf(name, other) !== undefined;
}

/** Ranks one typing error; undefined if the names differ by more (`spdist`). Both are in lower case. */
function distanceOf(name: string, other: string): number | undefined {
  let at = 0;
  while (at < name.length && name[at] === other[at]) at++;
  const [rest, otherRest] = [name.slice(at), other.slice(at)];
  if (rest !== "" && otherRest !== "") {
    const isSwapped = rest.length > 1 && rest[0] === otherRest[1] && otherRest[0] === rest[1];
    if (isSwapped && rest.slice(2) === otherRest.slice(2)) return 2;
    if (rest.slice(1) === otherRest.slice(1)) return 5;
  }
  if (rest !== "" && rest.slice(1) === otherRest) return 4;
  return otherRest !== "" && rest === otherRest.slice(1) ? 3 : undefined;
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
