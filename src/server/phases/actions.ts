import type { Directive } from "../../config/model/directive.js";
import { encodeUrlPath } from "../../text/escaping.js";
import type { AccessState } from "../access/access-state.js";
import { argumentValuesOf, keywordArgumentOf } from "../model/config-layer.js";
import type { InternalRedirect } from "../model/pass.js";
import type { Request } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import { isAnsweredByDav } from "./dav.js";
import { isServedByBackend } from "./handler.js";
import {
  addedHandlerOf,
  defaultTypeOf,
  handlerOf,
  hasMediaType,
  isPageMethod,
  typeByLine,
  virtualPageHandlers,
} from "./handler-lookup.js";

/**
 * Passes a request on to the program of Action or Script. Its URL, followed by the path, is requested like any other
 * (modules/mappers/mod_actions.c `action_handler`).
 *
 * @param redirects number of URLs that the server has already been redirected to
 */
export function applyAction(answered: PassResult, redirects: number): PassResult {
  const { served } = answered;
  const { state, walked, mapping } = served ?? {};
  if (!served || !state || !walked || !mapping || answered.internalRedirect || isServedByBackend(served))
    return answered;
  if (isAnsweredByDav(served)) return answered;
  if (!state.config.has("action") && !state.config.has("script")) return answered;
  const script = scriptFor(state, answered.pass.request);
  // After repeated redirects, the module declines whatever has a Script.
  if (script && redirects > 1) return answered;
  const handler = handlerOf(state, mapping, walked) ?? addedHandlerOf(state, walked.filename);
  // These handlers run first; those of pages decline other methods.
  if (handler === "cgi-script") return answered;
  if (handler !== undefined && virtualPageHandlers.has(handler)) {
    if (isPageMethod(handler, answered.pass.request, state.project)) return answered;
  }
  // A directory has a type of its own.
  const isUntyped = walked.kind === "directory" && handler === undefined;
  const action = isUntyped ? undefined : actionFor(state, handler, walked.filename);
  if (action && walked.kind === "missing" && argumentValuesOf(action)[2]?.toLowerCase() !== "virtual")
    return { ...answered, status: 404, by: [action], answeredBy: undefined };
  const by = action ?? script;
  const [, target] = by ? argumentValuesOf(by) : [];
  if (by === undefined || target === undefined) return answered;
  const redirect: InternalRedirect = {
    ...{ path: target + encodeUrlPath(served.path), query: state.request.query, by },
    ...{ isEnded: served.isEnded, from: served },
  };
  return { ...answered, answeredBy: undefined, internalRedirect: redirect };
}

/** Returns the Action for a handler, or for the type of the file if it does not have a handler. */
function actionFor(state: AccessState, handler: string | undefined, filename: string): Directive | undefined {
  const lines = findLinesByName(state, "action");
  if (handler !== undefined && handler !== "none") return lines.findLast((line) => keywordArgumentOf(line) === handler);
  return lines.findLast((line) => {
    const name = keywordArgumentOf(line) ?? "";
    // Types files have a slash in each type, so that only a line can give another one.
    if (name.includes("/") || typeByLine(state, filename) === name) return hasMediaType(state, filename, name);
    const isDefault = keywordArgumentOf(state.config.setting("defaulttype")) === name;
    return isDefault && typeByLine(state, filename) === undefined && defaultTypeOf(state, filename) === name;
  });
}

/** Returns the Script for the method of a request, even to an index file; GET has one only with a query. */
function scriptFor(state: AccessState, { method, query }: Request): Directive | undefined {
  if (state.config.setting("script") === undefined) return undefined;
  const scriptMethod = method === "HEAD" ? "GET" : method;
  if (scriptMethod === "GET" && query === undefined) return undefined;
  return findLinesByName(state, "script").findLast((line) => argumentValuesOf(line)[0] === scriptMethod);
}

function findLinesByName({ layers }: AccessState, name: string): readonly Directive[] {
  return layers.flatMap((layer) => layer.directives.filter(({ key }) => key === name));
}
