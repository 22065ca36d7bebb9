import { expect, test } from "vitest";
import { EquivalenceChecker, type EquivalenceProbe } from "../../../src/proof/requests/explorer.js";
import { type Atom, isInDomain, type RequestModel } from "../../../src/server/model/atoms.js";
import { unknownFact } from "../../../src/server/model/unknown-facts.js";
import { isInSubnet, readSubnet } from "../../../src/text/addresses.js";

type Predicate = Exclude<Atom, { readonly kind: "exists" | "directory" }>;

function address(text: string): Predicate {
  const verdict = readSubnet(text);
  if (!verdict.ok) throw new Error(text);
  return { kind: "address", subnet: verdict.value };
}

function holds(atom: Predicate, model: RequestModel): boolean {
  if (atom.kind === "address") return isInSubnet(model.address, atom.subnet);
  if (atom.kind === "host") return model.host !== undefined && isInDomain(model.host, atom.name);
  return atom.kind === "fact" && model.facts.has(atom.fact);
}

/** Compares whether any of some atoms is true on each side; each side reads atoms until one is true. */
function compareAny(one: readonly Predicate[], other: readonly Predicate[]) {
  return (model: RequestModel): EquivalenceProbe => {
    const observations: { predicate: Predicate; value: boolean }[] = [];
    const any = (atoms: readonly Predicate[]) =>
      atoms.some((predicate) => {
        const value = holds(predicate, model);
        observations.push({ predicate, value });
        return value;
      });
    return { agree: any(one) === any(other), observations };
  };
}

const [wide, low, high] = [address("10.0.0.0/8"), address("10.0.0.0/9"), address("10.128.0.0/9")];
const host: Predicate = { kind: "host", name: "example.org" };
const fact: Predicate = { kind: "fact", fact: unknownFact("xml-body", "LimitXMLRequestBody 1") };

test.each([
  [[wide], [low, high], true],
  [[wide], [low, wide, high], true],
  [[wide], [low], false],
  [[host, fact], [fact, { kind: "host", name: "www.example.org" }, host], true],
  [[host, fact], [host], false],
  [[wide, host, fact], [fact, host, high, low], true],
] as const)(
  "proves that two sides are equal for all clients, or finds that they differ: %#",
  (one, other, expected) => {
    const checker = new EquivalenceChecker({ nodes: 10_000, runs: 50 });
    expect(checker.isProved(compareAny(one, other))).toBe(expected);
    expect(checker.isProved(compareAny(other, one))).toBe(expected);
  },
);

test("stops at the limit of runs", () => {
  const check = (runs: number) => new EquivalenceChecker({ nodes: 10_000, runs }).isProved(compareAny([wide], [wide]));
  expect([check(1), check(2)]).toEqual(["too large", true]);
});

test("frees the space of earlier proofs", () => {
  const checker = new EquivalenceChecker({ nodes: 900, runs: 50 });
  for (const first of [10, 172]) {
    const networks = Array.from({ length: 10 }, (_, index) => address(`${first}.${(index * 37) % 251}.0.0/16`));
    expect(checker.isProved(compareAny(networks, networks))).toBe(true);
  }
});

test("starts again with all space if a proof does not fit beside an earlier one", () => {
  const checker = new EquivalenceChecker({ nodes: 3_000, runs: 500 });
  const prove = (first: number, count: number) => {
    const networks = Array.from({ length: count }, (_, index) => address(`${first}.${(index * 37) % 251}.0.0/16`));
    return checker.isProved(compareAny(networks, networks));
  };
  expect([prove(10, 20), prove(172, 40)]).toEqual([true, true]);
});

test("does not prove what exceeds the budget", () => {
  const many = Array.from({ length: 60 }, (_, index) => address(`10.${index}.0.0/16`));
  expect(new EquivalenceChecker({ nodes: 10_000, runs: 20 }).isProved(compareAny(many, many))).toBe("too large");
  expect(new EquivalenceChecker({ nodes: 50, runs: 500 }).isProved(compareAny(many, many))).toBe("too large");
});
