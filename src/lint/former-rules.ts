/**
 * The rules of the previous version that are variants of another rule now, with that rule. Flags, settings, comments and
 * baselines of this version still accept the old ids. The id of the variant is the old id.
 */
export const formerRules: ReadonlyMap<string, string> = new Map<string, string>([
  ["attached-flags", "misread-line"],
  ["comma-in-arguments", "misread-line"],
  ["comment-in-arguments", "misread-line"],
  ["condition-without-rule", "inactive-rewrite-rule"],
  ["continued-comment", "misread-line"],
  ["duplicate-virtual-host", "unexpected-virtual-host"],
  ["error-document-redirect", "wrong-error-document"],
  ["expired-condition", "constant-condition"],
  ["failing-error-document", "wrong-error-document"],
  ["ignored-rewrite-target", "inactive-rewrite-rule"],
  ["late-default-host", "unexpected-virtual-host"],
  ["misplaced-rewrite-base", "wrong-target-path"],
  ["missing-slash", "wrong-target-path"],
  ["mixed-virtual-host-addresses", "unexpected-virtual-host"],
  ["never-matching-section", "never-matching-path"],
  ["or-on-last-condition", "constant-condition"],
  ["relative-redirect", "wrong-target-path"],
  ["rewrite-engine-off", "inactive-rewrite-rule"],
  ["satisfy-any-inherited", "satisfy-any"],
  ["satisfy-any-without-require", "satisfy-any"],
  ["setenv-equals-sign", "misread-line"],
  ["shadowed-alias", "shadowed-line"],
  ["shadowed-handler", "shadowed-line"],
  ["shadowed-proxy-pass", "shadowed-line"],
  ["text-error-document", "wrong-error-document"],
  ["typographic-quote", "misread-line"],
  ["unclosed-quote", "misread-line"],
  ["undefined-back-reference", "undefined-reference"],
  ["uninherited-rewrite-rules", "inactive-rewrite-rule"],
  ["unknown-rewrite-variable", "undefined-reference"],
  ["unnamed-virtual-host", "unexpected-virtual-host"],
  ["unreachable-rewrite-rule", "shadowed-line"],
  ["unread-expression", "misread-line"],
  ["virtual-host-without-listen", "unexpected-virtual-host"],
]);

/** Describes what became of a rule of the previous version, as a clause. */
export function describeFormerRule(id: string, rule: string): string {
  return `the rule \`${id}\` is now a part of \`${rule}\``;
}
