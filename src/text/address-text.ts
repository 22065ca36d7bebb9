import type { Address, Subnet } from "./addresses.js";

/** An address as people write it; IPv6 in lower case with the longest run of zeros left out (RFC 5952). */
export function addressText({ family, bits }: Address): string {
  if (family === 4) return parts(bits, 4, 8).join(".");
  const groups = parts(bits, 8, 16);
  const { start, length } = longestZeros(groups);
  const text = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  return length < 2 ? text(0, 8) : `${text(0, start)}::${text(start + length, 8)}`;
}

/** A network as Allow and Require take it: a single address without a length, a mask where no length says it. */
export function networkText({ family, network, mask }: Subnet): string {
  const address = addressText({ family, bits: network });
  const length = prefixLength({ family, network, mask });
  if (length === undefined) return `${address}/${addressText({ family, bits: mask })}`;
  return length === (family === 4 ? 32 : 128) ? address : `${address}/${length}`;
}

/** How many bits a mask has from the left; undefined where it has others too. */
function prefixLength({ family, mask }: Subnet): number | undefined {
  const bits = mask.toString(2).padStart(family === 4 ? 32 : 128, "0");
  const length = bits.indexOf("0");
  if (length < 0) return bits.length;
  return bits.includes("1", length) ? undefined : length;
}

function parts(bits: bigint, count: number, width: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Number(BigInt.asUintN(width, bits >> BigInt(width * (count - 1 - index)))),
  );
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index + 1 - length, length };
  }
  return longest;
}
