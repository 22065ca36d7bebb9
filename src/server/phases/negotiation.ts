import type { AccessState } from "../access/access-state.js";
import { acceptHeadersOf, negotiateHeaderOf, noNegotiateHeader, parseItem } from "../mapping/accept-headers.js";
import { parseTypeMap, type TypeMap } from "../mapping/type-map.js";
import { type ChoiceContext, chooseVariant, PROGRAM_TYPE, type Variant } from "../mapping/variant-choice.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { isMethod } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import { unknownFact } from "../model/unknown-facts.js";
import { isUnknown } from "../model/unknown-value.js";
import { mergeOptions } from "../sections/options.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { type FileMetadata, metadataOf } from "./media-type.js";

/** The result of a negotiation: the chosen file, or the status of an error. */
export interface Negotiated {
  /** The subrequests for the files. */
  readonly inner: readonly PassResult[];
  readonly chosen?: PassResult;
  readonly status?: number;
  /** Error log messages. */
  readonly errorMessages: readonly string[];
}

/** A missing file that variants are searched for. */
export interface NegotiatedRequest {
  readonly state: AccessState;
  readonly walked: DirectoryWalk;
  readonly pathInfo: string;
  /** Makes a subrequest for a file in the same directory. */
  readonly lookUp: (name: string) => PassResult;
}

/** Returns whether mod_negotiation searches for variants of a missing file. */
export function negotiatesVariants(state: AccessState, walked: DirectoryWalk): boolean {
  if (walked.kind !== "missing" || state.request.tracker) return false;
  return state.project.modules.has("negotiation_module") && mergeOptions(state.layers, state.project).has("multiviews");
}

const TYPE_MAP_TYPE = "application/x-type-map";
const TYPE_MAP_HANDLER = "type-map";

/** Returns whether a file is a type map. */
export function isTypeMap({ type, handler }: Pick<FileMetadata, "type" | "handler">): boolean {
  return type === TYPE_MAP_TYPE || handler === TYPE_MAP_HANDLER;
}

/**
 * Negotiates among the files whose names extend that of a missing file (mod_negotiation.c `handle_multi`). Returns
 * undefined if there are none.
 */
export function negotiate(requested: NegotiatedRequest): Negotiated | undefined {
  const { state, walked, lookUp } = requested;
  const { files, oracle } = state;
  const at = walked.filename.lastIndexOf("/");
  const [folder, name] = [walked.filename.slice(0, at), walked.filename.slice(at + 1)];
  const entries = files.list?.(folder);
  if (entries === undefined) {
    const isFound = unknownFact("multiviews-file", walked.filename);
    if (oracle.ask(isFound)) oracle.markUndecidable(isFound);
    return undefined;
  }
  const candidates = entries.filter((each) => each.name.startsWith(`${name}.`) && each.kind !== "directory");
  if (candidates.length === 0) return undefined;
  const inner: PassResult[] = [];
  const found = new Map<Variant, PassResult>();
  let map: string | undefined;
  for (const candidate of candidates) {
    const result = lookUp(candidate.name);
    inner.push(result);
    const metadata = usableMetadata(result, name);
    if (metadata === undefined) continue;
    if (map !== undefined && isTypeMap(metadata))
      oracle.markUndecidable(unknownFact("first-type-map", walked.filename));
    if (isTypeMap(metadata)) map ??= candidate.name;
    else found.set(variantOf(candidate.name, metadata), result);
  }
  if (map !== undefined) return chooseFromMap(requested, `${folder}/${map}`, inner);
  const errorMessage = `AH00687: Negotiation: discovered file(s) matching request: ${walked.filename} (None could be negotiated).`;
  if (found.size === 0) return { inner, status: 404, errorMessages: [errorMessage] };
  const variants = [...found.keys()].sort(compareVariants);
  const choice = negotiateVariant(variants, requested, folder);
  if ("status" in choice) return { inner, ...choice };
  const chosen = found.get(choice.variant);
  return chosen && { inner, chosen, errorMessages: [] };
}

/** Returns the metadata of a file that can be served and whose name fits that of the request (`read_types_multi`). */
function usableMetadata({ pass, status }: Pick<PassResult, "pass" | "status">, name: string): FileMetadata | undefined {
  const { state, walked } = pass;
  if (status !== 200 || !pass.isAuthorized || state === undefined || walked?.kind !== "file") return undefined;
  const metadata = metadataOf(state, walked.filename);
  const type = metadata.type ?? (metadata.handler === undefined ? undefined : PROGRAM_TYPE);
  if (metadata.unknownParts === undefined || type === undefined) return undefined;
  const unmatched = [...metadata.unknownParts];
  for (const part of name.split(".")) if (part !== "" && part === unmatched[0]) unmatched.shift();
  return unmatched.length === 0 ? { ...metadata, type } : undefined;
}

function variantOf(name: string, { type = "", languages, encoding }: FileMetadata): Variant {
  return { name, type: parseItem(type).item, languages, encoding };
}

/** The order of variants (`variantsortf`). */
function compareVariants(a: Variant, b: Variant): number {
  return b.type.quality - a.type.quality || (a.name < b.name ? -1 : 1);
}

/** Chooses from the type map that MultiViews finds. */
function chooseFromMap(requested: NegotiatedRequest, path: string, inner: PassResult[]): Negotiated | undefined {
  const { lookUp, walked, state } = requested;
  const map = readTypeMap(state, path, walked.filename);
  const errorMessages = map.errorMessage === undefined ? [] : [map.errorMessage];
  if (map.isRefused) return { inner, status: 500, errorMessages };
  if (map.variants.length === 0) return undefined;
  const choice = negotiateVariant(map.variants, requested, path.slice(0, path.lastIndexOf("/")));
  if ("status" in choice)
    return { inner, status: choice.status, errorMessages: [...errorMessages, ...choice.errorMessages] };
  if (!isInSameFolder(choice.variant))
    state.oracle.markUndecidable(unknownFact("type-map-file", choice.variant.name, path));
  const chosen = lookUp(choice.variant.name);
  const all = [...inner, chosen];
  if (chosen.status !== 200) return { inner: all, status: chosen.status, errorMessages };
  const isNested = chosen.pass.variant !== undefined || isTypeMapPass(chosen.pass);
  if (choice.isTransparent && isNested) return { inner: all, status: 506, errorMessages };
  return { inner: all, chosen, errorMessages };
}

function isInSameFolder({ name }: Variant): boolean {
  return !name.includes("/") && name !== "..";
}

function isTypeMapPass({ state, walked }: Pass): boolean {
  return (
    state !== undefined && walked?.kind === "file" && metadataOf(state, walked.filename).handler === TYPE_MAP_HANDLER
  );
}

/** Reads a type map; undecidable if its content is unknown. @param shown the path in messages */
export function readTypeMap({ files, oracle }: AccessState, path: string, shown: string): TypeMap {
  const text = files.textOf?.(path);
  if (text === undefined) oracle.markUndecidable(unknownFact("type-map", path));
  return parseTypeMap(text ?? "", path, shown);
}

/** The chosen variant, or the status if none is acceptable. */
export type Choice =
  | { readonly variant: Variant; readonly isTransparent: boolean }
  | { readonly status: number; readonly errorMessages: readonly string[] };

/** Chooses a variant (`do_negotiation`). @param folder of the variants, for their lengths */
export function negotiateVariant(
  variants: readonly Variant[],
  { state, walked, pathInfo }: Pick<NegotiatedRequest, "state" | "walked" | "pathInfo">,
  folder: string,
  isMap = false,
): Choice {
  const { request } = state;
  const isGet = isMethod(request, "GET", "HEAD");
  const isTransparent =
    isGet && pathInfo === "" && variants.every(({ name, isBody }) => !name.includes("/") && isBody !== true);
  const negotiate = isTransparent ? negotiateHeaderOf(request) : noNegotiateHeader;
  const prefersPrograms = !isMap && (!isGet || request.query !== undefined || pathInfo !== "");
  const variant = chooseVariant(variants, {
    ...{ accept: acceptHeadersOf(request), negotiate, prefersPrograms },
    ...languagePriorityOf(state),
    variable: (name) => knownVariable(name, state),
    isShorter: (one, other) => isShorter(one, other, folder, state),
  });
  if (variant) return { variant, isTransparent };
  if (negotiate.isSupported) return { status: 300, errorMessages: [] };
  return { status: 406, errorMessages: [`AH00690: no acceptable variant: ${walked.filename}`] };
}

function knownVariable(name: string, { env, oracle }: AccessState): string | undefined {
  const value = env.get(name);
  if (!isUnknown(value)) return value;
  oracle.markUndecidable(unknownFact("value-of-variable", name));
  return undefined;
}

type LanguagePriority = Pick<ChoiceContext, "languagePriority" | "prefers" | "fallsBack">;

function languagePriorityOf(state: AccessState): LanguagePriority {
  const wordsOf = (key: string) => {
    const layer = state.layers.findLast((each) => each.has(key));
    return layer?.directives.filter((line) => line.key === key).flatMap(argumentValuesOf) ?? [];
  };
  const isForced = state.config.setting("forcelanguagepriority") !== undefined;
  const forced = isForced ? wordsOf("forcelanguagepriority").map((word) => word.toLowerCase()) : ["prefer"];
  return {
    languagePriority: wordsOf("languagepriority"),
    prefers: forced.includes("prefer"),
    fallsBack: forced.includes("fallback"),
  };
}

/** The file that a client gets which accepts none of the languages, if the lines that are missing are added. */
export interface LanguageFallback {
  readonly file: string;
  /** The languages of all files. */
  readonly languages: readonly string[];
  /** The words of LanguagePriority to add; undefined if its lines are enough. */
  readonly priority: readonly string[] | undefined;
}

/**
 * Returns the file that `ForceLanguagePriority Prefer Fallback` chooses where no file is acceptable. Undefined if the languages are
 * not the reason, or if the choice depends on more.
 */
export function findLanguageFallback({ state, walked, inner, mapping }: Pass): LanguageFallback | undefined {
  if (state === undefined || walked === undefined || mapping.kind !== "file") return undefined;
  const name = walked.filename.slice(walked.filename.lastIndexOf("/") + 1);
  const variants = inner.flatMap((pass): readonly Variant[] => {
    const metadata = usableMetadata({ pass, status: 200 }, name);
    const file = pass.walked?.filename ?? "";
    return metadata === undefined ? [] : [variantOf(file.slice(file.lastIndexOf("/") + 1), metadata)];
  });
  const languages = [...new Set(variants.flatMap((variant) => variant.languages))].sort();
  const isMap = inner.some((pass) => isTypeMapPass(pass));
  if (variants.length === 0 || languages.length === 0 || isMap) return undefined;
  const own = languagePriorityOf(state);
  for (const priority of [undefined, languages]) {
    let isOpen = false;
    const languagePriority = priority ?? own.languagePriority;
    const chosen = chooseVariant(variants.sort(compareVariants), {
      ...{ accept: acceptHeadersOf(state.request), negotiate: noNegotiateHeader },
      ...{ prefersPrograms: !isMethod(state.request, "GET", "HEAD") || state.request.query !== undefined },
      ...{ languagePriority, prefers: true, fallsBack: true },
      variable: (variable) => {
        const value = state.env.get(variable);
        isOpen ||= isUnknown(value);
        return isUnknown(value) ? undefined : value;
      },
      isShorter: () => {
        isOpen = true;
        return false;
      },
    });
    if (isOpen) return undefined;
    if (chosen) return { file: chosen.name, languages, priority };
  }
  return undefined;
}

function isShorter(one: Variant, other: Variant, folder: string, { files, oracle }: AccessState): boolean {
  const lengthOf = ({ length, name }: Variant) => {
    if (length !== undefined) return length;
    const path = `${folder}/${name}`;
    return files.kindOf(path) === "missing" ? -1 : files.textOf?.(path)?.length;
  };
  const [length, otherLength] = [lengthOf(one), lengthOf(other)];
  if (length === undefined || otherLength === undefined)
    return oracle.ask(unknownFact("shorter-file", `${folder}/${one.name}`, `${folder}/${other.name}`));
  return length < otherLength;
}
