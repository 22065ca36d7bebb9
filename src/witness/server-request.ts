import { isOldDirective } from "../access/old-rules.js";
import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { limitAround, type Scope } from "../project/scope.js";
import type { Request } from "../scope/request.js";
import { addressOf } from "../text/addresses.js";
import { sentPath } from "../text/sent-path.js";
import { toReadable } from "../text/source.js";
import { hostAround } from "./access-scopes.js";
import { wantedAround } from "./conditions.js";
import { fileAround, pathBeside, pathInto } from "./paths.js";
import { serversNear } from "./servers-near.js";

/** How a server is asked: the part of a request that does not depend on path and client. */
type ServerPart = Pick<Request, "scheme" | "host" | "port" | "serverIp">;

/** Sections of the main server count in its virtual hosts, too; so many of those are tried. */
const MOST_HOSTS = 3;

/** So many directories are tried for a section that names them by a pattern. */
const MOST_DIRECTORIES = 100;

/**
 * Requests that may come to a scope, told from its sections; whoever uses one sees for himself whether it does.
 *
 * @param clientIp the address that they come from
 */
export function requestsInto(scope: Scope, project: Project, clientIp: string): readonly Request[] {
  const wanted = wantedAround(scope);
  if (wanted === undefined) return [];
  const { path, ...others } = wanted;
  const around = hostAround(scope)?.section;
  const directory = path === undefined ? fileAround(scope, project)?.directory : undefined;
  const pathIn = (host: Directive | undefined) => path ?? pathInto(scope, project, host);
  return requests(project, around, pathIn, directory).map((request) => ({
    ...request,
    method: methodFor(scope),
    clientIp,
    ...others,
  }));
}

/** Requests into the directories that are there, for a scope that a pattern chooses some of. */
export function* requestsBelow(scope: Scope, project: Project, clientIp: string): Generator<Request> {
  const { path, ...others } = wantedAround(scope) ?? { path: "" };
  if (path !== undefined) return;
  let tried = 0;
  for (const each of project.directories ?? []) {
    if (++tried > MOST_DIRECTORIES) return;
    const pathIn = (host: Directive | undefined) => pathBeside({ directory: toReadable(each) }, project, host);
    for (const request of requests(project, hostAround(scope)?.section, pathIn))
      yield { ...request, method: methodFor(scope), clientIp, ...others };
  }
}

/** Requests for a file beside a `.htaccess` file. */
export function requestsBeside(file: HtaccessFile, project: Project, clientIp: string): readonly Request[] {
  const pathIn = (host: Directive | undefined) => pathBeside(file, project, host);
  return requests(project, undefined, pathIn, file.directory).map((request) => ({
    ...request,
    method: "GET",
    clientIp,
  }));
}

/**
 * @param around the one virtual host that can be asked; where there is none, the main server and all of them can
 * @param directory where it is known, the one that the path leads to
 */
function requests(
  project: Project,
  around: Directive | undefined,
  pathIn: (host: Directive | undefined) => string | undefined,
  directory?: string,
): readonly (ServerPart & Pick<Request, "path">)[] {
  const found: (ServerPart & Pick<Request, "path">)[] = [];
  for (const host of around ? [around] : serversNear(project, directory)) {
    const path = isKnown(host) ? pathIn(host) : undefined;
    if (path !== undefined) found.push({ path: sentPath(path), ...(host ? askedAt(host) : {}) });
    if (found.length > MOST_HOSTS) break;
  }
  return found;
}

/** Where a variable without a value names the document root, nobody knows what lies there. */
function isKnown(host: Directive | undefined): boolean {
  return !host?.children?.some(({ key, argumentText }) => key === "documentroot" && argumentText.includes("${"));
}

/** How a virtual host is asked: by its first address, and by its name. */
function askedAt(host: Directive): ServerPart {
  const [, name = "", port] = /^(.*?)(?::(\d+|\*))?$/.exec(host.arguments[0]?.value ?? "") ?? [];
  const address = name.replace(/^\[|\]$/g, "");
  const names = (host.children ?? []).filter(({ key }) => key === "servername" || key === "serveralias");
  const known = names.flatMap(({ arguments: words }) => words.map(({ value }) => value.replace(/^[a-z]+:\/\//i, "")));
  const asked = known.map((each) => each.replace(/:\d+$/, "")).find((each) => !/[*?]/.test(each));
  const isTls = (host.children ?? []).some(
    ({ key, argumentText }) => key === "sslengine" && /^on$/i.test(argumentText),
  );
  return {
    ...(isTls ? { scheme: "https" } : {}),
    ...(asked === undefined ? {} : { host: asked }),
    ...(port === undefined || port === "*" || port === "0" ? {} : { port: Number(port) }),
    ...(addressOf(address) === undefined ? {} : { serverIp: address }),
  };
}

/** A method that a scope's access control is for, where all of it stands in Limit sections; else GET. */
function methodFor({ directives }: Scope): string {
  const rules = directives.filter((directive) => isOldDirective(directive) || directive.key === "require");
  const limits = rules.map(limitAround);
  const [limit] = limits;
  if (limit === undefined || limits.includes(undefined)) return "GET";
  const methods = limit.arguments.map(({ value }) => value);
  if (limit.key === "<limit") return methods.includes("GET") ? "GET" : (methods[0] ?? "GET");
  return ["GET", "POST", "PUT"].find((method) => !methods.includes(method)) ?? "DELETE";
}
