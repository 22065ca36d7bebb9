import fc from "fast-check";
import type { Atom, RequestModel } from "../../../src/server/model/atoms.js";
import { unknownFact } from "../../../src/server/model/unknown-facts.js";
import { formatAddress, isInSubnet, parseAddress, readSubnet } from "../../../src/text/addresses.js";

const subnets = ["10", "10.1.0.0/16", "10.1.2.3", "192.0.2.0/255.255.0.255", "2001:db8::/32", "2001:db8::7"];
const hosts = [
  "org",
  ".org",
  "example.org",
  ".Example.org",
  "a.example.org",
  "b.example.org",
  "c.a.example.org",
  "com",
];
const users = ["ann", "bob", "cy"];
const methods = ["GET", "POST", "HEAD", "LOCK"];
const paths = ["/", "/srv", "/srv/a", "/srv/a/b", "/var/x"];
const staff = ["ann", "bob"];
const facts = ["A", "B"].map((name) => unknownFact("variable", name));

export const anyAtom: fc.Arbitrary<Atom> = fc.oneof(
  fc.constantFrom(...subnets).map((text) => {
    const verdict = readSubnet(text);
    if (!verdict.ok) throw new Error(text);
    return { kind: "address" as const, subnet: verdict.value };
  }),
  fc.constantFrom(...hosts).map((name) => ({ kind: "host" as const, name })),
  fc.constantFrom("one", "Two", "three").map((name) => ({ kind: "env" as const, name })),
  fc.constant({ kind: "any-user" as const }),
  fc
    .constantFrom(
      String.raw`^10\.`,
      String.raw`^10\.1\.[2-9]\.`,
      String.raw`^(10|192)\.`,
      "^198.51.100.1$",
      "^[^:]*$",
      ":",
    )
    .map((pattern) => ({ kind: "address-text" as const, pattern, ignoreCase: false })),
  fc.constantFrom(...users).map((name) => ({ kind: "user" as const, name })),
  fc.constantFrom("dev", "ops").map((name) => ({ kind: "group" as const, source: "/etc/groups", name })),
  fc.constant({ kind: "group" as const, source: "/etc/known", name: "staff", members: staff }),
  fc.constantFrom(...methods).map((name) => ({ kind: "method" as const, name })),
  fc
    .tuple(fc.constantFrom("host", "agent"), fc.constantFrom("x", "y", "z"))
    .map(([of, value]) => ({ kind: "value" as const, of, value })),
  fc.constantFrom(...paths).map((path) => ({ kind: "exists" as const, path })),
  fc.constantFrom(...paths).map((path) => ({ kind: "directory" as const, path })),
  fc.constantFrom(...facts).map((fact) => ({ kind: "fact" as const, fact })),
);

/** Returns whether an atom is true for a request, by the definition of the atom. */
export function isTrueOf(atom: Atom, situation: RequestModel): boolean {
  switch (atom.kind) {
    case "address":
      return isInSubnet(situation.address, atom.subnet);
    case "address-text":
      return new RegExp(atom.pattern, atom.ignoreCase ? "i" : "").test(formatAddress(situation.address));
    case "host": {
      const name = atom.name.toLowerCase();
      const dotted = name.startsWith(".") ? name : `.${name}`;
      return situation.host === name || situation.host?.endsWith(dotted) === true;
    }
    case "env":
      return situation.env.has(atom.name.toLowerCase());
    case "any-user":
      return situation.user !== undefined;
    case "user":
      return situation.user === atom.name;
    case "group":
      if (atom.members) return situation.user !== undefined && atom.members.includes(situation.user);
      return situation.groups.get(atom.source)?.has(atom.name) === true;
    case "method":
      return situation.method === atom.name;
    case "value":
      return situation.values.get(atom.of) === atom.value;
    case "exists":
      return situation.files.has(atom.path);
    case "directory":
      return situation.files.get(atom.path) === "directory";
    case "fact":
      return situation.facts.has(atom.fact);
  }
}

const anyAddress = fc
  .constantFrom("10.1.2.3", "10.1.9.9", "10.2.0.1", "192.0.9.2", "198.51.100.1", "2001:db8::7", "2001:db8::8", "::1")
  .map((text) => parseAddress(text) ?? { family: 4 as const, bits: 0n });

/** A consistent model of a request: directories contain their files, and only users are in groups. */
export const anySituation: fc.Arbitrary<RequestModel> = fc
  .record({
    address: anyAddress,
    host: fc.option(fc.constantFrom("a.example.org", "example.org", "x.c.a.example.org", "other.org", "org", "x.net"), {
      nil: undefined,
    }),
    env: fc.uniqueArray(fc.constantFrom("one", "two", "four")).map((names) => new Set(names)),
    user: fc.option(fc.constantFrom(...users, "dora"), { nil: undefined }),
    groups: fc.uniqueArray(fc.constantFrom("dev", "ops", "qa")),
    method: fc.constantFrom(...methods, "PUT"),
    values: fc.record({ host: fc.constantFrom("x", "y", "w"), agent: fc.constantFrom("y", "z", "w") }),
    files: fc.uniqueArray(fc.constantFrom(...paths.slice(1))),
    facts: fc.uniqueArray(fc.constantFrom(...facts)).map((each) => new Set(each)),
  })
  .map(({ groups, values, files, ...rest }) => ({
    ...rest,
    groups: new Map(rest.user === undefined ? [] : [["/etc/groups", new Set(groups)]]),
    values: new Map(Object.entries(values)),
    files: filesWith(files),
  }));

function filesWith(named: readonly string[]): ReadonlyMap<string, "file" | "directory"> {
  const files = new Map<string, "file" | "directory">([["/", "directory"]]);
  for (const path of named) {
    if (!files.has(path)) files.set(path, "file");
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1))
      files.set(path.slice(0, slash), "directory");
  }
  return files;
}

/** Returns whether a model is consistent. */
export function isConsistent({ address, user, groups, files }: RequestModel): boolean {
  const isMapped = address.family === 6 && address.bits >> 32n === 0xffffn;
  const hasOnlyDirectoriesAsParents = [...files.keys()].every((path) =>
    paths.every((outer) => outer === path || !path.startsWith(outer) || files.get(outer) !== "file"),
  );
  return !isMapped && hasOnlyDirectoriesAsParents && (user !== undefined || groups.size === 0);
}
