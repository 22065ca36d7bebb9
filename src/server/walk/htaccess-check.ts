import type { Directive } from "../../config/model/directive.js";
import { mayBeThirdParty } from "../../config/model/modules.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import type { DirectiveFacts } from "../../facts/directives.js";
import { isSince } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import { isRequireContainer } from "../access/require-rules.js";
import { describeSkippedDirective, readUntilBlocked } from "./blocked-sections.js";
import {
  findForbiddenOption,
  ignoresHtaccess,
  isDirectiveAllowed,
  mayAllowThirdParty,
  type Overrides,
} from "./overrides.js";

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
      /** The first error that the server finds. */
      readonly refusal: HtaccessRefusal;
      /** The first disallowed or unknown directive, if any; another error may precede it. */
      readonly disallowed?: Directive;
      readonly cause: RefusalCause;
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

/** An error for which the server rejects a `.htaccess` file; without a server message, the message is not known. */
export interface HtaccessRefusal extends Refusal {
  /** Absent if the error is in the text, not in a directive. */
  readonly directive?: Directive;
}

/**
 * Checks a file against the overrides that apply (server/config.c `ap_check_cmd_context`, `invoke_cmd`). The server first
 * reads the whole file and evaluates conditional sections and Define. Then it checks the directives in order
 * (`ap_build_config`, `ap_walk_config`).
 *
 * @param faultsOf returns the errors that do not depend on the overrides, in the server's order
 */
export function checkHtaccess(
  file: HtaccessFile,
  overrides: Overrides,
  project: Project,
  faultsOf: (file: HtaccessFile) => readonly HtaccessRefusal[],
): HtaccessVerdict {
  const { skips } = overrides;
  if (ignoresHtaccess(overrides)) return { kind: "ignored" };
  const isAllowed = (facts: DirectiveFacts) => isDirectiveAllowed(overrides, facts);
  const blocked = readUntilBlocked(file.tree, project, isAllowed, skips.override);
  // If a conditional section is ignored, its content is read whether its condition holds or not.
  const isReread = blocked !== undefined && blocked.stop === undefined;
  const read = isReread ? { ...file, directives: file.readWithout((facts) => !isAllowed(facts)) } : file;
  const checker = new HtaccessChecker(overrides, project);
  const content = checker.filterAllowed(read.directives);
  // After a disallowed conditional section everything is read differently, and skipped directives are not checked.
  const fault = faultsOf(read).find((each) => {
    const { directive, atEnd, span } = each;
    return directive
      ? blocked?.stop === undefined && !checker.skipped.has(directive)
      : blocked === undefined || (!atEnd && span.start < blocked.from);
  });
  const first: HtaccessRefusal | undefined = fault ?? blocked?.stop;
  const remarks = [...(blocked?.remarks ?? []), ...checker.remarksOnReading, ...checker.remarks];
  const { refused } = checker;
  if (refused) {
    const refusal = first && isFoundFirst(first.directive, refused.disallowed) ? first : refused.refusal;
    return { ...refused, refusal, ...(first ? {} : { remarks }) };
  }
  if (first)
    return {
      kind: "refused",
      refusal: first,
      cause: fault ? "broken" : "override",
      remarks: blocked?.remarks ?? [],
    };
  return { kind: "taken", content, skipped: checker.skipped, remarks };
}

/**
 * Returns whether a fault precedes a line that is not allowed. The fault of a Require container is found after its
 * contents.
 */
export function isFoundFirst(fault: Directive | undefined, { span }: Directive): boolean {
  if (fault === undefined) return true;
  const isAround = isRequireContainer(fault) && fault.children !== undefined && fault.span.end >= span.end;
  return fault.span.start < span.start && !isAround;
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

interface DisallowedLine {
  readonly kind: "refused";
  readonly refusal: HtaccessRefusal;
  readonly disallowed: Directive;
  readonly cause: RefusalCause;
}

class HtaccessChecker {
  refused: DisallowedLine | undefined;
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
      if (!skips.unknown)
        return this.refuse(directive, wordingOf("unknown-in-htaccess", title, toReadable(directive.name)), "unknown");
      const why = "perhaps misspelled or defined by a module not included in the server configuration";
      this.remarks.push(`AH02296: Unknown directive ${directive.name.toLowerCase()} ${why}`);
      return "skipped";
    }
    if (isForeign && mayAllowThirdParty(this.overrides, directive)) return "taken";
    if (facts.some((each) => isDirectiveAllowed(this.overrides, each))) {
      const option = directive.key === "options" && findForbiddenOption(directive, this.overrides);
      return option ? this.refuse(directive, wordingOf("option-not-allowed", option.value)) : "taken";
    }
    if (!skips.override) {
      const { name, parent } = directive;
      const where = parent && isSince(this.project.release, "2.4") ? `in ${parent.name}> context` : "here";
      return this.refuse(directive, wordingOf("override-not-allowed", title, name, where));
    }
    const [known] = facts;
    const remarks = known?.readTime ? this.remarksOnReading : this.remarks;
    remarks.push(describeSkippedDirective(known ? `${known.section ? "<" : ""}${known.tableName}` : directive.name));
    return "skipped";
  }

  private refuse(directive: Directive, text: RefusalText, cause: RefusalCause = "override"): "refused" {
    const refusal = { ...text, span: directive.span, directive };
    this.refused = { kind: "refused", refusal, disallowed: directive, cause };
    return "refused";
  }
}
