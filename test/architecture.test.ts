import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

/** The rooms, lowest first: each imports only from those before it. docs/development.md describes them. */
const rooms = [
  ...[
    "src/text",
    "src/regex",
    "grammar",
    "src/facts",
    "src/config",
    "src/server",
    "src/startup",
    "src/proof",
    "src/lint",
  ],
  ...["rules", "src/report", "src/apps"],
];

/**
 * The folders of each room, lowest first: a folder imports values only from those before it. "." are the files on the room's
 * own level. Types may come from any folder of the same room.
 */
const levels: Readonly<Record<string, readonly string[]>> = {
  "src/regex": [".", "automata", "pcre"],
  "src/config": ["refusals", "files", "model", "queries", "reader", "."],
  "src/server": [
    ...[
      "model",
      "request",
      "expression",
      "tls",
      "sections",
      "access",
      "mapping",
      "rewrite",
      "walk",
      "phases",
      "trace",
      ".",
    ],
  ],
  "src/startup": ["directives", "."],
  "src/proof": [
    ...["model", "requests", "clients", "paths", "compare", "allow", "audit"],
    ...["migrate/plan", "migrate/rewrite", "migrate/intent", "migrate"],
  ],
  "src/lint": [".", "probes", "runner", "api"],
  "src/report": ["schema", "secrets", "text", "answers", "findings", "blocks", "comparisons", "html", "."],
  "src/apps": [
    ...[".", "baseline", "file-changes", "cache", "settings", "browser", "workers", "lsp/documents", "lsp/analysis"],
    ...["lsp/features", "lsp", "cli/output", "cli/inputs", "cli/changes", "cli/check", "cli/commands", "cli"],
  ],
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

/** Returns the room of a file. Undefined for `src/index.ts`, the public API, which may import from any. */
const roomOf = (path: string) => rooms.find((room) => isWithin(path, room));

/** Returns the folder of a file within its room, as in `levels`. */
const levelOf = (path: string, room: string) => {
  const folder = dirname(path).slice(room.length + 1);
  return (levels[room] ?? []).indexOf(folder === "" ? "." : folder);
};

describe("imports", () => {
  test.each(rooms)("of %s lead only to rooms before it", (room) => {
    const allowed = rooms.slice(0, rooms.indexOf(room) + 1);
    const others = importEdges
      .filter(({ from }) => roomOf(from) === room)
      .filter(({ path }) => path !== "package.json" && !allowed.some((each) => isWithin(path, each)))
      .map(({ from, path }) => `${from} -> ${path}`);
    expect(others).toEqual([]);
  });

  test.each(Object.entries(levels))("between the folders of %s follow the order %j", (room) => {
    const inRoom = importEdges.filter(({ from, path }) => isWithin(from, room) && isWithin(path, room));
    const upward = inRoom.filter(
      ({ from, path, isTypeOnly }) => !isTypeOnly && path.endsWith(".ts") && levelOf(path, room) > levelOf(from, room),
    );
    expect(upward.map(({ from, path }) => `${from} -> ${path}`)).toEqual([]);
  });

  test("have an order in every room with folders", () => {
    const withoutLevel = [...sources.keys()].filter((path) => {
      const room = roomOf(path);
      if (room === undefined) return path !== "src/index.ts";
      return dirname(path) !== room && room.startsWith("src/") && levelOf(path, room) < 0;
    });
    expect(withoutLevel).toEqual([]);
  });

  test("of rules lead only to the API of rules", () => {
    const others = importEdges.filter(
      ({ from, path }) => isWithin(from, "rules") && !isWithin(path, "rules") && !isWithin(path, "src/lint/api"),
    );
    expect(
      others.filter(({ from }) => from !== "rules/index.ts").map(({ from, path }) => `${from} -> ${path}`),
    ).toEqual([]);
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

/** Rule ids that are also words of httpd or of the reader, and the example of `init`. */
const otherMeanings: Readonly<Record<string, string | undefined>> = {
  "dbm-group": "a provider of Require",
  "undefined-variable": "a problem of the reader",
  "old-access-control": "the example in the settings that `init` writes",
};

const formerTable = "src/lint/former-rules.ts";

test("the id of a rule occurs only in its folder, in the registry and in the table of former rules", () => {
  const ids = readdirSync("rules", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const uses = ids
    .filter(({ name }) => otherMeanings[name] === undefined)
    .flatMap(({ name }) =>
      [...sources]
        .filter(
          ([path, text]) =>
            !isWithin(path, "rules") && path !== formerTable && new RegExp(`["'\`]${name}["'\`]`).test(text),
        )
        .map(([path]) => `${path}: ${name}`),
    );
  expect(uses).toEqual([]);
});
