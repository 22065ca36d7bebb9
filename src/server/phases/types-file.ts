import { resolvePath } from "../../config/files/paths.js";
import { isSince } from "../../facts/release.js";
import type { AccessState } from "../access/access-state.js";
import { findSetting, firstArgumentOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import { unknownFact } from "../model/unknown-facts.js";

type MediaTypes = ReadonlyMap<string, string>;

const typesByTree = new WeakMap<
  FileTree,
  { readonly text: string | undefined; readonly types: MediaTypes | undefined }
>();

/** Returns the types in the TypesConfig file of the server, by extension; undefined if it is unknown. */
export function mediaTypesOf({ files, config: { server }, project }: AccessState): MediaTypes | undefined {
  const known = typesByTree.get(files);
  if (known && !files.mayChange) return known.types;
  const line = findSetting((server.main ?? server).layers, "typesconfig");
  const text = files.textOf?.(resolvePath(project.serverRoot, firstArgumentOf(line) ?? "conf/mime.types"));
  if (known && known.text === text) return known.types;
  const types = text === undefined ? undefined : parseTypes(text);
  typesByTree.set(files, { text, types });
  return types;
}

/** Returns the types in the text of a TypesConfig file, by extension. */
export function parseTypes(text: string): MediaTypes {
  const types = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) continue;
    const [type = "", ...extensions] = line.trim().split(/\s+/);
    for (const extension of extensions) types.set(extension.toLowerCase(), type.toLowerCase());
  }
  return types;
}

/** The types of common extensions, which every usual types file has: those of IANA, and older names. */
const commonTypes: Readonly<Record<string, readonly string[]>> = {
  css: ["text/css"],
  gif: ["image/gif"],
  htm: ["text/html"],
  html: ["text/html"],
  jpeg: ["image/jpeg"],
  jpg: ["image/jpeg"],
  js: ["text/javascript", "application/javascript", "application/x-javascript"],
  json: ["application/json"],
  pdf: ["application/pdf"],
  png: ["image/png"],
  svg: ["image/svg+xml"],
  txt: ["text/plain"],
  xml: ["application/xml", "text/xml"],
  zip: ["application/zip"],
};

/**
 * Reports whether the TypesConfig file gives files of an extension a type. If the file is unknown, the answer is known
 * only for common extensions and another type; for other files it is a question.
 *
 * @param type in lower case
 */
export function hasTypeInFile(
  state: AccessState,
  filename: string,
  extensions: readonly string[],
  type: string,
): boolean {
  const { modules, release } = state.project;
  // mod_mime_magic and DefaultType of 2.2 give files without a type another one.
  const isGuessed = !isSince(release, "2.4") || modules.has("mime_magic_module");
  const types = isGuessed ? undefined : mediaTypesOf(state);
  if (types) return extensions.flatMap((each) => types.get(each) ?? []).at(-1) === type;
  // The last extension with a type counts.
  const [last = ""] = extensions.slice(-1);
  const common = Object.hasOwn(commonTypes, last) ? commonTypes[last] : undefined;
  if ((extensions.length === 0 && !isGuessed) || (common !== undefined && !common.includes(type))) return false;
  return state.oracle.ask(unknownFact("file-type", filename, type));
}

/**
 * Returns the types that files of some extensions may have by the TypesConfig file, in lower case: if it is unknown, those of
 * common extensions. The last extension with a type counts.
 */
export function likelyTypesInFile(state: AccessState, extensions: readonly string[]): readonly string[] {
  const types = mediaTypesOf(state);
  const typesOf = (extension: string): readonly string[] => {
    if (types === undefined) return Object.hasOwn(commonTypes, extension) ? (commonTypes[extension] ?? []) : [];
    const type = types.get(extension);
    return type === undefined ? [] : [type];
  };
  return extensions.map(typesOf).findLast((each) => each.length > 0) ?? [];
}

/** Returns the newest type of a common extension, which every usual types file has; undefined for other extensions. */
export function usualTypeOf(extension: string): string | undefined {
  return Object.hasOwn(commonTypes, extension) ? commonTypes[extension]?.[0] : undefined;
}

/** Reports whether the TypesConfig file has a type for an extension. */
export function isInTypesFile(state: AccessState, extension: string): boolean {
  const types = mediaTypesOf(state);
  return types
    ? types.has(extension)
    : Object.hasOwn(commonTypes, extension) || state.oracle.ask(unknownFact("extension-type", extension));
}
