import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";
import { type ConfigLayer, keywordArgumentOf } from "../model/config-layer.js";
import type { Server } from "../model/server.js";
import type { MergeGroup } from "../sections/per-dir-config.js";
import { canonicalizePath, targetOf } from "../sections/section-index.js";
import { parseRewriteRules, type RewriteRule } from "./rule-parser.js";

/** A server's rules for the URL, before it is mapped. */
export interface ServerRewriteRules {
  readonly rules: readonly RewriteRule[];
  /** Words of RewriteOptions that apply, in lower case. */
  readonly options: ReadonlySet<string>;
  readonly maps: ReadonlyMap<string, Directive>;
  /** The RewriteOptions lines that determine these rules. */
  readonly lines: readonly Directive[];
}

/**
 * Returns a server's rules. A virtual host has those of the main server only if RewriteOptions inherits them, and none
 * if it has no mod_rewrite directives (mod_rewrite.c `config_server_merge`, `hook_uri2file`).
 */
export const serverRewriteRulesOf = memoize((server: Server): ServerRewriteRules | undefined =>
  isRewriting(server.layer.content) ? mergeWithMain(server) : undefined,
);

function mergeWithMain({ layer, main }: Server): ServerRewriteRules {
  const own = ownRules(layer);
  if (main === undefined) return own;
  const base = ownRules(main.layer);
  const options = layer.has("rewriteoptions") ? own.options : base.options;
  const lines = [...base.lines, ...own.lines];
  const allowsInheritance = !options.has("ignoreinherit");
  if (options.has("inherit") || (base.options.has("inheritdown") && allowsInheritance)) {
    const maps = new Map([...base.maps, ...own.maps]);
    return { rules: [...own.rules, ...base.rules], options, maps, lines };
  }
  if (options.has("inheritbefore") || (base.options.has("inheritdownbefore") && allowsInheritance)) {
    const maps = new Map([...own.maps, ...base.maps]);
    return { rules: [...base.rules, ...own.rules], options, maps, lines };
  }
  return { ...own, options, lines };
}

function ownRules({ content }: ConfigLayer): ServerRewriteRules {
  const lines = content.filter(({ key }) => key === "rewriteoptions");
  const maps = content.filter(({ key }) => key === "rewritemap");
  return {
    rules: parseRewriteRules(content),
    options: rewriteOptionsOf(lines),
    maps: new Map(maps.map((map) => [map.arguments[0]?.value ?? "", map])),
    lines,
  };
}

/** Reports whether the RewriteOptions of the last section that sets any let rules match URLs that are not paths. */
export function allowsAnyUrl(layers: readonly ConfigLayer[]): boolean {
  const layer = layers.findLast((each) => each.has("rewriteoptions"));
  return layer !== undefined && rewriteOptionsOf(layer.directives).has("allowanyuri");
}

/** Returns the words of RewriteOptions lines, which accumulate. */
function rewriteOptionsOf(lines: readonly Directive[]): ReadonlySet<string> {
  const options = lines.filter(({ key }) => key === "rewriteoptions");
  return new Set(options.flatMap((line) => line.arguments.map(({ value }) => value.toLowerCase())));
}

const rewriteNames = new Set([
  "rewriteengine",
  "rewriteoptions",
  "rewriterule",
  "rewritecond",
  "rewritebase",
  "rewritemap",
]);

function isRewriting(content: readonly Directive[]): boolean {
  return content.some(
    ({ key, children }) => rewriteNames.has(key) || (children !== undefined && isRewriting(children)),
  );
}

/** The merged rewriting configuration of sections and `.htaccess` files. */
export interface SectionRewriteRules {
  readonly options: ReadonlySet<string>;
  readonly base: string | undefined;
  /** The base of relative paths, with a trailing slash. */
  readonly directory: string;
  readonly rules: readonly RewriteRule[];
  /** The directives that set this, other than the rules. */
  readonly lines: readonly Directive[];
}

interface SectionRewriteConfig {
  readonly engine: boolean | undefined;
  readonly options: ReadonlySet<string> | undefined;
  readonly base: string | undefined;
  readonly directory: string | undefined;
  readonly rules: readonly RewriteRule[];
  readonly lines: readonly Directive[];
}

const rewriteKeys = [
  "rewriteengine",
  "rewriteoptions",
  "rewriterule",
  "rewritebase",
  "rewritecond",
  "rewritemap",
] as const;

/**
 * Returns the rules that apply after access control. Each group is merged on its own, and then merged over the earlier
 * groups (mod_rewrite.c `config_perdir_merge`). Undefined if rewriting is not on.
 *
 * @param directoryOf returns the folder of a `.htaccess` file
 */
export function mergeSectionRules(
  groups: readonly MergeGroup[],
  directoryOf: (layer: ConfigLayer) => string | undefined,
): SectionRewriteRules | undefined {
  if (!groups.some(({ layers }) => layers.some((layer) => layer.has("rewriteengine")))) return undefined;
  let config: SectionRewriteConfig | undefined;
  for (const { kind, layers } of groups) {
    const own = kind === "server" ? serverConfigOf : (layer: ConfigLayer) => sectionConfig(layer, directoryOf(layer));
    const group = layers.map(own).reduce(overlayConfig, undefined);
    config = overlayConfig(config, group);
  }
  if (config === undefined || config.engine !== true || config.directory === undefined) return undefined;
  const { options = new Set<string>(), base, directory, rules, lines } = config;
  return { options, base, directory, rules, lines };
}

/** Returns the RewriteRule lines of sections and `.htaccess` files that apply; none if rewriting is off. */
export function listUsedRules(groups: readonly MergeGroup[]): ReadonlySet<Directive> {
  return new Set(mergeSectionRules(groups, () => undefined)?.rules.map(({ directive }) => directive));
}

function overlayConfig(
  base: SectionRewriteConfig | undefined,
  config: SectionRewriteConfig | undefined,
): SectionRewriteConfig | undefined {
  if (base === undefined || config === undefined) return config ?? base;
  const options = config.options ?? base.options;
  const allowsInheritance = !options?.has("ignoreinherit");
  const inherits = options?.has("inherit") || (base.options?.has("inheritdown") && allowsInheritance);
  const isBefore = options?.has("inheritbefore") || (base.options?.has("inheritdownbefore") && allowsInheritance);
  const mergesBase = options?.has("mergebase");
  return {
    engine: config.engine ?? base.engine,
    options,
    base: mergesBase ? (config.base ?? base.base) : config.base,
    directory: config.directory,
    rules: inherits ? [...config.rules, ...base.rules] : isBefore ? [...base.rules, ...config.rules] : config.rules,
    lines: [...base.lines, ...config.lines],
  };
}

/** Returns the settings in a server's own lines; its rules are for the URL. */
const serverConfigOf = memoize((layer: ConfigLayer): SectionRewriteConfig | undefined => {
  if (!layer.has("rewriteengine") && !layer.has("rewriteoptions")) return undefined;
  return { ...configOf(layer), base: undefined, directory: undefined, rules: [] };
});

/** Returns the settings of a section or file; a file may be reached by several names of its folder. */
function sectionConfig(layer: ConfigLayer, folder: string | undefined): SectionRewriteConfig | undefined {
  if (!rewriteKeys.some((key) => layer.has(key))) return undefined;
  return { ...ownConfigOf(layer), directory: folder ?? directoryOfSection(layer) };
}

const ownConfigOf = memoize(configOf);

function configOf(layer: ConfigLayer): SectionRewriteConfig {
  // Skipped lines have no content, but the section still has a configuration of its own for them.
  const directives = layer.directives.filter(({ argumentText }) => argumentText !== "");
  const engine = directives.findLast(({ key }) => key === "rewriteengine");
  const options = directives.filter(({ key }) => key === "rewriteoptions");
  const base = directives.findLast(({ key }) => key === "rewritebase");
  return {
    engine: engine && keywordArgumentOf(engine) === "on",
    options: options.length > 0 ? rewriteOptionsOf(options) : undefined,
    base: base?.arguments[0]?.value,
    directory: undefined,
    rules: parseRewriteRules(directives),
    lines: [...(engine ? [engine] : []), ...options, ...(base ? [base] : [])],
  };
}

/** Returns the path of a section, with which its directives are parsed (server/core.c). */
export function directoryOfSection({ section }: ConfigLayer): string {
  if (section === undefined) return "/";
  if (/^<(if|elseif|else)$/.test(section.key)) return "*If/";
  const target = targetOf(section);
  const text = target?.text ?? "";
  const path = section.key === "<directory" && !target?.isPattern ? (canonicalizePath(text) ?? text) : text;
  return path.endsWith("/") ? path : `${path}/`;
}
