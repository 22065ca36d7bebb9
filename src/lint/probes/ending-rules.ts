import type { RewriteRule } from "../../server/rewrite/rule-parser.js";

/**
 * Reports whether a rule ends the rules if it applies (mod_rewrite.c `apply_rewrite_list`).
 *
 * @param before the rule before it, which may be chained to it
 */
export function endsRules({ flags }: RewriteRule, before: RewriteRule | undefined): boolean {
  const isChained = before?.flags.names.has("chain") ?? false;
  const isLast = flags.answers || ["last", "end", "proxy"].some((flag) => flags.names.has(flag));
  return isLast && !isChained && !flags.names.has("nosubreq");
}
