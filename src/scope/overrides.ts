import type { DirectiveFacts, OverrideClass } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { type Layer, settingIn } from "./layer.js";

/** What a `.htaccess` file may say at some place. */
export interface Overrides {
  /** Whether any AllowOverride or AllowOverrideList is in force; on 2.4 a file that nobody spoke of is read all the same. */
  readonly isSet: boolean;
  readonly classes: ReadonlySet<OverrideClass>;
  /** Single names beside the classes, lower case, a section with its `<`. */
  readonly names: ReadonlySet<string>;
  /** What is not allowed, or not known, is skipped instead of refused. */
  readonly skips: { readonly override: boolean; readonly unknown: boolean };
}

const classNames: readonly OverrideClass[] = ["AuthConfig", "FileInfo", "Indexes", "Limit", "Options"];

/**
 * The overrides in force behind some layers of the directory walk.
 *
 * @param layers those of Directory sections by path, and `.htaccess` files; AllowOverride has no effect elsewhere
 */
export function overridesIn(layers: readonly Layer[], { release }: Pick<Project, "release">): Overrides {
  const allow = settingIn(layers, "allowoverride");
  const list = settingIn(layers, "allowoverridelist");
  const words = allow?.arguments.map((word) => word.value) ?? [];
  const lower = words.map((word) => word.toLowerCase());
  const isAll = lower.includes("all") || (release === "2.2" && allow === undefined);
  const names = list?.arguments.map((word) => word.value.toLowerCase()) ?? [];
  const nonfatal = lower.filter((word) => word.startsWith("nonfatal=")).map((word) => word.slice("nonfatal=".length));
  return {
    isSet: allow !== undefined || release === "2.2",
    classes: new Set(
      classNames.filter((name) => isAll || lower.some((word) => word.split("=")[0] === name.toLowerCase())),
    ),
    names: new Set(names.filter((name) => name !== "none")),
    skips: {
      override: nonfatal.some((word) => word === "override" || word === "all"),
      unknown: nonfatal.some((word) => word === "unknown" || word === "all"),
    },
  };
}

/** What becomes of a `.htaccess` file: not read, refused with the first line that is in the way, or laid over. */
export type FileVerdict =
  | { readonly kind: "ignored" }
  | { readonly kind: "refused"; readonly directive?: Directive; readonly why: string }
  | { readonly kind: "taken"; readonly content: readonly Directive[] };

/**
 * Whether the overrides in force let a file say what it says (server/config.c `ap_check_cmd_context`, `invoke_cmd`).
 *
 * @param broken files that the server refuses whatever is allowed, with the reason
 */
export function judgeFile(
  file: HtaccessFile,
  overrides: Overrides,
  project: Project,
  broken: ReadonlyMap<HtaccessFile, string>,
): FileVerdict {
  const { classes, names, isSet } = overrides;
  if (isSet && classes.size === 0 && names.size === 0) return { kind: "ignored" };
  const judge = new FileJudge(overrides, project);
  const content = judge.take(file.directives);
  if (judge.refused) return judge.refused;
  const why = broken.get(file);
  if (why !== undefined) return { kind: "refused", why };
  if (classes.size === 0 && names.size === 0 && hasLines(file))
    return { kind: "refused", why: "no class of directives is allowed in it" };
  return { kind: "taken", content };
}

/** Any line at all, be it a guard that does not hold. */
function hasLines({ tree: { lines } }: HtaccessFile): boolean {
  return Array.from(lines).some(({ kind }) => kind !== "blank" && kind !== "comment");
}

class FileJudge {
  refused: (FileVerdict & { readonly kind: "refused" }) | undefined;

  constructor(
    private readonly overrides: Overrides,
    private readonly project: Project,
  ) {}

  take(directives: readonly Directive[]): readonly Directive[] {
    let kept: Directive[] | undefined;
    for (const [index, directive] of directives.entries()) {
      if (this.refused) return [];
      const verdict = this.judge(directive);
      if (verdict === "taken") kept?.push(directive);
      else if (verdict === "skipped") kept ??= directives.slice(0, index);
      if (verdict === "taken" && directive.children) this.take(directive.children);
    }
    return kept ?? directives;
  }

  private judge(directive: Directive): "taken" | "skipped" | "refused" {
    const facts = directive.known.facts.filter((each) => !each.manualOnly && this.project.modules.provides(each));
    const { skips } = this.overrides;
    const title = `\`${directive.name}${directive.children ? ">" : ""}\``;
    if (facts.length === 0) {
      if (skips.unknown) return "skipped";
      return this.refuse(directive, `${title} is not known`);
    }
    if (facts.some((each) => this.isAllowed(each))) return "taken";
    return skips.override ? "skipped" : this.refuse(directive, `${title} is not allowed by AllowOverride`);
  }

  private isAllowed(facts: DirectiveFacts): boolean {
    const { classes, names } = this.overrides;
    if (names.has(`${facts.section ? "<" : ""}${facts.tableName.toLowerCase()}`)) return true;
    return facts.override.some((each) => (each === "All" ? classes.size > 0 : classes.has(each)));
  }

  private refuse(directive: Directive, why: string): "refused" {
    this.refused = { kind: "refused", directive, why };
    return "refused";
  }
}
