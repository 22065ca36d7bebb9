import { type Request, rewrittenRequest } from "../scope/request.js";
import type { Url } from "../scope/request-walk.js";
import { normalPath, slashRulesIn } from "../scope/url.js";
import { byAction } from "./actions.js";
import { answerDirectory, answerFile } from "./directory.js";
import { invalidPath } from "./invalid-path.js";
import { overPath } from "./over-path.js";
import { type Before, type Checked, leftStatus, type Onward, type Run } from "./pass.js";
import { type RecursionLimit, recursionLimit } from "./recursion-limit.js";
import { codesOf } from "./rewriting.js";

/**
 * Goes over a path and all that it leads to, up to what is served.
 *
 * @param redirects how many URLs rewriting has led to before
 */
export function answerRequest(run: Run, request: Request, url: Url, before: Before = {}, redirects = 0): Checked {
  const found = find(run, overPath(run, request, url, before), redirects);
  return found.onward ? redirectInternally(run, found, found.onward, redirects) : found;
}

/** What is served, or another URL to ask for. */
function find(run: Run, checked: Checked, redirects: number): Checked {
  const { walked, redirect, isLetIn } = checked.pass;
  if (!isLetIn || redirect) return checked;
  if (walked?.kind === "directory") return answerDirectory(run, checked, redirects);
  return checked.onward ? checked : byAction(answerFile(run, checked, redirects), redirects);
}

/**
 * Goes over the URL that rules behind access control led to (modules/http/http_request.c `ap_internal_redirect`). What they
 * left of a status stays, unless a backend says otherwise; where there is an error, it is what the client gets, and the error
 * is what the access log has (`ap_die_r`).
 */
function redirectInternally(run: Run, found: Checked, onward: Onward, redirects: number): Checked {
  const limit = recursionLimit(run, "redirects");
  if (redirects >= limit.most) return givenUp(run, found, onward, limit);
  const checked = redirected(run, found, onward, redirects);
  const left = leftStatus(onward.from);
  if (left === undefined || checked.answeredBy === "backend") return checked;
  const { status, loggedStatus = status } = checked;
  return { ...checked, status: left, loggedStatus: status === 200 ? left : loggedStatus };
}

function redirected(run: Run, found: Checked, { path, query, by, isEnded, from }: Onward, redirects: number): Checked {
  const { pass, log } = found;
  const { ofServer } = pass.walk;
  // It is read like one that a client sends: escapes are resolved once more.
  const [, bare = "", rest] = /^([^?#]*)(?:\?([^#]*))?/.exec(query === undefined ? path : `${path}?${query}`) ?? [];
  const url = normalPath(bare, run.setup.project.release, slashRulesIn(ofServer));
  if ("status" in url) {
    const isSaid = url.status === 400 && run.setup.project.release === "2.4";
    const complaints = isSaid ? [invalidPath(bare, rest)] : [];
    const refusal = { status: url.status, by: [by], layers: ofServer };
    return { ...refusal, log: [...log, ...codesOf(complaints)], pass: { ...pass, complaints, isLost: true } };
  }
  const request = rewrittenRequest(pass.request, bare, rest);
  const last = answerRequest(run, request, url, { previous: from, isEnded }, redirects + 1);
  return { ...last, log: [...log, ...last.log], pass: { ...pass, next: { by, pass: last.pass } } };
}

/** Rules lead from one URL to the next without end. */
function givenUp(run: Run, { pass, log, layers }: Checked, { by }: Onward, limit: RecursionLimit): Checked {
  const answer = { status: 500, by: [by], layers };
  if (run.setup.project.release === "2.2") return { ...answer, log, pass };
  return { ...answer, log: [...log, limit.code], pass: { ...pass, complaints: [limit.complaint] } };
}
