import type { Directive } from "../../project/model/directive.js";
import { type ConfigLayer, keywordArgumentOf } from "../model/config-layer.js";
import type { Server } from "../model/server.js";
import type { MergeGroup } from "../sections/per-dir-config.js";
import { canonicalizePath, targetOf } from "../sections/section-index.js";
import { parseRewriteRules, type RewriteRule } from "./rule-parser.js";

/** The rules that a server has for the URL, before it is mapped. */
export interface ServerRewriteRules {
  readonly rules: readonly RewriteRule[];
  /** Words of RewriteOptions in force, in lower case. */
  readonly options: ReadonlySet<string>;
  readonly maps: ReadonlyMap<string, Directive>;
  /** The RewriteOptions lines that say which rules these are. */
  readonly lines: readonly Directive[];
}

const serverRulesCache = new WeakMap<Server, ServerRewriteRules | "none">();

/**
 * A server's rules. A virtual host has those of the main server only where RewriteOptions says so, and none at all where it
 * has nothing of mod_rewrite in it (mod_rewrite.c `config_server_merge`, `hook_uri2file`).
 */
export function serverRewriteRulesOf(server: Server): ServerRewriteRules | undefined {
  const before = serverRulesCache.get(server);
  if (before !== undefined) return before === "none" ? undefined : before;
  const found = isRewriting(server.layer.content) ? mergeWithMain(server) : undefined;
  serverRulesCache.set(server, found ?? "none");
  return found;
}

function mergeWithMain({ layer, main }: Server): ServerRewriteRules {
  const own = ownRules(layer);
  if (main === undefined) return own;
  const base = ownRules(main.layer);
  const options = layer.has("rewriteoptions") ? own.options : base.options;
  const lines = [...base.lines, ...own.lines];
  const takesDown = !options.has("ignoreinherit");
  if (options.has("inherit") || (base.options.has("inheritdown") && takesDown)) {
    const maps = new Map([...base.maps, ...own.maps]);
    return { rules: [...own.rules, ...base.rules], options, maps, lines };
  }
  if (options.has("inheritbefore") || (base.options.has("inheritdownbefore") && takesDown)) {
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

/** The words of RewriteOptions lines, which add up. */
function rewriteOptionsOf(lines: readonly Directive[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.arguments.map(({ value }) => value.toLowerCase())));
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

/** What sections and `.htaccess` files say about rewriting once they are merged. */
export interface SectionRewriteRules {
  readonly options: ReadonlySet<string>;
  readonly base: string | undefined;
  /** What relative paths start from, with a slash at its end. */
  readonly directory: string;
  readonly rules: readonly RewriteRule[];
  /** The lines that say so beside the rules. */
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
 * The rules in force behind access control: each group is merged by itself and then laid over those before it
 * (mod_rewrite.c `config_perdir_merge`). Undefined where rewriting is not on.
 *
 * @param directoryOf the folder of a layer that is a `.htaccess` file
 */
export function mergeSectionRules(
  groups: readonly MergeGroup[],
  directoryOf: (layer: ConfigLayer) => string | undefined,
): SectionRewriteRules | undefined {
  if (!groups.some(({ layers }) => layers.some((layer) => layer.has("rewriteengine")))) return undefined;
  let config: SectionRewriteConfig | undefined;
  for (const { kind, layers } of groups) {
    const own = kind === "server" ? serverConfig : (layer: ConfigLayer) => sectionConfig(layer, directoryOf(layer));
    const group = layers.map(own).reduce(overlayConfig, undefined);
    config = overlayConfig(config, group);
  }
  if (config === undefined || config.engine !== true || config.directory === undefined) return undefined;
  const { options = new Set<string>(), base, directory, rules, lines } = config;
  return { options, base, directory, rules, lines };
}

function overlayConfig(
  base: SectionRewriteConfig | undefined,
  config: SectionRewriteConfig | undefined,
): SectionRewriteConfig | undefined {
  if (base === undefined || config === undefined) return config ?? base;
  const options = config.options ?? base.options;
  const takesDown = !options?.has("ignoreinherit");
  const inherits = options?.has("inherit") || (base.options?.has("inheritdown") && takesDown);
  const isBefore = options?.has("inheritbefore") || (base.options?.has("inheritdownbefore") && takesDown);
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

/** Of a server's own lines only those count that say how; its rules are for the URL. */
function serverConfig(layer: ConfigLayer): SectionRewriteConfig | undefined {
  if (!layer.has("rewriteengine") && !layer.has("rewriteoptions")) return undefined;
  const config = serverConfigs.get(layer) ?? { ...configOf(layer), base: undefined, directory: undefined, rules: [] };
  serverConfigs.set(layer, config);
  return config;
}

const serverConfigs = new WeakMap<ConfigLayer, SectionRewriteConfig>();

const sectionConfigs = new WeakMap<ConfigLayer, SectionRewriteConfig>();

function sectionConfig(layer: ConfigLayer, folder: string | undefined): SectionRewriteConfig | undefined {
  if (!rewriteKeys.some((key) => layer.has(key))) return undefined;
  const known = sectionConfigs.get(layer);
  if (known) return known;
  const config = { ...configOf(layer), directory: folder ?? directoryOfSection(layer) };
  sectionConfigs.set(layer, config);
  return config;
}

function configOf(layer: ConfigLayer): SectionRewriteConfig {
  // Lines that were skipped have nothing to say; yet the section has a configuration of its own for them.
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

/** What a section is for, as the path that its lines are read with (server/core.c). */
export function directoryOfSection({ section }: ConfigLayer): string {
  if (section === undefined) return "/";
  if (/^<(if|elseif|else)$/.test(section.key)) return "*If/";
  const target = targetOf(section);
  const text = target?.text ?? "";
  const path = section.key === "<directory" && !target?.isPattern ? (canonicalizePath(text) ?? text) : text;
  return path.endsWith("/") ? path : `${path}/`;
}
