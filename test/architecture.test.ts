import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

/** The folders of `src`, each with those that it may import from. docs/development.md describes the same. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "src/text": [],
  "src/logic": ["src/text"],
  grammar: ["src/text"],
  "src/directives": ["src/text"],
  "src/project": ["src/text", "grammar", "src/directives"],
  "src/engine": ["src/text", "grammar", "src/directives", "src/project", "src/scope"],
  "src/scope": ["src/text", "grammar", "src/directives", "src/project", "src/logic/symbolic/atoms"],
  "src/access": ["src/text", "grammar", "src/directives", "src/project", "src/scope", "src/logic"],
  "src/refusals": ["src/text", "grammar", "src/directives", "src/project", "src/access"],
  "src/simulate": ["src/text", "grammar", "src/directives", "src/project", "src/scope", "src/access", "src/refusals"],
  "src/compare": [
    ...["src/text", "grammar", "src/logic", "src/project", "src/scope", "src/access", "src/simulate", "src/witness"],
  ],
  "src/witness": [
    ...["src/text", "grammar/expression", "src/project", "src/engine", "src/scope", "src/access", "src/refusals"],
    "src/simulate",
  ],
  rules: [
    ...[
      "src/text",
      "grammar",
      "src/directives",
      "src/project",
      "src/engine",
      "src/access",
      "src/refusals",
      "src/witness",
    ],
  ],
  "src/migrate": [
    ...["src/text", "grammar", "src/project", "src/scope", "src/access", "src/refusals", "src/simulate", "src/compare"],
  ],
  "src/writing": ["src/text", "grammar/arguments", "src/project"],
  "src/upgrade": ["src/text", "src/directives", "src/project", "src/engine", "src/compare"],
  "src/baseline": [
    "src/text",
    "src/project/files/disk",
    "src/project/discovery/main-files",
    "src/engine/finding",
    "src/report/findings/fingerprint",
  ],
  "src/settings": [
    "src/text",
    "src/project/files/file-access",
    "src/project/discovery/entry",
    "src/project/discovery/main-file-finder",
    "src/project/discovery/main-files",
    "src/project/files/path-maps",
    "src/engine/finding",
    "src/engine/suppressions",
  ],
  "src/kept": ["src/text", "src/project", "src/engine"],
  "src/report": [
    ...["src/text", "grammar/arguments", "grammar/ast", "grammar/parser", "src/directives", "src/project"],
    ...["src/engine", "src/scope", "src/simulate", "src/compare", "src/upgrade", "src/migrate"],
  ],
  "src/lsp": [
    ...["src/text", "grammar", "src/directives", "src/project", "src/engine", "src/access", "src/refusals"],
    ...[
      "src/simulate",
      "src/compare",
      "src/report",
      "src/linter/lint",
      "src/linter/package-files",
      "src/linter/package-files",
      "rules/index",
    ],
    ...["src/settings", "src/baseline"],
  ],
  "src/browser": [
    ...["src/text", "src/directives", "src/project", "src/scope", "src/simulate", "src/compare", "src/migrate"],
    ...["src/report", "rules", "src/linter/lint", "src/linter/selected-rules", "src/linter/selected-rules"],
  ],
};

const importOf = /(?:^|\n)(?:import|export)\b[^;]*?from "(\.[^"]*)"/g;

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return path.endsWith(".ts") && !path.endsWith(".test.ts") ? [path] : [];
  });
}

/** Returns the project-internal imports of a file, as paths from the root. */
function importsOf(path: string): string[] {
  return [...readFileSync(path, "utf8").matchAll(importOf)].map(([, target = ""]) =>
    normalize(join(dirname(path), target)),
  );
}

const isWithin = (path: string, room: string) => path.startsWith(`${room}/`) || path === `${room}.js`;

describe("imports go one way", () => {
  test.each(Object.entries(rooms))("%s imports from %j alone", (room, allowed) => {
    const others = sourcesIn(room).flatMap((path) =>
      importsOf(path)
        .filter((target) => ![room, ...allowed].some((each) => isWithin(target, each)))
        .map((target) => `${path} -> ${target}`),
    );
    expect(others).toEqual([]);
  });

  test("nothing but the command line imports from it", () => {
    const files = [...sourcesIn("src"), ...sourcesIn("grammar"), ...sourcesIn("rules")].filter(
      (path) => !isWithin(path, "src/cli"),
    );
    expect(files.filter((path) => importsOf(path).some((target) => isWithin(target, "src/cli")))).toEqual([]);
  });

  test("rules do not import each other", () => {
    const files = sourcesIn("rules").filter((path) => path !== "rules/index.ts");
    expect(
      files.filter((path) =>
        importsOf(path).some((target) => target.startsWith("rules/") && dirname(target) !== dirname(path)),
      ),
    ).toEqual([]);
  });
});
