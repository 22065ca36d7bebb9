import { isPrivateAddress } from "../../src/lint/api/access.js";

/** An address that is probably meant as a network. */
export interface SingleAddress {
  /** The network; undefined for `0.0.0.0` and `::`, which stand for every address. */
  readonly network: string | undefined;
  /** Whether no client is expected to have this address. */
  readonly isLikely: boolean;
}

/** Returns the network that an address without a prefix length stands for if its last parts are zero. */
export function findSingleAddress(word: string): SingleAddress | undefined {
  if (/^(?:0+\.){3}0+$|^::$/.test(word)) return { network: undefined, isLikely: true };
  if (/^[\da-f:]*[\da-f]::$/i.test(word)) {
    const parts = word.slice(0, -2).split(":").length;
    return parts > 4 ? undefined : { network: `${word}/${parts * 16}`, isLikely: true };
  }
  // Fewer than four parts are a network.
  if (!/^\d+(?:\.\d+){2}\.0+$/.test(word)) return undefined;
  const parts = word.replace(/(?:\.0+)+$/, "").split(".").length;
  // An address of a larger network may end in one zero.
  return { network: `${word}/${parts * 8}`, isLikely: parts < 3 || isPrivateAddress(word) };
}
