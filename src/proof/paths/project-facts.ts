import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { type EffectName, effectsOf } from "../../facts/effects.js";
import { isSince } from "../../facts/release.js";
import { argumentValuesOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { ALL_RENAMED } from "../../server/model/dependency-tracker.js";
import { isProgramHandler } from "../../server/phases/handler.js";
import { HANDLER_TYPE_PREFIX, handlerOfType } from "../../server/phases/handler-lookup.js";
import { earlySetterOf, implicitVariables } from "../../server/request/setenvif.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable } from "../../text/source.js";
import { distinguishesExtension, mayPassOnRequests } from "./file-contents.js";

/** Reports whether any line reads the match of a named group in a section's pattern: `MATCH_NAME`. */
export const usesNamedGroups = memoize((project: Project) => isWritten(project, /match_/i));

/**
 * Reports whether there are conditions in Location or If sections. Those are also evaluated for the path as sent, and
 * the result decides how far the server checks later.
 */
export const hasConditionsWithin = memoize(({ directives, htaccess }: Project) =>
  [directives, ...htaccess.map((file) => file.directives)].some((content) => hasIfsIn(content, false)),
);

function hasIfsIn(directives: readonly Directive[], isInside: boolean): boolean {
  return directives.some(
    ({ key, children }) =>
      (isInside && key === "<if") ||
      (children !== undefined && hasIfsIn(children, isInside || /^<(location|if|elseif|else)/.test(key))),
  );
}

/** Reports whether rewrite rules are evaluated anywhere in combination with rules from another place. */
export const inheritsRules = memoize((project: Project) => isWritten(project, /rewriteoptions[^\n]*inherit/i));

/**
 * Reports whether rewrite rules may be evaluated: the engine is off by default (modules/mappers/mod_rewrite.c
 * `config_server_create`).
 */
export const mayRewrite = memoize((project: Project) =>
  indexDirectives(project)
    .named("rewriteengine")
    .some((line) => keywordArgumentOf(line) !== "off"),
);

/**
 * Reports whether a file extension decides access: that of a program, which is denied if programs may not run, one that
 * mod_proxy passes on, so that a backend answers methods that files do not, one that a FallbackResource exempts, or one with
 * an Action. With any other handler, the file is served in some way; if two sides have other lines for it, they are not proved
 * alike (`findOpenHandler`).
 */
export const usesExtensions = memoize((project: Project): boolean => {
  for (const directive of iterateDirectives(project)) if (dependsOnExtension(directive)) return true;
  return false;
});

function dependsOnExtension(directive: Directive): boolean {
  const { key } = directive;
  return (
    key === "fallbackresource" ||
    key === "action" ||
    (key === "addhandler" && distinguishesExtension(keywordArgumentOf(directive) ?? "")) ||
    (key === "addtype" && namesPrograms(keywordArgumentOf(directive)))
  );
}

/** Reports whether a type names the handler of programs. */
function namesPrograms(type = ""): boolean {
  const handler = handlerOfType(type);
  return handler !== undefined && isProgramHandler(handler);
}

/**
 * Reports whether the type of an extension decides: that of programs, or one with an Action. If types files may have that one,
 * each other type that a line gives an extension decides, too.
 */
export const usesTypes = memoize((project: Project): boolean => {
  const index = indexDirectives(project);
  const withAction = index.named("action").map((line) => keywordArgumentOf(line) ?? "");
  if (withAction.some((name) => name.includes("/") && !name.startsWith(HANDLER_TYPE_PREFIX))) return true;
  const isDeciding = (type = "") => namesPrograms(type) || withAction.includes(type);
  // Any type takes a file from the DefaultType of 2.2.
  const byDefault = isSince(project.release, "2.4") ? [] : index.named("defaulttype").map(keywordArgumentOf);
  if (byDefault.some((type) => handlerOfType(type ?? "") !== undefined || isDeciding(type))) return true;
  return index.named("addtype").some((line) => isDeciding(keywordArgumentOf(line)));
});

function isWritten({ files }: Project, text: RegExp): boolean {
  return [...files.values()].some(({ source }) => text.test(source.text));
}

/** Returns the directories that certainly exist: those that contain a `.htaccess` file that was read. */
export const findExistingDirectories = memoize(({ htaccess }: Project): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { directory } of htaccess) {
    const folder = fromReadable(directory).replace(/\/$/, "");
    for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 1)) found.add(folder.slice(0, end));
  }
  return found;
});

/**
 * Reports whether any line reads a variable in any way: a variable that is only set does not decide anything. Any
 * occurrence of its name counts, except in lines that set it, even if it means something else.
 *
 * @param setting as lines write what they set: `NAME`, `NAME=VALUE`, `NAME:VALUE`
 */
export function isVariableRead(setting: string, project: Project): boolean {
  const [name] = /^[\w-]+(?=$|[=:])/.exec(setting.replace(/^!/, "").toLowerCase()) ?? [];
  if (name === undefined || implicitVariables.has(name)) return true;
  const words = mentionedVariablesOf(project);
  return words.has(name) || [...words].some((word) => word.endsWith(`redirect_${name}`));
}

const mentionedVariablesOf = memoize((project: Project): ReadonlySet<string> => {
  const words = new Set<string>();
  for (const directive of iterateDirectives(project))
    for (const word of readIn(directive, project)
      .toLowerCase()
      .match(/[\w-]+/g) ?? [])
      words.add(word);
  return words;
});

/** Effects of lines that set variables, or read them only for logs or response headers. */
const settingEffects: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["variable", "variables", "passed-variables", "log", "response-header"] as const),
]);

/** Returns a line's text without the names that it sets. */
function readIn(directive: Directive, { release }: Project): string {
  const { key, argumentText } = directive;
  const { effect } = effectsOf(key, release) ?? {};
  if (effect !== undefined && settingEffects.has(effect)) return "";
  if (key === "rewriterule") return argumentText.replace(/(?<=[[,]\s*(?:E|env)=)!?[\w-]+/gi, "");
  const set = earlySetterOf(directive)?.variables ?? [];
  return argumentValuesOf(directive)
    .slice(0, argumentValuesOf(directive).length - set.length)
    .join(" ");
}

/** Variables of modules that are part of httpd, or often used with it: lines only give them a default. */
const ofModules =
  /^(?:geoip_|mm_|mmdb_|unique_id$|ssl_|https$|http_|remote_|redirect_|request_|server_|no-gzip|downgrade-|force-|nokeepalive)/;

/**
 * Returns the variables, in lower case, that only the lines of the configurations set. Empty with unknown modules and
 * with lines of mod_lua, which may set any variable. A handler that passes a request on to another URL gives it
 * any variables with the prefix `REDIRECT_`.
 */
export function collectServerVariables(projects: readonly Project[]): ReadonlySet<string> {
  const names = new Set<string>();
  if (projects.some(({ modules }) => modules.hasAnyThirdParty())) return names;
  if (!projects.some(mayPassOnRequests)) names.add(ALL_RENAMED);
  for (const project of projects)
    for (const directive of iterateDirectives(project)) {
      if (directive.key.startsWith("lua")) return new Set();
      for (const name of variablesSetBy(directive).map((each) => each.toLowerCase()))
        if (!ofModules.test(name)) names.add(name);
    }
  return names;
}

/** Returns the variables that a line sets or deletes, as written; a name may contain what a rewrite rule captures. */
export function variablesSetBy(directive: Directive): readonly string[] {
  switch (directive.key) {
    case "setenv":
      return argumentValuesOf(directive).slice(0, 1);
    case "passenv":
      return argumentValuesOf(directive);
    case "rewriterule":
      return [...(argumentValuesOf(directive)[2] ?? "").matchAll(/[[,]\s*(?:E|env)=!?([^:,\]]+)/gi)].map(
        ([, name = ""]) => name,
      );
    default:
      return (earlySetterOf(directive)?.variables ?? []).map((word) => word.replace(/^!/, "").replace(/=.*$/s, ""));
  }
}

/**
 * Reports whether a file name may be spelled in another case than the path of the request: on Windows, it has the spelling
 * of the disk.
 */
export function isSpellingUnknown({ pathRules }: Project): boolean {
  return pathRules === "windows";
}
