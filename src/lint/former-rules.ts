/**
 * The rules of the previous version that are variants of another rule now, with that rule. Flags, settings, comments and
 * baselines of this version still accept the old ids. The id of the variant is the old id.
 */
export const formerRules: ReadonlyMap<string, string> = new Map<string, string>([
  ["condition-without-rule", "inactive-rewrite-rule"],
  ["duplicate-virtual-host", "unexpected-virtual-host"],
  ["expired-condition", "constant-condition"],
  ["ignored-rewrite-target", "inactive-rewrite-rule"],
  ["late-default-host", "unexpected-virtual-host"],
  ["mixed-virtual-host-addresses", "unexpected-virtual-host"],
  ["never-matching-section", "never-matching-path"],
  ["or-on-last-condition", "constant-condition"],
  ["rewrite-engine-off", "inactive-rewrite-rule"],
  ["shadowed-alias", "shadowed-line"],
  ["shadowed-handler", "shadowed-line"],
  ["shadowed-proxy-pass", "shadowed-line"],
  ["uninherited-rewrite-rules", "inactive-rewrite-rule"],
  ["unnamed-virtual-host", "unexpected-virtual-host"],
  ["unreachable-rewrite-rule", "shadowed-line"],
  ["virtual-host-without-listen", "unexpected-virtual-host"],
]);

/** Describes what became of a rule of the previous version, as a clause. */
export function describeFormerRule(id: string, rule: string): string {
  return `the rule \`${id}\` is now a part of \`${rule}\``;
}
