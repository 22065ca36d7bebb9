import { isCompatDirective } from "../access/rules/compat-rules.js";
import type { Request } from "../httpd/model/request.js";
import type { Directive } from "../project/model/directive.js";
import type { HtaccessFile, Project } from "../project/model/project.js";
import { findLimitAround, type Scope } from "../project/model/scope.js";
import { parseAddress } from "../text/addresses.js";
import { encodeUrlPath } from "../text/escaping.js";
import { Memo } from "../text/memo.js";
import { fromReadable, toReadable } from "../text/source.js";
import { enclosingHostOf } from "./access-scopes.js";
import { findIfConstraints } from "./if-constraints.js";
import { findPathBeside, findPathInto, htaccessFileOf, urlRootsOf } from "./sample-paths.js";

/** How a server is asked: the part of a request that does not depend on path and client. */
type ServerPart = Pick<Request, "scheme" | "host" | "port" | "serverIp">;

/** Sections of the main server count in its virtual hosts, too; so many of those are tried. */
const MAX_HOSTS = 3;

/** So many directories are tried for a section that names them by a pattern. */
const MAX_DIRECTORIES = 100;

/**
 * Requests that may come to a scope, told from its sections; whoever uses one sees for himself whether it does.
 *
 * @param clientIp the address that they come from
 */
export function createRequestsInto(scope: Scope, project: Project, clientIp: string): readonly Request[] {
  const wanted = findIfConstraints(scope);
  if (wanted === undefined) return [];
  const { path, ...others } = wanted;
  const around = enclosingHostOf(scope)?.section;
  const directory = path === undefined ? htaccessFileOf(scope, project)?.directory : undefined;
  const pathIn = (host: Directive | undefined) => path ?? findPathInto(scope, project, host);
  return createRequests(project, around, pathIn, directory).map((request) => ({
    ...request,
    method: methodFor(scope),
    clientIp,
    ...others,
  }));
}

/** Requests into the directories that are there, for a scope that a pattern chooses some of. */
export function* createRequestsBelow(scope: Scope, project: Project, clientIp: string): Generator<Request> {
  const { path, ...others } = findIfConstraints(scope) ?? { path: "" };
  if (path !== undefined) return;
  let tried = 0;
  for (const each of project.directories ?? []) {
    if (++tried > MAX_DIRECTORIES) return;
    const pathIn = (host: Directive | undefined) => findPathBeside({ directory: toReadable(each) }, project, host);
    for (const request of createRequests(project, enclosingHostOf(scope)?.section, pathIn))
      yield { ...request, method: methodFor(scope), clientIp, ...others };
  }
}

/** Requests for a file beside a `.htaccess` file. */
export function createRequestsBeside(file: HtaccessFile, project: Project, clientIp: string): readonly Request[] {
  const pathIn = (host: Directive | undefined) => findPathBeside(file, project, host);
  return createRequests(project, undefined, pathIn, file.directory).map((request) => ({
    ...request,
    method: "GET",
    clientIp,
  }));
}

/**
 * @param around the one virtual host that can be asked; where there is none, the main server and all of them can
 * @param directory where it is known, the one that the path leads to
 */
function createRequests(
  project: Project,
  around: Directive | undefined,
  pathIn: (host: Directive | undefined) => string | undefined,
  directory?: string,
): readonly (ServerPart & Pick<Request, "path">)[] {
  const found: (ServerPart & Pick<Request, "path">)[] = [];
  for (const host of around ? [around] : findServersNear(project, directory)) {
    const path = isKnown(host) ? pathIn(host) : undefined;
    if (path !== undefined) found.push({ path: encodeUrlPath(path), ...(host ? askedAt(host) : {}) });
    if (found.length > MAX_HOSTS) break;
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
    ...(parseAddress(address) === undefined ? {} : { serverIp: address }),
  };
}

/** A method that a scope's access control is for, where all of it stands in Limit sections; else GET. */
function methodFor({ directives }: Scope): string {
  const rules = directives.filter((directive) => isCompatDirective(directive) || directive.key === "require");
  const limits = rules.map(findLimitAround);
  const [limit] = limits;
  if (limit === undefined || limits.includes(undefined)) return "GET";
  const methods = limit.arguments.map(({ value }) => value);
  if (limit.key === "<limit") return methods.includes("GET") ? "GET" : (methods[0] ?? "GET");
  return ["GET", "POST", "PUT"].find((method) => !methods.includes(method)) ?? "DELETE";
}

/** The virtual hosts of a server, by where they lead to. */
interface Hosts {
  readonly all: readonly Directive[];
  /** The numbers of those that lead to a folder, by its path with a slash at its end. */
  readonly byRoot: ReadonlyMap<string, readonly number[]>;
  /** Those paths, sorted. */
  readonly roots: readonly string[];
}

const hostsOf = new Memo((project: Project): Hosts => {
  const all = project.directives.filter(({ key }) => key === "<virtualhost");
  const byRoot = new Map<string, number[]>();
  for (const [number, host] of all.entries())
    for (const { to } of urlRootsOf(project, host)) {
      const others = byRoot.get(to);
      if (others === undefined) byRoot.set(to, [number]);
      else if (others.at(-1) !== number) others.push(number);
    }
  return { all, byRoot, roots: [...byRoot.keys()].sort() };
});

/**
 * The main server and the virtual hosts that may lead to a directory, or to something in it, in the order in which they are
 * written: of thousands a few do.
 *
 * @param directory absent: all of them
 */
function* findServersNear(project: Project, directory: string | undefined): Generator<Directive | undefined> {
  yield undefined;
  const { all, byRoot, roots } = hostsOf.get(project);
  if (directory === undefined) {
    yield* all;
    return;
  }
  const path = fromReadable(directory.endsWith("/") ? directory : `${directory}/`);
  const near = new Set<number>();
  const add = (root: string) => {
    for (const number of byRoot.get(root) ?? []) near.add(number);
  };
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) add(path.slice(0, slash + 1));
  for (let at = firstFrom(roots, path); roots[at]?.startsWith(path); at++) add(roots[at] ?? "");
  for (const number of [...near].sort((a, b) => a - b)) yield all[number];
}

/** The first of some sorted texts that is not before another. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? "") < text) from = middle + 1;
    else to = middle;
  }
  return from;
}
