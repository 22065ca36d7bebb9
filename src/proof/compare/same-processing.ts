import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { resolveMixedOptions } from "../../config/queries/mixed-options.js";
import { isAccessLine } from "../../server/access/lines-of-24.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";

/**
 * Reports whether two servers with these configurations process a request alike as long as each check of access has the
 * same result on both: they differ only in access lines, and no such line reads the state that an earlier phase left.
 * docs/compare.md has the argument ("Unknown targets").
 */
export function processAlike(before: Project, after: Project): boolean {
  return !readsEarlierSteps(before) && !readsEarlierSteps(after) && textOf(before) === textOf(after);
}

/**
 * Reports whether a check of access may depend on more than the client, the method, the URL and the file: on variables,
 * or on a condition.
 */
function readsEarlierSteps({ directives, htaccess }: Project): boolean {
  return [directives, ...htaccess.map((file) => file.directives)].some((lines) => hasConditions(lines, false));
}

function hasConditions(lines: readonly Directive[], isConditional: boolean): boolean {
  return lines.some((line) => {
    const { key, argumentText, children } = line;
    if (key === "<authzprovideralias") return true;
    if (isAccessLine(line) && (isConditional || /%\{|(?:^|\s)(?:env(?:=|\s)|expr\s)/i.test(argumentText))) return true;
    return children !== undefined && hasConditions(children, isConditional || /^<(?:if|elseif|else)$/.test(key));
  });
}

/** Returns all lines but the access lines, each with the sections around it. */
function textOf({ directives, htaccess }: Project): string {
  const files = htaccess.map((file) => [file.directory, ...linesOf(file.directives)]);
  return [...linesOf(directives), ...files.flat()].join("\n");
}

/** The modules that configure processes and connections. */
const processModules: ReadonlySet<string> = new Set([
  ...["mpm_common", "prefork", "worker", "event", "mpm_winnt", "mpm_netware", "beos", "mod_unixd"],
]);

/** Their former directives, and Port, which no release accepts. */
const processDirectives: ReadonlySet<string> = new Set(["maxrequestsperchild", "port"]);

function isOfProcesses({ key, known }: Directive): boolean {
  return processDirectives.has(key) || known.facts.some(({ module }) => processModules.has(module));
}

function linesOf(directives: readonly Directive[]): readonly string[] {
  return directives.flatMap((line) => {
    const { key, argumentText, children } = line;
    if (isAccessLine(line) || isOfMethods(line) || isOfProcesses(line)) return [];
    const text = `${key} ${resolvedOptionsOf(line) ?? argumentText}`;
    return children === undefined ? [text] : [text, ...linesOf(children), "end"];
  });
}

/** Returns the options that a line with and without signs stands for, which only 2.2 accepts. */
function resolvedOptionsOf(line: Directive): string | undefined {
  const words = line.key === "options" ? argumentValuesOf(line) : [];
  const signed = words.filter((word) => /^[+-]/.test(word)).length;
  return signed > 0 && signed < words.length ? resolveMixedOptions(words) : undefined;
}

/** Reports whether a line is a section for methods with nothing but access lines. */
function isOfMethods({ key, children = [] }: Directive): boolean {
  return /^<limit(?:except)?$/.test(key) && [...iterateDescendants(children)].every(isAccessLine);
}
