import { isRequireContainer } from "../access/new-rules.js";
import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";

/** What a Require of 2.4 may begin with, and none of 2.2. */
const newerWords: ReadonlySet<string> = new Set([
  ...["all", "env", "expr", "forward-dns", "host", "ip", "local", "method", "not", "ssl", "ssl-verify-client"],
]);

/** Lines about access that nobody wrote for 2.2: where they are in force the files have been moved already, or in part. */
export function newerLines(project: Project): readonly Directive[] {
  return [...allDirectives(project)].filter(
    (directive) =>
      isRequireContainer(directive) ||
      directive.key === "authmerging" ||
      (directive.key === "require" && newerWords.has(directive.arguments[0]?.value.toLowerCase() ?? "")),
  );
}
