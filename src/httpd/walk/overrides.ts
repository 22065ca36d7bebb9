import type { DirectiveFacts, OverrideClass } from "../../directives/directives.js";
import type { Directive } from "../../project/model/directive.js";
import { mayBeThirdParty } from "../../project/model/modules.js";
import type { HtaccessFile, Project } from "../../project/model/project.js";
import { memoize } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import { type ConfigLayer, findSetting } from "../model/config-layer.js";
import { describeSkippedDirective, readUntilBlocked } from "./blocked-sections.js";

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
  const telling = layers.filter((layer) => layer.has("allowoverride") || layer.has("allowoverridelist"));
  const place = telling.reduce((at, layer) => at.with(layer), overridesCaches[release]);
  place.overrides ??= computeOverrides(telling, release);
  return place.overrides;
}

function computeOverrides(layers: readonly ConfigLayer[], release: Project["release"]): Overrides {
  const allow = findSetting(layers, "allowoverride");
  const list = findSetting(layers, "allowoverridelist");
  const words = allow?.arguments.map((word) => word.value.toLowerCase()) ?? [];
  // `None` and `All` cancel the words before them.
  const counted = words.slice(words.findLastIndex((word) => word === "none" || word === "all") + 1);
  const isAll = words.findLast((word) => word === "none" || word === "all") === "all";
  const hasAll = isAll || (release === "2.2" && allow === undefined);
  const names = list?.arguments.map((word) => word.value.toLowerCase()) ?? [];
  const skipped = counted.filter((word) => word.startsWith("nonfatal=")).map((word) => word.slice("nonfatal=".length));
  return {
    isSet: allow !== undefined || release === "2.2",
    classes: new Set(
      classNames.filter((name) => hasAll || counted.some((word) => word.split("=")[0] === name.toLowerCase())),
    ),
    names: new Set(names.filter((name) => name !== "none")),
    options: optionsAllowed(layers, release),
    skips: {
      override: skipped.some((word) => word === "override" || word === "all"),
      unknown: skipped.some((word) => word === "unknown" || word === "all"),
    },
  };
}

/**
 * Returns the options that an Options line may name (server/core.c `set_allow_opts`). The class Options on its own
 * represents the options in `All`, which do not include SymLinksIfOwnerMatch and MultiViews. The class All keeps the
 * options set further out.
 */
function optionsAllowed(layers: readonly ConfigLayer[], release: Project["release"]): ReadonlySet<string> {
  let allowed = allOptions;
  if (release === "2.2") return allowed;
  for (const layer of layers) {
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
    allowed = own ?? allowed;
  }
  return allowed;
}

/** Returns a key that is equal for equal overrides. */
export const overridesKeyOf = memoize(({ isSet, classes, names, options, skips }: Overrides) =>
  [isSet, [...classes], [...names], [...options], skips.override, skips.unknown].join(" "),
);

/** Reports whether a directive is allowed in a file. */
function isDirectiveAllowed({ classes, names }: Overrides, facts: DirectiveFacts): boolean {
  if (names.has(`${facts.section ? "<" : ""}${facts.tableName.toLowerCase()}`)) return true;
  return facts.override.some((each) => (each === "All" ? classes.size > 0 : classes.has(each)));
}

/** Reports whether no file is searched for because no directive is allowed in one. */
export function ignoresHtaccess({ isSet, classes, names, skips }: Overrides): boolean {
  return isSet && classes.size === 0 && names.size === 0 && !skips.override && !skips.unknown;
}

/**
 * The reason why a `.htaccess` file is rejected: it has a disallowed directive, an unknown one, or an error independent
 * of overrides.
 */
export type RefusalCause = "override" | "unknown" | "broken";

/** The result for a `.htaccess` file: not read, rejected at its first offending line, or merged. */
export type HtaccessVerdict =
  | { readonly kind: "ignored" }
  | {
      readonly kind: "refused";
      readonly directive?: Directive;
      readonly why: string;
      readonly cause: RefusalCause;
      /** The disallowed argument, if the directive itself is allowed. */
      readonly option?: string;
      /** An error that does not depend on the overrides, if any. */
      readonly fault?: HtaccessFault;
      /** Error log messages about directives ignored before that. */
      readonly remarks?: readonly string[];
    }
  | {
      readonly kind: "taken";
      readonly content: readonly Directive[];
      /** Directives skipped because of Nonfatal in AllowOverride. */
      readonly skipped: ReadonlySet<Directive>;
      /** Error log messages about ignored directives. */
      readonly remarks: readonly string[];
    };

/** An error for which the server rejects a file regardless of the overrides. */
export interface HtaccessFault {
  readonly message: string;
  /** The server's message, if known. */
  readonly server: string | undefined;
  /** Undefined for a syntax error. */
  readonly directive: Directive | undefined;
  readonly span: Span;
  /** Whether it is reported only at the end of the file. */
  readonly atEnd?: true;
}

/**
 * Checks a file against the overrides that apply (server/config.c `ap_check_cmd_context`, `invoke_cmd`).
 *
 * @param faultsOf returns the errors that do not depend on the overrides, in the server's order
 */
export function checkHtaccess(
  file: HtaccessFile,
  overrides: Overrides,
  project: Project,
  faultsOf: (file: HtaccessFile) => readonly HtaccessFault[],
): HtaccessVerdict {
  const { skips } = overrides;
  if (ignoresHtaccess(overrides)) return { kind: "ignored" };
  const isAllowed = (facts: DirectiveFacts) => isDirectiveAllowed(overrides, facts);
  const blocked = readUntilBlocked(file.tree, project, isAllowed, skips.override);
  // If a conditional section is ignored, its content is read whether its condition holds or not.
  const isReadAnew = blocked !== undefined && blocked.stop === undefined;
  const read = isReadAnew ? { ...file, directives: file.readPassingOver((facts) => !isAllowed(facts)) } : file;
  const judge = new HtaccessChecker(overrides, project);
  const content = judge.filterAllowed(read.directives);
  // After a disallowed conditional section everything is read differently, and skipped directives are not checked.
  const fault = faultsOf(read).find((each) => {
    const { directive, atEnd, span } = each;
    return directive
      ? blocked?.stop === undefined && !judge.skipped.has(directive)
      : blocked === undefined || (!atEnd && span.start < blocked.from);
  });
  const stop = fault === undefined ? blocked?.stop : undefined;
  const first = stop ? { message: stop.why, server: stop.server, directive: undefined, span: stop.span } : fault;
  const remarks = [...(blocked?.remarks ?? []), ...judge.remarksOnReading, ...judge.remarks];
  if (judge.refused) return { ...judge.refused, ...(first ? { fault: first } : { remarks }) };
  if (first)
    return {
      kind: "refused",
      why: first.message,
      cause: stop ? "override" : "broken",
      fault: first,
      remarks: blocked?.remarks ?? [],
    };
  return { kind: "taken", content, skipped: judge.skipped, remarks };
}

/** Directives of modules that do not merge, or do not merge all of their settings. */
const unmergedNames = new Set([
  ...["order", "allow", "deny", "satisfy", "authuserfile", "authgroupfile", "authdbmgroupfile", "authzdbmtype"],
  ...["rewriteengine", "rewriteoptions", "rewritebase", "rewritecond", "rewriterule", "rewritemap"],
]);

/**
 * Returns the remainder of a skipped directive: if its module does not merge, the outer settings are still discarded.
 */
function emptySetting(directive: Directive): Directive | undefined {
  return unmergedNames.has(directive.key)
    ? Object.create(directive, { argumentText: { value: "" }, arguments: { value: [] } })
    : undefined;
}

interface RefusalDetails {
  readonly option?: string;
  readonly cause?: RefusalCause;
}

class HtaccessChecker {
  refused: (HtaccessVerdict & { readonly kind: "refused" }) | undefined;
  /** The skipped directives, with their content. */
  readonly skipped = new Set<Directive>();
  readonly remarks: string[] = [];
  /** Messages about read-time directives, which precede all others. */
  readonly remarksOnReading: string[] = [];

  constructor(
    private readonly overrides: Overrides,
    private readonly project: Project,
  ) {}

  filterAllowed(directives: readonly Directive[]): readonly Directive[] {
    let kept: Directive[] | undefined;
    for (const [index, directive] of directives.entries()) {
      if (this.refused) return [];
      const verdict = this.checkDirective(directive);
      if (verdict === "skipped") this.skip(directive);
      const taken = verdict === "taken" ? this.withContent(directive) : emptySetting(directive);
      if (taken !== directive) kept ??= directives.slice(0, index);
      if (taken) kept?.push(taken);
    }
    return kept ?? directives;
  }

  private skip(directive: Directive): void {
    this.skipped.add(directive);
    for (const child of directive.children ?? []) this.skip(child);
  }

  /** Returns the section without the skipped directives in it. */
  private withContent(section: Directive): Directive {
    if (section.children === undefined) return section;
    const children = this.filterAllowed(section.children);
    return children === section.children ? section : Object.create(section, { children: { value: children } });
  }

  private checkDirective(directive: Directive): "taken" | "skipped" | "refused" {
    const facts = directive.known.facts.filter((each) => !each.manualOnly && this.project.modules.provides(each));
    const { skips } = this.overrides;
    const title = `\`${directive.name}${directive.children ? ">" : ""}\``;
    const isForeign = facts.length === 0 && mayBeThirdParty(directive, this.project);
    if (facts.length === 0 && !isForeign) {
      if (!skips.unknown) return this.refuse(directive, `${title} is not known`, { cause: "unknown" });
      const why = "perhaps misspelled or defined by a module not included in the server configuration";
      this.remarks.push(`AH02296: Unknown directive ${directive.name.toLowerCase()} ${why}`);
      return "skipped";
    }
    if (isForeign && this.mayAllow(directive)) return "taken";
    if (facts.some((each) => isDirectiveAllowed(this.overrides, each))) {
      const option = directive.key === "options" && this.firstNotAllowed(directive);
      return option
        ? this.refuse(directive, `\`${option.value}\` is not allowed by AllowOverride`, { option: option.value })
        : "taken";
    }
    if (!skips.override) return this.refuse(directive, `${title} is not allowed by AllowOverride`);
    const [known] = facts;
    const remarks = known?.readTime ? this.remarksOnReading : this.remarks;
    remarks.push(describeSkippedDirective(known ? `${known.section ? "<" : ""}${known.tableName}` : directive.name));
    return "skipped";
  }

  /**
   * Reports whether a directive of an unknown module may be allowed. Its class is unknown; without any allowed class it
   * is rejected.
   */
  private mayAllow({ key }: Directive): boolean {
    return this.overrides.classes.size > 0 || this.overrides.names.has(key);
  }

  /** Returns the first disallowed argument. Arguments are checked one by one, up to one that is not an option. */
  private firstNotAllowed({ arguments: words }: Directive): Directive["arguments"][number] | undefined {
    const optionOf = (word: string) => word.replace(/^[+-]/, "").toLowerCase();
    const first = words.find(({ value }) => {
      const option = optionOf(value);
      return !optionWords.has(option) || bitsOf(option).some((bit) => !this.overrides.options.has(bit));
    });
    return first && optionWords.has(optionOf(first.value)) ? first : undefined;
  }

  private refuse(directive: Directive, why: string, { option, cause = "override" }: RefusalDetails = {}): "refused" {
    this.refused = { kind: "refused", directive, why, cause, ...(option === undefined ? {} : { option }) };
    return "refused";
  }
}
