import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import type { AccessResult, AccessState } from "../access/access-state.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import { mapUrl, type UrlMapping } from "../mapping/url-mapping.js";
import { cleanPath, createUrlTarget } from "../mapping/url-target.js";
import type { VirtualNames } from "../mapping/virtual-roots.js";
import type { ConfigLayer } from "../model/config-layer.js";
import { type ClientTest, predicateOfVariable, TrackedEnvironment } from "../model/dependency-tracker.js";
import type { Environment } from "../model/environment.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import { type ParentPass, type Pass, type RewriteUser, rewriteStatusOf } from "../model/pass.js";
import {
  createInnerRequest,
  DEFAULT_SERVER_IP,
  environmentOf,
  headerOf,
  type Request,
  recordTest,
  withRewrittenUrl,
} from "../model/request.js";
import type { Server } from "../model/server.js";
import type { RequestContext, SimulationSetup } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import { collectLateVariables } from "../request/setenvif.js";
import { rewriteInSections, rewriteUrl } from "../rewrite/rewrite-hooks.js";
import type { CommonRewriteContext, RewriteResult } from "../rewrite/rewrite-result.js";
import { allowsAnyUrl, mergeSectionRules, serverRewriteRulesOf } from "../rewrite/rule-merging.js";
import type { PerDirConfig } from "../sections/per-dir-config.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { type NormalizedUrl, RequestWalk } from "../walk/request-walk.js";

/** A request in progress, as rewrite rules see it. */
export interface RewriteInput {
  readonly project: Project;
  readonly files: FileTree;
  readonly oracle: Oracle;
  readonly server: Server;
  /** The request without recording: reading it does not count as an access check. */
  readonly request: Request;
  readonly path: string;
  readonly env: Environment;
  readonly walk: RequestWalk;
}

/**
 * Applies the server's own rules to the URL, before URL mapping. They skip requests to a forward proxy, unless
 * RewriteOptions has AllowAnyURI; only the answers that they then give are modelled (mod_rewrite.c `hook_uri2file`).
 *
 * @param early configuration at that point
 * @param forward the target of a request to a forward proxy
 */
function applyServerRewrite(
  way: RewriteInput,
  early: PerDirConfig,
  forward: ProxyMapping | undefined,
): RewriteResult | undefined {
  if (serverRewriteRulesOf(way.server) === undefined) return undefined;
  if (forward && !allowsAnyUrl(early.layers)) return undefined;
  const common = commonOf(way, early, undefined, undefined, undefined);
  const result = rewriteUrl(common, early.layers, forward?.target);
  if (forward && result?.to && result.to.kind !== "answered")
    way.oracle.markUndecidable(unknownFact("rules-of-forward-proxy"));
  return result;
}

/** The state of a request once access is granted. */
export interface AuthorizedRequest {
  readonly config: PerDirConfig;
  readonly mapping: UrlMapping & { readonly kind: "file" | "proxy" };
  readonly walked: DirectoryWalk | undefined;
  readonly user: RewriteUser;
}

/** Applies the rules of sections and `.htaccess` files to an allowed request. */
export function applySectionRewrite(way: RewriteInput, authorized: AuthorizedRequest): RewriteResult | undefined {
  const { config, mapping, walked, user } = authorized;
  if (!config.has("rewriteengine")) return undefined;
  const { groups, layers } = config;
  const rules = mergeSectionRules(groups, (layer) => folderOf(layer, walked));
  if (rules === undefined) return undefined;
  way.request.tracker?.recordPredicate({ kind: "any-user" }, way.request.user !== undefined);
  const common = commonOf(way, config, user, mapping, walked);
  if (mapping.kind === "proxy")
    return rewriteInSections(common, rules, layers, { filename: mapping.target, pathInfo: "", isProxied: true });
  if (walked === undefined) return undefined;
  const { pathInfo } = common.target;
  return rewriteInSections(common, rules, layers, { filename: cleanPath(walked.filename), pathInfo, isProxied: false });
}

/** Returns the logged-in user for rules that run after access control. 2.2 is modelled less precisely. */
export function rewriteUserOf(answer: AccessResult | undefined, request: Request, { release }: Project): RewriteUser {
  if (request.user === undefined) return undefined;
  return isSince(release, "2.4") ? answer?.user : "unknown";
}

function commonOf(
  { project, files, oracle, server, request, path, env, walk }: RewriteInput,
  config: PerDirConfig,
  user: RewriteUser,
  mapping: UrlMapping | undefined,
  walked: DirectoryWalk | undefined,
): CommonRewriteContext {
  const target = createUrlTarget(mapping, walked, server, project);
  return { project, files, oracle, server, request, path, env, names: walk.names(config), target, user };
}

/** Returns the folder of a `.htaccess` file; undefined for a section. */
function folderOf(layer: ConfigLayer, walked: DirectoryWalk | undefined): string | undefined {
  if (layer.section !== undefined) return undefined;
  const found = walked?.htaccess.find(
    ({ level, verdict }) => verdict.kind === "taken" && walked.layers[level] === layer,
  );
  return found && `${found.directory}/`;
}

/** Returns the numbers of the messages that have one. */
export function messageCodesOf(messages: readonly string[]): readonly string[] {
  return messages.flatMap((message) => /^AH\d{5}/.exec(message)?.[0] ?? []);
}

/** A request whose URL is mapped. */
export interface MappedRequest {
  /** With the path and query after the server's own rules. */
  readonly input: RewriteInput;
  /** The request, with reads recorded. */
  readonly request: Request;
  readonly mapping: UrlMapping;
  /** The configuration at that point. */
  readonly early: PerDirConfig;
  /** The result of the server's own rules. */
  readonly rewriting: RewriteResult | undefined;
}

/** Rewrites a URL and maps it to a file, a backend or a response (`translate_name`). */
export function mapRequest(
  run: RequestContext,
  received: Request,
  url: NormalizedUrl,
  before: ParentPass,
): MappedRequest {
  const { setup, server, oracle, recorder } = run;
  const { project, files, walks } = setup;
  const { outer, previous = outer } = before;
  const watched = (each: Request) => recorder?.watchRequest(each) ?? each;
  const given = initialEnvironment(received, before, oracle);
  const env = recorder?.watchEnvironment(given) ?? given;
  const walkContext = { project, files, walks, server, oracle };
  const walk = new RequestWalk(walkContext, watched(received), url, env, outer?.walk, previous?.walk);
  const early = walk.earlyConfig();
  const asSent: RewriteInput = { project, files, oracle, server, env, walk, request: received, path: url.path };
  const { forward } = before;
  const omitsRules = before.isEnded || setup.accessCheck?.afterRules !== undefined;
  const rewriting = omitsRules ? undefined : applyServerRewrite(asSent, early, forward);
  const own = requestAfterRewrite(received, rewriting);
  const path = rewriting?.to?.kind === "passed" ? rewriting.to.path : url.path;
  const request = watched(own);
  if (own !== received) walk.continueWith(request, path);
  const textOf = (text: string) => walk.textOf(text, early, "");
  const isSet = (name: string) => {
    request.tracker?.recordPredicate(predicateOfVariable(env, name), env.has(name));
    return env.has(name);
  };
  const names = virtualNamesOf(request, walk, early);
  const mapping =
    mappingOfDestination(rewriting?.to) ??
    forward ??
    assumedMapping(setup) ??
    mapUrl({
      ...{ path, server, project, files, oracle, early, textOf, names },
      ...(setup.accessCheck?.usesProxies ? {} : { isSet }),
      hasUpgrade: () =>
        recordTest(
          request,
          unknownFact("header-sent", "Upgrade"),
          headerOf(request, "Upgrade") !== undefined,
          ofUpgrade,
        ),
    });
  const way = own === received && path === url.path ? asSent : { ...asSent, request: own, path };
  return { input: way, request, mapping, early, rewriting };
}

/**
 * Prepares a subrequest for a file in the directory of a missing one (server/request.c `ap_sub_req_lookup_dirent`). The
 * rules of the server do not apply to it.
 *
 * @param filename with the path info
 */
export function mapVariant(
  { setup, server, oracle, recorder }: RequestContext,
  { input, mapping }: MappedRequest,
  url: NormalizedUrl,
  filename: string,
  outer: Pass,
): MappedRequest & { readonly mapping: UrlMapping & { readonly kind: "file" } } {
  const { project, files, walks } = setup;
  const innerRequest = createInnerRequest(input.request);
  const request = recorder?.watchRequest(innerRequest) ?? innerRequest;
  const given = initialEnvironment(innerRequest, { outer }, oracle);
  const env = recorder?.watchEnvironment(given) ?? given;
  const walk = new RequestWalk({ project, files, walks, server, oracle }, request, url, env, outer.walk);
  const inner: RewriteInput = { project, files, oracle, server, env, walk, request: innerRequest, path: url.path };
  const by = mapping.by?.key.startsWith("scriptalias") ? undefined : mapping.by;
  return {
    ...{ input: inner, request, early: walk.earlyConfig(), rewriting: undefined },
    mapping: by ? { kind: "file", filename, by } : { kind: "file", filename },
  };
}

/** Returns what mod_vhost_alias inserts into paths; it differs between the requests that proofs cover together. */
function virtualNamesOf(request: Request, walk: RequestWalk, early: PerDirConfig): VirtualNames | undefined {
  if (request.tracker) return undefined;
  const { serverName, serverPort } = walk.names(early);
  // The brackets around an IPv6 address are not part of the name.
  const name = serverName?.replace(/^\[(.*)\]$/, "$1");
  return { serverName: name, serverPort, serverIp: request.serverIp ?? DEFAULT_SERVER_IP };
}

const ofUpgrade: ClientTest = { header: "Upgrade", pattern: "." };

function requestAfterRewrite(received: Request, rewriting: RewriteResult | undefined): Request {
  const isSame = rewriting === undefined || (rewriting.query === received.query && rewriting.to?.kind !== "passed");
  return isSame ? received : withRewrittenUrl(received, received.path, rewriting.query);
}

function assumedMapping({ accessCheck }: SimulationSetup): UrlMapping | undefined {
  const { target: filename, afterRules } = accessCheck ?? {};
  if (filename === undefined) return undefined;
  const by = afterRules?.backendBy;
  return by ? { kind: "proxy", target: filename, by, isRaw: false } : { kind: "file", filename };
}

function mappingOfDestination(to: RewriteResult["to"]): UrlMapping | undefined {
  if (to?.kind === "mapped") return to.mapping;
  if (to?.kind === "answered") return { kind: "answered", status: to.status, by: to.by };
  return to?.kind === "passed" && !to.path.startsWith("/") ? { kind: "answered", status: 400, by: to.by } : undefined;
}

/**
 * Returns the initial variables of a pass. An index file inherits those of its directory. For a rewritten URL, the
 * earlier ones are renamed `REDIRECT_…` (modules/http/http_request.c `rename_original_env`).
 */
function initialEnvironment(
  request: Request,
  { outer, previous, errorStatus }: ParentPass,
  oracle: Oracle,
): Environment {
  if (outer?.state) return withLateVariables(outer.state, oracle);
  const env = environmentOf(request);
  if (errorStatus !== undefined) env.set("redirect_status", String(errorStatus));
  if (previous?.state === undefined) return env;
  const earlier = withLateVariables(previous.state, oracle);
  if (env instanceof TrackedEnvironment && earlier instanceof TrackedEnvironment) env.takeRenamed(earlier);
  else for (const [name, value] of earlier) env.set(`redirect_${name}`, value);
  return env.set("redirect_status", String(errorStatus ?? rewriteStatusOf(previous) ?? 200));
}

/** Adds the variables of SetEnv and PassEnv to those that a request passes on; they do not overwrite existing ones. */
function withLateVariables({ layers, env, project }: AccessState, oracle: Oracle): Environment {
  const late = collectLateVariables(layers, { project, oracle });
  if (!(env instanceof TrackedEnvironment)) return new Map([...late, ...env]);
  const all = env.copy();
  for (const [name, value] of late) if (!all.has(name)) all.set(name, value);
  return all;
}
