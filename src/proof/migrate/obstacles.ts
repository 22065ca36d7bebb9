import { findPlaceholder, remedyForUnset } from "../../config/model/placeholders.js";
import type { Project } from "../../config/model/project.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { describeRefusal, mergeRefusals, type Refusal } from "../../config/refusals/refusal.js";
import { isSince } from "../../facts/release.js";
import { isAccessLine, isLegacyDirective } from "../../server/access/lines-of-24.js";
import { lacksRequire } from "../../server/access/providers.js";
import { omitUnreadHtaccess } from "../../server/walk/ignored-htaccess.js";
import { findRefusals } from "../../startup/validate.js";
import { createCodedText } from "../../text/coded-text.js";
import { quoteText } from "../../text/words.js";
import { type Inexpressible, stateReason } from "./plan/inexpressible.js";

/** Returns what prevents the migration of a configuration, whatever its Require lines would be. */
export function findObstacles(project: Project): readonly Inexpressible[] {
  return [
    ...findLackOfRequire(project),
    ...findMissingParts(project),
    ...findUnreadableFiles(project),
    ...findUnsetLines(project),
    ...findRefusedLines(project),
  ];
}

/** Reports a configuration that is read as 2.4 but does not load what Require needs: most are of 2.2. */
function findLackOfRequire(project: Project): readonly Inexpressible[] {
  const directive = [...iterateDirectives(project)].find(isLegacyDirective);
  if (!isSince(project.release, "2.4") || directive === undefined || !lacksRequire(project)) return [];
  return [
    {
      ...stateReason("no-authz-core"),
      help: ["if the server runs 2.2, add `--from 2.2`", "if it runs 2.4, load mod_authz_core"],
      directive,
    },
  ];
}

/**
 * Returns the unread parts of the configuration, which may contain access rules. A missing ServerRoot is one only if an
 * Include starts there: that Include is passed over.
 */
function findMissingParts({ problems }: Project): readonly Inexpressible[] {
  const kinds: ReadonlySet<Refusal["kind"]> = new Set(["include", "limit", "template", "passed-over"]);
  return problems
    .filter(({ kind, directory }) => kinds.has(kind) && directory === undefined)
    .map(({ code, problem, remedy, span }) => ({
      code: createCodedText(code, []),
      reason: problem,
      notes: ["a part of the configuration is unknown"],
      help: [remedy],
      directive: { span },
    }));
}

/** Returns the unreadable files, which may contain mod_access_compat directives. */
function findUnreadableFiles(project: Project): readonly Inexpressible[] {
  const closed = mergeRefusals(omitUnreadHtaccess(project).problems.filter(({ kind }) => kind === "closed"));
  return closed ? [describeAsRefused(closed, closed)] : [];
}

/** Returns the access directives that stop the server: their effect is unknown. */
export function findRefusedLines(project: Project): readonly Inexpressible[] {
  return findRefusals(project)
    .startup.filter(({ directive }) => isAccessLine(directive))
    .map((refusal) => describeAsRefused(refusal, refusal.directive, `${project.release}: `));
}

/** Returns a problem with a directive as a reason for refusal. */
function describeAsRefused(refusal: Refusal, directive: Inexpressible["directive"], prefix = ""): Inexpressible {
  const { message, notes, help } = describeRefusal(refusal);
  return { code: createCodedText(refusal.code, []), reason: `${prefix}${message}`, notes, help, directive };
}

/** Returns the access directives with undefined variables, whose addresses or names are unknown. */
function findUnsetLines(project: Project): readonly Inexpressible[] {
  return [...iterateDirectives(project)].filter(isLegacyDirective).flatMap((directive) => {
    const variable = findUndefinedVariable(directive.argumentText);
    if (variable === undefined) return [];
    const notes = ["the clients that this line allows or denies are unknown"];
    const code = findPlaceholder(variable) === undefined ? "variable-not-defined" : "placeholder";
    return [{ ...stateReason(code, quoteText(variable)), notes, help: [remedyForUnset(variable)], directive }];
  });
}
