import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { earlySetterOf } from "../scope/environment.js";
import { wordsOf } from "../scope/words.js";

/** Variables of modules that httpd comes with, or that are often beside it: lines only give them a default. */
const ofModules =
  /^(?:geoip_|mm_|mmdb_|unique_id$|ssl_|https$|http_|remote_|redirect_|request_|server_|no-gzip|downgrade-|force-|nokeepalive)/;

/**
 * The variables that lines of some configurations set, in lower case, and nothing else: none where modules are loaded that
 * are not known, which may set any.
 */
export function ownVariablesOf(projects: readonly Project[]): ReadonlySet<string> {
  const names = new Set<string>();
  if (projects.some(({ modules }) => modules.hasForeign())) return names;
  for (const project of projects)
    for (const directive of allDirectives(project))
      for (const name of namesIn(directive).map((each) => each.toLowerCase()))
        if (!ofModules.test(name)) names.add(name);
  return names;
}

function namesIn(directive: Directive): readonly string[] {
  switch (directive.key) {
    case "setenv":
      return wordsOf(directive).slice(0, 1);
    case "passenv":
      return wordsOf(directive);
    case "rewriterule":
      return [...(wordsOf(directive)[2] ?? "").matchAll(/[[,]\s*(?:E|env)=!?([^:,\]]+)/gi)].map(
        ([, name = ""]) => name,
      );
    default:
      return (earlySetterOf(directive)?.variables ?? []).map((word) => word.replace(/^!/, "").replace(/=.*$/s, ""));
  }
}
