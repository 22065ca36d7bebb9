import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";

/** The providers of known modules. Their names are case-sensitive. */
const providers: ReadonlyMap<string, string> = new Map([
  ["filesystem", "dav_fs_module"],
  ["svn", "dav_svn_module"],
]);

/** Checks that a loaded module has the provider that Dav names, as mod_dav does (mod_dav.c `dav_cmd_dav`). */
export function checkDav(directive: Directive, { modules, modulesAreKnown }: Project): Refusal | undefined {
  const [word] = directive.arguments;
  const name = word?.value ?? "";
  if (word === undefined || name.toLowerCase() === "off") return undefined;
  const provider = name.toLowerCase() === "on" ? "filesystem" : name;
  const module = providers.get(provider);
  if (!modulesAreKnown || modules.unknown.length > 0 || modules.hasAnyThirdParty()) return undefined;
  if (module !== undefined && modules.has(module)) return undefined;
  return {
    ...wordingOf("unknown-dav-provider", provider, module),
    ...(module === undefined ? {} : { missing: module }),
    span: directive.spanOf(word),
  };
}
