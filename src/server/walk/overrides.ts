import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import {
  type DirectiveFacts,
  findDirectiveFacts,
  findThirdPartyDirective,
  type OverrideClass,
} from "../../facts/directives.js";
import { isSince, lineOf } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { type ConfigLayer, findSetting } from "../model/config-layer.js";

/** The directives that a `.htaccess` file may contain in a directory. */
export interface Overrides {
  /** Whether any AllowOverride or AllowOverrideList applies; without one, 2.4 still reads the file. */
  readonly isSet: boolean;
  readonly classes: ReadonlySet<OverrideClass>;
  /** Single directive names besides the classes; lower case, a section with its `<`. */
  readonly names: ReadonlySet<string>;
  /** The options that an Options line may name. */
  readonly options: ReadonlySet<string>;
  /** Whether disallowed or unknown directives are skipped instead of rejected. */
  readonly skips: { readonly override: boolean; readonly unknown: boolean };
}

/** The meaning of words in Options. */
const optionBits: Readonly<Record<string, readonly string[]>> = {
  none: [],
  all: ["indexes", "includes", "exec", "followsymlinks", "execcgi"],
  includes: ["includes", "exec"],
  includesnoexec: ["includes"],
  runscripts: ["multiviews", "execcgi"],
};
const allOptions: ReadonlySet<string> = new Set([...bitsOf("all"), "symlinksifownermatch", "multiviews"]);
const optionWords: ReadonlySet<string> = new Set(
  [...Object.keys(optionBits), ...allOptions].filter((word) => word !== "exec"),
);

function bitsOf(option: string): readonly string[] {
  return Object.hasOwn(optionBits, option) ? (optionBits[option] ?? []) : [option];
}

const classNames: readonly OverrideClass[] = ["AuthConfig", "FileInfo", "Indexes", "Limit", "Options"];

/** A cache by sequence of per-directory configurations, outermost first; only those with overrides count. */
class OverridesCache {
  overrides: Overrides | undefined;
  readonly with = memoize((_layer: ConfigLayer) => new OverridesCache());
}

const overridesCaches = { "2.2": new OverridesCache(), "2.4": new OverridesCache() };

/**
 * Returns the overrides that apply after some steps of the directory walk. The same sequence recurs with each request,
 * and is evaluated only once.
 *
 * @param layers the Directory sections by path, and `.htaccess` files; AllowOverride has no effect elsewhere
 */
export function mergeOverrides(layers: readonly ConfigLayer[], { release }: Pick<Project, "release">): Overrides {
  const setting = layers.filter((layer) => layer.has("allowoverride") || layer.has("allowoverridelist"));
  const place = setting.reduce((at, layer) => at.with(layer), overridesCaches[lineOf(release)]);
  place.overrides ??= computeOverrides(setting, release);
  return place.overrides;
}

function computeOverrides(layers: readonly ConfigLayer[], release: Project["release"]): Overrides {
  const allow = findSetting(layers, "allowoverride");
  const list = findSetting(layers, "allowoverridelist");
  const words = allow?.arguments.map((word) => word.value.toLowerCase()) ?? [];
  // `None` and `All` cancel the words before them.
  const counted = words.slice(words.findLastIndex((word) => word === "none" || word === "all") + 1);
  const isAll = words.findLast((word) => word === "none" || word === "all") === "all";
  const hasAll = isAll || (!isSince(release, "2.4") && allow === undefined);
  const names = list?.arguments.map((word) => word.value.toLowerCase()) ?? [];
  const skipped = counted.filter((word) => word.startsWith("nonfatal=")).map((word) => word.slice("nonfatal=".length));
  return {
    isSet: allow !== undefined || !isSince(release, "2.4"),
    classes: new Set(
      classNames.filter((name) => hasAll || counted.some((word) => word.split("=")[0] === name.toLowerCase())),
    ),
    names: new Set(names.filter((name) => name !== "none")),
    options: allowedOptionsOf(layers),
    skips: {
      override: skipped.some((word) => word === "override" || word === "all"),
      unknown: skipped.some((word) => word === "unknown" || word === "all"),
    },
  };
}

/**
 * Returns the options that an Options line may name (server/core.c `set_allow_opts`). The class Options on its own
 * represents the options in `All`, which do not include SymLinksIfOwnerMatch and MultiViews. An AllowOverride without that
 * class keeps the options of earlier lines of its section, and allows all options if there are none: those of outer
 * sections no longer apply (server/request.c `core_opts_merge`).
 */
function allowedOptionsOf(layers: readonly ConfigLayer[]): ReadonlySet<string> {
  let allowed = allOptions;
  for (const layer of layers) {
    if (!layer.has("allowoverride")) continue;
    let own: ReadonlySet<string> | undefined;
    for (const { key, arguments: words } of layer.directives) {
      for (const { value } of key === "allowoverride" ? words : []) {
        const [name, list = "all"] = value.toLowerCase().split("=");
        if (name !== "options") continue;
        const options = list.split(",").filter((option) => option !== "");
        // An empty list does not remove any of the options that a section allows initially.
        own = options.length > 0 ? new Set(options.flatMap(bitsOf)) : (own ?? allOptions);
      }
    }
    allowed = own ?? allOptions;
  }
  return allowed;
}

/** Returns a key that is equal for equal overrides. */
export const overridesKeyOf = memoize(({ isSet, classes, names, options, skips }: Overrides) =>
  [isSet, [...classes], [...names], [...options], skips.override, skips.unknown].join(" "),
);

/** Reports whether a directive is allowed in a file. */
export function isDirectiveAllowed({ classes, names }: Overrides, facts: DirectiveFacts): boolean {
  if (names.has(`${facts.section ? "<" : ""}${facts.tableName.toLowerCase()}`)) return true;
  return allowsAnyOf(classes, facts.override);
}

/** The classes of the directives that control access and logins. */
const accessClasses: readonly OverrideClass[] = ["AuthConfig", "Limit"];

/** Reports whether a file may contain a directive that controls access. */
export function allowsAccessControl({ classes, names }: Overrides, release: Project["release"]): boolean {
  const isOfAccess = ({ override }: Pick<DirectiveFacts, "override">) =>
    override.some((each) => accessClasses.includes(each));
  return (
    accessClasses.some((each) => classes.has(each)) ||
    [...names].some((name) => findDirectiveFacts(release, name.replace(/^</, "")).some(isOfAccess))
  );
}

/**
 * Reports whether a directive of a third-party module may be allowed in a file. If the classes that allow it are not
 * known, it is rejected only without any class.
 */
export function mayAllowThirdParty({ classes, names }: Overrides, { key }: Pick<Directive, "key">): boolean {
  return names.has(key) || allowsAnyOf(classes, findThirdPartyDirective(key)?.override ?? ["All"]);
}

function allowsAnyOf(classes: Overrides["classes"], allowing: readonly OverrideClass[]): boolean {
  return allowing.some((each) => (each === "All" ? classes.size > 0 : classes.has(each)));
}

/** Reports whether no file is searched for because no directive is allowed in one. */
export function ignoresHtaccess({ isSet, classes, names, skips }: Overrides): boolean {
  return isSet && classes.size === 0 && names.size === 0 && !skips.override && !skips.unknown;
}

/** Returns the first disallowed argument of Options. They are checked one by one, up to one that is not an option. */
export function findForbiddenOption(
  { arguments: words }: Directive,
  { options }: Overrides,
): Directive["arguments"][number] | undefined {
  const optionOf = (word: string) => word.replace(/^[+-]/, "").toLowerCase();
  const first = words.find(({ value }) => {
    const option = optionOf(value);
    return !optionWords.has(option) || bitsOf(option).some((bit) => !options.has(bit));
  });
  return first && optionWords.has(optionOf(first.value)) ? first : undefined;
}
