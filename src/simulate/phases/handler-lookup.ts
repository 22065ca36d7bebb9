import { type AccessState, findEffectiveSetting } from "../../access/model/access-state.js";
import type { UrlMapping } from "../../httpd/mapping/url-mapping.js";
import { argumentValuesOf, type ConfigLayer, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import type { DirectoryWalk } from "../../httpd/walk/directory-walk.js";

/** Handlers that answer GET alone, be there a file or not; other methods fall to the handler of files. */
export const virtualPageHandlers: ReadonlySet<string> = new Set([
  ...["server-status", "server-info", "balancer-manager", "ldap-status"],
]);

/** What SetHandler, AddHandler, the type of a file, or ScriptAlias name to answer in place of a file, in lower case. */
export function handlerOf(state: AccessState, mapping: UrlMapping, walked: DirectoryWalk): string | undefined {
  const set = keywordArgumentOf(findEffectiveSetting(state, "sethandler"));
  if (set !== undefined && set !== "none") return set;
  const added = walked.kind === "directory" ? undefined : addedHandlerOf(state, walked.filename);
  if (added !== undefined) state.request.looks?.recordFileExistence();
  // What others make of a file that is not there is left to them.
  if (added !== undefined && (walked.kind === "file" || added === "cgi-script" || virtualPageHandlers.has(added)))
    return added;
  if (isScriptAliased(mapping)) return "cgi-script";
  if (set === undefined && walked.kind !== "directory" && hasMediaType(state, walked.filename, CGI_TYPE))
    return "cgi-script";
  return set;
}

/** Whether the file is reached by ScriptAlias or its like. */
export function isScriptAliased(mapping: UrlMapping): boolean {
  return mapping.kind === "file" && mapping.by?.key.startsWith("scriptalias") === true;
}

/** The handler that AddHandler names for a file, be it there or not: the last extension that has one counts (mod_mime.c `find_ct`). */
export function addedHandlerOf(state: AccessState, filename: string): string | undefined {
  if (!state.config.has("addhandler")) return undefined;
  const named = extensionsOf(filename).map((each) => findMimeSetting(state, each, "addhandler", "removehandler"));
  return named.findLast((each) => each !== undefined);
}

/** The type that has mod_cgi run a file as a program. */
const CGI_TYPE = "application/x-httpd-cgi";

/** Types that stand for handlers: no file of types has them. */
const HANDLER_TYPE_PREFIX = "application/x-httpd-";

/** Whether a file is of a type, which is in lower case, by ForceType and AddType. */
export function hasMediaType(state: AccessState, filename: string, type: string): boolean {
  const forced = keywordArgumentOf(findEffectiveSetting(state, "forcetype"));
  if (forced !== undefined && forced !== "none") return forced === type;
  if (!state.project.modules.has("mime_module")) return false;
  const extensions = extensionsOf(filename);
  const types = extensions.map((each) => findMimeSetting(state, each, "addtype", "removetype"));
  const at = types.findLastIndex((each) => each !== undefined);
  const later = extensions.slice(at + 1);
  if (at >= 0 && types[at] === type)
    return !later.some((each) => state.questions.ask(`whether TypesConfig has a type for \`.${each}\``));
  if ((at >= 0 && later.length === 0) || type.startsWith(HANDLER_TYPE_PREFIX)) return false;
  return state.questions.ask(`whether \`${filename}\` is of the type \`${type}\``);
}

const mimeNames: ReadonlySet<string> = new Set([
  ...["addcharset", "addencoding", "addhandler", "addinputfilter", "addlanguage", "addoutputfilter", "addtype"],
  ...["defaultlanguage", "modmimeusepathinfo", "multiviewsmatch", "removecharset", "removeencoding", "removehandler"],
  ...["removeinputfilter", "removelanguage", "removeoutputfilter", "removetype"],
]);

/** What lines such as AddHandler give an extension, when all sections are laid over each other (`merge_mime_dir_configs`). */
function findMimeSetting(
  { groups }: AccessState,
  extension: string,
  adding: string,
  removing: string,
): string | undefined {
  let value: string | undefined;
  for (const { kind, layers } of groups) {
    const own = layers.filter((layer, index) => (kind === "server" && index === 0) || layer.pick(mimeNames).length > 0);
    const removes = (layer: ConfigLayer) => linesFor(layer, removing, extension, 0).length > 0;
    let inGroup: string | undefined;
    for (const [index, layer] of own.entries()) {
      inGroup = keywordArgumentOf(linesFor(layer, adding, extension, 1).at(-1)) ?? inGroup;
      // What the first of several takes away is forgotten when the next one is laid over it.
      if (index > 0 && removes(layer)) inGroup = undefined;
    }
    const [only, ...more] = own;
    const isTaken = kind !== "server" && only !== undefined && more.length === 0 && removes(only);
    value = isTaken ? undefined : (inGroup ?? value);
  }
  return value;
}

/** @param from how many words stand ahead of the extensions */
function linesFor(layer: ConfigLayer, key: string, extension: string, from: number) {
  if (!layer.has(key)) return [];
  return layer.directives.filter((line) => {
    const words = line.key === key ? argumentValuesOf(line).slice(from) : [];
    return words.some((word) => word.toLowerCase().replace(/^\./, "") === extension);
  });
}

/** Those of a file name, in lower case; dots at its beginning are part of the name. */
function extensionsOf(filename: string): readonly string[] {
  const name = filename.slice(filename.lastIndexOf("/") + 1).replace(/^\.+/, "");
  return name.toLowerCase().split(".").slice(1);
}
