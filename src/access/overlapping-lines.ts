import type { Directive } from "../project/directive.js";
import { readSubnet, type Subnet } from "../text/addresses.js";

/** A line that names one network and nothing else. */
interface NetworkLine {
  readonly directive: Directive;
  readonly subnet: Subnet;
}

/**
 * Of a long list those lines that are likely shadowed, where going through all would take too long: all but networks that
 * lie in none beside them. Of these the first stand for the others.
 */
export function overlappingLines(directives: readonly Directive[]): ReadonlySet<Directive> {
  const lists = new Map<string, NetworkLine[]>();
  const chosen = new Set(directives);
  const numbers = new Map<Directive | undefined, number>();
  for (const directive of directives) {
    const [, how = "", word = ""] =
      /^(from|ip|not\s+ip)\s+([\d.:/a-f]+)$/i.exec(directive.argumentText.trimEnd()) ?? [];
    const verdict = word === "" ? undefined : readSubnet(word);
    if (verdict === undefined || !("subnet" in verdict)) continue;
    const { parent, key } = directive;
    numbers.set(parent, numbers.get(parent) ?? numbers.size);
    const list = `${numbers.get(parent)} ${key} ${how.toLowerCase()}`;
    const lines = lists.get(list) ?? [];
    lines.push({ directive, subnet: verdict.subnet });
    lists.set(list, lines);
  }
  for (const list of lists.values()) for (const { directive } of apartIn(list).slice(1)) chosen.delete(directive);
  return chosen;
}

/** Whether some lines each name one IPv4 network, of which none lies in another. */
export function areApart(directives: readonly Directive[]): boolean {
  const lines: NetworkLine[] = [];
  for (const directive of directives) {
    const [, word] = /^from\s+([\d./]+)\s*$/i.exec(directive.argumentText) ?? [];
    const verdict = word === undefined ? undefined : readSubnet(word);
    if (verdict === undefined || !("subnet" in verdict) || !isPrefix(verdict.subnet)) return false;
    lines.push({ directive, subnet: verdict.subnet });
  }
  return apartIn(lines).length === lines.length;
}

/** Whether a mask has no gaps. */
function isPrefix({ mask }: Subnet): boolean {
  const free = mask ^ 0xffff_ffffn;
  return (free & (free + 1n)) === 0n;
}

/** Sorted by where they start, the larger ones first, a network that lies in another one has it or a third ahead of it. */
function apartIn(lines: readonly NetworkLine[]): readonly NetworkLine[] {
  const sorted = lines.toSorted(
    ({ subnet: a }, { subnet: b }) => a.family - b.family || order(a.network, b.network) || order(a.mask, b.mask),
  );
  return sorted.filter(({ subnet }, index) => {
    const [before, behind] = [sorted[index - 1]?.subnet, sorted[index + 1]?.subnet];
    return !(before && holds(before, subnet)) && !(behind && holds(subnet, behind));
  });
}

function holds(outer: Subnet, inner: Subnet): boolean {
  return outer.family === inner.family && (inner.network & outer.mask) === outer.network && inner.mask >= outer.mask;
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
