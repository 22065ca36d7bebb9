import { groupFilesOf } from "../../src/access/group-files.js";
import { newRulesOf, type RequireLine, readRequire, requireWords } from "../../src/access/new-rules.js";
import { defineRule } from "../../src/engine/rule.js";
import { refusalConsequence } from "../../src/project/problems.js";
import type { Scope } from "../../src/project/scope.js";

export const dbmGroup = defineRule({
  id: "dbm-group",
  title: "Groups in a dbm file need `Require dbm-group`",
  severity: "warning",
  description: "`Require group` where AuthDBMGroupFile is in force and AuthGroupFile is not.",
  help: "In 2.2 every group module answered to `Require group`; in 2.4 it asks mod_authz_groupfile alone, and groups in a dbm file want `Require dbm-group`. The server starts without a word and locks every member out (401, AH01664).",
  tags: ["upgrade", "access-control"],
  upgrade: "answers",
  // Where mod_authz_groupfile is not loaded: loading it would not help.
  supersedes: ["refused-at-start", "authentication-incomplete"],
  check: ({ project, release, report }) => {
    const isKnown = !project.modulesAreKnown || project.modules.has("authz_groupfile_module");
    const scopes: Scope[] = [];
    const lines: { readonly line: RequireLine; readonly scope: Scope }[] = [];
    return {
      directives: {
        require(directive, scope) {
          const line = readRequire(directive);
          // Elsewhere the server refuses a `not`, whatever it is about.
          const isTaken = !line.negated || directive.parent?.key === "<requireall";
          if (line.provider === "group" && isTaken) lines.push({ line, scope });
        },
      },
      scope: { holding: ["authdbmgroupfile", "authgroupfile"], visit: (scope) => scopes.push(scope) },
      project() {
        if (release !== "2.4" || lines.length === 0) return;
        const filesOf = groupFilesOf(scopes);
        for (const { line, scope } of lines) {
          const files = filesOf(scope);
          if (files.dbm === undefined || files.text !== undefined || isDoneBeside(line, scope)) continue;
          const isAlone = line.directive.parent?.key === "<requireall" || newRulesOf(scope).length === 1;
          const span = line.directive.spanOf(line.providerAt);
          const locks = line.negated
            ? "no member is kept out"
            : isAlone
              ? "every member is locked out with 401"
              : "this line lets nobody in";
          const consequence = isKnown ? locks : refusalConsequence(scope.inHtaccess);
          const missing = isKnown ? "no AuthGroupFile is in force" : "mod_authz_groupfile is not loaded";
          report({
            ...(isKnown && !line.negated ? {} : { severity: "error" }),
            message: `\`Require group\` does not look into the AuthDBMGroupFile in 2.4 and ${missing}, so ${consequence}; write \`Require dbm-group\``,
            span,
            related: [{ message: "the groups are in this dbm file", span: files.dbm.span }],
            fix: { title: "Write `dbm-group`", safety: "unsafe", edits: [{ span, text: "dbm-group" }] },
          });
        }
      },
    };
  },
});

/** Whether a `Require dbm-group` of the scope names all of the line's groups already. */
function isDoneBeside(line: RequireLine, scope: Scope): boolean {
  const named = new Set(
    scope.directives
      .filter(({ key }) => key === "require")
      .map(readRequire)
      .filter(({ provider, negated }) => provider === "dbm-group" && negated === line.negated)
      .flatMap((other) => requireWords(other).map(({ value }) => value)),
  );
  return requireWords(line).every(({ value }) => named.has(value));
}
