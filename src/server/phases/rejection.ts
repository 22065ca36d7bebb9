import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { memoize } from "../../text/memoize.js";
import {
  chooseStatus,
  findOtherCheck,
  formatCheckLine,
  markOwnEndpoints,
  type OtherCheck,
} from "../access/other-modules.js";
import type { Oracle } from "../model/oracle.js";
import type { Request } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import { unknownFact } from "../model/unknown-facts.js";

/**
 * Has a third-party module reject a request that reached its hooks: mod_security2 with its rules, before or after access
 * control, and mod_intercept_form_submit with a form. Whether it does is unknown.
 */
export function applyRejection<T extends RequestOutcome>(
  outcome: T,
  request: Request,
  project: Project,
  oracle: Oracle,
): T | RequestOutcome {
  if (outcome.pass === undefined) return outcome;
  if (outcome.pass.isAuthorized) markOwnEndpoints({ project, request, layers: outcome.layers, oracle });
  const found = findOtherCheck("request", { project, request, layers: outcome.layers, oracle });
  const check = found && withRules(found, project, request);
  if (check === undefined || check.statuses.length === 0) return outcome;
  if (!oracle.ask(unknownFact("rejects", check.module, formatCheckLine(check)))) return outcome;
  const { layers, pass } = outcome;
  return { status: chooseStatus(check, oracle), log: [], by: [check.line], layers, pass, isRejectedEarly: true };
}

/** Adds the statuses that the rules of the module name. Proofs do not distinguish them. */
function withRules(check: OtherCheck, project: Project, { tracker }: Request): OtherCheck {
  const { ruleKeys, statuses } = check;
  if (tracker || ruleKeys.length === 0) return check;
  const named = ruleStatusesOf(project).filter(({ key }) => ruleKeys.includes(key));
  return {
    ...check,
    statuses: [...new Set([...statuses, ...named.map(({ status }) => status)])].sort((a, b) => a - b),
  };
}

/** Returns the statuses in actions like `deny,status:404` and `redirect:URL`, with the directive in lower case. */
const ruleStatusesOf = memoize((project: Project) =>
  [...iterateDirectives(project)].flatMap(({ key, argumentText }) => {
    const status = Number(/\bstatus:'?(\d{3})/.exec(argumentText)?.[1] ?? Number.NaN);
    if (status >= 300 && status < 600) return [{ key, status }];
    return /\bredirect:/.test(argumentText) ? [{ key, status: 302 }] : [];
  }),
);
