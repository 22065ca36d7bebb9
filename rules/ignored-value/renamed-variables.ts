import { lineTrialsOf, type RenamedVariables, variablesSetBy } from "../../src/lint/api/access.js";
import {
  type Argument,
  type Directive,
  indexDirectives,
  iterateDirectives,
  type Project,
  parseHeaderLine,
  parseRewriteRules,
  type RewriteRule,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { quoteText, type RuleContext } from "../../src/lint/api/rule.js";

export const renamedMessages = {
  renamed: ({ variable, corrected, isNegated, isByRule, found }: RenamedVariable) => ({
    message: `${quoteText(variable)} is not set any more when httpd applies this line`,
    notes: [
      `a request such as ${quoteText(found.answer.request.path)} leads to ${quoteText(found.target)}: after this internal redirect, the variable has the name ${quoteText(`${found.prefix}${variable}`)}`,
      isNegated === undefined
        ? "httpd sends the text `(null)`"
        : isByRule
          ? `the line ${isNegated ? "always" : "never"} applies`
          : `the line ${isNegated ? "applies" : "does not apply"} to the result`,
    ],
    help: [`use ${quoteText(corrected)}`],
  }),
};

/** A variable in a Header or RequestHeader line that an internal redirect renames before. */
export interface RenamedVariable {
  readonly line: Directive;
  readonly word: Argument;
  readonly variable: string;
  /** The word with the name that the variable has then. */
  readonly corrected: string;
  /** Whether the line is for requests without the variable; undefined if it is a part of the value. */
  readonly isNegated: boolean | undefined;
  /** Whether the rule that leads to another path sets the variable; otherwise, SetEnvIf does. */
  readonly isByRule: boolean;
  /** The rule that leads to another path. */
  readonly by: Directive;
  readonly found: RenamedVariables;
}

/**
 * Yields the Header and RequestHeader lines of a directory with a variable that only rules of the same directory set that lead
 * to another path, or SetEnvIf for a path that they change: httpd applies the lines to the result, in which the variable has the name `REDIRECT_…`
 * (modules/http/http_request.c `rename_original_env`; live case).
 */
export function* findRenamedVariables(scope: Scope, context: RuleContext): Generator<RenamedVariable> {
  const { directives, place } = scope;
  if (place !== "htaccess" && place !== "directory") return;
  const rules = parseRewriteRules(directives).filter(redirectsInternally);
  if (rules.length === 0) return;
  for (const line of directives) {
    if (line.key !== "header" && line.key !== "requestheader") continue;
    for (const read of variablesIn(line)) {
      const { variable } = read;
      const setters = settersOf(variable, context.project);
      if (setters.size === 0 || namesResult(variable, context.project)) continue;
      const ofRules = rules.filter(({ directive }) => setters.has(directive));
      const found =
        ofRules.length === setters.size
          ? findByRules(ofRules, setters, scope, context)
          : findByPath(variable, [...setters], scope, context);
      if (found === undefined) continue;
      const renamed = read.written.replace(variable, `${found.prefix}${variable}`);
      const corrected = read.word.value.replace(read.written, renamed);
      yield { ...read, line, corrected, isByRule: ofRules.length > 0, by: found.by, found };
    }
  }
}

type Found = RenamedVariables & { readonly by: Directive };

/** Finds the renamed variable of rules that set it and lead to another path themselves. */
function findByRules(
  rules: readonly RewriteRule[],
  setters: ReadonlySet<Directive>,
  scope: Scope,
  context: RuleContext,
): Found | undefined {
  const results = rules.map((rule) => lineTrialsOf(context).findRenamedVariables(rule, setters, scope));
  const [[rule], [found]] = [rules, results];
  if (rule === undefined || found === undefined || results.some((each) => each?.prefix !== found.prefix))
    return undefined;
  return { ...found, by: rule.directive };
}

/** Finds the renamed variable of SetEnvIf lines of the same directory that read the path. */
function findByPath(
  variable: string,
  setters: readonly Directive[],
  scope: Scope,
  context: RuleContext,
): Found | undefined {
  const isAboutPath = (line: Directive) =>
    /^setenvif(?:nocase)?$/.test(line.key) &&
    line.arguments[0]?.value.toLowerCase() === "request_uri" &&
    scope.directives.includes(line);
  return setters.every(isAboutPath) ? lineTrialsOf(context).findRenamedByPath(variable, setters, scope) : undefined;
}

/** Reports whether a rule leads to another path of the server. */
function redirectsInternally({ output, flags: { names, answers } }: RewriteRule): boolean {
  const leaves = ["redirect", "proxy", "next"].some((name) => names.has(name));
  return output !== undefined && !leaves && !answers;
}

/** Returns the lines of all files that set a variable. */
function settersOf(variable: string, project: Project): ReadonlySet<Directive> {
  const isSame = (name: string) => name.toLowerCase() === variable.toLowerCase();
  return new Set([...iterateDirectives(project)].filter((line) => variablesSetBy(line).some(isSame)));
}

/** Reports whether any line has the name that the variable has after an internal redirect. */
function namesResult(variable: string, project: Project): boolean {
  const name = `redirect_${variable}`.toLowerCase();
  const isNamed = (text: string) => text.toLowerCase().includes(name);
  return indexDirectives(project).some(isNamed, ({ argumentText }) => isNamed(argumentText));
}

/** Lists the variables that a Header line reads: in its condition, or in its value. */
function variablesIn(line: Directive) {
  const { condition, value, replacement } = parseHeaderLine(line, false);
  const [written, negation, variable] = /^env=(!?)([\w-]+)$/i.exec(condition ?? "") ?? [];
  const word = line.arguments.findLast((each) => each.value === condition);
  if (written && variable && word) return [{ word, written, variable, isNegated: negation === "!" }];
  const text = replacement ?? value;
  const valueWord = line.arguments.findLast((each) => each.value === text);
  const [part, name] = /%\{([\w-]+)\}e/.exec(text) ?? [];
  if (condition !== undefined || !valueWord || part === undefined || name === undefined) return [];
  return [{ word: valueWord, written: part, variable: name, isNegated: undefined }];
}
