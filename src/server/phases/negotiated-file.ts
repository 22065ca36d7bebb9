import type { AccessState } from "../access/access-state.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import { cleanPath } from "../mapping/url-target.js";
import type { ParentPass, Pass } from "../model/pass.js";
import { depthOf } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import type { RequestContext } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { runFixups } from "./fixups.js";
import { backendOf } from "./handler.js";
import { negotiate } from "./negotiation.js";
import { recursionLimitOf } from "./recursion-limit.js";
import { type AuthorizedRequest, type MappedRequest, mapVariant, messageCodesOf } from "./translate-name.js";

/** A request for a missing file, with access granted. */
export interface MissingFile extends PassResult {
  readonly walked: DirectoryWalk;
  readonly state: AccessState;
  readonly isEnded: boolean;
}

/** Processes a subrequest for a file up to its fixups. @param file its name, without the path info */
export type VariantLookup = (
  variant: MappedRequest & { readonly mapping: UrlMapping & { readonly kind: "file" } },
  file: string,
  before: ParentPass,
) => PassResult;

/**
 * Negotiates instead of serving a missing file. The chosen file replaces it before the rules of sections apply
 * (modules/http/http_request.c `ap_internal_fast_redirect`). Returns undefined if there is nothing to choose from.
 *
 * @param runVariant called for each file that may replace it
 */
export function negotiateMissingFile(
  run: RequestContext,
  mapped: MappedRequest,
  { walked, state, isEnded, ...checked }: MissingFile,
  runVariant: VariantLookup,
): PassResult | undefined {
  const { pass } = checked;
  const { path } = mapped.input;
  // A type map may name a missing file that leads to the same type map.
  const isTooDeep = depthOf(mapped.input.request) >= recursionLimitOf(run, "subrequests").max;
  const whole = mapped.mapping.kind === "file" ? cleanPath(mapped.mapping.filename) : "";
  const pathInfo = whole.slice(walked.filename.length);
  const folder = path.slice(0, path.length - pathInfo.length).replace(/[^/]*$/, "");
  const variants = new Map<PassResult, MappedRequest>();
  const lookUp = (name: string) => {
    if (isTooDeep) {
      run.oracle.markUndecidable(unknownFact("files-in-circle", walked.filename));
      return checked;
    }
    const own = `${folder}${name}${pathInfo}`;
    const file = walked.filename.replace(/[^/]*$/, "") + name;
    const inner = mapVariant(run, mapped, { path: own, escaped: own }, file + pathInfo, pass);
    const result = runVariant(inner, file, { outer: pass, isEnded });
    variants.set(result, inner);
    return result;
  };
  const negotiated = negotiate({ state, walked, pathInfo, lookUp });
  if (negotiated === undefined) return undefined;
  const { inner, chosen, errorMessages, status = 200 } = negotiated;
  const log = [...checked.log, ...inner.flatMap((each) => each.log), ...messageCodesOf(errorMessages)];
  // The server tries the files in the order in which the file system lists them.
  const hasUnknownLog = new Set(inner.map((each) => String(each.log))).size > 1;
  const outer: Pass = { ...pass, inner: inner.map((each) => each.pass), errorMessages, hasUnknownLog };
  const variant = chosen && variants.get(chosen);
  if (chosen === undefined || variant === undefined || variant.mapping.kind !== "file")
    return { ...checked, status, log, pass: { ...outer, redirect: undefined, isNegotiationFailed: true } };
  if (backendOf(chosen.pass)) run.oracle.markUndecidable(unknownFact("rule-on-variant", variant.mapping.filename));
  const own: Pass = {
    ...{ ...chosen.pass, request: mapped.input.request, user: pass.user, redirect: undefined },
    ...{ state: chosen.pass.state && { ...chosen.pass.state, request: mapped.request } },
    ...{ rewriting: { url: pass.rewriting.url }, isAuthorized: true },
  };
  const config = chosen.pass.state?.config ?? state.config;
  const input = { ...variant.input, request: mapped.input.request };
  const authorized = { config, mapping: variant.mapping, walked: chosen.pass.walked, user: pass.user };
  const to = chosen.internalRedirect;
  const accepted = { ...checked, log, layers: chosen.layers, pass: own };
  const fixed = runFixups(input, accepted, to ? redirectedFile(authorized, to.path) : authorized, isEnded);
  const { redirect, rewriting } = fixed.pass;
  const keepsRedirect = redirect === undefined && fixed.internalRedirect === undefined && to !== undefined;
  return {
    ...fixed,
    internalRedirect: keepsRedirect ? { ...to, from: own } : fixed.internalRedirect,
    pass: { ...outer, redirect, rewriting, isEnded: fixed.pass.isEnded, variant: fixed.pass },
  };
}

/**
 * Returns the state with the name that a rule gave to the file in the subrequest: the rules apply to it again, as part
 * of the request (mod_rewrite.c `hook_fixup`).
 */
function redirectedFile(authorized: AuthorizedRequest, path: string): AuthorizedRequest {
  const filename = `redirect:${path}`;
  const { mapping, walked } = authorized;
  return {
    ...authorized,
    mapping: mapping.kind === "file" ? { ...mapping, filename } : mapping,
    walked: walked && { ...walked, filename },
  };
}
