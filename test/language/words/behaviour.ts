import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { allRules } from "../../../rules/index.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Directive } from "../../../src/config/model/directive.js";
import type { Project } from "../../../src/config/model/project.js";
import type { Release } from "../../../src/facts/release.js";
import type { Finding } from "../../../src/lint/finding.js";
import { lint } from "../../../src/lint/runner/lint.js";
import { accessMap } from "../../../src/proof/compare/access-map.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { migrate } from "../../../src/proof/migrate/migrate.js";
import type { Migration } from "../../../src/proof/migrate/migration.js";
import type { ConfigComparison, Unproved } from "../../../src/proof/model/comparison.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { codeOf } from "../../../src/text/coded-text.js";
import type { Span } from "../../../src/text/source.js";
import { type Case, loadCase } from "../../support/cases/recorded-cases.js";

/**
 * What the program does, without any text for people: the findings, answers, comparisons, maps and migrations of the examples and
 * of recorded cases. `replaced-words.test.ts` bundles this file with and without replaced texts.
 */
export function collectBehaviour(): Readonly<Record<string, unknown>> {
  const examples = readdirSync("docs/examples").flatMap((name) => entriesOf(`docs/examples/${name}`));
  const fixtures = readdirSync("test/fixtures/migrations").flatMap((name) =>
    entriesOf(`test/fixtures/migrations/${name}`),
  );
  return Object.fromEntries([
    ...[...examples, ...fixtures].flatMap((entry) => [
      [`lint ${entry}`, attempt(() => lintAs(entry, "2.4").concat(lintAs(entry, "2.2", "2.2")))],
      [`compare ${entry}`, attempt(() => shownComparison(compareReleases(entry)))],
      [`migrate ${entry}`, attempt(() => shownMigration(migrateExample(entry)))],
    ]),
    ...examples.map((entry) => [`map ${entry}`, attempt(() => mapExample(entry))]),
    ...sampledCases().map((each) => [`answer ${each.id}`, attempt(() => answerCase(each))]),
  ]);
}

/** Exceptions would be a fault of the program, and are part of the behaviour. */
function attempt<T>(run: () => T): T | "exception" {
  try {
    return run();
  } catch {
    return "exception";
  }
}

/** Returns the main files in a folder. */
function entriesOf(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true });
  return paths
    .filter(({ name }) => name === "httpd.conf" || name === "apache2.conf")
    .map(({ parentPath }) => parentPath)
    .map((parent) => join(parent, readdirSync(parent).includes("httpd.conf") ? "httpd.conf" : "apache2.conf"));
}

/** Loads an example from memory, so that its texts may be changed. */
function load(entry: string, release: Release, changed: ReadonlyMap<string, string> = new Map()): Project {
  const folder = entry.slice(0, entry.indexOf("/", "docs/examples/".length + 1));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const texts = files.map(({ parentPath, name }) => [
    `/${parentPath}/${name}`,
    readFileSync(join(parentPath, name), "latin1"),
  ]);
  const access = memoryAccess({ ...Object.fromEntries(texts), ...Object.fromEntries(changed) });
  const loaded = loadProject(`/${entry}`, { access, release, kind: "server" });
  if (!loaded.ok) throw new Error("the example cannot be read");
  return loaded.value;
}

function lintAs(entry: string, release: Release, from?: Release): readonly object[] {
  const { findings } = lint(load(entry, release), { rules: allRules, ...(from && { from }) });
  const causes = findings.map(({ cause }) => cause?.key);
  // A cause is a key of any kind: only which findings share one matters.
  return findings.map((finding, at) => ({ ...shownFinding(finding), cause: causes.indexOf(causes[at]) }));
}

function shownFinding({ rule, severity, span, related, fix, effect, hosts, witness, covers }: Finding): object {
  return {
    ...{ rule, severity, span: place(span), related: related.map((each) => place(each.span)), effect, hosts },
    fix: fix && [fix.safety, fix.edits.map((edit) => [place(edit.span), edit.text])],
    witness: witness?.request,
    covers: covers?.map(place),
  };
}

function place({ file, start, end }: Span): string {
  return `${basename(file.path)} ${start} ${end}`;
}

function lines(directives: readonly Directive[]): readonly string[] {
  return directives.map(({ span }) => place(span));
}

function compareReleases(entry: string): ConfigComparison {
  const [before, after] = [load(entry, "2.2"), load(entry, "2.4")];
  return compare({ project: before, semantics: "server" }, { project: after, semantics: "server" }, small);
}

const small = { states: 20_000, nodes: 100_000, runs: 1000, steps: 3_000_000 };

function shownComparison({ verdict, differences, unproved, methods, pathClasses }: ConfigComparison): object {
  return {
    ...{ verdict, methods, pathClasses, unproved: unproved.map(shownUnproved) },
    differences: differences.map(({ request, before, after, change, regions }) => ({
      ...{ request, change, regions: regions.length },
      sides: [before, after].map((side) => [side.status, side.class, side.log, lines(side.decidedBy)]),
    })),
  };
}

function shownUnproved({ directive, example, isUnread }: Unproved): object {
  return { directive: directive && place(directive.span), example, isUnread };
}

function migrateExample(entry: string): Migration {
  const changed = (release: Release) => (texts: ReadonlyMap<string, string>) => load(entry, release, texts);
  const source = { before: load(entry, "2.4"), again: changed("2.4"), after: changed("2.4") };
  return migrate(source, "server", { ineffective: "delete", budget: small });
}

function shownMigration(migration: Migration): object {
  if (migration.verdict === "proved") return { verdict: migration.verdict, files: migration.files };
  const { verdict, refused, proposal, comparison } = migration;
  return {
    ...{ verdict, proposal: proposal?.files, comparison: comparison && shownComparison(comparison) },
    refused: refused.map(({ directive }) => directive && place(directive.span)),
  };
}

function mapExample(entry: string): object {
  const { servers, unknown } = accessMap({ project: load(entry, "2.4"), semantics: "server" }, undefined, small);
  return {
    unknown: unknown.map(shownUnproved),
    servers: servers.map(({ scopes }) =>
      scopes.map(({ examples, place: at, sections, methods, differs, isUnsure, who }) => [
        ...[examples, at, lines(sections), methods, differs, isUnsure, who.length],
      ]),
    ),
  };
}

/** Returns every tenth recorded case, of the kinds that httpd starts with. */
function sampledCases(): readonly Case[] {
  const folder = "test/conformance/truth";
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(`${folder}/${name}`, "utf8").trim().split("\n"))
    .filter((_, at) => at % 10 === 0)
    .map((line): Case => JSON.parse(line))
    .filter(({ startup }) => startup === undefined);
}

function answerCase(each: Case): object {
  const { project, files } = loadCase(each);
  const server = new SimulatedServer(project, files);
  return each.requests.map((request) => {
    const found = server.answer(request);
    const { status, class: decided, access, log, decidedBy, unknownFacts, alternatives, servedPath } = found;
    return {
      ...{ status, decided, access, log, decidedBy: lines(decidedBy), servedPath },
      unknown: unknownFacts.map(codeOf),
      alternatives: alternatives.map((one) => [one.status, one.class, one.when.map(({ answer }) => answer)]),
    };
  });
}
