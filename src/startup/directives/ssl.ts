import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import type { CheckContext } from "../refusal.js";
import { buildUnknownWordFailure, includesName } from "./options.js";
import { hasDirectoryPath } from "./redirect.js";

const protocolNames = "all SSLv2 SSLv3 TLSv1 TLSv1.1 TLSv1.2 TLSv1.3".split(" ");

/** Checks SSLProtocol and SSLProxyProtocol as mod_ssl does. Whether SSLv3 is accepted depends on its OpenSSL build. */
export function checkSslProtocol(directive: Directive): Refusal | undefined {
  for (const word of directive.arguments) {
    const name = word.value.replace(/^[+-]/, "");
    if (!includesName(protocolNames, name)) {
      const server = `${directive.name}: Illegal protocol '${name}'`;
      return buildUnknownWordFailure(directive, word, server, "protocol", protocolNames);
    }
    if (name.toLowerCase() !== "sslv2" || word.value.startsWith("-")) continue;
    return { ...wordingOf("removed-ssl-protocol"), span: directive.spanOf(word) };
  }
  return undefined;
}

/** Refuses the authorities of client certificates for a part of a host, as mod_ssl does (`NO_PER_DIR_SSL_CA`). */
export function checkAuthorityPlacement(directive: Directive, context: CheckContext): Refusal | undefined {
  if (hasDirectoryPath(context) !== true) return undefined;
  return { ...wordingOf("authority-in-section", directive.name), span: directive.span };
}

/** Session cache types, with the module that provides them. */
const cacheModules: ReadonlyMap<string, string> = new Map([
  ["shmcb", "socache_shmcb_module"],
  ["default", "socache_shmcb_module"],
  ["dbm", "socache_dbm_module"],
  ["memcache", "socache_memcache_module"],
  ["redis", "socache_redis_module"],
  ["dc", "socache_dc_module"],
]);

/** Types with another name in 2.2. */
const renamedCacheKinds: ReadonlyMap<string, string> = new Map([
  ["shm", "shmcb"],
  ["shmht", "shmcb"],
]);

/** Returns the identifier of the module that provides an SSLSessionCache type. */
export function sessionCacheModule(word: string): string | undefined {
  const [kind = ""] = word.split(":", 1);
  return cacheModules.get(renamedCacheKinds.get(kind) ?? kind);
}

/** Checks the type of SSLSessionCache as mod_ssl does; its message lists the known types, in no fixed order. */
export function checkSessionCache(directive: Directive, { modules, modulesAreKnown }: Project): Refusal | undefined {
  const [word] = directive.arguments;
  if (word === undefined || /^(?:none|nonenotnull)$/i.test(word.value)) return undefined;
  const [kind = ""] = word.value.split(":", 1);
  const module = cacheModules.get(kind);
  const isCertain = module === undefined ? modules.unknown.length === 0 : modulesAreKnown && !modules.has(module);
  if (!isCertain) return undefined;
  return {
    ...wordingOf("session-cache-not-supported", kind, module),
    ...(module === undefined ? {} : { missing: module }),
    span: directive.spanOf(word),
  };
}
