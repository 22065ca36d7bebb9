import { type Directive, lineKeyOf, virtualHostAround } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import { iterateDirectives } from "../config/queries/directive-tree.js";
import { methodModule } from "../facts/balancer-methods.js";
import { isSince } from "../facts/release.js";
import { balancerNameIn } from "../server/phases/balancer-members.js";
import { memoize } from "../text/memoize.js";

/** The module of the method that a balancer has if no line sets another one (mod_proxy.c `ap_proxy_define_balancer`). */
export const DEFAULT_METHOD_MODULE = methodModule("byrequests");

/** Lines that define a balancer: an empty section, and `RewriteRule` with `[P]`, do not. */
const definers: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch", "balancermember"]);

/** Lines that may set the method of a balancer, also an existing one. */
const setters: ReadonlySet<string> = new Set([...definers, "proxyset", "<proxy"]);

/**
 * Returns the first line of each balancer of 2.4 without a method: no line of its server sets one, and the module of the
 * default is not loaded. httpd then does not start (mod_proxy_balancer.c `balancer_post_config`; AH02432, AH01183).
 */
export const findBalancersWithoutMethod: (project: Project) => readonly Directive[] = memoize((project) => {
  const { modules, release } = project;
  if (!isSince(release, "2.4") || !modules.has("proxy_balancer_module") || modules.has(DEFAULT_METHOD_MODULE))
    return [];
  const defined = new Map<string, Directive>();
  const withMethod = new Set<string>();
  for (const line of iterateDirectives(project)) {
    const name = setters.has(line.key) ? balancerOf(line) : undefined;
    if (name === undefined) continue;
    const host = virtualHostAround(line);
    const key = `${host ? lineKeyOf(host) : ""} ${name}`;
    if (definers.has(line.key) && !defined.has(key)) defined.set(key, line);
    if (line.arguments.some(({ value }) => /^lbmethod=/i.test(value))) withMethod.add(key);
  }
  return [...defined].filter(([key]) => !withMethod.has(key)).map(([, line]) => line);
});

/** Returns the name of the balancer of a line, or of the section around it. */
function balancerOf({ arguments: words, parent }: Directive): string | undefined {
  const urls = [...words, ...(parent?.key === "<proxy" ? parent.arguments : [])].map(({ value }) => value);
  return urls.map(balancerNameIn).find((name) => name !== undefined);
}
