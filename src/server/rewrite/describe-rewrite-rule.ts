import type { Directive } from "../../config/model/directive.js";
import type { RewriteContext } from "./rewrite-context.js";
import { isRedirectStatus, type RewriteRule } from "./rule-parser.js";

/** Returns the RewriteMap lines that some lines refer to, and the one for `SERVER_ADMIN`. */
export function linesNamedIn(
  lines: readonly Directive[],
  { maps, target: { serverAdmin } }: RewriteContext,
): readonly Directive[] {
  if (maps.size === 0 && serverAdmin === undefined) return [];
  const text = lines.map(({ argumentText }) => argumentText).join("\n");
  const named = [...maps].filter(([name]) => text.includes(`\${${name}:`)).map(([, map]) => map);
  return serverAdmin && /%\{SERVER_ADMIN\}/i.test(text) ? [...named, serverAdmin] : named;
}

/** Describes the effect of a rule without a substitution. */
export function describeRuleFlags({ flags }: RewriteRule): string {
  if (flags.answers) return `returns ${flags.status}`;
  const names = flags.variables.map((variable) => `\`${variable.replace(/:.*/s, "")}\``);
  if (flags.handler !== undefined) names.push(`the handler \`${flags.handler}\``);
  return names.length > 0 ? `sets ${names.join(", ")}` : "applies";
}

/** Describes a possible effect of a rule, to complete "it may"; undefined if it decides nothing. */
export function possibleEffectOf({ output, flags }: RewriteRule): string | undefined {
  if (flags.answers) return `return ${flags.status}`;
  const status = flags.names.has("redirect") && isRedirectStatus(flags.status) ? ` with status ${flags.status}` : "";
  if (output !== undefined) return `rewrite to \`${output}\`${status}`;
  if (flags.handler !== undefined) return `set the handler \`${flags.handler}\``;
  if (flags.variables.length > 0) return `set \`${flags.variables.join("`, `")}\``;
  const { names } = flags;
  const stops = ["last", "end", "chain", "skip", "next", "passthrough"].some((name) => names.has(name));
  return stops ? "skip later rules" : undefined;
}

export function quoteRewriteLine({ name, argumentText }: Directive): string {
  return `\`${name} ${argumentText}\``;
}
