import { type Directive, lineKeyOf } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { decidingFactsOf, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { mayShareFacts } from "../../config/queries/line-effects.js";
import { type EffectName, effectsOf } from "../../facts/effects.js";
import { earlySetterOf } from "../../server/request/setenvif.js";
import { memoize } from "../../text/memoize.js";
import type { PartitionExtent } from "../model/path-class.js";

/** The lines of a configuration that cannot change the class of an answer. */
interface InertLines {
  readonly lines: ReadonlySet<Directive>;
  /** The keys of those in `.htaccess` files, which are read again on request. */
  readonly keys: ReadonlySet<string>;
}

/**
 * Returns the lines outside of the cone of influence (`decidingFactsOf`): they write no fact that an access decision reads,
 * directly or by another line. What a log, a response header or a program reads does not count. A line without which the
 * server answers in another way matters, such as AuthName.
 */
const inertLinesOf = memoize((project: Project): InertLines => {
  const facts = decidingFactsOf(project);
  const [lines, keys, deciding] = [new Set<Directive>(), new Set<string>(), new Set<string>()];
  const inHtaccess = new Set(project.htaccess.map(({ tree }) => tree));
  const keepsSetters = hasDependentSetters(project);
  for (const { line, effects } of placedLinesOf(project)) {
    if (line.children) continue;
    const isKept = keepsSetters && earlySetterOf(line) !== undefined;
    const isInert =
      effects !== undefined && effects.of.absence === undefined && !isKept && !mayShareFacts(effects.writes, facts);
    if (isInert) lines.add(line);
    if (inHtaccess.has(line.reading.tree)) (isInert ? keys : deciding).add(lineKeyOf(line));
  }
  for (const key of deciding) keys.delete(key);
  return { lines, keys };
});

/**
 * Reports whether the result of a line that sets variables may depend on another such line that sets none that it reads. A
 * line for the same attribute as the one before takes over the value that it has looked up, or that the pattern of a
 * SetEnvIfExpr matched (mod_setenvif.c `match_headers`).
 */
function hasDependentSetters(project: Project): boolean {
  const [attributes, variables] = [new Set<string>(), new Set<string>()];
  for (const { line } of placedLinesOf(project)) {
    const setter = earlySetterOf(line);
    if (setter === undefined) continue;
    if (setter.header === undefined) return true;
    if (typeof setter.header !== "string") return true;
    attributes.add(setter.attribute);
    for (const word of setter.variables) variables.add(word.toLowerCase().replace(/^!/, "").replace(/=.*$/s, ""));
  }
  return [...attributes].some((each) => variables.has(each));
}

/** Reports whether a line without content cannot change the class of an answer, so that it does not matter where it applies. */
export function isInertLine(line: Directive, project: Project): boolean {
  const { lines, keys } = inertLinesOf(project);
  return lines.has(line) || (keys.size > 0 && line.children === undefined && keys.has(lineKeyOf(line)));
}

const pathSection = /^<(?:directory|files|location|proxy)(?:match)?$/;

/** A name for a part of the path, which any line may read as `MATCH_NAME`. */
const namedGroup = /\(\?P?[<'](?![=!])/;

/** Effects that come after the access check of the requested path: on its handler, and on the file of a directory. */
const laterEffects: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["handler", "extension-handler", "media-type", "extension-type", "index", "directory-redirect"] as const),
]);

/** Those that only come later in sections for directories and files: RewriteEngine in a Location applies to rules of the server. */
const rewriteEffects: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["rewrite-engine", "rewrite-setting", "rewrite-condition", "rewrite-rule"] as const),
]);

const fileSection = /^<(?:directory|files)(?:match)?$/;

/**
 * Reports whether a section decides nothing about a request, so that it does not matter which paths it applies to.
 *
 * @param extent how far a request is followed
 */
export function isInert(section: Directive, project: Project, extent: PartitionExtent = "answer"): boolean {
  const { key, argumentText, children = [] } = section;
  const isLater = (line: Directive) => {
    const { effect } = effectsOf(line.key, project.release, true) ?? {};
    if (extent !== "access check" || effect === undefined) return false;
    return laterEffects.has(effect) || (fileSection.test(key) && rewriteEffects.has(effect));
  };
  return (
    pathSection.test(key) &&
    !namedGroup.test(argumentText) &&
    children.every((each) =>
      each.children ? isInert(each, project, extent) : isInertLine(each, project) || isLater(each),
    )
  );
}
