import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressBitAt,
  addressesOfFamily,
  addressesOfNetwork,
  buildPossibleAddresses,
  coverOf,
  decodeAddress,
  networksOf,
} from "../../../src/proof/requests/address-sets.js";
import { type BddResult, Diagrams } from "../../../src/proof/requests/bdd.js";
import {
  formatAddress,
  formatNetwork,
  isInSubnet,
  parseAddress,
  readSubnet,
  type Subnet,
} from "../../../src/text/addresses.js";
import { unwrap } from "./formulas.js";

const seeded = { seed: 20_240_502, numRuns: 200 };

function subnet(text: string): Subnet {
  const verdict = readSubnet(text);
  if (!verdict.ok) throw new Error(`${text} is not a network`);
  return verdict.value;
}

/** Networks within the last four bits of an address, which can be enumerated; arbitrary masks. */
const smallNetwork = fc.record({ family: fc.constantFrom(4, 6), bits: fc.nat(15), mask: fc.nat(15) });

const bases = { 4: 0x0a000000n, 6: 0x20010db8n << 96n };

function subnetIn({ family, bits, mask }: { family: 4 | 6; bits: number; mask: number }): Subnet {
  const all = family === 4 ? 0xffff_ffffn : (1n << 128n) - 1n;
  const whole = (all ^ 15n) | BigInt(mask);
  return { family, network: (bases[family] | BigInt(bits)) & whole, mask: whole };
}

const universe = ([4, 6] as const).flatMap((family) =>
  Array.from({ length: 16 }, (_, bits) => ({ family, bits: bases[family] | BigInt(bits) })),
);

function members(diagrams: Diagrams, set: BddResult): boolean[] {
  return universe.map((address) => diagrams.evaluate(unwrap(set), (level) => addressBitAt(address, level)));
}

describe("sets of addresses", () => {
  test("contain the addresses of their networks", () => {
    fc.assert(
      fc.property(
        fc.array(smallNetwork, { maxLength: 5 }),
        fc.array(smallNetwork, { maxLength: 5 }),
        (some, others) => {
          const diagrams = new Diagrams(100_000);
          const [a, b] = [some.map(subnetIn), others.map(subnetIn)];
          const [setA, setB] = [a, b].map((list) =>
            diagrams.or(...list.map((each) => addressesOfNetwork(diagrams, each))),
          );
          if (setA === undefined || setB === undefined) throw new Error("two sets");
          const within = (list: readonly Subnet[]) =>
            universe.map((address) => list.some((each) => isInSubnet(address, each)));
          const [inA, inB] = [within(a), within(b)];
          expect(members(diagrams, setA)).toEqual(inA);
          expect(members(diagrams, diagrams.and(setA, setB))).toEqual(inA.map((each, index) => each && inB[index]));
          const difference = diagrams.and(setA, diagrams.not(setB));
          expect(members(diagrams, difference)).toEqual(inA.map((each, index) => each && !inB[index]));
        },
      ),
      seeded,
    );
  });

  test("are listed as the minimal networks", () => {
    fc.assert(
      fc.property(fc.array(smallNetwork, { maxLength: 6 }), (some) => {
        const diagrams = new Diagrams(100_000);
        const set = unwrap(diagrams.or(...some.map((each) => addressesOfNetwork(diagrams, subnetIn(each)))));
        const networks = networksOf(diagrams, set, 100);
        if (networks === "too large") throw new Error(networks);
        expect(diagrams.or(...networks.map((each) => addressesOfNetwork(diagrams, each)))).toBe(set);
        // No two halves of a larger network, and none within another.
        for (const [index, { family, network, mask }] of networks.entries()) {
          const isOtherHalf = (each: Subnet) => each.mask === mask && each.network === (network ^ (mask & -mask));
          expect(networks.some((each) => each.family === family && isOtherHalf(each))).toBe(false);
          const others = networks.filter((_, other) => other !== index);
          expect(others.some((each) => isInSubnet({ family, bits: network }, each))).toBe(false);
        }
      }),
      seeded,
    );
  });

  test.each([
    [["10.0.0.0/8"], ["10.0.0.0/8"]],
    [["10.0.0.0/8", "10.1.0.0/16", "10.1.2.3"], ["10.0.0.0/8"]],
    [["10.0.0.0/9", "10.128.0.0/9", "11"], ["10.0.0.0/7"]],
    [
      ["192.0.2.1", "192.0.2.2"],
      ["192.0.2.1", "192.0.2.2"],
    ],
    [["192.0.2.0/255.255.255.253"], ["192.0.2.0", "192.0.2.2"]],
    [
      ["2001:db8::/32", "10.1"],
      ["10.1.0.0/16", "2001:db8::/32"],
    ],
  ])("%j are listed as %j", (texts, networks) => {
    const diagrams = new Diagrams(100_000);
    const set = unwrap(diagrams.or(...texts.map((text) => addressesOfNetwork(diagrams, subnet(text)))));
    const found = networksOf(diagrams, set, 10);
    expect(found === "too large" ? found : found.map(formatNetwork)).toEqual(networks);
  });

  test("with too many gaps can be evaluated, but not listed", () => {
    const diagrams = new Diagrams(10_000);
    const gaps = subnet("0.0.0.7/0.0.0.255");
    const set = unwrap(addressesOfNetwork(diagrams, gaps));
    expect(networksOf(diagrams, set, 1_000)).toBe("too large");
    const toAddress = (text: string) => parseAddress(text) ?? { family: 4, bits: 0n };
    expect(diagrams.evaluate(set, (level) => addressBitAt(toAddress("10.2.3.7"), level))).toBe(true);
    expect(diagrams.evaluate(set, (level) => addressBitAt(toAddress("10.2.3.8"), level))).toBe(false);
  });

  test("are covered by the shorter list, without impossible clients", () => {
    const diagrams = new Diagrams(10_000);
    const listCovers = (set: BddResult) => {
      const covers = coverOf(diagrams, unwrap(set), 20);
      if (covers === "too large") return covers;
      return covers.map(
        ({ except, networks }) => `${except ? "all but " : ""}${networks.map(formatNetwork).join(" ")}`,
      );
    };
    const ten = addressesOfNetwork(diagrams, subnet("10.0.0.0/8"));
    const possible = buildPossibleAddresses(diagrams);
    expect(listCovers(ten)).toEqual(["10.0.0.0/8"]);
    expect(listCovers(diagrams.not(ten))).toEqual(["all but 10.0.0.0/8", "all but "]);
    expect(listCovers(diagrams.and(possible, diagrams.not(ten)))).toEqual(["all but 10.0.0.0/8", "all but "]);
    expect(listCovers(diagrams.and(possible, addressesOfFamily(diagrams, 6)))).toEqual(["all but "]);
    expect(listCovers(diagrams.or(ten, diagrams.not(possible)))).toEqual(["10.0.0.0/8"]);
    expect(listCovers(diagrams.false)).toEqual([]);
  });
});

describe("parsing and formatting", () => {
  const anyAddress = fc.oneof(
    fc.bigInt({ min: 0n, max: 0xffff_ffffn }).map((bits) => ({ family: 4 as const, bits })),
    fc
      .array(fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn })), { minLength: 8, maxLength: 8 })
      .map((groups) => ({ family: 6 as const, bits: groups.reduce((sum, group) => (sum << 16n) | group, 0n) })),
  );

  test("return the original address", () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(decodeAddress((level) => addressBitAt(address, level))).toEqual(address);
        const isMapped = address.family === 6 && address.bits >> 32n === 0xffffn;
        expect(parseAddress(formatAddress(address))).toEqual(isMapped ? expect.anything() : address);
      }),
      seeded,
    );
  });

  test.each([
    ["192.0.2.7"],
    ["2001:db8::1"],
    ["::"],
    ["::1"],
    ["fe80::1:0:0:1"],
    ["1:2:3:4:5:6:7:8"],
    ["1:0:3::"],
    ["1:0:3:4:5:6:7:8"],
  ])("return the address %s", (text) => {
    const address = parseAddress(text);
    expect(address && formatAddress(address)).toBe(text);
  });

  test.each([["10.0.0.0/8"], ["192.0.2.7"], ["10.0.5.0/255.0.255.0"], ["2001:db8::/32"], ["::1"]])(
    "return the network %s",
    (text) => {
      expect(formatNetwork(subnet(text))).toBe(text);
    },
  );
});
