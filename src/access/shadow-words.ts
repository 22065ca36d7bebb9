import type { Directive } from "../project/directive.js";
import { isOldDirective } from "./old-rules.js";
import { areApart } from "./overlapping-lines.js";

/*
 * What the words alone tell of a section: most have few lines of which each plainly matters, and need not be read any
 * closer. In doubt a line may be shadowed.
 */

const all = /^from\s+all\s*$/i;

/** Words that name some, but not all: IPv4 networks and hosts, or one of any kind. */
const some = /^from(?:(?:\s+(?!all(?:\s|$)|env=)[^\s"'\\:]+)+|\s+(?!env=)[^\s"'\\]+:[^\s"'\\]*)\s*$/i;

/** Whether one of the old rules of a section may be shadowed. @param directives all that stands in the section */
export function mayShadowOld(directives: readonly Directive[]): boolean {
  const lines = new Map<string, Directive>();
  const allows: Directive[] = [];
  for (const directive of directives) {
    if (!isOldDirective(directive)) continue;
    if (directive.key === "allow") allows.push(directive);
    else if (lines.has(directive.key)) return true;
    if (isLimited(directive)) return true;
    lines.set(directive.key, directive);
  }
  const textOf = (key: string) => lines.get(key)?.argumentText;
  const [allow, deny] = [textOf("allow"), textOf("deny")];
  const ordering = (textOf("order") ?? "deny,allow").trimEnd().toLowerCase();
  if (allows.length > 1) {
    const isUsual = ordering === "deny,allow" && deny !== undefined && all.test(deny);
    return !(isUsual && areApart(allows));
  }
  switch (ordering) {
    case "deny,allow":
      return allow !== undefined && !(deny !== undefined && all.test(deny) && some.test(allow));
    case "allow,deny":
      if (allow === undefined) return deny !== undefined && !all.test(deny);
      return deny === undefined ? !(all.test(allow) || some.test(allow)) : !(all.test(allow) && some.test(deny));
    default:
      return allow !== undefined || deny !== undefined;
  }
}

/** What Require lines look at: lines that look at different things have no say in one another's. */
const aspects: ReadonlyMap<string, string> = new Map([
  ["ip", "address"],
  ["local", "address"],
  ["host", "host"],
  ["env", "env"],
  ["valid-user", "user"],
  ["user", "user"],
  ["group", "user"],
]);

/** Whether one of the Require rules of a section may be shadowed. @param directives all that stands in the section */
export function mayShadowRequire(directives: readonly Directive[]): boolean {
  const lines = directives.filter(({ key }) => key === "require");
  if (lines.length < 2) return false;
  const seen = new Set<string>();
  for (const line of lines) {
    const [, provider = "", words = ""] = /^(\S+)\s*(.*)$/s.exec(line.argumentText) ?? [];
    const aspect = aspects.get(provider);
    const needsWords = provider !== "local" && provider !== "valid-user";
    if (aspect === undefined || seen.has(aspect) || (needsWords && !/^[^\s"']/.test(words)) || isLimited(line))
      return true;
    seen.add(aspect);
  }
  // Whatever else is joined by "and" and "or" and said once matters.
  return directives.some(({ key }) => key === "<requirenone");
}

function isLimited(directive: Directive): boolean {
  for (let outer = directive.parent; outer; outer = outer.parent)
    if (outer.key === "<limit" || outer.key === "<limitexcept") return true;
  return false;
}
