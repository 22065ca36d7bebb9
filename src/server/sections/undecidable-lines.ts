import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { findUndefinedVariable, textBeforeUndefined } from "../../config/model/variables.js";
import { decidingFactsOf } from "../../config/queries/deciding-facts.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { effectsOfLine, mayShareFacts } from "../../config/queries/line-effects.js";
import { type DirectiveEffects, type EffectName, effectsOf, keysWithEffect } from "../../facts/effects.js";
import { computeOnce, memoize } from "../../text/memoize.js";
import { quoteText } from "../../text/words.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import type { Server } from "../model/server.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";
import { targetOf } from "./section-index.js";

/** Sections whose arguments decide to which requests they apply. */
const sectionEffects: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["file-section", "path-section", "condition", "method-section"] as const),
]);

const proxySectionNames: ReadonlySet<string> = new Set(["<proxy", "<proxymatch"]);

/**
 * Marks a request as undecidable if it depends on directives with undefined variables: their values in the server's
 * environment are unknown.
 *
 * @param layers all that apply to it
 * @param isEarly whether the path is not mapped yet
 */
export function markUndefinedVariables(
  layers: readonly ConfigLayer[],
  project: Project,
  oracle: Oracle,
  isEarly = false,
): void {
  if (!usesAnyUndefined(project) || oracle.undecidable !== undefined) return;
  for (const layer of layers) {
    const line = undefinedLinesIn(layer).find((each) => mayDecide(each, project, isEarly));
    if (!line) continue;
    markLine(line, oracle);
    return;
  }
}

const undefinedLinesIn = memoize(({ directives }: ConfigLayer) => directives.filter(usesUndefinedVariable));

/**
 * Reports whether the arguments with such a variable may decide about each request to which a line applies, by the table of
 * effects. Directives that are not modelled are marked on their own.
 */
function mayDecide(line: Directive, project: Project, isEarly: boolean): boolean {
  const { of, writes } = effectsOfLine(line, project.release) ?? {};
  if (of?.answer !== "modelled" || writes === undefined) return false;
  // Before the mapping, other sections do not apply: a Redirect of the server responds first.
  if (sectionEffects.has(of.effect)) return !isEarly || of.effect === "path-section";
  return (
    mayShareFacts(writes, decidingFactsOf(project)) &&
    findUndefinedVariable(textUsedAtOnce(line, of.usedLater)) !== undefined
  );
}

function textUsedAtOnce(line: Directive, usedLater: DirectiveEffects["usedLater"]): string {
  switch (usedLater) {
    case "all":
      return "";
    case "target":
      return withoutUrls(argumentValuesOf(line).slice(0, -1).join(" "));
    case "urls":
      return withoutUrls(line.argumentText);
    case undefined:
      return line.argumentText;
  }
}

/** Marks a request as undecidable if a directive with such a variable maps it to a file or a backend. */
export function markUndefinedTarget(by: Directive | undefined, project: Project, oracle: Oracle): void {
  if (by === undefined || !usesAnyUndefined(project) || oracle.undecidable !== undefined) return;
  if (findUndefinedVariable(withoutUrls(by.argumentText))) markLine(by, oracle);
}

/** Marks a request to a backend as undecidable if its sections depend on such a variable. */
export function markUndefinedBackend(
  { target, by }: ProxyMapping,
  server: Server,
  project: Project,
  oracle: Oracle,
): void {
  if (!usesAnyUndefined(project) || oracle.undecidable !== undefined) return;
  const url = target.replace(/^proxy:/, "");
  const known = usesUndefinedVariable(by) ? textBeforeUndefined(url) : url;
  for (const section of server.layers.flatMap((layer) => layer.pick(proxySectionNames))) {
    const line = [section, by].find(usesUndefinedVariable);
    // Settings of the connection to a backend do not concern the access to it.
    const isBackendOnly =
      section.children?.every(({ key }) => effectsOf(key, project.release, true)?.effect === "backend-setting") ?? true;
    if (line && !isBackendOnly && mayBeFor(section, known)) markLine(line, oracle);
  }
}

function mayBeFor(section: Directive, url: string): boolean {
  const target = targetOf(section);
  if (target === undefined || target.isPattern) return true;
  const [start = ""] = textBeforeUndefined(target.text).split(/[*?[]/);
  return target.text !== "*" && (start.startsWith(url) || url.startsWith(start));
}

/** Reports whether any directive has an undefined variable or a placeholder. */
export const usesAnyUndefined = memoize((project: Project) =>
  indexDirectives(project).some((text) => findUndefinedVariable(text) !== undefined, usesUndefinedVariable),
);

function usesUndefinedVariable({ argumentText }: Directive): boolean {
  return findUndefinedVariable(argumentText) !== undefined;
}

/** Removes URLs and socket paths, which refer to another server of any name. */
function withoutUrls(text: string): string {
  return text.replace(/\bunix:[^|\s]*\||\b[a-z]+:\/\/\S*/gi, "");
}

/** Marks the effect of a directive as undecidable if it has an undefined variable. */
export function markIfUndefined(line: Directive, oracle: Oracle): void {
  if (findUndefinedVariable(`${line.name} ${line.argumentText}`) !== undefined) markLine(line, oracle);
}

function markLine(line: Directive, oracle: Oracle): void {
  const { key, name, known, argumentText } = line;
  // The manual's spelling: some names are in lower case in the server's table.
  const title = `${key.startsWith("<") ? "<" : ""}${known.facts[0]?.name ?? name}`;
  const text = `${title} ${argumentText}`.trim();
  const variable = quoteText(findUndefinedVariable(text) ?? "");
  oracle.markUndecidable(unknownFact("undefined-variable", variable, quoteText(text)), line);
}

/**
 * Directives by which a program may affect the response before the handler runs (mod_lua, mod_perl, mod_python,
 * mod_wsgi).
 */
const programDirectives = computeOnce(() => new Set(keysWithEffect(({ effect }) => effect === "program-result")));

/**
 * Marks the result of a request as undecidable if a program may answer it. @param layers all sections that apply to it
 */
export function markProgramsUndecidable(layers: readonly ConfigLayer[], project: Project, oracle: Oracle): void {
  if (!usesPrograms(project) || oracle.undecidable !== undefined) return;
  for (const layer of layers) {
    const [line] = layer.pick(programDirectives());
    if (line) oracle.markUndecidable(resultOf(line), line);
  }
}

const usesPrograms = memoize((project: Project) => indexDirectives(project).hasAny(programDirectives()));

function resultOf({ name, argumentText }: Directive): UnknownFact {
  return unknownFact("program-result", quoteText(`${name} ${argumentText}`.trim()));
}
