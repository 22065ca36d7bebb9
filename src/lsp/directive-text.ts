import {
  type DirectiveFacts,
  directiveFacts,
  isAllowedIn,
  type Place,
  type Release,
  removedIn24,
  thirdPartyDirective,
} from "../directives/directives.js";
import { inCode } from "./markdown.js";

const places: readonly (readonly [Place, string])[] = [
  ["server", "the server"],
  ["virtualhost", "`<VirtualHost>`"],
  ["directory", "`<Directory>`"],
  ["location", "`<Location>`"],
  ["files", "`<Files>`"],
  ["if", "`<If>`"],
  ["proxy", "`<Proxy>`"],
  ["limit", "`<Limit>`"],
];

/**
 * What a directive is, as Markdown: what it takes, where it may stand, and what became of it in 2.4. Undefined for a name
 * that nobody knows.
 *
 * @param key in lower case, a section's with its `<`
 */
export function directiveText(key: string, release: Release): string | undefined {
  const facts = directiveFacts(release, key);
  const became = release === "2.4" ? sinceOld(key, facts) : laterOn(key);
  if (facts.length > 0) return [...facts.map(factsText), ...became].join("\n\n");
  const foreign = thirdPartyDirective(key);
  if (foreign) return `${inCode(foreign.name)}: a directive of \`${foreign.module}\`, which does not come with httpd`;
  return became.length > 0 ? became.join("\n\n") : undefined;
}

function factsText(facts: DirectiveFacts): string {
  const { module, status, syntax, override, onlyInside } = facts;
  const allowed = places.filter(([place]) => isAllowedIn(facts, place)).map(([, name]) => name);
  const inFiles = override.length > 0 ? [`\`.htaccess\` (AllowOverride ${override.join(" or ")})`] : [];
  const stands = onlyInside === undefined ? [...allowed, ...inFiles] : [inCode(`${onlyInside}>`)];
  const head = syntax === "" ? facts.name : syntax;
  return [
    inCode(head),
    [
      `- ${module === "core" ? "part of the server" : inCode(module)}${status === "" ? "" : ` (${status})`}`,
      ...(stands.length > 0 ? [`- may stand in: ${stands.join(", ")}`] : []),
      ...(facts.default === undefined ? [] : [`- default: ${inCode(facts.default)}`]),
      ...(facts.help === undefined ? [] : [`- httpd says: ${facts.help}`]),
    ].join("\n"),
  ].join("\n\n");
}

/** What is otherwise than it was in 2.2. */
function sinceOld(key: string, facts: readonly DirectiveFacts[]): readonly string[] {
  const removed = removedIn24(key);
  if (removed && facts.length === 0)
    return [`${inCode(removed.name)} is gone in 2.4 (it was of ${inCode(removed.module)}): ${removed.replacement}`];
  const [now] = facts;
  const [old] = directiveFacts("2.2", key);
  if (now === undefined) return [];
  if (old === undefined) return ["New in 2.4: 2.2 does not know it."];
  if (now.module === "mod_access_compat")
    return ["Old access control: 2.4 has it in `mod_access_compat`; `Require` takes its place."];
  const moved = now.module === old.module ? [] : [`2.2 had it in ${inCode(old.module)}.`];
  const isOther = old.default !== undefined && now.default !== old.default;
  return isOther ? [...moved, `Default in 2.2: ${inCode(old.default ?? "")}`] : moved;
}

/** What 2.4 makes of it. */
function laterOn(key: string): readonly string[] {
  const removed = removedIn24(key);
  if (removed) return [`Gone in 2.4: ${removed.replacement}`];
  const [now] = directiveFacts("2.4", key);
  const [old] = directiveFacts("2.2", key);
  if (old === undefined) return now ? ["New in 2.4: 2.2 does not know it."] : [];
  return now && now.module !== old.module ? [`2.4 has it in ${inCode(now.module)}.`] : [];
}
