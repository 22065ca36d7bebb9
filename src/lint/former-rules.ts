/**
 * The rules of the previous version that are variants of another rule now, with that rule. Flags, settings, comments and
 * baselines of this version still accept the old ids. The id of the variant is the old id.
 */
export const formerRules: ReadonlyMap<string, string> = new Map<string, string>([
  ["shadowed-alias", "shadowed-line"],
  ["shadowed-handler", "shadowed-line"],
  ["shadowed-proxy-pass", "shadowed-line"],
  ["unreachable-rewrite-rule", "shadowed-line"],
]);

/** Describes what became of a rule of the previous version, as a clause. */
export function describeFormerRule(id: string, rule: string): string {
  return `the rule \`${id}\` is now a part of \`${rule}\``;
}
