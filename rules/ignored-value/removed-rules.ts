import { type Directive, type Project, type Scope, securityRuleIdOf } from "../../src/lint/api/configuration.js";
import { quoteText } from "../../src/lint/api/rule.js";

export const removedRuleMessages = {
  tooEarly: (id: number, { name, argumentText }: Directive) => ({
    message: `${quoteText(`${name} ${argumentText}`)} does not remove the rule ${id}, which comes later`,
    notes: ["mod_security removes the rules that it has read before the line"],
    help: ["move the line after the rule, or after the `Include` of its file"],
  }),
};

/** A line that is to remove a rule of mod_security, and the rule after it. */
interface EarlyRemoval {
  readonly line: Directive;
  readonly id: number;
  readonly rule: Directive;
}

/** Yields the lines that come before the rule that they are to remove, in the same scope (test/live/removed-rules.live.test.ts). */
export function* findEarlyRemovals(scope: Scope, project: Project): Generator<EarlyRemoval> {
  const { directives } = scope;
  for (const [index, line] of directives.entries()) {
    if (line.key !== "secruleremovebyid" || mayHaveRulesBefore(line, project)) continue;
    const isNamed = (each: Directive) => {
      const id = securityRuleIdOf(each);
      return id !== undefined && line.arguments.some(({ value }) => includesId(value, id));
    };
    const rule = directives.slice(index + 1).find(isNamed);
    const id = rule && securityRuleIdOf(rule);
    if (rule === undefined || id === undefined) continue;
    if (directives.slice(0, index).some(isNamed) || hasInOuterScope(scope.parent, isNamed)) continue;
    yield { line, id, rule };
  }
}

function hasInOuterScope(scope: Scope | undefined, isNamed: (each: Directive) => boolean): boolean {
  return scope !== undefined && (scope.directives.some(isNamed) || hasInOuterScope(scope.parent, isNamed));
}

/** Reports whether a file that is not here may have rules before a line. */
function mayHaveRulesBefore({ span: { file, start } }: Directive, project: Project): boolean {
  const assumed = project.assumptions.flatMap((each) => (each.code === "missing-files-empty" ? each.problems : []));
  const unread = [
    ...project.includes.filter(({ mayHaveFiles }) => mayHaveFiles),
    ...[...project.problems, ...assumed].filter(({ kind }) => kind === "include"),
  ];
  return unread.some(({ span }) => span.file !== file || span.start < start);
}

/** Reports whether a number, or a range such as `900-910`, includes an id. */
function includesId(written: string, id: number): boolean {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(written) ?? [];
  return first !== undefined && id >= Number(first) && id <= Number(last);
}
