// Placeholder until the real module table lands; overwrite this file.
import type { Release } from "./directives.js";
export interface Module { readonly identifier: string; readonly file: string; readonly name: string }
const common = ["core","http","so","log_config","logio","version","authn_file","auth_basic","authz_user","authz_groupfile","authz_host","env","setenvif","alias","dir","mime","status","headers","authz_owner","rewrite","info"];
const d24 = [...common,"watchdog","unixd","mpm_event","authn_core","authz_core","access_compat","remoteip","macro","allowmethods"];
const d22 = [...common,"mpm_prefork","authz_default","authn_default"];
const all = new Map<string, Module>();
for (const n of new Set([...d24,...d22,"ssl","proxy","cgi"])) {
  const m = { identifier: `${n}_module`, file: n==="core"?"core.c":`mod_${n}.c`, name: n==="core"?"core":`mod_${n}` };
  for (const k of [m.identifier,m.file,m.name]) all.set(k,m);
}
export function moduleByName(_release: Release, name: string): Module | undefined { return all.get(name); }
export function defaultModules(release: Release): readonly string[] { return (release==="2.4"?d24:d22).map(n=>`${n}_module`); }
export function compiledInModules(release: Release): readonly string[] { return (release==="2.4"?["core","so","watchdog","http","log_config","logio","version","unixd"]:["core","http","so","log_config","logio","version"]).map(n=>`${n}_module`); }
export function renamedModule(_name: string): { readonly now?: string; readonly why: string } | undefined { return undefined; }
