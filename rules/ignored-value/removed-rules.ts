import type { Directive, Scope } from "../../src/lint/api/configuration.js";
import { quoteText } from "../../src/lint/api/rule.js";

export const removedRuleMessages = {
  tooEarly: (id: number, { name }: Directive) => ({
    message: `${quoteText(`${name} ${id}`)} removes nothing: the rule comes later`,
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
export function* findEarlyRemovals(scope: Scope): Generator<EarlyRemoval> {
  const { directives } = scope;
  for (const [index, line] of directives.entries()) {
    if (line.key !== "secruleremovebyid") continue;
    const isNamed = (each: Directive) => {
      const id = ruleIdOf(each);
      return id !== undefined && line.arguments.some(({ value }) => includesId(value, id));
    };
    const rule = directives.slice(index + 1).find(isNamed);
    const id = rule && ruleIdOf(rule);
    if (rule === undefined || id === undefined) continue;
    if (directives.slice(0, index).some(isNamed) || hasInOuterScope(scope.parent, isNamed)) continue;
    yield { line, id, rule };
  }
}

function hasInOuterScope(scope: Scope | undefined, isNamed: (each: Directive) => boolean): boolean {
  return scope !== undefined && (scope.directives.some(isNamed) || hasInOuterScope(scope.parent, isNamed));
}

/** Reports whether a number, or a range such as `900-910`, includes an id. */
function includesId(written: string, id: number): boolean {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(written) ?? [];
  return first !== undefined && id >= Number(first) && id <= Number(last);
}

/** Returns the id in the actions of a SecRule or SecAction line. */
function ruleIdOf({ key, arguments: words }: Directive): number | undefined {
  const actions = key === "secrule" ? words[2] : key === "secaction" ? words[0] : undefined;
  const [, id] = /(?:^|,)\s*id:\s*'?(\d+)/i.exec(actions?.value ?? "") ?? [];
  return id === undefined ? undefined : Number(id);
}
