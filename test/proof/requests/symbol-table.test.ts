import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ADDRESS_LEVELS } from "../../../src/proof/requests/address-sets.js";
import { Diagrams } from "../../../src/proof/requests/bdd.js";
import { supportOf } from "../../../src/proof/requests/cubes.js";
import { SymbolTable } from "../../../src/proof/requests/symbol-table.js";
import { variableAspects } from "../../../src/proof/requests/variables.js";
import type { Atom, RequestModel } from "../../../src/server/model/atoms.js";
import { unknownFact } from "../../../src/server/model/unknown-facts.js";
import { formatAddress, readSubnet, type Subnet } from "../../../src/text/addresses.js";
import { runCount } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";
import { anyFormula, diagramOf, type Formula, holds, unwrap } from "./formulas.js";
import { anyAtom, anySituation, isConsistent, isTrueOf } from "./request-models.js";

const seeded = { seed: 20_240_504, numRuns: runCount(60, 300) };
const sixAtoms = fc.array(anyAtom, { minLength: 6, maxLength: 6 });

function tableOf(atoms: readonly Atom[], budget = 100_000): SymbolTable {
  const table = SymbolTable.of(new Diagrams(budget), atoms);
  if (table === "too large") throw new Error(table);
  return table;
}

function unwrapModel(situation: RequestModel | undefined | "too large"): RequestModel | undefined {
  if (situation === "too large") throw new Error(situation);
  return situation;
}

const atomAt = (atoms: readonly Atom[], index: number): Atom => atoms[index] ?? { kind: "any-user" };

/** A formula whose variables are atoms: its value for a request, and its BDD. */
const isFormulaTrue = (formula: Formula, atoms: readonly Atom[], situation: RequestModel) =>
  holds(formula, (index) => isTrueOf(atomAt(atoms, index), situation));
const diagramIn = (all: SymbolTable, formula: Formula, atoms: readonly Atom[]) =>
  unwrap(diagramOf(all.diagrams, formula, (index) => all.formulaOf(atomAt(atoms, index))));

describe("atoms", () => {
  test("are true for the requests that they describe", () => {
    fc.assert(
      fc.property(fc.array(anyAtom, { maxLength: 20 }), anySituation, (atoms, situation) => {
        const all = tableOf(atoms);
        const values = atoms.map((atom) => all.holds(unwrap(all.formulaOf(atom)), situation));
        expect(values).toEqual(atoms.map((atom) => isTrueOf(atom, situation)));
        expect(all.holds(all.possible, situation)).toBe(true);
      }),
      { ...seeded, numRuns: runCount(200, 1_000) },
    );
  });
});

describe("a witness", () => {
  test("is a possible request that satisfies the function, and does not exist if no request does", () => {
    fc.assert(
      fc.property(anyFormula, sixAtoms, fc.array(anySituation, { maxLength: 20 }), (formula, atoms, others) => {
        const all = tableOf(atoms);
        const of = diagramIn(all, formula, atoms);
        const witness = unwrapModel(all.witness(of));
        const sample = unwrapModel(all.sample(of, () => 0.25));
        if (witness === undefined) {
          expect(others.filter((situation) => isFormulaTrue(formula, atoms, situation))).toEqual([]);
          expect(sample).toBeUndefined();
        }
        for (const each of [witness, sample])
          if (each)
            expect([isFormulaTrue(formula, atoms, each), isConsistent(each), all.holds(of, each)]).toEqual([
              true,
              true,
              true,
            ]);
      }),
      { ...seeded, numRuns: runCount(200, 1_000) },
    );
  });

  test("is found for each request that the atoms distinguish", () => {
    fc.assert(
      fc.property(fc.array(anyAtom, { maxLength: 8 }), anySituation, (atoms, situation) => {
        const all = tableOf(atoms);
        const description = all.diagrams.and(
          ...atoms.map((atom) =>
            isTrueOf(atom, situation) ? all.formulaOf(atom) : all.diagrams.not(all.formulaOf(atom)),
          ),
        );
        const witness = unwrapModel(all.witness(unwrap(description)));
        expect(witness && atoms.map((atom) => isTrueOf(atom, witness))).toEqual(
          atoms.map((atom) => isTrueOf(atom, situation)),
        );
      }),
      { ...seeded, numRuns: runCount(200, 1_000) },
    );
  });

  const network = (text: string): Atom => {
    const verdict = readSubnet(text);
    if (!verdict.ok) throw new Error(text);
    return { kind: "address", subnet: verdict.value };
  };

  test("has a host name that no atom excludes", () => {
    const atoms = [".example.org", "client.example.org", "client2.example.org"].map(
      (name): Atom => ({ kind: "host", name }),
    );
    const all = tableOf(atoms);
    const [domain, ...others] = atoms.map((atom) => all.formulaOf(atom));
    const of = all.diagrams.and(domain ?? "too large", all.diagrams.not(all.diagrams.or(...others)));
    expect(unwrapModel(all.witness(unwrap(of)))?.host).toBe("client3.example.org");
  });

  test("has usual values", () => {
    const names = ["GET", "POST"].map((name): Atom => ({ kind: "method", name }));
    const atoms: Atom[] = [...names, { kind: "host", name: ".example.org" }, { kind: "user", name: "somebody" }];
    const all = tableOf(atoms);
    const { diagrams } = all;
    const describeWitness = (of: Parameters<Diagrams["not"]>[0]) => {
      const witness = unwrapModel(all.witness(unwrap(of)));
      return witness && [witness.method, formatAddress(witness.address), witness.host, witness.user];
    };
    const [get, post, host, user] = atoms.map((atom) => all.formulaOf(atom));
    if (!get || !post || !host || !user) throw new Error("no atoms");
    expect(describeWitness(diagrams.true)).toEqual(["GET", "203.0.113.7", undefined, undefined]);
    expect(describeWitness(diagrams.not(get))).toEqual(["POST", "203.0.113.7", undefined, undefined]);
    expect(describeWitness(post)).toEqual(["POST", "203.0.113.7", undefined, undefined]);
    expect(describeWitness(all.formulaOf(network("10.0.0.0/8")))).toEqual(["GET", "10.0.113.7", undefined, undefined]);
    expect(describeWitness(all.formulaOf(network("2001:db8::/33")))).toEqual([
      "GET",
      "2001:db8::7",
      undefined,
      undefined,
    ]);
    expect(describeWitness(host)).toEqual(["GET", "203.0.113.7", "client.example.org", undefined]);
    expect(describeWitness(diagrams.or(host, all.formulaOf(network("10"))))).toEqual([
      "GET",
      "10.0.113.7",
      undefined,
      undefined,
    ]);
    const someone = all.formulaOf({ kind: "any-user" });
    expect(describeWitness(diagrams.and(someone, diagrams.not(user)))).toEqual([
      "GET",
      "203.0.113.7",
      undefined,
      "somebody2",
    ]);
    const mapped: Subnet = { family: 6, network: 0xffffn << 32n, mask: ((1n << 96n) - 1n) << 32n };
    expect(describeWitness(all.formulaOf({ kind: "address", subnet: mapped }))).toBeUndefined();
  });
});

describe("the witness of one atom", () => {
  const witnessOf = (atom: Atom) => {
    const all = tableOf([atom]);
    return unwrapModel(all.witness(unwrap(all.formulaOf(atom))));
  };

  test("has the file, even if whether it is a directory was not asked", () => {
    expect(witnessOf({ kind: "exists", path: "/srv/a" })?.files.has("/srv/a")).toBe(true);
  });

  test("is a member of the group", () => {
    const groups = witnessOf({ kind: "group", source: "/etc/groups", name: "dev" })?.groups;
    expect(groups?.get("/etc/groups")).toEqual(new Set(["dev"]));
  });

  test("has the usual value of the variable after the address", () => {
    const all = tableOf([{ kind: "method", name: "GET" }]);
    expect(unwrapModel(all.witness(all.diagrams.true))?.method).toBe("GET");
  });
});

test("a sample takes each bit and variable from a random number", () => {
  const x: Atom = { kind: "env", name: "x" };
  const all = tableOf([x]);
  const global: Subnet = { family: 6, network: 1n << 125n, mask: 7n << 125n };
  const sampled = (number: number) => {
    const sample = unwrapModel(all.sample(unwrap(all.formulaOf({ kind: "address", subnet: global })), () => number));
    return sample && [formatAddress(sample.address), ...sample.env];
  };
  expect(sampled(0.25)).toEqual(["3ffe:f247:ffff:ffff:ffff:ffff:ffff:fff8", "x"]);
  expect(sampled(0.75)).toEqual(["2001:db8::7"]);
});

describe("a symbol table", () => {
  test("lists the atoms on which a function depends", () => {
    const atoms: Atom[] = [
      { kind: "env", name: "x" },
      { kind: "user", name: "ann" },
      { kind: "method", name: "GET" },
    ];
    const all = tableOf(atoms);
    const [x, ann] = atoms.map((atom) => all.formulaOf(atom));
    if (!x || !ann) throw new Error("no atoms");
    expect(all.atomsIn(unwrap(all.diagrams.and(x, ann)))).toEqual(atoms.slice(0, 2));
    expect(all.atomsIn(unwrap(x))).toEqual(atoms.slice(0, 1));
  });

  test("returns the same samples for the same random numbers only", () => {
    const all = tableOf([]);
    const samples = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 20 }, () => {
        const sample = unwrapModel(all.sample(all.diagrams.true, () => random.next()));
        return sample && formatAddress(sample.address);
      });
    };
    expect(new Set(samples(1)).size).toBe(20);
    expect(samples(1)).toEqual(samples(1));
  });

  test("projects a function onto some aspects", () => {
    const atoms: Atom[] = [
      { kind: "env", name: "x" },
      { kind: "user", name: "ann" },
      { kind: "method", name: "GET" },
    ];
    const all = tableOf(atoms);
    const { diagrams } = all;
    const [env, ann, get] = atoms.map((atom) => all.formulaOf(atom));
    if (!env || !ann || !get) throw new Error("no atoms");
    const of = diagrams.or(diagrams.and(ann, get), diagrams.and(env, diagrams.not(env)));
    expect(all.project(of, new Set(["user"]))).toBe(ann);
    expect(all.project(of, new Set(["env"]))).toBe(diagrams.true);
    expect(all.project(of, new Set(["user", "method"]))).toBe(of);
  });

  test("forgets facts: the rest holds whether they are true or not", () => {
    const fact: Atom = { kind: "fact", fact: unknownFact("pattern-matches", "(a)\\1", "b") };
    const atoms: Atom[] = [fact, { kind: "env", name: "x" }];
    const all = tableOf(atoms);
    const { diagrams } = all;
    const [isFact, env] = atoms.map((atom) => all.formulaOf(atom));
    if (!isFact || !env) throw new Error("no atoms");
    expect(all.forgetFacts(diagrams.or(isFact, env), [fact])).toBe(env);
    expect(all.forgetFacts(diagrams.and(isFact, env), [fact])).toBe(diagrams.false);
    expect(all.forgetFacts(diagrams.or(isFact, env), [])).toBe(diagrams.or(isFact, env));
  });

  test("has its variables in the order of the aspects", () => {
    fc.assert(
      fc.property(fc.array(anyAtom, { maxLength: 30 }), (atoms) => {
        const all = tableOf(atoms);
        const ends = variableAspects.map((aspect) => all.endOf(aspect));
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        expect(ends[0]).toBe(ADDRESS_LEVELS);
        for (const atom of atoms) {
          const levels = supportOf(all.diagrams, unwrap(all.formulaOf(atom)));
          expect(levels.every((level) => level < (ends.at(-1) ?? 0))).toBe(true);
          if (atom.kind === "fact") expect(levels.every((level) => level >= all.endOf("value"))).toBe(true);
        }
      }),
      seeded,
    );
  });

  test("is small for many users, or too large for its budget", () => {
    const members = Array.from({ length: 1_000 }, (_, index) => `user${index}`);
    const atoms: Atom[] = [
      ...members.map((name): Atom => ({ kind: "user", name })),
      { kind: "group", source: "/etc/groups", name: "half", members: members.slice(0, 500) },
    ];
    const all = tableOf(atoms, 1_100_000);
    expect(all.diagrams.size).toBeLessThan(20_000);
    expect(SymbolTable.of(new Diagrams(1_000), atoms)).toBe("too large");
  });

  test("rejects an atom that it does not have", () => {
    const all = tableOf([{ kind: "env", name: "x" }]);
    expect(() => all.formulaOf({ kind: "env", name: "y" })).toThrow("not named at the start: env y");
    const pattern = { kind: "address-text", pattern: "(1)\\1", ignoreCase: false } as const;
    expect(() => all.formulaOf(pattern)).toThrow("a pattern that tells no addresses: (1)\\1");
  });
});
