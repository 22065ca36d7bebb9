import { sentStatusOf } from "../../facts/status-codes.js";
import { findSectionRedirect, locationOfRedirect } from "../mapping/redirects.js";
import { type Pass, rewriteStatusOf } from "../model/pass.js";
import type { PassResult } from "../model/request-outcome.js";
import type { RewriteResult } from "../rewrite/rewrite-result.js";
import { checkBackendUrl } from "./backend-modules.js";
import { backendOf, refuseBackend } from "./handler.js";
import { type AuthorizedRequest, applySectionRewrite, messageCodesOf, type RewriteInput } from "./translate-name.js";

/** Returns a pass with the handler and the media type that rules of sections set. */
function withHandlerAndType(pass: Pass, { handler, type }: Pick<RewriteResult, "handler" | "type"> = {}): Pass {
  if (pass.state === undefined || (handler === undefined && type === undefined)) return pass;
  const forced = {
    ...(handler === undefined ? {} : { forcedHandler: handler }),
    ...(type === undefined ? {} : { forcedType: type }),
  };
  return { ...pass, state: { ...pass.state, ...forced } };
}

/**
 * Applies the rules and Redirects of sections to an allowed request (the `fixups` hooks). They answer it, redirect it
 * internally, or leave it to be served.
 *
 * @param isEnded whether rewriting has ended
 */
export function runFixups(
  way: RewriteInput,
  checked: PassResult,
  authorized: AuthorizedRequest,
  isEnded: boolean,
): PassResult {
  const { log } = checked;
  const sections = isEnded ? undefined : applySectionRewrite(way, authorized);
  const to = sections?.to;
  const isLast = isEnded || sections?.ends === true;
  const { url } = checked.pass.rewriting;
  const withRuleHandler = withHandlerAndType(checked.pass, sections);
  const pass =
    sections || isLast ? { ...withRuleHandler, rewriting: { url, sections }, isEnded: isLast } : withRuleHandler;
  if (to?.kind === "answered") {
    const redirect = { kind: "answered", status: to.status, by: to.by } as const;
    const { status, location, reason } = to;
    const answered = { status, location, log: [...log, ...messageCodesOf(to.log)], reason, by: [to.by] };
    return { ...checked, ...answered, pass: { ...pass, redirect } };
  }
  const backend = backendOf(pass);
  const fault = backend && checkBackendUrl(backend, way.project, way.walk.serverLayers);
  if (backend && fault) {
    const redirect = { kind: "answered", status: fault.status, by: backend.by } as const;
    return refuseBackend({ ...checked, pass: { ...pass, redirect } }, fault, backend.by);
  }
  const user = authorized.user === "unknown" ? undefined : authorized.user;
  const textOf = (text: string) => way.walk.textOf(text, authorized.config, authorized.walked?.filename, user);
  const found = findSectionRedirect(authorized.config, way.path, way.oracle, textOf);
  if (found) {
    const redirect = { ...found, status: sentStatusOf(found.status, way.project.release) };
    const { config } = authorized;
    const query = sections ? sections.query : way.request.query;
    const { path, oracle } = way;
    const context = { path, query, names: way.walk.names(config), config, oracle, textOf, isWithin: true };
    const location =
      way.request.tracker || redirect.status === 500 ? undefined : locationOfRedirect(redirect.by, context);
    return { ...checked, status: redirect.status, location, by: [redirect.by], pass: { ...pass, redirect } };
  }
  const left = rewriteStatusOf(pass);
  if (to?.kind === "redirected" && pass.state?.forcedHandler !== undefined)
    return { ...checked, status: left ?? checked.status, pass: { ...pass, isRedirectReplaced: true } };
  const internalRedirect =
    to?.kind === "redirected"
      ? { path: to.path, query: sections?.query, by: to.by, isEnded: isLast, from: pass }
      : undefined;
  return sections || left !== undefined
    ? { ...checked, status: left ?? checked.status, pass, internalRedirect }
    : checked;
}
