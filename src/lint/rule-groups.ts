/** The groups of rules by name, each with its title, in the order of lists. */
const titles = {
  syntax: "Syntax and conditional sections",
  startup: "Start and log of httpd",
  correctness: "Directives without the intended effect",
  access: "Access control",
  exposure: "Exposure to outside clients",
  tls: "TLS",
  upgrade: "Upgrade from 2.2 to 2.4",
  hardening: "Hardening (opt-in)",
} as const;

/** The name that selects the rules of all groups. */
export const allRulesName = "ALL";

/** A group of rules; each rule belongs to one. */
export type RuleGroup = keyof typeof titles;

/** The names of the groups, in the order of lists. */
export const ruleGroups: readonly RuleGroup[] = [
  "syntax",
  "startup",
  "correctness",
  "access",
  "exposure",
  "tls",
  "upgrade",
  "hardening",
];

/** The parts of a rule that groups need. */
export interface GroupedRule {
  readonly id: string;
  readonly group: RuleGroup;
  readonly variants?: readonly { readonly id: string }[];
}

/** Returns the heading of a group. */
export function groupTitleOf(group: RuleGroup): string {
  return titles[group];
}

/** Reports whether a rule runs unless it is disabled. Rules of the other groups are opt-in. */
export function isEnabledByDefault({ group }: Pick<GroupedRule, "group">): boolean {
  return group !== "hardening";
}

/**
 * Returns the ids of the rules and variants that some names select; a name is that of a rule, of a group or of a variant, or `ALL`.
 * A rule is selected with all its variants.
 */
export function expandRuleNames(names: readonly string[], rules: readonly GroupedRule[]): ReadonlySet<string> {
  const named = new Set(names);
  return new Set(
    rules.flatMap(({ id, group, variants = [] }) => {
      const own = variants.map((variant) => variant.id);
      return named.has(id) || named.has(group) || named.has(allRulesName)
        ? [id, ...own]
        : own.filter((variant) => named.has(variant));
    }),
  );
}

/** Partitions rules by their group, in the order of lists. Groups without rules are left out. */
export function partitionByGroup<Rule extends GroupedRule>(
  rules: readonly Rule[],
): readonly { readonly group: RuleGroup; readonly title: string; readonly rules: readonly Rule[] }[] {
  return ruleGroups
    .map((group) => ({ group, title: titles[group], rules: rules.filter((rule) => rule.group === group) }))
    .filter((part) => part.rules.length > 0);
}
