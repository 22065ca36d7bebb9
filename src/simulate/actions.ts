import { type AccessState, inForce } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import { keywordOf, wordsOf } from "../scope/words.js";
import { sentPath } from "../text/sent-path.js";
import { addedHandler, handlerOf, isOfType, pages } from "./handlers.js";
import type { Checked, Onward } from "./pass.js";
import { isHandedOn } from "./served.js";

/**
 * The program that Action or Script hands a request on to: its URL is asked for with the path behind it, like any other
 * (modules/mappers/mod_actions.c `action_handler`).
 *
 * @param redirects how many URLs the server has been led to before
 */
export function byAction(answered: Checked, redirects: number): Checked {
  const { served } = answered;
  const { state, walked, mapping } = served ?? {};
  if (!served || !state || !walked || !mapping || answered.onward || isHandedOn(served)) return answered;
  if (!state.config.has("action") && !state.config.has("script")) return answered;
  const handler = handlerOf(state, mapping, walked) ?? addedHandler(state, walked.filename);
  // These answer ahead of it.
  if (handler !== undefined && (handler === "cgi-script" || pages.has(handler))) return answered;
  const action = actionFor(state, handler, walked.filename);
  if (action && walked.kind === "missing" && wordsOf(action)[2]?.toLowerCase() !== "virtual")
    return { ...answered, status: 404, by: [action], answeredBy: undefined };
  // Scripts are not looked for again and again.
  const by = action ?? (redirects < 2 ? scriptFor(state) : undefined);
  const [, target] = by ? wordsOf(by) : [];
  if (by === undefined || target === undefined) return answered;
  const onward: Onward = {
    ...{ path: target + sentPath(served.path), query: state.request.query, by },
    ...{ isEnded: served.isEnded, from: served },
  };
  return { ...answered, answeredBy: undefined, onward };
}

/** The Action for a handler; where there is none, the type of the file takes its place. */
function actionFor(state: AccessState, handler: string | undefined, filename: string): Directive | undefined {
  const lines = linesNamed(state, "action");
  if (handler !== undefined && handler !== "none") return lines.findLast((line) => keywordOf(line) === handler);
  return lines.findLast((line) => {
    const name = keywordOf(line) ?? "";
    return name.includes("/") && isOfType(state, filename, name);
  });
}

/** The Script for the method, which GET has where there is a query. */
function scriptFor(state: AccessState): Directive | undefined {
  if (inForce(state, "script") === undefined) return undefined;
  const { method, query } = state.request;
  const asked = method === "HEAD" ? "GET" : method;
  if (asked === "GET" && query === undefined) return undefined;
  return linesNamed(state, "script").findLast((line) => wordsOf(line)[0] === asked);
}

function linesNamed({ layers }: AccessState, name: string): readonly Directive[] {
  return layers.flatMap((layer) => layer.directives.filter(({ key }) => key === name));
}
