import { type Directive, isIfSection } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { decidingFactsOf } from "../../config/queries/deciding-facts.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { effectsOfLine, mayShareFacts } from "../../config/queries/line-effects.js";
import { resolveMixedOptions } from "../../config/queries/mixed-options.js";
import { isAccessLine } from "../../server/access/lines-of-24.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { compareDefaults } from "./defaults-of-22.js";

/**
 * Reports whether two servers with these configurations process a request alike as long as each check of access has the
 * same result on both: they differ only in access lines and in lines that cannot change an answer, no access line reads the
 * state that an earlier phase left,
 * and a server of 2.4 keeps the defaults of one of 2.2, except those that the check itself shows.
 * docs/proof.md has the argument ("Unknown targets").
 */
export function processAlike(before: Project, after: Project): boolean {
  if (readsEarlierSteps(before) || readsEarlierSteps(after)) return false;
  const sides = [before, after];
  const deciding = new Set(sides.flatMap((side) => [...decidingFactsOf(side)]));
  // A line that matters in one of the two releases is compared, whichever side it is on.
  const isIdle: LineTest = (line) =>
    line.children === undefined &&
    sides.every(({ release }) => {
      const { of, writes } = effectsOfLine(line, release) ?? {};
      if (writes === undefined || writes.size === 0) return false;
      // Both servers of a pair get the requests to the same address and port.
      return of?.effect === "port" || !mayShareFacts(writes, deciding);
    });
  const { keptBy, lost } = compareDefaults(before, after);
  if (lost.some(({ isUsedAfter }) => isUsedAfter === undefined)) return false;
  return textOf(before, isIdle) === textOf(after, (line) => isIdle(line) || keptBy.includes(line));
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
    if (isAccessLine(line) && (isConditional || /%\{/.test(argumentText) || argumentValuesOf(line).some(isState)))
      return true;
    return children !== undefined && hasConditions(children, isConditional || isIfSection(line));
  });
}

/** Matches a word of an access line that names a variable or an expression: `Require env x`, `Deny from env=x`. */
const isState = (word: string): boolean => /^(?:env|expr)$|^env=/i.test(word);

/** Returns the lines that may change an answer, but no access lines, each with the sections around it. */
function textOf({ directives, htaccess }: Project, isIdle: LineTest): string {
  const files = htaccess.map((file) => [file.directory, ...linesOf(file.directives, isIdle)]);
  return [...linesOf(directives, isIdle), ...files.flat()].join("\n");
}

type LineTest = (line: Directive) => boolean;

function linesOf(directives: readonly Directive[], isIdle: LineTest): readonly string[] {
  return directives.flatMap((line) => {
    const { key, argumentText, children } = line;
    if (isAccessLine(line) || isOfMethods(line) || isIdle(line)) return [];
    const text = `${key} ${resolvedOptionsOf(line) ?? argumentText}`;
    return children === undefined ? [text] : [text, ...linesOf(children, isIdle), "end"];
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
