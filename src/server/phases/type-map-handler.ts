import type { Directive } from "../../config/model/directive.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { memoize } from "../../text/memoize.js";
import type { AccessState } from "../access/access-state.js";
import type { TypeMap } from "../mapping/type-map.js";
import { cleanPath } from "../mapping/url-target.js";
import { argumentValuesOf, type ConfigLayer, keywordArgumentOf } from "../model/config-layer.js";
import type { InternalRedirect } from "../model/pass.js";
import { isMethod } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import { isHandledByDav } from "./dav.js";
import { isServedByBackend } from "./handler.js";
import { metadataOf } from "./media-type.js";
import { isTypeMap, negotiateVariant, readTypeMap } from "./negotiation.js";
import { messageCodesOf } from "./translate-name.js";

const typeMapLines: ReadonlySet<string> = new Set(["addhandler", "addtype", "forcetype", "sethandler"]);

/** Returns the last line of a section that may declare type maps. */
const typeMapLineOf = memoize((layer: ConfigLayer): Directive | undefined =>
  layer
    .pick(typeMapLines)
    .findLast((line) => /^(?:type-map|application\/x-type-map)$/i.test(argumentValuesOf(line)[0] ?? "")),
);

/**
 * Passes a request for a type map on to the URL of the chosen variant (mod_negotiation.c `handle_map_file`). Symbolic
 * requests are not passed on: access to each variant is that of a request for its own path.
 */
export function applyTypeMap(answered: PassResult): PassResult {
  const { served, log, layers } = answered;
  const { state, walked, mapping } = served ?? {};
  if (!served || !state || !mapping || !walked || mapping.kind !== "file" || state.request.tracker) return answered;
  if (walked.kind !== "file" && walked.kind !== "missing") return answered;
  const by = findTypeMapLine(state);
  if (by === undefined || answered.internalRedirect || isServedByBackend(served) || isHandledByDav(served))
    return answered;
  // SetHandler decides regardless of the type, which may be unknown.
  const set = keywordArgumentOf(state.config.setting("sethandler"));
  if (set !== undefined && set !== "none" && !isTypeMap({ type: set, handler: set })) return answered;
  const { type, handler } = metadataOf(state, walked.filename);
  if (!isTypeMap(handler === undefined ? { type, handler } : { type: handler, handler })) return answered;
  const { filename } = walked;
  const isMissing = walked.kind === "missing";
  const map = isMissing ? missingMap(filename) : readTypeMap(state, filename, filename);
  const pathInfo = cleanPath(mapping.filename).slice(filename.length);
  const folder = filename.slice(0, filename.lastIndexOf("/"));
  const choice = map.isRefused
    ? { status: isMissing ? 404 : 500, errorMessages: [] }
    : negotiateVariant(map.variants, { state, walked, pathInfo }, folder, true);
  const newComplaints = [
    ...(map.errorMessage === undefined ? [] : [map.errorMessage]),
    ...("status" in choice ? choice.errorMessages : []),
  ];
  const pass = { ...answered.pass, errorMessages: [...(answered.pass.errorMessages ?? []), ...newComplaints] };
  const result = { ...answered, answeredBy: undefined, log: [...log, ...messageCodesOf(newComplaints)], layers, pass };
  if ("status" in choice) return { ...result, status: choice.status, by: [by] };
  if (choice.variant.isBody)
    return isMethod(state.request, "GET", "HEAD", "POST") ? { ...result, status: 200 } : { ...result, status: 405 };
  const path = served.path.slice(0, served.path.length - pathInfo.length).replace(/[^/]*$/, "");
  const redirect: InternalRedirect = {
    ...{ path: `${encodeUrlPath(path)}${choice.variant.name}${pathInfo}`, query: state.request.query, by },
    ...{ isEnded: served.isEnded, from: served },
  };
  return { ...result, internalRedirect: redirect };
}

function missingMap(filename: string): TypeMap {
  return { variants: [], errorMessage: `AH00683: cannot access type map file: ${filename}`, isRefused: true };
}

function findTypeMapLine({ layers, project }: AccessState): Directive | undefined {
  if (!project.modules.has("negotiation_module")) return undefined;
  for (const layer of layers.toReversed()) {
    const line = typeMapLineOf(layer);
    if (line) return line;
  }
  return undefined;
}
