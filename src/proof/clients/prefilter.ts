import type { Directive } from "../../config/model/directive.js";
import { isCompatDirective } from "../../server/access/compat-rules.js";
import { readSubnet, type Subnet } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";

/*
 * A syntactic check before the proof. Most sections are short and have no shadowed line, so the proof can be skipped. If
 * in doubt, a line counts as possibly shadowed.
 */

const fromAll = /^from\s+all\s*$/i;

/** Arguments that match some clients, but not all: IPv4 networks and hosts, or a single argument of any kind. */
const fromSome = /^from(?:(?:\s+(?!all(?:\s|$)|env=)[^\s"'\\:]+)+|\s+(?!env=)[^\s"'\\]+:[^\s"'\\]*)\s*$/i;

/**
 * Reports whether one of the Order, Allow, Deny and Satisfy lines of a section may be shadowed. @param directives the
 * contents of the section
 */
export function mayHaveShadowedCompatLines(directives: readonly Directive[]): boolean {
  const lines = directives.filter(isCompatDirective);
  const [first] = lines;
  if (first === undefined) return false;
  const allows = lines.filter(({ key }) => key === "allow");
  const names = new Set(lines.map(({ key }) => key));
  if (lines.length > names.size + Math.max(allows.length - 1, 0) || lines.some(isLimited)) return true;
  const textOf = (name: string) => lines.findLast(({ key }) => key === name)?.argumentText;
  const [allow, deny] = [textOf("allow"), textOf("deny")];
  const ordering = (textOf("order") ?? "deny,allow").trimEnd().toLowerCase();
  if (allows.length > 1) {
    const isUsual = ordering === "deny,allow" && deny !== undefined && fromAll.test(deny);
    return !(isUsual && areDisjointNetworks(allows));
  }
  switch (ordering) {
    case "deny,allow":
      return allow !== undefined && !(deny !== undefined && fromAll.test(deny) && fromSome.test(allow));
    case "allow,deny":
      if (allow === undefined) return deny !== undefined && !fromAll.test(deny);
      return deny === undefined
        ? !(fromAll.test(allow) || fromSome.test(allow))
        : !(fromAll.test(allow) && fromSome.test(deny));
    default:
      return allow !== undefined || deny !== undefined;
  }
}

/** The inputs of Require providers: lines with different inputs cannot shadow each other. */
const aspects: ReadonlyMap<string, string> = new Map([
  ["ip", "address"],
  ["local", "address"],
  ["host", "host"],
  ["env", "env"],
  ["valid-user", "user"],
  ["user", "user"],
  ["group", "user"],
]);

/**
 * Reports whether one of the Require rules of a section may be shadowed. @param directives the contents of the section
 */
export function mayHaveShadowedRequireLines(directives: readonly Directive[]): boolean {
  if (directives.length < 2) return false;
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
  // Any other rule combined by "and" and "or" that occurs once has an effect.
  return directives.some(({ key }) => key === "<requirenone");
}

function isLimited(directive: Directive): boolean {
  for (let outer = directive.parent; outer; outer = outer.parent)
    if (outer.key === "<limit" || outer.key === "<limitexcept") return true;
  return false;
}

/** A line that names exactly one network. */
interface NetworkLine {
  readonly directive: Directive;
  readonly subnet: Subnet;
}

/**
 * Returns the lines of a long list that are likely shadowed, because checking all would take too long. Of the networks
 * that do not overlap others in their list, only the first is kept.
 */
export function findOverlappingLines(directives: readonly Directive[]): ReadonlySet<Directive> {
  const lists = new Map<string, NetworkLine[]>();
  const chosen = new Set(directives);
  const numbers = new Map<Directive | undefined, number>();
  for (const directive of directives) {
    const [, how = "", word = ""] =
      /^(from|ip|not\s+ip)\s+([\d.:/a-f]+)$/i.exec(directive.argumentText.trimEnd()) ?? [];
    const verdict = word === "" ? undefined : readSubnet(word);
    if (verdict === undefined || !verdict.ok) continue;
    const { parent, key } = directive;
    const number = getOrCreate(numbers, parent, () => numbers.size);
    const list = `${number} ${key} ${how.toLowerCase()}`;
    getOrCreate(lists, list, () => []).push({ directive, subnet: verdict.value });
  }
  for (const list of lists.values())
    for (const { directive } of findDisjointLines(list).slice(1)) chosen.delete(directive);
  return chosen;
}

/** Reports whether lines each name one IPv4 network and none contains another. */
function areDisjointNetworks(directives: readonly Directive[]): boolean {
  const lines: NetworkLine[] = [];
  for (const directive of directives) {
    const [, word] = /^from\s+([\d./]+)\s*$/i.exec(directive.argumentText) ?? [];
    const verdict = word === undefined ? undefined : readSubnet(word);
    if (verdict === undefined || !verdict.ok || !isPrefix(verdict.value)) return false;
    lines.push({ directive, subnet: verdict.value });
  }
  return findDisjointLines(lines).length === lines.length;
}

/** Reports whether a mask is contiguous. */
function isPrefix({ mask }: Subnet): boolean {
  const free = mask ^ 0xffff_ffffn;
  return (free & (free + 1n)) === 0n;
}

/**
 * Returns the networks that do not contain or lie within another. In an order by start, larger first, a contained
 * network directly follows its container or another contained one.
 */
function findDisjointLines(lines: readonly NetworkLine[]): readonly NetworkLine[] {
  const sorted = lines.toSorted(
    ({ subnet: a }, { subnet: b }) =>
      a.family - b.family || compareNumbers(a.network, b.network) || compareNumbers(a.mask, b.mask),
  );
  return sorted.filter(({ subnet }, index) => {
    const [preceding, following] = [sorted[index - 1]?.subnet, sorted[index + 1]?.subnet];
    return !(preceding && containsNetwork(preceding, subnet)) && !(following && containsNetwork(subnet, following));
  });
}

function containsNetwork(outer: Subnet, inner: Subnet): boolean {
  return outer.family === inner.family && (inner.network & outer.mask) === outer.network && inner.mask >= outer.mask;
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
