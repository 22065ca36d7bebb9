import { earlySetterOf, REDIRECT_CAREFULLY } from "../../httpd/environment/setenvif.js";
import { argumentValuesOf } from "../../httpd/model/config-layer.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { iterateDirectives } from "../../project/queries/directive-tree.js";
import { Memo } from "../../text/memo.js";
import { fromReadable } from "../../text/source.js";

/** Whether any line looks at what a named group of a section's pattern has found: `MATCH_NAME`. */
export function usesNamedGroups(project: Project): boolean {
  return usesNamedGroupsMemo.get(project);
}

const usesNamedGroupsMemo = new Memo((project: Project) => isWritten(project, /match_/i));

/**
 * Whether conditions stand in Location or If sections: those are gone over for the path as it is sent, too, and what they
 * come to then decides how far the server looks later.
 */
export function hasConditionsWithin(project: Project): boolean {
  return conditionsWithinMemo.get(project);
}

const conditionsWithinMemo = new Memo(({ directives, htaccess }: Project) =>
  [directives, ...htaccess.map((file) => file.directives)].some((content) => hasIfsIn(content, false)),
);

function hasIfsIn(directives: readonly Directive[], isInside: boolean): boolean {
  return directives.some(
    ({ key, children }) =>
      (isInside && key === "<if") ||
      (children !== undefined && hasIfsIn(children, isInside || /^<(location|if|elseif|else)/.test(key))),
  );
}

/** Whether rules of rewriting are anywhere looked at beside others than those that they are written with. */
export function inheritsRules(project: Project): boolean {
  return inheritsRulesMemo.get(project);
}

const inheritsRulesMemo = new Memo((project: Project) => isWritten(project, /rewriteoptions[^\n]*inherit/i));

/**
 * Whether an extension decides who is let in: that of a program, which is refused where programs may not run, or one that a
 * FallbackResource leaves alone. By any other handler a file is answered, one way or another.
 */
export function usesExtensions(project: Project): boolean {
  return usesExtensionsMemo.get(project);
}

const usesExtensionsMemo = new Memo((project: Project) => {
  for (const directive of iterateDirectives(project)) if (asksForOne(directive)) return true;
  return false;
});

function asksForOne(directive: Directive): boolean {
  const { key } = directive;
  return (
    key === "fallbackresource" ||
    (key === "addhandler" && argumentValuesOf(directive)[0]?.toLowerCase() === "cgi-script")
  );
}

function isWritten({ files }: Project, text: RegExp): boolean {
  return [...files.values()].some(({ source }) => text.test(source.text));
}

const existingDirectoriesMemo = new Memo(({ htaccess }: Project): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { directory } of htaccess) {
    const folder = fromReadable(directory).replace(/\/$/, "");
    for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 1)) found.add(folder.slice(0, end));
  }
  return found;
});

/** The directories that are there whatever else is: a `.htaccess` file that was read lies in one. */
export function findExistingDirectories(project: Project): ReadonlySet<string> {
  return existingDirectoriesMemo.get(project);
}

/**
 * Whether any line looks at a variable, in whatever way: the value of one that lines set and never look at decides nothing.
 * Any mention of its name but by those that set it counts, be it that of something else.
 *
 * @param setting as lines write what they set: `NAME`, `NAME=VALUE`, `NAME:VALUE`
 */
export function isVariableRead(setting: string, project: Project): boolean {
  const [name] = /^[\w-]+(?=$|[=:])/.exec(setting.replace(/^!/, "").toLowerCase()) ?? [];
  if (name === undefined || name === REDIRECT_CAREFULLY) return true;
  const words = mentionedVariables.get(project);
  return words.has(name) || [...words].some((word) => word.endsWith(`redirect_${name}`));
}

const mentionedVariables = new Memo((project: Project): ReadonlySet<string> => {
  const words = new Set<string>();
  for (const directive of iterateDirectives(project))
    for (const word of readIn(directive)
      .toLowerCase()
      .match(/[\w-]+/g) ?? [])
      words.add(word);
  return words;
});

/** Lines that set what they name, or look at variables for what is logged or sent along with an answer. */
const settingDirectives: ReadonlySet<string> = new Set([
  ...["setenv", "unsetenv", "passenv"],
  ...["customlog", "logformat", "errorlogformat", "transferlog", "header"],
]);

/** What a line says without the names of what it sets. */
function readIn(directive: Directive): string {
  const { key, argumentText } = directive;
  if (settingDirectives.has(key)) return "";
  if (key === "rewriterule") return argumentText.replace(/(?<=[[,]\s*(?:E|env)=)!?[\w-]+/gi, "");
  const set = earlySetterOf(directive)?.variables ?? [];
  return argumentValuesOf(directive)
    .slice(0, argumentValuesOf(directive).length - set.length)
    .join(" ");
}

/** Variables of modules that httpd comes with, or that are often beside it: lines only give them a default. */
const ofModules =
  /^(?:geoip_|mm_|mmdb_|unique_id$|ssl_|https$|http_|remote_|redirect_|request_|server_|no-gzip|downgrade-|force-|nokeepalive)/;

/**
 * The variables that lines of some configurations set, in lower case, and nothing else: none where modules are loaded that
 * are not known, which may set any.
 */
export function collectServerVariables(projects: readonly Project[]): ReadonlySet<string> {
  const names = new Set<string>();
  if (projects.some(({ modules }) => modules.hasAnyThirdParty())) return names;
  for (const project of projects)
    for (const directive of iterateDirectives(project))
      for (const name of variablesSetBy(directive).map((each) => each.toLowerCase()))
        if (!ofModules.test(name)) names.add(name);
  return names;
}

function variablesSetBy(directive: Directive): readonly string[] {
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
