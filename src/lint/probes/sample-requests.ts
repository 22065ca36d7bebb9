import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import { findLimitAround, type Scope } from "../../config/model/scope.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import type { EntryPoint } from "../../proof/model/server-pairs.js";
import { isCompatDirective } from "../../server/access/compat-rules.js";
import type { Request } from "../../server/model/request.js";
import { parseAddress } from "../../text/addresses.js";
import { findFirstSorted } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { enclosingHostOf } from "./access-scopes.js";
import { findIfConstraints } from "./if-constraints.js";
import { findPathBeside, findPathInto, htaccessFileOf, urlRootsOf } from "./sample-paths.js";

/** Maximum number of virtual hosts to try: sections of the main server apply in them, too. */
const MAX_HOSTS = 3;

/** Maximum number of directories to try for a section that matches them by a pattern. */
const MAX_DIRECTORIES = 100;

/**
 * Returns requests that may reach a scope, derived from its sections; the caller must check whether they do.
 *
 * @param clientIp the client address
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

/** Yields requests into existing directories, for a scope that matches directories by a pattern. */
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

/** Returns requests for a file in the directory of a `.htaccess` file. */
export function createRequestsBeside(file: HtaccessFile, project: Project, clientIp: string): readonly Request[] {
  const pathIn = (host: Directive | undefined) => findPathBeside(file, project, host);
  return createRequests(project, undefined, pathIn, file.directory).map((request) => ({
    ...request,
    method: "GET",
    clientIp,
  }));
}

/**
 * @param around the virtual host to request; without one, the main server and all virtual hosts
 * @param directory the directory that the path maps to, if known
 */
function createRequests(
  project: Project,
  around: Directive | undefined,
  pathIn: (host: Directive | undefined) => string | undefined,
  directory?: string,
): readonly (EntryPoint & Pick<Request, "path">)[] {
  const parts: (EntryPoint & Pick<Request, "path">)[] = [];
  for (const host of around ? [around] : findServersNear(project, directory)) {
    const path = isKnown(host) ? pathIn(host) : undefined;
    if (path !== undefined) parts.push({ path: encodeUrlPath(path), ...(host ? entryPointOfHost(host) : {}) });
    if (parts.length > MAX_HOSTS) break;
  }
  return parts;
}

/** The contents are unknown if an undefined variable names the document root. */
function isKnown(host: Directive | undefined): boolean {
  return !host?.children?.some(({ key, argumentText }) => key === "documentroot" && argumentText.includes("${"));
}

/** Returns the address and name for requests to a virtual host: its first address and its name. */
export function entryPointOfHost(host: Directive): EntryPoint {
  const [, name = "", port] = /^(.*?)(?::(\d+|\*))?$/.exec(host.arguments[0]?.value ?? "") ?? [];
  const address = name.replace(/^\[|\]$/g, "");
  const names = (host.children ?? []).filter(({ key }) => key === "servername" || key === "serveralias");
  const known = names.flatMap(({ arguments: words }) => words.map(({ value }) => value.replace(/^[a-z]+:\/\//i, "")));
  // A request without a name reaches the first host of its address, whatever its name is.
  const hostName = known
    .map((each) => each.replace(/:\d+$/, ""))
    .find((each) => !/[*?]/.test(each) && findUndefinedVariable(each) === undefined);
  const isTls = (host.children ?? []).some((line) => line.key === "sslengine" && /^on$/i.test(line.argumentText));
  return {
    ...(isTls ? { scheme: "https" } : {}),
    ...(hostName === undefined ? {} : { host: hostName }),
    ...(port === undefined || port === "*" || port === "0" ? {} : { port: Number(port) }),
    ...(parseAddress(address) === undefined ? {} : { serverIp: address }),
  };
}

/** Returns a method that a scope's access control applies to, if all of it is in Limit sections; else GET. */
function methodFor({ directives }: Scope): string {
  const rules = directives.filter((directive) => isCompatDirective(directive) || directive.key === "require");
  const limits = rules.map(findLimitAround);
  const [limit] = limits;
  if (limit === undefined || limits.includes(undefined)) return "GET";
  const methods = limit.arguments.map(({ value }) => value);
  if (limit.key === "<limit") return methods.includes("GET") ? "GET" : (methods[0] ?? "GET");
  return ["GET", "POST", "PUT"].find((method) => !methods.includes(method)) ?? "DELETE";
}

/** The virtual hosts of a server, by the folders that they map to. */
interface Hosts {
  readonly all: readonly Directive[];
  /** Indexes of the hosts that map to a folder, by its path with a trailing slash. */
  readonly byRoot: ReadonlyMap<string, readonly number[]>;
  /** The folder paths, sorted. */
  readonly roots: readonly string[];
}

const hostsOf = memoize((project: Project): Hosts => {
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
 * Yields the main server and the virtual hosts that may map to a directory or its contents, in source order. Of
 * thousands, few do.
 *
 * @param directory if absent, all hosts
 */
function* findServersNear(project: Project, directory: string | undefined): Generator<Directive | undefined> {
  yield undefined;
  const { all, byRoot, roots } = hostsOf(project);
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
  for (let at = findFirstSorted(roots, (root) => root >= path); roots[at]?.startsWith(path); at++) add(roots[at] ?? "");
  for (const number of [...near].sort((a, b) => a - b)) yield all[number];
}
