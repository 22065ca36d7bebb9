import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { decidingFactsOf, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { mayShareFacts } from "../../config/queries/line-effects.js";
import type { Fact } from "../../facts/effects.js";
import { findUnmetNeeds } from "../../facts/module-needs.js";
import { findModuleByName, findRemovedModule, listCompiledInModules } from "../../facts/modules.js";
import { keywordArgumentOf } from "../../server/model/config-layer.js";
import { isEarlyHeader } from "../../server/request/early-headers.js";
import { findBalancersWithoutMethod } from "../../startup/balancer-methods.js";
import { memoize } from "../../text/memoize.js";
import { mapPair, type Pair } from "../model/server-pairs.js";
import { createUnprovedPart, type PlainReasonCode, reasonFor, type UnprovedPart } from "../model/unproved-reasons.js";
import { hasContentHandler } from "../paths/file-contents.js";
import { isForwardProxy } from "./forwarded-requests.js";

/**
 * Third-party modules that do nothing without a line: a handler, or what is off by default. mod_auth_mellon answers below
 * `/mellon/`.
 */
const idleModule =
  /^(?:php\d*|fcgid|fastcgi|wsgi|perl|security2|rpaf|auth_(?!mellon_)\w+|authnz?_\w+|authz_\w+|dnssd|xsendfile)_module$/;

/** Modules of httpd that lead a URL to a file, or choose the handler of a file. */
const mappingModules: readonly string[] = [
  ...["actions_module", "alias_module", "dir_module", "mime_module", "mime_magic_module", "rewrite_module"],
  ...["speling_module", "userdir_module", "vhost_alias_module"],
];

/** Returns the modules that the LoadModule lines load, in their order. */
function loadedModulesOf({ loadModules }: Project): readonly string[] {
  return loadModules.map(({ identifier }) => identifier);
}

/**
 * Returns what is open because only one side loads a module, or loads it in another order: third-party modules may act on
 * every request, and those of httpd on those for which lines use them.
 */
export function findModuleDifferences(sides: Pair<Project>): readonly UnprovedPart[] {
  // Lines of earlier releases may have the names that modules had there; later ones reject them.
  const isOfHttpd = (name: string) =>
    findRemovedModule("2.4", name) !== undefined ||
    sides.some(({ release }) => findModuleByName(release, name) !== undefined);
  const isOpen = (name: string) => !idleModule.test(name) && !isOfHttpd(name);
  const [loaded, others] = mapPair(sides, loadedModulesOf);
  const differing = [
    ...others.filter((name) => !loaded.includes(name)),
    ...loaded.filter((name) => !others.includes(name)),
  ].find(isOpen);
  const differingMapper = mappingModules.find((name) => loaded.includes(name) !== others.includes(name));
  // A server that an upgrade keeps from starting decides nothing: it is told which modules it must load.
  const isUpgrade = sides[0].release !== sides[1].release;
  const [lacking, lackingThere] = mapPair(sides, (project) => (isUpgrade ? "" : lackingModulesOf(project).join(" ")));
  const [balancer, balancerThere] = mapPair(sides, (project) => findBalancersWithoutMethod(project)[0]);
  return [
    ...(differing === undefined
      ? []
      : [{ reason: reasonFor("module-of-one-side", differing), directive: undefined, example: undefined }]),
    ...(differingMapper === undefined || isUpgrade || !sides.some(hasContentHandler)
      ? []
      : [createUnprovedPart("file-of-handler", undefined)]),
    ...(lacking === lackingThere ? [] : [createUnprovedPart("needed-module", undefined)]),
    ...(isUpgrade || (balancer === undefined) === (balancerThere === undefined)
      ? []
      : [createUnprovedPart("needed-module", balancer ?? balancerThere)]),
    ...(isUpgrade ? [] : findUsedModules(sides)),
  ];
}

/** The variables that a module sets without a line (mod_unique_id.c `set_unique_id`, mod_http2.c `h2_h2_fixups`). */
const variablesOfModules: Readonly<Record<string, ReadonlySet<Fact>>> = {
  unique_id_module: new Set<Fact>(["variable:unique_id"]),
  http2_module: new Set<Fact>(["variable:http2", "variable:h2_*", "variable:h2push", "variable:server_protocol"]),
};

/** Modules with filters of bodies that may fail. */
const filterModules: readonly string[] = [
  ...["brotli_module", "buffer_module", "charset_lite_module", "data_module", "deflate_module", "ext_filter_module"],
  ...["include_module", "proxy_html_module", "ratelimit_module", "reflector_module", "request_module", "sed_module"],
  ...["substitute_module", "xml2enc_module"],
];

/** What a module of httpd does without a line of its own, if other lines use it. */
const actingModules: readonly (readonly [module: RegExp, isUsed: ProjectTest])[] = [
  // It redirects to directories (mod_dir.c `fixup_dir`).
  [/^dir_module$/, () => true],
  // It refuses users that look like a certificate (ssl_engine_kernel.c `ssl_hook_UserCheck`).
  [/^ssl_module$/, hasLine((line) => line.key === "authtype" && /^(?:basic$|%)/i.test(keywordArgumentOf(line) ?? ""))],
  // It registers methods (mod_dav.c `register_hooks`).
  [
    /^dav_module$/,
    hasLine(({ key, argumentText }) => key === "httpprotocoloptions" && /registeredmethods/i.test(argumentText)),
  ],
  // It passes requests for other servers on (mod_proxy.c `proxy_handler`).
  [/^proxy_(?:connect|fcgi|ftp|http2?|scgi|uwsgi|wstunnel)_module$/, isForwardProxy],
  // It has handlers, one of which a computed name may be.
  [
    /^(?:asis|auth_form|cgid?|dav|fcgid|heartmonitor|http2|imagemap|info|isapi|ldap|lua|md|negotiation|php\d*|proxy\w*|status|wsgi)_module$/,
    hasLine(({ key, argumentText }) => key === "sethandler" && argumentText.includes("%{")),
  ],
];

/**
 * Pairs of modules of which the first one to be loaded acts first, if lines use both: their functions for a phase have the same
 * order, or another module moves them (server/config.c `ap_hook_sort_all`).
 */
const orderedModules: readonly (readonly [one: string, other: string, isUsed: ProjectTest])[] = [
  // Both redirect or answer a path without a file.
  ["speling_module", "dir_module", usesSpelling],
  // A variable is set before or after a line tests it.
  ["unique_id_module", "setenvif_module", (project) => decidingFactsOf(project).has("variable:unique_id")],
  ["unique_id_module", "headers_module", both(hasEarlyHeader, (of) => decidingFactsOf(of).has("variable:unique_id"))],
  // Early lines change the header that has the address of the client, or that of a request to another server.
  ["headers_module", "remoteip_module", both(hasEarlyHeader, hasName(/^remoteipheader$/))],
  ["headers_module", "proxy_module", both(hasEarlyHeader, isForwardProxy)],
  // A rule sets the handler of a path for which mod_dir looks for another file.
  ["rewrite_module", "dir_module", setsHandlerByRule],
  ["rewrite_module", "include_module", setsHandlerByRule],
  [
    "rewrite_module",
    "headers_module",
    hasLine(({ key, argumentText }) => isHeader(key) && /\bHANDLER\b/i.test(argumentText)),
  ],
  [
    "include_module",
    "headers_module",
    hasLine(({ key, argumentText }) => isHeader(key) && /\bexpr=/i.test(argumentText)),
  ],
  ["rewrite_module", "dav_fs_module", both(hasName(/^dav$/), hasName(/^rewriterule$/))],
  // The login of an index file.
  ...["dir_module", "headers_module", "speling_module"].map(
    (other) => ["auth_basic_module", other, hasName(/^authbasicfake$/)] as const,
  ),
  ...["auth_digest_module", "auth_form_module"].map(
    (other) => ["authnz_fcgi_module", other, hasName(/^authnzfcgi/)] as const,
  ),
  // A Redirect in a section beside a module that may fail.
  ...["cern_meta_module", "charset_lite_module"].map(
    (other) => ["alias_module", other, both(hasName(/^(?:metafiles|charset)/), hasName(/^redirect/))] as const,
  ),
  ["cern_meta_module", "charset_lite_module", both(hasName(/^metafiles$/), hasName(/^charset/))],
  // The file that it keeps open takes the place of that of the others.
  ...["actions_module", "alias_module", "userdir_module", "vhost_alias_module"].map(
    (other) => ["file_cache_module", other, hasName(/^(?:cache|mmap)file$/)] as const,
  ),
];

/** Modules with functions before or after which those of named other modules come: loading one may move others. */
const movingModules =
  /^(?:auth_\w+|authnz_\w+|dav\w*|dir|http2|log_forensic|md|proxy\w*|session\w*|setenvif|ssl|userdir|vhost_alias)_module$/;

type ProjectTest = (project: Project) => boolean;

function both(one: ProjectTest, other: ProjectTest): ProjectTest {
  return (project) => one(project) && other(project);
}

function hasName(key: RegExp): ProjectTest {
  return hasLine((line) => key.test(line.key));
}

function isHeader(key: string): boolean {
  return key === "header" || key === "requestheader";
}

function hasEarlyHeader(project: Project): boolean {
  return placedLinesOf(project).some(({ line }) => isEarlyHeader(line, project));
}

function setsHandlerByRule(project: Project): boolean {
  return placedLinesOf(project).some(
    ({ line: { key, argumentText } }) => key === "rewriterule" && /[[,]\s*(?:h|handler|t|type)=/i.test(argumentText),
  );
}

function hasLine(isMeant: (line: Directive) => boolean): ProjectTest {
  return (project) => placedLinesOf(project).some(({ line }) => isMeant(line));
}

/** Returns what is open because only one side loads a module that lines of both sides use, or loads it in another order. */
function findUsedModules(sides: Pair<Project>): readonly UnprovedPart[] {
  const [loaded, others] = mapPair(sides, loadedModulesOf);
  const all = [...new Set([...loaded, ...others])];
  const isOfOneSide = (module: string) => loaded.includes(module) !== others.includes(module);
  const partsOf = (code: PlainReasonCode, module: string | undefined) =>
    module === undefined ? [] : [createUnprovedPart(code, undefined)];
  const partFor = (reason: UnprovedPart["reason"]): UnprovedPart => ({
    reason,
    directive: undefined,
    example: undefined,
  });
  const ofVariables = Object.keys(variablesOfModules).find(
    (module) =>
      isOfOneSide(module) &&
      sides.some((project) => mayShareFacts(variablesOfModules[module] ?? new Set(), decidingFactsOf(project))),
  );
  // Modules add their names to that of the server (server/core.c `ap_add_version_component`).
  const readsNames = sides.some((project) => decidingFactsOf(project).has("variable:server_software"));
  const named = readsNames ? all.find(isOfOneSide) : undefined;
  const acting = all.find(
    (module) =>
      isOfOneSide(module) && actingModules.some(([names, isUsed]) => names.test(module) && sides.some(isUsed)),
  );
  const hasOther = all.some((module) => isOfOneSide(module) && movingModules.test(module));
  const areSwapped = (one: string, other: string) => {
    if (![loaded, others].every((names) => names.includes(one) && names.includes(other))) return false;
    const [here, there] = mapPair([loaded, others], (names) => names.indexOf(one) < names.indexOf(other));
    return hasOther || here !== there;
  };
  const swapped = orderedModules.find(([one, other, isUsed]) => areSwapped(one, other) && sides.some(isUsed));
  return [
    ...partsOf("value-in-condition", ofVariables ?? named),
    ...partsOf("body-filter", sides.some(hasFilterThatMayFail) ? filterModules.find(isOfOneSide) : undefined),
    ...(acting === undefined ? [] : [partFor(reasonFor("module-acts", acting))]),
    ...(swapped === undefined ? [] : [partFor(reasonFor("order-of-modules", swapped[0], swapped[1]))]),
  ];
}

function usesSpelling(project: Project): boolean {
  return placedLinesOf(project).some(({ line }) => line.key === "checkspelling" && keywordArgumentOf(line) === "on");
}

const hasFilterThatMayFail = memoize((project: Project) =>
  placedLinesOf(project).some(({ effects }) => effects?.of.names === "filters" && effects.writes.has("status")),
);

/**
 * Returns the modules of a server that do not load, or with which it does not start, for lack of others. Only the needs of
 * 2.4 are known.
 */
function lackingModulesOf(project: Project): readonly string[] {
  const builtIn = listCompiledInModules(project.release).map(({ identifier }) => identifier);
  const loaded = loadedModulesOf(project);
  return findUnmetNeeds(loaded, (module) => builtIn.includes(module)).map(({ at }) => loaded[at] ?? "");
}
