import type { AccessState } from "../access/access-state.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import { headerOf } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import { findMimeSetting, findTypeSetting, NO_TYPE } from "./handler-lookup.js";
import { mediaTypesOf, usualTypeOf } from "./types-file.js";

/** Metadata that mod_mime and the core determine from the name of a file. */
export interface FileMetadata {
  /** The media type, with parameters; in lower case. */
  readonly type: string | undefined;
  readonly handler: string | undefined;
  readonly languages: readonly string[];
  readonly encoding: string | undefined;
  /** The parts of the name that are not known extensions, the base name first; undefined if no extension is known. */
  readonly unknownParts: readonly string[] | undefined;
}

/** Returns the metadata of a file (mod_mime.c `find_ct`, server/core.c `core_override_type`). */
export function metadataOf(state: AccessState, filename: string): FileMetadata {
  const named = state.project.modules.has("mime_module") ? metadataByName(state, filename) : noMetadata;
  const forced = keywordArgumentOf(state.config.setting("forcetype"));
  const set = firstArgumentOf(state.config.setting("sethandler"));
  return {
    ...named,
    type: forced !== undefined && forced !== "none" ? forced : named.type,
    handler: set !== undefined && set.toLowerCase() !== "none" ? set : named.handler,
  };
}

const noMetadata: FileMetadata = {
  ...{ type: undefined, handler: undefined, languages: [], encoding: undefined, unknownParts: undefined },
};

function metadataByName(state: AccessState, filename: string): FileMetadata {
  const name = filename.slice(filename.lastIndexOf("/") + 1);
  const [, base = name, rest = ""] = /^(\.*[^.]*)\.?([\s\S]*)$/.exec(name) ?? [];
  const matched = matchedKinds(state);
  const unknownParts = [base];
  let { type, handler, encoding } = noMetadata;
  let charset: string | undefined;
  let isAnyKnown = false;
  const languages: string[] = [];
  for (const part of rest.split(".").filter((each) => each !== "")) {
    const extension = part.toLowerCase();
    const find = (kind: string) => findMimeSetting(state, extension, `add${kind}`, `remove${kind}`);
    const own = { charset: find("charset"), language: find("language"), encoding: find("encoding") };
    const added = typeFor(
      state,
      extension,
      Object.values(own).some((each) => each !== undefined),
    );
    const addedHandler = find("handler");
    const hasFilter = () => find("inputfilter") !== undefined || find("outputfilter") !== undefined;
    type = added ?? type;
    handler = addedHandler ?? handler;
    charset = own.charset ?? charset;
    if (own.language !== undefined) languages.push(own.language);
    if (own.encoding !== undefined) encoding = encoding === undefined ? own.encoding : `${encoding}, ${own.encoding}`;
    const isKnown =
      matched.has("any") ||
      [added, own.charset, own.language, own.encoding].some((each) => each !== undefined) ||
      (matched.has("handlers") && addedHandler !== undefined) ||
      (matched.has("filters") && hasFilter());
    if (isKnown) isAnyKnown = true;
    else unknownParts.push(part);
  }
  const byDefault = firstArgumentOf(state.config.setting("defaultlanguage"));
  if (languages.length === 0 && byDefault !== undefined) languages.push(byDefault);
  if (type !== undefined && charset !== undefined)
    type = `${type.replace(/;\s*charset=("[^"]*"|[^;\s]*)/, "")}; charset=${charset}`;
  return { type, handler, languages, encoding, unknownParts: isAnyKnown ? unknownParts : undefined };
}

/** Returns the words of MultiviewsMatch. The lines of one section add up. */
function matchedKinds({ layers }: AccessState): ReadonlySet<string> {
  const layer = layers.findLast((each) => each.has("multiviewsmatch"));
  const lines = layer?.directives.filter(({ key }) => key === "multiviewsmatch") ?? [];
  return new Set(lines.flatMap(argumentValuesOf).map((word) => word.toLowerCase()));
}

/**
 * Returns the type that AddType or the types file has for an extension. RemoveType removes both. If the file is unknown, its types do not
 * matter for a request without preferences: all are acceptable then (mod_negotiation.c `set_accept_quality`).
 *
 * @param hasOtherUse whether the extension stands for a language, a character set or an encoding
 */
function typeFor(state: AccessState, extension: string, hasOtherUse: boolean): string | undefined {
  const set = findTypeSetting(state, extension);
  if (set !== undefined) return set === NO_TYPE ? undefined : set;
  const types = mediaTypesOf(state);
  if (types !== undefined) return types.get(extension);
  const usual = usualTypeOf(extension);
  const acceptsAll = !state.request.tracker && preferences.every((name) => headerOf(state.request, name) === undefined);
  if (!acceptsAll || (usual === undefined && !hasOtherUse))
    state.oracle.markUndecidable(unknownFact("types-file", extension));
  return usual;
}

/** The headers that say which types a client prefers. */
const preferences = ["Accept", "Negotiate"];
