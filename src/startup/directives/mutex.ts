import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { findClosestWord } from "../../text/closest-word.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";

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
export function checkMutex(directive: Directive, project: Project): CheckFailure | undefined {
  const [first, ...others] = directive.arguments;
  if (first === undefined || first.value === "") {
    return {
      server: "Mutex requires at least a mechanism argument",
      wrong: "`Mutex` needs a mechanism",
      remedy: "add one, such as `default`",
      span: directive.span,
    };
  }
  const mechanism = first.value.replace(/:[\s\S]*$/, "").toLowerCase();
  if (!mechanisms.includes(mechanism)) {
    const near = findClosestWord(mechanism, mechanisms);
    return {
      server: `Invalid Mutex argument ${first.value}`,
      wrong: `unknown mutex mechanism ${quoteText(first.value)}`,
      remedy: near ? `use \`${near}\`` : "use `default`, or `file:` with a directory",
      span: directive.spanOf(first),
    };
  }
  const types = others.filter((word) => word.value.toLowerCase() !== "omitpid");
  const wrong = types.findLast((word) => checkMutexType(word.value, project) !== undefined);
  const fault = wrong && checkMutexType(wrong.value, project);
  if (fault) return { ...fault, span: directive.spanOf(wrong) };
  return mechanism === "none" || mechanism === "no" ? checkMutexNone(directive, types.at(-1)) : undefined;
}

/** None of httpd's own mutex types accepts it. */
function checkMutexNone(directive: Directive, type: Argument | undefined): CheckFailure | undefined {
  const name = type?.value ?? "default";
  if (name !== "default" && !modulesByType.has(name)) return undefined;
  return {
    server: `None is not allowed for mutex type ${name}`,
    wrong: `mutex type ${quoteText(name)} does not accept \`none\``,
    remedy: "use a mechanism such as `default`",
    span: directive.span,
  };
}

function checkMutexType(name: string, { modules, modulesAreKnown }: Project): Omit<CheckFailure, "span"> | undefined {
  const server = `Mutex type ${name} is not valid`;
  if (name === "mpm-accept" && modulesAreKnown && modules.has("mpm_event_module"))
    return {
      server,
      wrong: "mod_mpm_event has no mutex `mpm-accept`",
      remedy: "delete it",
    };
  if (otherTypes.includes(name)) return undefined;
  const module = modulesByType.get(name);
  if (module !== undefined) {
    if (!modulesAreKnown || modules.has(module)) return undefined;
    return {
      server,
      wrong: `mutex type \`${name}\` needs \`${module}\`, which is not loaded`,
      remedy: "load the module, or delete the argument",
      missing: module,
    };
  }
  // A third-party module may register its own mutexes.
  if (modules.hasAnyThirdParty()) return undefined;
  const near = findClosestWord(name, [...modulesByType.keys(), ...otherTypes]);
  return {
    server,
    wrong: `unknown mutex type ${quoteText(name)}`,
    remedy: near ? `use \`${near}\`: names are case-sensitive` : "delete the argument",
  };
}
