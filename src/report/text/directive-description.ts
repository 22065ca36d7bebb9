import {
  type ContextKind,
  type DirectiveFacts,
  findDirectiveFacts,
  findRemovedDirective,
  findThirdPartyDirective,
  isAllowedIn,
  type RemovedDirective,
} from "../../facts/directives.js";
import { isSince, type Release } from "../../facts/release.js";
import { toInlineCode } from "./markdown.js";

const contextNames: readonly (readonly [ContextKind, string])[] = [
  ["server", "server level"],
  ["virtualhost", "`<VirtualHost>`"],
  ["directory", "`<Directory>`"],
  ["location", "`<Location>`"],
  ["files", "`<Files>`"],
  ["if", "`<If>`"],
  ["proxy", "`<Proxy>`"],
  ["limit", "`<Limit>`"],
];

/**
 * Returns a description of a directive as Markdown: its arguments, its contexts, and how 2.4 differs from 2.2. Returns undefined
 * for an unknown name.
 *
 * @param key in lower case, a section's with its `<`
 */
export function describeDirective(key: string, release: Release): string | undefined {
  const facts = findDirectiveFacts(release, key);
  const changes = isSince(release, "2.4") ? listChangesSince22(key, facts) : listChangesIn24(key);
  if (facts.length > 0) return [...facts.map(renderFacts), ...changes].join("\n\n");
  const foreign = findThirdPartyDirective(key);
  if (foreign) return `${toInlineCode(foreign.name)}: a directive of \`${foreign.module}\`, a third-party module`;
  return changes.length > 0 ? changes.join("\n\n") : undefined;
}

function renderFacts(facts: DirectiveFacts): string {
  const { module, status, syntax, override, requiredSection } = facts;
  const allowed = contextNames.filter(([place]) => isAllowedIn(facts, place)).map(([, name]) => name);
  const inFiles = override.length > 0 ? [`\`.htaccess\` (AllowOverride ${override.join(" or ")})`] : [];
  const places = requiredSection === undefined ? [...allowed, ...inFiles] : [toInlineCode(`${requiredSection}>`)];
  const head = syntax === "" ? facts.name : syntax;
  return [
    toInlineCode(head),
    [
      `- ${module === "core" ? "part of the core" : toInlineCode(module)}${status === "" ? "" : ` (${status})`}`,
      ...(places.length > 0 ? [`- allowed in: ${places.join(", ")}`] : []),
      ...(facts.default === undefined ? [] : [`- default: ${toInlineCode(facts.default)}`]),
      ...(facts.help === undefined ? [] : [`- help text of httpd: ${facts.help}`]),
    ].join("\n"),
  ].join("\n\n");
}

/** Returns the replacement of a removed directive, with the reasons. */
function describeReplacement({ replacement, reasons }: RemovedDirective): string {
  return reasons.length === 0 ? replacement : `${replacement} (${reasons.join("; ")})`;
}

/** Returns the differences from 2.2. */
function listChangesSince22(key: string, facts: readonly DirectiveFacts[]): readonly string[] {
  const removed = findRemovedDirective(key);
  if (removed && facts.length === 0)
    return [
      `${toInlineCode(removed.name)} of ${toInlineCode(removed.module)} was removed in 2.4: ${describeReplacement(removed)}`,
    ];
  const [now] = facts;
  const [old] = findDirectiveFacts("2.2", key);
  if (now === undefined) return [];
  if (old === undefined) return ["New in 2.4: 2.2 does not have this directive."];
  if (now.module === "mod_access_compat") return ["Deprecated in 2.4 (`mod_access_compat`): use `Require`."];
  const moved = now.module === old.module ? [] : [`In 2.2 it belongs to ${toInlineCode(old.module)}.`];
  const isOther = old.default !== undefined && now.default !== old.default;
  return isOther ? [...moved, `Default in 2.2: ${toInlineCode(old.default ?? "")}`] : moved;
}

/** Returns the changes in 2.4. */
function listChangesIn24(key: string): readonly string[] {
  const removed = findRemovedDirective(key);
  if (removed) return [`Removed in 2.4: ${describeReplacement(removed)}`];
  const [now] = findDirectiveFacts("2.4", key);
  const [old] = findDirectiveFacts("2.2", key);
  if (old === undefined) return now ? ["New in 2.4: 2.2 does not have this directive."] : [];
  return now && now.module !== old.module ? [`In 2.4 it belongs to ${toInlineCode(now.module)}.`] : [];
}
