import { isRequireContainer, type LostVariable, lineTrialsOf, variablesSetBy } from "../../src/lint/api/access.js";
import {
  type Directive,
  indexDirectives,
  type Project,
  parseRewriteRules,
  type Scope,
} from "../../src/lint/api/configuration.js";
import type { RuleContext } from "../../src/lint/api/rule.js";

/** A variable that allows requests, and that is lost when rules lead to another path. */
export interface LostExemption {
  readonly line: Directive;
  readonly variable: string;
  readonly lost: LostVariable;
}

/** Finds lines that allow requests by a variable of their path, and that do not apply to the result of rewrite rules. */
export function* findLostExemptions(scope: Scope, context: RuleContext): Generator<LostExemption> {
  const lines = [...linesIn(scope.directives)];
  const names = new Set(lines.flatMap((line) => variableOf(line) ?? []).map((name) => name.toLowerCase()));
  for (const line of lines) {
    const variable = variableOf(line);
    // A line for the renamed variable is the remedy.
    if (variable === undefined || names.has(`redirect_${variable.toLowerCase()}`)) continue;
    const setters = settersOf(variable, context.project);
    if (setters.length === 0 || !hasInternalRule(context.project)) continue;
    const lost = lineTrialsOf(context).findLostVariable(line, setters, scope);
    if (lost !== undefined) yield { line, variable, lost };
  }
}

function* linesIn(lines: readonly Directive[]): Generator<Directive> {
  for (const line of lines) {
    yield line;
    if (isRequireContainer(line)) yield* linesIn(line.children ?? []);
  }
}

/** Returns the variable with which a line allows requests. */
function variableOf({ key, arguments: words }: Directive): string | undefined {
  const text = words.map(({ value }) => value).join(" ");
  if (key === "allow") return /^from env=([\w-]+)$/i.exec(text)?.[1];
  return key === "require" ? /^env ([\w-]+)$/i.exec(text)?.[1] : undefined;
}

/** Returns the lines that set a variable, if all of them read the path. */
function settersOf(variable: string, project: Project): readonly Directive[] {
  const index = indexDirectives(project);
  const lines = ["setenvif", "setenvifnocase", "setenv", "rewriterule", "browsermatch", "setenvifexpr"]
    .flatMap((key) => index.named(key))
    .filter((line) => variablesSetBy(line).some((name) => name.toLowerCase() === variable.toLowerCase()));
  const isAboutPath = ({ key, arguments: [attribute] }: Directive) =>
    key.startsWith("setenvif") && attribute?.value.toLowerCase() === "request_uri";
  return lines.every(isAboutPath) ? lines : [];
}

function hasInternalRule(project: Project): boolean {
  return parseRewriteRules(indexDirectives(project).named("rewriterule")).some(
    ({ output, flags: { names, answers } }) =>
      output !== undefined && !answers && !names.has("redirect") && !names.has("proxy") && !/^https?:/i.test(output),
  );
}
