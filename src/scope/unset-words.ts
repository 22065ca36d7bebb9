import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Project } from "../project/project.js";
import { unsetVariable } from "../project/unset-variables.js";
import type { Layer } from "./layer.js";
import { Once } from "./once.js";
import type { ProxyMapping } from "./proxies.js";
import type { Questions } from "./questions.js";
import { targetOf } from "./section-index.js";
import type { Server } from "./server.js";
import { wordsOf } from "./words.js";

/** Lines that say who gets in, what is made of a request, or which files count: each word of them may matter. */
const deciding: ReadonlySet<string> = new Set([
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

/** Lines that lead paths elsewhere: where to counts for what they lead there alone. */
const leading: ReadonlySet<string> = new Set([
  ...["alias", "aliasmatch", "scriptalias", "scriptaliasmatch", "proxypass", "proxypassmatch", "rewriterule"],
  ...["redirect", "redirectmatch", "redirectpermanent", "redirecttemp"],
]);

/** Sections by path, by name or by condition. */
const sections: ReadonlySet<string> = new Set([
  ...["<directory", "<directorymatch", "<location", "<locationmatch", "<files", "<filesmatch"],
  ...["<if", "<elseif"],
]);

/** Those of them that are asked ahead of where a path leads: a Redirect of the server answers before all others. */
const urlSections: ReadonlySet<string> = new Set(["<location", "<locationmatch"]);

const backends: ReadonlySet<string> = new Set(["<proxy", "<proxymatch"]);

/** Lines of these sections that say how a backend is asked, and not who may. */
const settings: ReadonlySet<string> = new Set(["proxyset", "balancermember", "balancergrowth", "balancerinherit"]);

/**
 * Leaves open what comes of a request by lines with variables that have no value: nobody here knows what the server's
 * environment has for them.
 *
 * @param layers all that is in force for it
 * @param isEarly whether it is not known yet where its path leads
 */
export function leaveToEnvironment(
  layers: readonly Layer[],
  project: Project,
  questions: Questions,
  isEarly = false,
): void {
  if (!unset.of(project).isAny || questions.unsettled !== undefined) return;
  for (const layer of layers) {
    const line =
      layer.only(deciding).find(isUnsetDecider) ??
      layer.only(isEarly ? urlSections : sections).find(isUnset) ??
      layer.only(leading).find(isUnsetAhead);
    if (!line) continue;
    leaveLine(line, questions);
    return;
  }
}

/** The same where a line with such a variable leads to a file or a backend. */
export function leaveTarget(by: Directive | undefined, project: Project, questions: Questions): void {
  if (by === undefined || !unset.of(project).isAny || questions.unsettled !== undefined) return;
  if (unsetVariable(withoutUrls(by))) leaveLine(by, questions);
}

/** The same where a request goes to a backend, and which sections are for that hangs on such a variable. */
export function leaveBackend(
  { target, by }: ProxyMapping,
  server: Server,
  project: Project,
  questions: Questions,
): void {
  if (!unset.of(project).isAny || questions.unsettled !== undefined) return;
  const url = target.replace(/^proxy:/, "");
  const known = isUnset(by) ? beforeVariable(url) : url;
  for (const section of server.layers.flatMap((layer) => layer.only(backends))) {
    const line = [section, by].find(isUnset);
    const isSilent = section.children?.every(({ key }) => settings.has(key)) ?? true;
    if (line && !isSilent && mayBeFor(section, known)) leaveLine(line, questions);
  }
}

function mayBeFor(section: Directive, url: string): boolean {
  const target = targetOf(section);
  if (target === undefined || target.isPattern) return true;
  const [start = ""] = beforeVariable(target.text).split(/[*?[]/);
  return target.text !== "*" && (start.startsWith(url) || url.startsWith(start));
}

function beforeVariable(text: string): string {
  return text.split("${")[0] ?? "";
}

const unset = new Once((project: Project) => {
  for (const each of allDirectives(project)) if (isUnset(each)) return { isAny: true };
  return { isAny: false };
});

function isUnset({ argumentText }: Directive): boolean {
  return unsetVariable(argumentText) !== undefined;
}

/** Of backends the name decides nothing, nor do headers that are set behind all that could look at them. */
function isUnsetDecider(line: Directive): boolean {
  if (line.key === "sethandler") return unsetVariable(withoutUrls(line)) !== undefined;
  return isUnset(line) && (line.key !== "requestheader" || /\searly"?\s*$/i.test(line.argumentText));
}

/** In what a line leads elsewhere by; the last word of an Alias, a Redirect or their like says where to. */
function isUnsetAhead(line: Directive): boolean {
  const words = wordsOf(line);
  const isTarget = line.key !== "rewriterule" && words.length > 1;
  return isUnset(line) && unsetVariable(isTarget ? words.slice(0, -1).join(" ") : withoutUrls(line)) !== undefined;
}

/** A URL leads to another server, whatever its name, and so does the path of a socket. */
function withoutUrls({ argumentText }: Directive): string {
  return argumentText.replace(/\bunix:[^|\s]*\||\b[a-z]+:\/\/\S*/gi, "");
}

/** Leaves open what comes of a line where a variable in it has no value. */
export function leaveIfUnset(line: Directive, questions: Questions): void {
  if (isUnset(line)) leaveLine(line, questions);
}

function leaveLine(line: Directive, questions: Questions): void {
  const { key, name, known, argumentText } = line;
  // As the manual spells it: some names are in lower case in the server's table.
  const title = `${key.startsWith("<") ? "<" : ""}${known.facts[0]?.name ?? name}`;
  const variable = quoted(unsetVariable(argumentText) ?? "");
  questions.leaveOpen(`what ${quoted(`${title} ${argumentText}`)} comes to, since ${variable} has no value here`, line);
}
