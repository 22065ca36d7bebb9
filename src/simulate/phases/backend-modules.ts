import { findBackendModules } from "../../directives/backend-modules.js";
import type { ProxyMapping } from "../../httpd/mapping/proxies.js";
import type { Request } from "../../httpd/model/request.js";
import type { Project } from "../../project/model/project.js";
import { iterateDirectives } from "../../project/queries/directive-tree.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable } from "../../text/source.js";

/** The reason why a request is not passed on to a backend. */
export interface BackendFault {
  readonly status: number;
  /** Error log message. */
  readonly errorMessage?: string;
}

/** Returns why no module handles the backend (mod_proxy.c `proxy_handler`). @param path the path of the URL */
export function checkBackendModule(
  { target, by }: ProxyMapping,
  path: string,
  { tracker, method }: Request,
  project: Project,
): BackendFault | undefined {
  if (method === "CONNECT" && project.modules.has("proxy_connect_module")) return undefined;
  const [scheme, ...rest] = target.slice("proxy:".length).split(":");
  if (scheme === undefined || rest.length === 0) return { status: 400 };
  const name = scheme.toLowerCase();
  const { modules, modulesAreKnown, release } = project;
  const able = findBackendModules(name) ?? [];
  if (!modulesAreKnown || release === "2.2") return undefined;
  const isUndefined =
    name === "balancer" && by.key === "rewriterule" && !tracker && !isBalancer(rest.join(":"), project);
  if (able.some((each) => modules.has(each)) && !isUndefined) return undefined;
  const advice =
    "If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.";
  const why = `No protocol handler was valid for the URL ${fromReadable(path)} (scheme '${scheme}').`;
  return { status: 500, errorMessage: `AH01144: ${why} ${advice}` };
}

/**
 * Returns whether a line may define the balancer of a URL, or the URL names none: a rule that names another one has no
 * handler (mod_proxy_balancer.c `proxy_balancer_pre_request`).
 */
function isBalancer(url: string, project: Project): boolean {
  const name = /^\/\/([^/]+)/.exec(url)?.[1]?.toLowerCase();
  return name === undefined || definedBalancersOf(project).some((known) => /[$%]/.test(known) || known === name);
}

/** Returns the names after `balancer://` in all lines but those of rewrite rules, in lower case. */
const definedBalancersOf = memoize((project: Project): readonly string[] => {
  const found: string[] = [];
  for (const { key, argumentText } of iterateDirectives(project)) {
    if (key.startsWith("rewrite")) continue;
    for (const [, name = ""] of argumentText.toLowerCase().matchAll(/balancer:\/\/([^/\s"']*)/g)) found.push(name);
    // A pattern may match any name.
    if (key === "<proxymatch") found.push("$");
  }
  return found;
});
