import type { Directive } from "../../project/directive.js";
import { type Layer, settingIn } from "../layer.js";
import { optionsIn } from "../options.js";
import type { RewriteContext } from "./context.js";
import { applyRules } from "./engine.js";
import { awayFrom, type CommonContext, contextOf, type Destination, leftStatus, type Rewriting } from "./rewriting.js";
import type { SectionRules } from "./section-rules.js";
import { serverRules } from "./server-rules.js";
import { withPrefix } from "./uris.js";

const messages = { brokenQuery: "AH10411", noProxy: "AH10160" };

const FORBIDDEN =
  "Options FollowSymLinks and SymLinksIfOwnerMatch are both off, so the RewriteRule directive is also forbidden due to its similar ability to circumvent directory restrictions ";

/** What the server takes for the file when access has been granted. */
export interface RewrittenFile {
  readonly filename: string;
  readonly pathInfo: string;
  readonly isProxied: boolean;
}

/**
 * What the rules of sections and `.htaccess` files make of a request that access control let pass (mod_rewrite.c
 * `hook_fixup`).
 */
export function rewriteInSections(
  common: CommonContext,
  rules: SectionRules,
  layers: readonly Layer[],
  { filename, pathInfo, isProxied }: RewrittenFile,
): Rewriting | undefined {
  const { directory, options, lines } = rules;
  const { query } = common.request;
  // The path gets its slash first.
  if (!isProxied && !options.has("allownoslash") && `${filename}/` === directory) return undefined;
  const inForce = optionsIn(layers);
  if (!inForce.has("followsymlinks") && !inForce.has("symlinksifownermatch")) {
    const by = settingIn(layers, "options") ?? settingIn(layers, "rewriteengine");
    const log = common.project.release === "2.4" ? [`AH00670: ${FORBIDDEN}: ${filename}`] : [];
    const to: Destination | undefined = by && { kind: "answered", status: 403, log, by };
    return { to, query, ends: false, steps: [], lines };
  }
  if (rules.rules.length === 0) return undefined;
  const maps = serverRules(common.server)?.maps ?? new Map();
  const context = contextOf(common, { directory, isProxied, maps, filename, pathInfo });
  const applied = applyRules(rules.rules, context);
  const { steps, ends, by, result } = applied;
  const isLed = (result.kind === "changed" || result.kind === "status") && by !== undefined;
  const to = isLed
    ? (awayFrom(applied, context, by.directive, messages) ?? within(context, rules, filename, by.directive))
    : undefined;
  return { to, query: isLed ? context.query : query, leftStatus: leftStatus(context, to), ends, steps, lines };
}

/** A file that a rule led to is asked for anew by a URL: that of RewriteBase, below the DocumentRoot, or of an Alias. */
function within(
  { filename, documentRoot, alias, project }: RewriteContext,
  { base, directory, options }: SectionRules,
  before: string,
  by: Directive,
): Destination | undefined {
  if (!filename.startsWith("/")) return { kind: "answered", status: 400, log: [], by };
  if (filename === before) return undefined;
  const stripped =
    base !== undefined
      ? withPrefix(filename, directory, base)
      : filename.startsWith(`${documentRoot}/`)
        ? filename.slice(documentRoot.length)
        : filename;
  const usesAlias = stripped === filename && alias && project.release === "2.4" && !options.has("ignorecontextinfo");
  const path = usesAlias ? withPrefix(filename, alias.documentRoot, alias.prefix) : stripped;
  return { kind: "redirected", path, by };
}
