import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * The folders, each with those that it may import from besides itself. docs/development.md describes them. A path may name
 * a sub-folder or a file.
 */
const folders: Readonly<Record<string, readonly string[]>> = {
  "src/text": [],
  "src/logic": ["src/text"],
  grammar: ["src/text"],
  "src/directives": ["src/text"],
  "src/project": ["src/text", "grammar", "src/directives"],
  "src/engine": ["src/text", "grammar", "src/directives", "src/project", "src/httpd"],
  "src/httpd": ["src/text", "grammar", "src/directives", "src/project", "src/logic/symbolic/atoms", "src/logic/pcre"],
  "src/access": [
    ...["src/text", "grammar", "src/directives", "src/project", "src/httpd", "src/logic", "src/tls/protocols"],
  ],
  "src/validate": ["src/text", "grammar", "src/directives", "src/project", "src/access", "src/logic/pcre"],
  "src/tls": ["src/text", "grammar", "src/project", "src/httpd/model/server", "src/httpd/vhost/tls-engine"],
  "src/simulate": ["src/text", "grammar", "src/directives", "src/project", "src/httpd", "src/access", "src/validate"],
  "src/compare": [
    ...["src/text", "grammar", "src/logic", "src/project", "src/httpd", "src/access", "src/simulate", "src/witness"],
  ],
  "src/witness": [
    ...["src/text", "grammar/expression", "src/project", "src/engine", "src/httpd", "src/access", "src/validate"],
    ...["src/simulate", "src/logic/pcre"],
  ],
  "src/rule-api": [
    ...["src/text", "grammar", "src/directives", "src/project", "src/engine", "src/access", "src/validate"],
    ...[
      "src/httpd/expression",
      "src/httpd/model/request",
      "src/httpd/model/server",
      "src/httpd/rewrite",
      "src/httpd/vhost/server-names",
    ],
    ...["src/witness", "src/logic/pcre", "src/tls"],
  ],
  rules: ["src/rule-api"],
  "src/migrate": [
    ...["src/text", "grammar", "src/project", "src/httpd", "src/access", "src/validate", "src/simulate", "src/compare"],
  ],
  "src/transaction": ["src/text", "grammar/arguments", "src/project"],
  "src/upgrade": ["src/text", "src/directives", "src/project", "src/engine", "src/access", "src/compare"],
  "src/baseline": [
    "src/text",
    "src/project/files/disk",
    "src/project/discovery/main-files",
    "src/engine/finding",
    "src/report/findings/fingerprint",
  ],
  "src/settings": [
    "src/text",
    "src/project/discovery",
    "src/project/files/file-access",
    "src/project/files/path-maps",
    "src/engine/finding",
    "src/engine/rule-groups",
    "src/engine/suppressions",
  ],
  "src/cache": ["src/text", "src/project", "src/engine"],
  "src/report": [
    ...["src/text", "grammar/arguments", "grammar/ast", "grammar/parser", "src/directives", "src/project"],
    ...["src/engine", "src/httpd", "src/simulate", "src/compare", "src/upgrade", "src/migrate"],
  ],
  "src/linter": [
    ...["src/text", "src/directives", "src/project", "src/engine", "src/httpd", "src/access", "src/compare", "rules"],
    "package.json",
  ],
  "src/lsp": [
    ...["src/text", "grammar", "src/directives", "src/project", "src/engine", "src/access", "src/validate"],
    ...["src/simulate", "src/compare", "src/report", "src/linter", "rules/index", "src/settings", "src/baseline"],
  ],
  "src/browser": [
    ...["src/text", "src/directives", "src/project", "src/engine", "src/httpd", "src/simulate", "src/compare"],
    ...["src/migrate", "src/report", "rules", "src/linter"],
  ],
};

/**
 * The sub-folders of each folder, lowest first: a sub-folder imports values only from those before it. "." are the files on the
 * folder's own level. Types may come from any sub-folder of the same folder.
 */
const levels: Readonly<Record<string, readonly string[]>> = {
  "src/project": ["files", "model", "discovery", "queries", "reader", "."],
  "src/logic": [".", "bdd", "languages", "automata", "pcre", "symbolic"],
  "src/httpd": [
    ...[
      "model",
      "request",
      "vhost",
      "environment",
      "expression",
      "sections",
      "negotiation",
      "mapping",
      "rewrite",
      "walk",
    ],
  ],
  "src/access": ["model", "rules", "decide", "shadowing"],
  "src/validate": ["directives", "."],
  "src/simulate": ["model", "inputs", "phases", "trace", "."],
  "src/compare": ["model", "predicates", "paths", "templates", "symbolic", ".", "outside"],
  "src/migrate": ["model", "policy", "plan", "rewrite", "intent", "."],
  "src/report": ["secrets", "text", "decisions", "findings", "comparisons", "html", "."],
  "src/lsp": ["documents", "features", "settings", "analysis", "."],
  "src/browser": [".", "playground"],
  "src/cli": ["output", "discovery", "inputs", "workers", "check", "changes", "commands", "."],
};

interface Import {
  readonly path: string;
  readonly isTypeOnly: boolean;
}

const importPattern = /(?:^|\n)(?:import|export)\b([^;]*?)from "(\.[^"]*)"/g;

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listSources(path);
    return path.endsWith(".ts") && !path.endsWith(".test.ts") ? [path] : [];
  });
}

const sources = new Map(
  ["src", "grammar", "rules"].flatMap(listSources).map((path) => [path, readFileSync(path, "utf8")] as const),
);

/** Returns the imports of a file from within the project, as paths from the top folder. */
function importsOf(path: string): readonly Import[] {
  return [...(sources.get(path) ?? "").matchAll(importPattern)].map(([, clause = "", target = ""]) => ({
    path: normalize(join(dirname(path), target)).replace(/\.js$/, ".ts"),
    isTypeOnly: isTypeOnly(clause),
  }));
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true;
  const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(",") ?? [];
  const listed = names.filter((name) => name.trim() !== "");
  return listed.length > 0 && listed.every((name) => /^\s*type\s/.test(name));
}

const importsByFile = new Map([...sources.keys()].map((path) => [path, importsOf(path)] as const));
const importEdges = [...importsByFile].flatMap(([from, imports]) => imports.map((each) => ({ from, ...each })));

const isWithin = (path: string, folder: string) =>
  path.startsWith(`${folder}/`) || path === `${folder}.ts` || path === folder;

describe("imports", () => {
  test.each(Object.entries(folders))("of %s lead only to %j", (folder, allowed) => {
    const others = importEdges
      .filter(({ from }) => isWithin(from, folder))
      .filter(({ path }) => ![folder, ...allowed].some((each) => isWithin(path, each)))
      .map(({ from, path }) => `${from} -> ${path}`);
    expect(others).toEqual([]);
  });

  test.each(Object.entries(levels))("between the sub-folders of %s follow the order %j", (folder, order) => {
    const levelOf = (path: string) => {
      const [first = "", ...rest] = path.slice(folder.length + 1).split("/");
      return order.indexOf(rest.length === 0 ? "." : first);
    };
    const inFolder = importEdges.filter(({ from, path }) => isWithin(from, folder) && isWithin(path, folder));
    expect(inFolder.filter(({ from }) => levelOf(from) < 0)).toEqual([]);
    const upward = inFolder.filter(({ from, path, isTypeOnly }) => !isTypeOnly && levelOf(path) > levelOf(from));
    expect(upward.map(({ from, path }) => `${from} -> ${path}`)).toEqual([]);
  });

  test("have an order in every folder with sub-folders", () => {
    const parents = [...sources.keys()].filter((path) => path.startsWith("src/")).map((path) => path.split("/"));
    const withSubFolders = new Set(
      parents.filter((parts) => parts.length > 3).map((parts) => parts.slice(0, 2).join("/")),
    );
    expect([...withSubFolders].sort()).toEqual(Object.keys(levels).sort());
  });

  test("of src/cli occur only in the command line", () => {
    expect(importEdges.filter(({ from, path }) => !isWithin(from, "src/cli") && isWithin(path, "src/cli"))).toEqual([]);
  });

  test("between rules do not exist", () => {
    const between = importEdges.filter(
      ({ from, path }) => isWithin(from, "rules") && isWithin(path, "rules") && dirname(from) !== dirname(path),
    );
    expect(between.filter(({ from }) => from !== "rules/index.ts")).toEqual([]);
  });

  test("of values have no cycles", () => {
    const done = new Set<string>();
    const path: string[] = [];
    const visit = (file: string): string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return undefined;
      path.push(file);
      for (const each of importsByFile.get(file) ?? []) {
        const cycle = each.isTypeOnly ? undefined : visit(each.path);
        if (cycle) return cycle;
      }
      path.pop();
      done.add(file);
      return undefined;
    };
    expect([...sources.keys()].map(visit).find((cycle) => cycle !== undefined)).toBeUndefined();
  });
});

const exportPattern =
  /^export (?:declare )?(?:abstract )?(?:async )?(const|let|function\*?|class|interface|type) ([A-Za-z_$][\w$]*)/gm;

const exported = [...sources].flatMap(([path, text]) =>
  [...text.matchAll(exportPattern)].map(([, kind = "", name = ""]) => ({ path, kind, name })),
);

/** Participles that do not end in -ed or -ing, and verbs that do. */
const irregularParticiples =
  /^(told|said|written|shown|kept|held|found|left|sent|made|given|taken|known|seen|drawn|laid|met)$/;
const verbsLikeParticiples = /^(embed|feed|need|exceed|proceed|seed|bring|string|ping|ring)$/;

describe("exported names", () => {
  test("are unique", () => {
    const files = new Map<string, Set<string>>();
    for (const { name, path } of exported) files.set(name, (files.get(name) ?? new Set()).add(path));
    expect([...files].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths])).toEqual([]);
  });

  test("of functions have no participle, except in lookups such as `enclosingHostOf`", () => {
    const isParticiple = (word: string) =>
      (/(ed|ing)$/.test(word) && !verbsLikeParticiples.test(word)) || irregularParticiples.test(word);
    const named = exported.filter(
      ({ kind, name }) =>
        kind.startsWith("function") && !name.endsWith("Of") && isParticiple(/^[a-z]+/.exec(name)?.[0] ?? ""),
    );
    expect(named.map(({ name, path }) => `${path}: ${name}`)).toEqual([]);
  });
});
