import { redirectedInSections } from "../scope/redirects.js";
import { faultOfBackend } from "./backend-url.js";
import { type Checked, leftStatus } from "./pass.js";
import { codesOf, type LetIn, type OnItsWay, rewrittenInSections } from "./rewriting.js";
import { backendOf, refusedBackend } from "./served.js";

/**
 * What the rules and Redirects of sections make of a request that was let in (the `fixups` hooks): they answer it, lead it to
 * another URL, or leave it to be served.
 *
 * @param isEnded whether no rule of rewriting is looked at any more
 */
export function fixUp(way: OnItsWay, checked: Checked, letIn: LetIn, isEnded: boolean): Checked {
  const { log } = checked;
  const sections = isEnded ? undefined : rewrittenInSections(way, letIn);
  const to = sections?.to;
  const isLast = isEnded || sections?.ends === true;
  const { url } = checked.pass.rewriting;
  const pass = sections || isLast ? { ...checked.pass, rewriting: { url, sections }, isEnded: isLast } : checked.pass;
  if (to?.kind === "answered") {
    const redirect = { kind: "answered", status: to.status, by: to.by } as const;
    const answered = { status: to.status, log: [...log, ...codesOf(to.log)], by: [to.by] };
    return { ...checked, ...answered, pass: { ...pass, redirect } };
  }
  const backend = backendOf(pass);
  const fault = backend && faultOfBackend(backend, way.project, way.walk.ofServer);
  if (backend && fault) {
    const redirect = { kind: "answered", status: fault.status, by: backend.by } as const;
    return refusedBackend({ ...checked, pass: { ...pass, redirect } }, fault, backend.by);
  }
  const user = letIn.user === "unknown" ? undefined : letIn.user;
  const textOf = (text: string) => way.walk.textOf(text, letIn.config, letIn.walked?.filename, user);
  const redirect = redirectedInSections(letIn.config, way.path, way.questions, textOf);
  if (redirect) return { ...checked, status: redirect.status, by: [redirect.by], pass: { ...pass, redirect } };
  const onward =
    to?.kind === "redirected"
      ? { path: to.path, query: sections?.query, by: to.by, isEnded: isLast, from: pass }
      : undefined;
  const left = leftStatus(pass);
  return sections || left !== undefined ? { ...checked, status: left ?? checked.status, pass, onward } : checked;
}
