import { parseArguments } from "../../grammar/arguments.js";
import { print } from "../../grammar/ast.js";
import { parseExpression, parseStringExpression } from "../../grammar/expression/expression.js";
import { parseFile } from "../../grammar/parser.js";
import { defaultRules } from "../../rules/index.js";
import { readBaseline } from "../../src/apps/baseline/baseline-file.js";
import { parseLogLine } from "../../src/apps/cli/inputs/access-log.js";
import { readSettings } from "../../src/apps/settings/read.js";
import { dumpConfig } from "../../src/config/dump.js";
import { lint } from "../../src/lint/runner/lint.js";
import { migrate } from "../../src/proof/migrate/migrate.js";
import type { MigrateSource } from "../../src/proof/migrate/migration.js";
import { defaultBudget, type ExplorationBudget } from "../../src/proof/model/budget.js";
import { renderMigrationJson } from "../../src/report/comparisons/migration-json.js";
import { renderMigrationDiff } from "../../src/report/comparisons/migration-report.js";
import { formats, render } from "../../src/report/index.js";
import { fromBytes } from "../../src/text/bytes.js";
import { sourceFile, toReadable } from "../../src/text/source.js";
import { editAll } from "./editor-requests.js";
import { checkReport, expectThat } from "./guarantees.js";
import { givenFiles, load, mainFile } from "./input-files.js";
import { recoverAll } from "./journals.js";
import { compareReleases, explainRequests } from "./server-commands.js";
import { smallAttack } from "./small-attacks.js";

/** A target: takes any bytes, and throws if the tested code breaks a guarantee. */
export type FuzzTarget = (data: Uint8Array) => void;

/** With all steps a run may take minutes. With a fiftieth, a run of a minute must contain uncounted work. */
const fewSteps = { ...defaultBudget, steps: defaultBudget.steps / 50 };

/** The fuzz targets by name. */
export const targets = {
  /** Printing a tree returns the original bytes, and arguments are at their reported positions. */
  grammar(data) {
    const text = fromBytes(data);
    const tree = parseFile({ ...sourceFile("/x", ""), text });
    expectThat(print(tree) === text, "a byte was lost");
    tree.nodes;
    let end = 0;
    for (const word of parseArguments(text)) {
      expectThat(
        word.start >= end && word.end <= text.length,
        `a word starts at ${word.start}, before the end of the previous one at ${end}`,
      );
      end = word.end;
    }
  },
  expressions(data) {
    const text = fromBytes(data);
    parseExpression(text);
    parseStringExpression(text);
  },
  /** Reads several files as one server under both releases. */
  resolver(data) {
    for (const release of ["2.2", "2.4"] as const) {
      const project = load(givenFiles(data), release);
      dumpConfig(project.directives);
      for (const tree of project.files.values()) expectThat(print(tree) === tree.source.text, "a byte was lost");
    }
  },
  /** Runs every rule, with and without the upgrade from 2.2. */
  rules(data) {
    const files = givenFiles(data);
    lint(load(files, "2.4"), { rules: defaultRules });
    lint(load(files, "2.4"), { rules: defaultRules, from: "2.2", before: () => load(files, "2.2") });
  },
  /** Writes the findings in every format: no terminal control characters, valid JSON. */
  reports(data) {
    const files = givenFiles(data);
    const { findings, ignored } = lint(load(files, "2.4"), { rules: defaultRules, from: "2.2" });
    const input = { findings, ignored, files: 1, lines: 1, rules: defaultRules, version: "0.0.0", base: "/srv/x" };
    for (const format of formats) {
      checkReport(format, [...render(format, { ...input, reportIgnored: true })].join(""));
    }
  },
  settings(data) {
    const text = toReadable(fromBytes(data));
    readSettings(text, defaultRules);
  },
  baselines(data) {
    readBaseline(toReadable(fromBytes(data)));
  },
  logs(data) {
    for (const line of fromBytes(data).split("\n")) parseLogLine(line, {});
  },
  /** Explains the responses to requests for the named paths. */
  explain(data) {
    explainRequests(givenFiles(data));
  },
  /** Compares both releases and computes the effects of the upgrade: `compare`, `map`, `upgrade`. */
  compare(data) {
    compareReleases(givenFiles(data), fewSteps);
  },
  /** Makes all requests of an editor for the main file, at positions all over it. */
  lsp(data) {
    editAll(givenFiles(data));
  },
  /** Small configurations that cost much, with the usual budgets: each input tells which command runs. */
  limits(data) {
    runCommand(data, smallAttack(data.subarray(1)));
  },
  /** Variables and macros that multiply each other, and long lines. */
  expansion(data) {
    runCommand(data, smallAttack(data.subarray(1), ["variablesAndMacros", "longLine"]));
  },
  /** Values of the environment that grow from line to line. */
  environment(data) {
    runCommand(data, smallAttack(data.subarray(1), ["rewritingValues", "matchedValues"]));
  },
  /** Migrates mod_access_compat directives to Require, in both output forms. */
  migrate(data) {
    migrateAll(givenFiles(data), fewSteps);
  },
  /** Runs --recover with planted journals and with signed ones. */
  journals(data) {
    recoverAll(data);
  },
} satisfies Readonly<Record<string, FuzzTarget>>;

function migrateAll(files: Readonly<Record<string, string>>, budget: ExplorationBudget): void {
  const before = load(files, "2.4");
  const read = (changed: ReadonlyMap<string, string>, without: readonly string[] = []) => {
    const readable = [...changed].map(([path, text]) => [path, toReadable(text)]);
    return load({ ...files, ...Object.fromEntries(readable) }, "2.4", without);
  };
  const source: MigrateSource = { before, again: read, after: (changed) => read(changed, ["access_compat"]) };
  const migration = migrate(source, "server", { budget });
  [...renderMigrationDiff(migration, { base: "/srv/x" })].join("");
  JSON.parse([...renderMigrationJson(migration, "/srv/x")].join(""));
}

/** Runs on a configuration what the first byte of an input chooses. */
function runCommand([choice = 0]: Uint8Array, text: string): void {
  const files = { [mainFile]: text };
  const before = () => load(files, "2.2");
  const commands: readonly (() => void)[] = [
    () => lint(load(files, "2.4"), { rules: defaultRules, from: "2.2", before }),
    () => compareReleases(files, defaultBudget),
    () => explainRequests(files),
    () => migrateAll(files, defaultBudget),
    () => editAll(files),
    () => dumpConfig(load(files, "2.4").directives),
  ];
  commands[choice % commands.length]?.();
}

/** The initial corpus folder of each target in test/fuzz/corpus. */
export const corpora: Readonly<Record<keyof typeof targets, string>> = {
  grammar: "servers",
  resolver: "servers",
  rules: "servers",
  reports: "servers",
  migrate: "servers",
  explain: "servers",
  compare: "servers",
  lsp: "servers",
  expressions: "expressions",
  settings: "settings",
  baselines: "baselines",
  logs: "logs",
  journals: "journals",
  limits: "limits",
  expansion: "expansion",
  environment: "environment",
};
