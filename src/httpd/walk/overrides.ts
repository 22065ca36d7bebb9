import type { DirectiveFacts, OverrideClass } from "../../directives/directives.js";
import type { Directive } from "../../project/model/directive.js";
import { mayBeThirdParty } from "../../project/model/modules.js";
import type { HtaccessFile, Project } from "../../project/model/project.js";
import type { Span } from "../../text/source.js";
import { type ConfigLayer, findSetting } from "../model/config-layer.js";
import { describeSkippedDirective, readUntilBlocked } from "./blocked-sections.js";

/** What a `.htaccess` file may say at some place. */
export interface Overrides {
  /** Whether any AllowOverride or AllowOverrideList is in force; on 2.4 a file that nobody spoke of is read all the same. */
  readonly isSet: boolean;
  readonly classes: ReadonlySet<OverrideClass>;
  /** Single names beside the classes, lower case, a section with its `<`. */
  readonly names: ReadonlySet<string>;
  /** The options that an Options line may name. */
  readonly options: ReadonlySet<string>;
  /** What is not allowed, or not known, is skipped instead of refused. */
  readonly skips: { readonly override: boolean; readonly unknown: boolean };
}

/** What words of Options stand for. */
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

/** What was read of the same layers before: those that tell, from the outermost inwards. */
class OverridesCache {
  overrides: Overrides | undefined;
  private readonly inner = new WeakMap<ConfigLayer, OverridesCache>();

  with(layer: ConfigLayer): OverridesCache {
    const next = this.inner.get(layer) ?? new OverridesCache();
    this.inner.set(layer, next);
    return next;
  }
}

const overridesCaches = { "2.2": new OverridesCache(), "2.4": new OverridesCache() };

/**
 * The overrides in force behind some layers of the directory walk. The same layers come again with each request: what they
 * say is read once.
 *
 * @param layers those of Directory sections by path, and `.htaccess` files; AllowOverride has no effect elsewhere
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
  // `None` and `All` take back what stands ahead of them.
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
 * The options that an Options line may name (server/core.c `set_allow_opts`): the class Options by itself stands for those
 * that `All` means, which SymLinksIfOwnerMatch and MultiViews are not among; the class All leaves what was said further out.
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
        // An empty list takes nothing from what a section allows to begin with.
        own = options.length > 0 ? new Set(options.flatMap(bitsOf)) : (own ?? allOptions);
      }
    }
    allowed = own ?? allowed;
  }
  return allowed;
}

const overridesKeys = new WeakMap<Overrides, string>();

/** The same for overrides that say the same. */
export function overridesKeyOf(overrides: Overrides): string {
  const { isSet, classes, names, options, skips } = overrides;
  const key =
    overridesKeys.get(overrides) ??
    [isSet, [...classes], [...names], [...options], skips.override, skips.unknown].join(" ");
  overridesKeys.set(overrides, key);
  return key;
}

/** Whether a directive may stand in a file. */
function isDirectiveAllowed({ classes, names }: Overrides, facts: DirectiveFacts): boolean {
  if (names.has(`${facts.section ? "<" : ""}${facts.tableName.toLowerCase()}`)) return true;
  return facts.override.some((each) => (each === "All" ? classes.size > 0 : classes.has(each)));
}

/** Whether no file is looked for: nothing may stand in one. */
export function ignoresHtaccess({ isSet, classes, names, skips }: Overrides): boolean {
  return isSet && classes.size === 0 && names.size === 0 && !skips.override && !skips.unknown;
}

/** Why a `.htaccess` file is refused: it holds what is not allowed, what is not known, or what is wrong anywhere. */
export type RefusalCause = "override" | "unknown" | "broken";

/** What becomes of a `.htaccess` file: not read, refused with the first line that is in the way, or laid over. */
export type HtaccessVerdict =
  | { readonly kind: "ignored" }
  | {
      readonly kind: "refused";
      readonly directive?: Directive;
      readonly why: string;
      readonly cause: RefusalCause;
      /** A word of the directive that is not allowed, where not the whole is not. */
      readonly option?: string;
      /** What is wrong whatever is allowed, if anything is. */
      readonly fault?: HtaccessFault;
      /** What the server writes into its error log of what it passes over ahead of that. */
      readonly remarks?: readonly string[];
    }
  | {
      readonly kind: "taken";
      readonly content: readonly Directive[];
      /** What Nonfatal of AllowOverride has passed over. */
      readonly skipped: ReadonlySet<Directive>;
      /** What the server writes into its error log of what it passes over. */
      readonly remarks: readonly string[];
    };

/** Why the server refuses a file whatever is allowed in it. */
export interface HtaccessFault {
  readonly message: string;
  /** The server's own words, where they are known. */
  readonly server: string | undefined;
  /** Undefined where the text itself is wrong. */
  readonly directive: Directive | undefined;
  readonly span: Span;
  /** Told only where the file ends. */
  readonly atEnd?: true;
}

/**
 * Whether the overrides in force let a file say what it says (server/config.c `ap_check_cmd_context`, `invoke_cmd`).
 *
 * @param faultsOf why it refuses a file whatever is allowed, in the order in which it comes to that
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
  // Where a guard is passed over, what stands behind it is read whether it holds or not.
  const isReadAnew = blocked !== undefined && blocked.stop === undefined;
  const read = isReadAnew ? { ...file, directives: file.readPassingOver((facts) => !isAllowed(facts)) } : file;
  const judge = new HtaccessChecker(overrides, project);
  const content = judge.filterAllowed(read.directives);
  // Behind a guard that may not stand there all is read differently, and what is skipped is not looked at.
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

/** Directives of modules that do not merge, or not all that they have. */
const unmergedNames = new Set([
  ...["order", "allow", "deny", "satisfy", "authuserfile", "authgroupfile", "authdbmgroupfile", "authzdbmtype"],
  ...["rewriteengine", "rewriteoptions", "rewritebase", "rewritecond", "rewriterule", "rewritemap"],
]);

/** What a skipped directive leaves: where its module does not merge, what was set further out is gone all the same. */
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
  /** With what stands in it. */
  readonly skipped = new Set<Directive>();
  readonly remarks: string[] = [];
  /** Those of lines that are carried out while the file is read, ahead of all others. */
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

  /** The same section without what is skipped in it. */
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

  /** Of what class a directive is whose module is not known nobody knows; where none is allowed it is refused. */
  private mayAllow({ key }: Directive): boolean {
    return this.overrides.classes.size > 0 || this.overrides.names.has(key);
  }

  /** The words are gone over one by one, up to one that is no option at all. */
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
