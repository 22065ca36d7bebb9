import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync("package.json", "utf8"));
const direct = { ...manifest.dependencies, ...manifest.devDependencies };
const page = readFileSync("docs/dependencies.md", "utf8");
const [, bundled = "", toBuild = ""] = page.split(/^## (?:In the bundles|For builds and tests)$/m);

/** Returns the packages in the first column of a table. */
function namedIn(text: string): string[] {
  return [...text.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}

test("docs/dependencies.md lists the direct dependencies, and no others", () => {
  expect([...namedIn(bundled), ...namedIn(toBuild)].sort()).toEqual(Object.keys(direct).sort());
});

test("versions of direct dependencies are exact", () => {
  const inexact = Object.entries(direct).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  expect(inexact).toEqual([]);
});

test("each package in the lock file has a digest, and no download address", () => {
  const { packages }: { packages: Readonly<Record<string, Readonly<Record<string, unknown>>>> } = JSON.parse(
    readFileSync("package-lock.json", "utf8"),
  );
  const others = Object.entries(packages).filter(([path, entry]) => path !== "" && entry["link"] !== true);
  expect(others.length).toBeGreaterThan(100);
  expect(others.filter(([, entry]) => typeof entry["integrity"] !== "string").map(([path]) => path)).toEqual([]);
  expect(others.filter(([, entry]) => "resolved" in entry).map(([path]) => path)).toEqual([]);
});
