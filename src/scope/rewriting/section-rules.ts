import type { Directive } from "../../project/directive.js";
import type { Layer } from "../layer.js";
import type { Group } from "../per-dir-config.js";
import { canonicalPath, targetOf } from "../section-index.js";
import { keywordOf } from "../words.js";
import { type Rule, rulesIn } from "./rules.js";
import { optionsIn } from "./server-rules.js";

/** What sections and `.htaccess` files say about rewriting once they are merged. */
export interface SectionRules {
  readonly options: ReadonlySet<string>;
  readonly base: string | undefined;
  /** What relative paths start from, with a slash at its end. */
  readonly directory: string;
  readonly rules: readonly Rule[];
  /** The lines that say so beside the rules. */
  readonly lines: readonly Directive[];
}

interface Config {
  readonly engine: boolean | undefined;
  readonly options: ReadonlySet<string> | undefined;
  readonly base: string | undefined;
  readonly directory: string | undefined;
  readonly rules: readonly Rule[];
  readonly lines: readonly Directive[];
}

const keys = ["rewriteengine", "rewriteoptions", "rewriterule", "rewritebase", "rewritecond", "rewritemap"] as const;

/**
 * The rules in force behind access control: each group is merged by itself and then laid over those before it
 * (mod_rewrite.c `config_perdir_merge`). Undefined where rewriting is not on.
 *
 * @param directoryOf the folder of a layer that is a `.htaccess` file
 */
export function sectionRules(
  groups: readonly Group[],
  directoryOf: (layer: Layer) => string | undefined,
): SectionRules | undefined {
  if (!groups.some(({ layers }) => layers.some((layer) => layer.has("rewriteengine")))) return undefined;
  let config: Config | undefined;
  for (const { kind, layers } of groups) {
    const own = kind === "server" ? serverConfig : (layer: Layer) => sectionConfig(layer, directoryOf(layer));
    const group = layers.map(own).reduce(over, undefined);
    config = over(config, group);
  }
  if (config === undefined || config.engine !== true || config.directory === undefined) return undefined;
  const { options = new Set<string>(), base, directory, rules, lines } = config;
  return { options, base, directory, rules, lines };
}

function over(base: Config | undefined, config: Config | undefined): Config | undefined {
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
function serverConfig(layer: Layer): Config | undefined {
  if (!layer.has("rewriteengine") && !layer.has("rewriteoptions")) return undefined;
  const config = ofServers.get(layer) ?? { ...configOf(layer), base: undefined, directory: undefined, rules: [] };
  ofServers.set(layer, config);
  return config;
}

const ofServers = new WeakMap<Layer, Config>();

const ofSections = new WeakMap<Layer, Config>();

function sectionConfig(layer: Layer, folder: string | undefined): Config | undefined {
  if (!keys.some((key) => layer.has(key))) return undefined;
  const known = ofSections.get(layer);
  if (known) return known;
  const config = { ...configOf(layer), directory: folder ?? directoryOfSection(layer) };
  ofSections.set(layer, config);
  return config;
}

function configOf(layer: Layer): Config {
  // Lines that were skipped have nothing to say; yet the section has a configuration of its own for them.
  const directives = layer.directives.filter(({ argumentText }) => argumentText !== "");
  const engine = directives.findLast(({ key }) => key === "rewriteengine");
  const options = directives.filter(({ key }) => key === "rewriteoptions");
  const base = directives.findLast(({ key }) => key === "rewritebase");
  return {
    engine: engine && keywordOf(engine) === "on",
    options: options.length > 0 ? optionsIn(options) : undefined,
    base: base?.arguments[0]?.value,
    directory: undefined,
    rules: rulesIn(directives),
    lines: [...(engine ? [engine] : []), ...options, ...(base ? [base] : [])],
  };
}

/** What a section is for, as the path that its lines are read with (server/core.c). */
export function directoryOfSection({ section }: Layer): string {
  if (section === undefined) return "/";
  if (/^<(if|elseif|else)$/.test(section.key)) return "*If/";
  const target = targetOf(section);
  const text = target?.text ?? "";
  const path = section.key === "<directory" && !target?.isPattern ? (canonicalPath(text) ?? text) : text;
  return path.endsWith("/") ? path : `${path}/`;
}
