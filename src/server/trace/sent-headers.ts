import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { addsHeader, type HeaderLine } from "../../config/queries/response-headers.js";
import { isSince } from "../../facts/release.js";
import type { AccessState } from "../access/access-state.js";
import type { ContentType, SentHeaders } from "../model/answer.js";
import {
  argumentValuesOf,
  type ConfigLayer,
  findSetting,
  firstArgumentOf,
  keywordArgumentOf,
} from "../model/config-layer.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import { extensionsOf, findMimeSetting, findTypeSetting, NO_TYPE } from "../phases/handler-lookup.js";
import { isConditionKnownToHold, listHeaderLinesIn } from "../phases/response-headers.js";
import { likelyTypesInFile, mediaTypesOf } from "../phases/types-file.js";
import { responderOf } from "./destination.js";
import { likelyTypesOf } from "./response-lines.js";

/** A header line that a later one replaces or deletes. */
interface OverriddenHeader {
  readonly line: HeaderLine;
  readonly by: HeaderLine;
}

/** The lines of mod_headers and mod_expires that change a response. */
export interface HeaderChanges {
  readonly applied: readonly HeaderLine[];
  readonly overridden: readonly OverriddenHeader[];
  /** The line of mod_expires that sets `Expires`. */
  readonly expires: Directive | undefined;
}

/** Returns what lines do to the headers of a response. */
export function sentHeadersOf(outcome: RequestOutcome, project: Project): SentHeaders {
  const { applied, expires } = headerChangesOf(outcome, project);
  const lines = [...applied.map(({ directive }) => directive), ...(expires ? [expires] : [])];
  return { contentType: contentTypeOf(outcome, project), lines };
}

/** Reports whether httpd itself makes the response to an error or a redirect: it has only the headers of `always` lines. */
function isOwnError(outcome: RequestOutcome): boolean {
  return outcome.status >= 300 && outcome.status !== 304 && responderOf(outcome) === undefined;
}

/**
 * Returns the lines that change the headers of a response (mod_headers.c `do_headers_fixup`). Of lines with a condition, only those
 * whose condition is known to hold; none for the document of an error.
 */
export function headerChangesOf(outcome: RequestOutcome, project: Project): HeaderChanges {
  const { pass, served = pass, layers, documentLayers } = outcome;
  if (served === undefined || documentLayers !== undefined) return noChanges;
  const overridden: OverriddenHeader[] = [];
  const tables = {
    always: new Map<string, readonly HeaderLine[]>(),
    success: new Map<string, readonly HeaderLine[]>(),
  };
  for (const line of project.modules.mayHave("headers_module") ? listHeaderLinesIn(layers) : []) {
    const { name, action, isAlways, condition } = line;
    if (condition?.toLowerCase() === "early" || (isOwnError(outcome) && !isAlways)) continue;
    if (!isConditionKnownToHold(line, served)) continue;
    const table = tables[isAlways ? "always" : "success"];
    const before = table.get(name) ?? [];
    if (action === "setifempty" && before.some(addsHeader)) continue;
    const isReplacing = action === "set" || action === "unset";
    if (isReplacing) overridden.push(...before.map((each) => ({ line: each, by: line })));
    table.set(name, isReplacing ? [line] : [...before, line]);
  }
  const applied = [tables.success, tables.always].flatMap((table) => [...table.values()].flat());
  return { applied, overridden, expires: findExpires(outcome, project) };
}

const noChanges: HeaderChanges = { applied: [], overridden: [], expires: undefined };

const typeLines: ReadonlySet<string> = new Set(["expiresbytype"]);

/** Returns the line that sets the expiry of a file (mod_expires.c `expires_filter`): by its type, else the default. */
function findExpires(outcome: RequestOutcome, { modules }: Project): Directive | undefined {
  const { layers, pass, served = pass, status } = outcome;
  const { state, walked } = served ?? {};
  const isOn = keywordArgumentOf(findSetting(layers, "expiresactive")) === "on";
  if (!isOn || !state || walked?.kind !== "file" || status !== 200 || !modules.mayHave("expires_module"))
    return undefined;
  if (responderOf(outcome) !== undefined) return undefined;
  const byDefault = findSetting(layers, "expiresdefault");
  const lines = layers.flatMap((layer) => layer.pick(typeLines));
  if (lines.length === 0) return byDefault;
  const [type, ...others] = likelyTypesOf(state, extensionsOf(walked.filename));
  if (type === undefined || others.length > 0) return undefined;
  const named = (wanted: string) => lines.findLast((line) => keywordArgumentOf(line) === wanted);
  const [bare = ""] = type.split(";");
  return named(bare.trim()) ?? named(`${bare.split("/")[0]}/*`) ?? byDefault;
}

/** Returns the text of the Content-Type header of a file, and what decides it; undefined if either is not known. */
export function contentTypeOf(outcome: RequestOutcome, project: Project): ContentType | undefined {
  const { status, pass, served = pass } = outcome;
  const { state, walked } = served ?? {};
  if (status !== 200 || responderOf(outcome) !== undefined || !state || walked?.kind !== "file") return undefined;
  if (state.forcedType !== undefined || state.forcedHandler !== undefined) return undefined;
  const isSet = headerChangesOf(outcome, project).applied.some(({ name }) => name === "content-type");
  const type = isSet ? undefined : (forcedTypeOf(state) ?? typeByName(state, walked.filename));
  const known = type && withDefaultCharset(type, state);
  return known && (known.lines.length > 0 || known.typesFile !== undefined) ? known : undefined;
}

function forcedTypeOf({ config }: AccessState): ContentType | undefined {
  const line = config.setting("forcetype");
  const value = keywordArgumentOf(line);
  return line && value !== undefined && value !== "none" ? { value, lines: [line] } : undefined;
}

/** Returns the type and the character set that the extensions of a file give it (mod_mime.c `find_ct`). */
function typeByName(state: AccessState, filename: string): ContentType | undefined {
  const { project, layers } = state;
  if (!project.modules.mayHave("mime_module")) return undefined;
  const types = mediaTypesOf(state);
  const extensions = extensionsOf(filename);
  let type: ContentType | undefined;
  let isKnown = true;
  let charset: { readonly value: string; readonly line: Directive } | undefined;
  for (const extension of extensions) {
    const set = findTypeSetting(state, extension);
    const line = findLineFor("addtype", extension, layers);
    if (set === NO_TYPE) return undefined;
    if (set !== undefined && line) {
      type = { value: set, lines: [line] };
      isKnown = true;
    } else {
      const [value, ...others] = likelyTypesInFile(state, [extension]);
      const isClear = value !== undefined && others.length === 0;
      if (isClear) type = { value, lines: [], ...(types ? { typesFile: typesFileOf(state) } : {}) };
      // An extension for something else has no type of its own.
      if (isClear) isKnown = true;
      else if (types === undefined) isKnown &&= otherKinds.some((kind) => isSetFor(state, extension, kind));
    }
    const own = findMimeSetting(state, extension, "addcharset", "removecharset");
    const by = own === undefined ? undefined : findLineFor("addcharset", extension, layers);
    if (own !== undefined && by) charset = { value: own, line: by };
  }
  if (!isKnown) return undefined;
  if (type === undefined) return isSince(project.release, "2.4") ? undefined : defaultType(state);
  if (charset === undefined) return type;
  const [bare = ""] = type.value.split(/\s*;\s*charset=/);
  return { ...type, value: `${bare}; charset=${charset.value}`, lines: [...type.lines, charset.line] };
}

const otherKinds = ["charset", "language", "encoding"] as const;

function isSetFor(state: AccessState, extension: string, kind: (typeof otherKinds)[number]): boolean {
  return findMimeSetting(state, extension, `add${kind}`, `remove${kind}`) !== undefined;
}

function typesFileOf({ config: { server }, project }: AccessState): string {
  const line = findSetting((server.main ?? server).layers, "typesconfig");
  return resolvePath(project.serverRoot, firstArgumentOf(line) ?? "conf/mime.types");
}

/** Returns the last line of a name with an extension after its first argument. */
export function findLineFor(key: string, extension: string, layers: readonly ConfigLayer[]): Directive | undefined {
  const isFor = (line: Directive) =>
    line.key === key &&
    argumentValuesOf(line)
      .slice(1)
      .some((word) => word.toLowerCase().replace(/^\./, "") === extension);
  for (const layer of layers.toReversed()) {
    const line = layer.directives.findLast(isFor);
    if (line) return line;
  }
  return undefined;
}

/** Returns the DefaultType of 2.2 for a file without another type (server/core.c `ap_default_type`). */
function defaultType({ config }: AccessState): ContentType | undefined {
  const line = config.setting("defaulttype");
  const value = firstArgumentOf(line);
  return line && value !== undefined && value.toLowerCase() !== "none" ? { value, lines: [line] } : undefined;
}

/** The types to which httpd adds the default character set (server/protocol.c `ap_make_content_type`). */
const typesWithCharset: ReadonlySet<string> = new Set(["text/html", "text/plain"]);

/** Reports whether AddDefaultCharset is for a type. */
export function takesDefaultCharset(type: string): boolean {
  return typesWithCharset.has(type.split(/\s*;/)[0]?.toLowerCase() ?? "");
}

function withDefaultCharset(type: ContentType, { config }: AccessState): ContentType {
  const line = config.setting("adddefaultcharset");
  const [written = "off"] = line ? argumentValuesOf(line) : [];
  const word = written.toLowerCase();
  if (!line || word === "off" || /charset=/i.test(type.value) || !takesDefaultCharset(type.value)) return type;
  const charset = word === "on" ? "iso-8859-1" : written;
  return { ...type, value: `${type.value}; charset=${charset}`, lines: [...type.lines, line] };
}
