import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { findClosestWord } from "../../text/closest-word.js";

/** The mechanisms on Unix; the available ones depend on the system that APR was built for. */
const mechanisms = "none no default yes fcntl flock file posixsem sysvsem sem pthread".split(" ");

/** Mutex types, with the module that registers them (`ap_mutex_register`). */
const modulesByType: ReadonlyMap<string, string> = new Map([
  ["authdigest-client", "auth_digest_module"],
  ["authn-socache", "authn_socache_module"],
  ["cache-socache", "cache_socache_module"],
  ["ldap-cache", "ldap_module"],
  ["lua-ivm-shm", "lua_module"],
  ["proxy", "proxy_module"],
  ["proxy-balancer-shm", "proxy_balancer_module"],
  ["rewrite-map", "rewrite_module"],
  ["ssl-cache", "ssl_module"],
  ["ssl-stapling", "ssl_module"],
  ["ssl-stapling-refresh", "ssl_module"],
]);

/** Types that always exist, or that depend on the server's build. */
const otherTypes = ["default", "mpm-accept", "watchdog-callback", "authdigest-opaque"];

/** Checks Mutex as the server does (server/util_mutex.c `ap_set_mutex`); directories are not checked. */
export function checkMutex(directive: Directive, project: Project): Refusal | undefined {
  const [first, ...others] = directive.arguments;
  if (first === undefined || first.value === "") {
    return { ...wordingOf("missing-mutex-mechanism"), span: directive.span };
  }
  const mechanism = first.value.replace(/:[\s\S]*$/, "").toLowerCase();
  if (!mechanisms.includes(mechanism)) {
    const near = findClosestWord(mechanism, mechanisms);
    return { ...wordingOf("unknown-mutex-mechanism", first.value, near), span: directive.spanOf(first) };
  }
  const types = others.filter((word) => word.value.toLowerCase() !== "omitpid");
  const wrong = types.findLast((word) => checkMutexType(word.value, project) !== undefined);
  const fault = wrong && checkMutexType(wrong.value, project);
  if (fault) return { ...fault, span: directive.spanOf(wrong) };
  return mechanism === "none" || mechanism === "no" ? checkMutexNone(directive, types.at(-1)) : undefined;
}

/** None of httpd's own mutex types accepts it. */
function checkMutexNone(directive: Directive, type: Argument | undefined): Refusal | undefined {
  const name = type?.value ?? "default";
  if (name !== "default" && !modulesByType.has(name)) return undefined;
  return { ...wordingOf("mutex-without-mechanism", name), span: directive.span };
}

function checkMutexType(name: string, { modules, modulesAreKnown }: Project): RefusalText | undefined {
  if (name === "mpm-accept" && modulesAreKnown && modules.has("mpm_event_module"))
    return wordingOf("mutex-of-other-mpm", name);
  if (otherTypes.includes(name)) return undefined;
  const module = modulesByType.get(name);
  if (module !== undefined) {
    if (!modulesAreKnown || modules.has(module)) return undefined;
    return wordingOf("mutex-module-not-loaded", name, module);
  }
  // A third-party module may register its own mutexes.
  if (modules.hasAnyThirdParty()) return undefined;
  const near = findClosestWord(name, [...modulesByType.keys(), ...otherTypes]);
  return wordingOf("unknown-mutex-type", name, near);
}
