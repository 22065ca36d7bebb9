import { authTypeOf } from "../../access/decide/authentication.js";
import { findEffectiveSetting } from "../../access/model/access-state.js";
import { isMethod } from "../../httpd/model/request.js";
import { type PassResult, withStatus } from "../model/request-context.js";

/**
 * Applies mod_auth_form to a request that it denies for lack of a login (`authenticate_form_authn`): it redirects to
 * AuthFormLoginRequiredLocation. For a POST request, it looks for a login in the body, and asks for the URL again in order to
 * read that; the messages of the second request are not known. Proofs are about access only.
 */
export function applyLoginForm(denied: PassResult): PassResult {
  const { state, request } = denied.pass;
  if (denied.status !== 401 || state === undefined || request.tracker || denied.log.includes("AH01631")) return denied;
  if (authTypeOf(state) !== "form") return denied;
  const readsBody = isMethod(request, "POST") && request.outer === undefined && request.sent === undefined;
  const answered = readsBody ? { ...denied, pass: { ...denied.pass, hasUnknownLog: true } } : denied;
  const line = findEffectiveSetting(state, "authformloginrequiredlocation");
  return line ? withStatus(answered, 302, line) : answered;
}
