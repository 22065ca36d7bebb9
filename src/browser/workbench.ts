import { defaultRules } from "../../rules/index.js";
import { accessMap } from "../compare/access-map.js";
import { compare } from "../compare/compare.js";
import { findUncomparedChanges } from "../compare/uncompared-changes.js";
import type { Release } from "../directives/directives.js";
import { lint } from "../lint.js";
import { migrate } from "../migrate/migrate.js";
import { modulesToLoad } from "../modules-to-load.js";
import { assumeServer } from "../project/assumed-server.js";
import { assumptionsOf, joinClauses } from "../project/assumptions.js";
import { type FileAccess, memoryAccess } from "../project/files.js";
import type { Project } from "../project/project.js";
import { type ReadOptions, readProject } from "../project/read-project.js";
import { comparisonText } from "../report/comparison-text.js";
import { lineDiff } from "../report/html/diff.js";
import { findingPieces } from "../report/html/findings-piece.js";
import { type Html, html } from "../report/html/html.js";
import { mapPiece } from "../report/html/map-page.js";
import { plain, words } from "../report/html/words.js";
import { migrationDiff } from "../report/migration-diff.js";
import { migrationNotes } from "../report/migration-notes.js";
import { counted } from "../report/painter.js";
import { Places } from "../report/places.js";
import { Decider } from "../simulate/decide.js";
import { filesBy } from "../simulate/file-trees.js";
import { startupFindings } from "../startup.js";
import { fromReadable, toReadable } from "../text/source.js";
import type { Answering } from "./carried-server.js";

/** A configuration as it is typed in. */
export interface Bench {
  readonly files: Readonly<Record<string, string>>;
  /** The path of the main file. */
  readonly main: string;
}

const releases: readonly Release[] = ["2.2", "2.4"];
const ruleIds = defaultRules.map(({ id }) => id);

type Read = { readonly project: Project } | { readonly wrong: Html };

function read({ files, main }: Bench, options: Omit<ReadOptions, "access">): Read {
  const loaded = readProject(fromReadable(main), { ...options, access: accessTo(files) });
  return "failed" in loaded ? { wrong: wrong(`\`${main}\` cannot be read: ${loaded.failed}`) } : loaded;
}

/** The files that are typed in. The ServerRoot is taken to be there: what else lies in it nobody types in. */
function accessTo(files: Bench["files"]): FileAccess {
  const access = memoryAccess(files);
  const lines = Object.values(files).flatMap((text) => [...text.matchAll(/^[\t ]*ServerRoot[\t ]+"?([^"\r\n]+)/gim)]);
  const roots = new Set(lines.map(([, path = ""]) => fromReadable(path.trim().replace(/\/$/, ""))));
  return { ...access, isDirectory: (path) => roots.has(path.replace(/\/$/, "")) || access.isDirectory(path) };
}

/** States what an analysis assumes about the rest of the server; nothing for a main file. */
function assumptions(project: Project): Html | undefined {
  const clauses = assumptionsOf(project);
  if (clauses.length === 0) return undefined;
  return html`<p class="quiet">${words(`Assuming that ${joinClauses(clauses)}.`)}</p>`;
}

/** What went wrong, as a piece. */
export function wrong(message: string): Html {
  return html`<p class="card wrong error">${words(message)}</p>`;
}

/** What is wrong with a configuration. @param from the release that it comes from */
export function checked(bench: Bench, release: Release, from: Release | undefined): Html {
  const loaded = read(bench, { release });
  if ("wrong" in loaded) return loaded.wrong;
  const before = () => {
    const old = read(bench, { release: from ?? "2.2" });
    return "wrong" in old ? undefined : old.project;
  };
  const rules = defaultRules;
  const { findings } = lint(loaded.project, { rules, ruleIds, ...(from === undefined ? {} : { from, before }) });
  if (findings.length === 0) return html`<p class="card">No findings.</p>`;
  return html`<p>${counted(findings.length, "finding")}</p>${[...findingPieces({ findings, rules })]}`;
}

/** Who gets in where, under the releases that start with a configuration; under both where none does. */
export function mapped(bench: Bench): Html {
  const all = releases.flatMap((release) => {
    const loaded = read(bench, { release });
    return "wrong" in loaded ? [] : [{ release, project: loaded.project, findings: startupFindings(loaded.project) }];
  });
  const starting = all.filter(({ findings }) => findings.length === 0);
  const shown = starting.length > 0 ? starting : all;
  const [first, second] = shown.map(({ project }) => ({ project, reading: "server" }) as const);
  if (first === undefined) return wrong(`\`${bench.main}\` cannot be read`);
  const map = { map: accessMap(first, second), releases: shown.map(({ release }) => release), startup: all };
  return html`${assumptions(first.project)}${mapPiece(map, new Places(undefined), false)}`;
}

/** States what the answers to requests assume about the rest of the server. */
export function answersAssume(bench: Bench): Html | undefined {
  const loaded = read(bench, {});
  return "wrong" in loaded ? undefined : assumptions(loaded.project);
}

/** What answers requests, under either release. */
export function answering(bench: Bench): readonly Answering[] | { readonly wrong: Html } {
  const all: Answering[] = [];
  for (const release of releases) {
    const loaded = read(bench, { release });
    if ("wrong" in loaded) return loaded;
    const files = filesBy({ by: "configuration" }, assumeServer(loaded.project), memoryAccess(bench.files));
    all.push({ release, decider: new Decider(loaded.project, files) });
  }
  return all;
}

/** Whether two configurations, or one under both releases, answer every request alike. @param other undefined for the same under the other release */
export function compared(bench: Bench, other: Bench | undefined, release: Release): Html {
  const sides = other ? ([release, release] as const) : (["2.2", "2.4"] as const);
  const before = read(bench, { release: sides[0] });
  if ("wrong" in before) return before.wrong;
  const after = read(other ?? bench, { release: sides[1] });
  if ("wrong" in after) return after.wrong;
  const sideOf = ({ project }: { readonly project: Project }) => ({ project, reading: "server" }) as const;
  const comparison = compare(sideOf(before), sideOf(after));
  const titles = other ? (["the files above", "the other text"] as const) : sides;
  const startup = [startupFindings(before.project), startupFindings(after.project)] as const;
  const notCompared = other ? findUncomparedChanges(before.project, after.project) : [];
  const text = told([...comparisonText({ comparison, titles, startup, notCompared }, {})].join(""));
  return html`${assumptions(before.project)}${text}`;
}

/** What a configuration is with Require alone, as a diff, where that is proved to answer as before; else why not. */
export function migrated(bench: Bench, release: Release): Html {
  const before = read(bench, { release });
  if ("wrong" in before) return before.wrong;
  const target = release === "2.2" ? read(bench, { release: "2.4" }) : before;
  const moreModules = release === "2.2" && "project" in target ? modulesToLoad(target.project) : [];
  const after = (texts: ReadonlyMap<string, string>): Project => {
    const changed = Object.fromEntries([...texts].map(([path, text]) => [path, toReadable(text)]));
    const { kind } = before.project;
    const options = { release: "2.4", kind, withoutModules: ["access_compat"], moreModules } as const;
    const loaded = read({ ...bench, files: { ...bench.files, ...changed } }, options);
    return "wrong" in loaded ? before.project : loaded.project;
  };
  const migration = migrate({ before: before.project, after }, "server");
  const assumed = assumptions(before.project);
  if (migration.verdict === "refused") return html`${assumed}${told([...migrationDiff(migration, {})].join(""))}`;
  const facts = {
    before: before.project,
    newer: undefined,
    written: undefined,
    startup: [],
    kept: [],
    isAssumed: before.project.kind !== "server",
  };
  const notes = migrationNotes(migration, undefined, facts).map((note) => note.replace(/^httpd-lint: /, ""));
  const diffs = migration.files.map(
    ({ path, before: old, after: now }) =>
      html`<h3 class="path">${plain(path)}</h3>${lineDiff(toReadable(old), toReadable(now))}`,
  );
  return html`${assumed}<div class="card">${notes.map((note) => html`<p>${words(note)}</p>`)}${diffs}</div>`;
}

function told(text: string): Html {
  return html`<pre class="said">${text.trimEnd()}</pre>`;
}
