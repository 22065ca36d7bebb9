import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { findUndefinedVariable, textBeforeUndefined } from "../../config/model/variables.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { memoize } from "../../text/memoize.js";
import { quoteText } from "../../text/words.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import type { Server } from "../model/server.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";
import { targetOf } from "./section-index.js";

/** Directives that decide about access, processing or the files read: each of their arguments may matter. */
const decidingNames: ReadonlySet<string> = new Set([
  ...["order", "allow", "deny", "satisfy", "require", "<requireall", "<requireany", "<requirenone"],
  ...["<limit", "<limitexcept", "allowmethods", "authmerging", "authtype", "authzsendforbiddenonfailure"],
  ...["authbasicprovider", "authbasicauthoritative", "authbasicfake", "authdigestprovider", "authformprovider"],
  ...["authgroupfile", "authdbmgroupfile", "sslrequire", "sslrequiressl"],
  ...["allowoverride", "allowoverridelist", "accessfilename", "options", "allowencodedslashes", "mergeslashes"],
  ...["rewriteengine", "rewriteoptions", "rewritebase", "rewritecond", "setenvif", "setenvifnocase"],
  ...["setenvifexpr", "browsermatch", "browsermatchnocase", "requestheader", "remoteipheader"],
  ...["remoteipinternalproxy", "remoteiptrustedproxy", "directoryindex", "directoryslash", "fallbackresource"],
  ...["sethandler", "addhandler", "action", "script", "acceptpathinfo", "traceenable", "usecanonicalname"],
  ...["directoryindexredirect", "checkspelling"],
]);

/** Directives that map paths: their target matters only for the paths they map. */
const mappingNames: ReadonlySet<string> = new Set([
  ...["alias", "aliasmatch", "scriptalias", "scriptaliasmatch", "proxypass", "proxypassmatch", "rewriterule"],
  ...["redirect", "redirectmatch", "redirectpermanent", "redirecttemp", "wsgiscriptalias", "wsgiscriptaliasmatch"],
]);

/** Sections by path, by name or by condition. */
const sectionNames: ReadonlySet<string> = new Set([
  ...["<directory", "<directorymatch", "<location", "<locationmatch", "<files", "<filesmatch"],
  ...["<if", "<elseif"],
]);

/** Section types that are checked before the mapping: a Redirect of the server responds before all others. */
const urlSections: ReadonlySet<string> = new Set(["<location", "<locationmatch"]);

const proxySectionNames: ReadonlySet<string> = new Set(["<proxy", "<proxymatch"]);

/** Directives of these sections that configure the connection to a backend, not the access to it. */
const backendSettings: ReadonlySet<string> = new Set([
  "proxyset",
  "balancermember",
  "balancergrowth",
  "balancerinherit",
]);

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
    const line =
      layer.pick(decidingNames).find(isUndefinedDecider) ??
      layer.pick(isEarly ? urlSections : sectionNames).find(usesUndefinedVariable) ??
      layer.pick(mappingNames).find(isUndefinedSource);
    if (!line) continue;
    markLine(line, oracle);
    return;
  }
}

/** Marks a request as undecidable if a directive with such a variable maps it to a file or a backend. */
export function markUndefinedTarget(by: Directive | undefined, project: Project, oracle: Oracle): void {
  if (by === undefined || !usesAnyUndefined(project) || oracle.undecidable !== undefined) return;
  if (findUndefinedVariable(withoutUrls(by))) markLine(by, oracle);
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
    const isBackendOnly = section.children?.every(({ key }) => backendSettings.has(key)) ?? true;
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

/** A backend's name decides nothing, and neither do headers set after all directives that could read them. */
function isUndefinedDecider(line: Directive): boolean {
  if (line.key === "sethandler") return findUndefinedVariable(withoutUrls(line)) !== undefined;
  return usesUndefinedVariable(line) && (line.key !== "requestheader" || /\searly"?\s*$/i.test(line.argumentText));
}

/**
 * Reports whether the part before the target of a mapping directive has such a variable; the last argument of an Alias,
 * a Redirect or a similar directive is the target.
 */
function isUndefinedSource(line: Directive): boolean {
  const words = argumentValuesOf(line);
  const isTarget = line.key !== "rewriterule" && words.length > 1;
  return (
    usesUndefinedVariable(line) &&
    findUndefinedVariable(isTarget ? words.slice(0, -1).join(" ") : withoutUrls(line)) !== undefined
  );
}

/** Removes URLs and socket paths, which refer to another server of any name. */
function withoutUrls({ argumentText }: Directive): string {
  return argumentText.replace(/\bunix:[^|\s]*\||\b[a-z]+:\/\/\S*/gi, "");
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

const luaHooks = [
  ...["accesschecker", "authchecker", "checkuserid", "fixups", "maptostorage", "typechecker"],
  ...["translatename", "pretranslate", "pretranslatename"],
].map((hook) => `luahook${hook}`);
const phases = [
  ...["access", "authen", "authz", "fixup", "headerparser", "init", "maptostorage", "postreadrequest"],
  ...["trans", "type"],
];

/**
 * Directives by which a program may affect the response before the handler runs (mod_lua, mod_perl, mod_python,
 * mod_wsgi).
 */
export const programDirectives: ReadonlySet<string> = new Set([
  ...[...luaHooks, "luaquickhandler"].flatMap((key) => [key, `<${key}`]),
  ...["perl", "python"].flatMap((language) => phases.map((phase) => `${language}${phase}handler`)),
  "wsgiaccessscript",
]);

/**
 * Marks the result of a request as undecidable if a program may answer it. @param layers all sections that apply to it
 */
export function markProgramsUndecidable(layers: readonly ConfigLayer[], project: Project, oracle: Oracle): void {
  if (!usesPrograms(project) || oracle.undecidable !== undefined) return;
  for (const layer of layers) {
    const [line] = layer.pick(programDirectives);
    if (line) oracle.markUndecidable(resultOf(line), line);
  }
}

const usesPrograms = memoize((project: Project) => indexDirectives(project).hasAny(programDirectives));

function resultOf({ name, argumentText }: Directive): UnknownFact {
  return unknownFact("program-result", quoteText(`${name} ${argumentText}`.trim()));
}
