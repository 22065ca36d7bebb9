import { isAssumed, type Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { isUnread } from "../../config/refusals/refusal.js";
import { sourceLayersOf } from "../../server/access/merge.js";
import type { ConfigLayer } from "../../server/model/config-layer.js";
import { toReadable } from "../../text/source.js";
import { enclosingHostOf } from "./access-scopes.js";
import type { ProbeContext } from "./inspector.js";

/**
 * Returns the assumptions of a finding about a scope, one sentence each. A finding about a whole server has none. If
 * the server is known in part, other files may set access for the same requests, unless the virtual host of the scope
 * decides it.
 */
export function listAssumptions(situation: ProbeContext, project: Project): readonly string[] {
  if (project.kind === "server" || holdsInAnyServer(situation, project)) return [];
  if (project.kind === "htaccess")
    return ["assuming that httpd reads this file and sets no access for its directory elsewhere"];
  const access = `assuming that no other file sets access for ${describeSectionTarget(situation.scope)}`;
  return isMappedByAssumption(situation) ? [access, ASSUMED_ROOT] : [access];
}

const ASSUMED_ROOT =
  'the path of the request assumes `DocumentRoot "/"`: this file does not map a URL to the directory';

/**
 * Returns whether the request reaches a directory only by the assumed document root, so that its URL path is a file
 * path.
 */
function isMappedByAssumption({ scope, state }: ProbeContext): boolean {
  let outer: Scope | undefined = scope;
  while (outer && outer.place !== "directory") outer = outer.parent;
  return outer !== undefined && state.filename === state.path;
}

/**
 * Returns whether the sections of one virtual host decide access, whatever the rest of the server sets. Its
 * `<Location>` and `<If>` sections are merged after all sections of the main server but `<If>`. A section with
 * mod_access_compat directives inherits none of them. One with Require inherits no Require unless AuthMerging is set.
 */
function holdsInAnyServer({ scope, compat, require }: ProbeContext, project: Project): boolean {
  const host = enclosingHostOf(scope)?.section;
  if (host === undefined || isAssumed(host.span) || compat === undefined || require === undefined) return false;
  if (project.problems.some((problem) => problem.kind === "include" || isUnread(problem))) return false;
  const isSettled = ({ section, directives }: ConfigLayer) =>
    section !== undefined &&
    lateSections.has(section.key) &&
    section.parent === host &&
    directives.every(({ key }) => key !== "authmerging");
  return [compat.layer, ...sourceLayersOf(require)].every(isSettled);
}

const lateSections: ReadonlySet<string> = new Set(["<location", "<locationmatch", "<if", "<elseif", "<else"]);

/** Returns the path of the innermost section that names one, in backticks. */
function describeSectionTarget(scope: Scope): string {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent) {
    const { place, section } = outer;
    if (section === undefined || !(place === "directory" || place === "location" || place === "files")) continue;
    const words = section.arguments.map(({ value }) => toReadable(value)).filter((value) => value !== "~");
    if (words.length > 0) return `\`${words.join(" ")}\``;
  }
  return "the same requests";
}
