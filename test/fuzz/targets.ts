import { parseArguments } from "../../grammar/arguments.js";
import { buildTree, print } from "../../grammar/ast.js";
import { parseExpression, parseStringExpression } from "../../grammar/expression/expression.js";
import { parseFile } from "../../grammar/parser.js";
import { defaultRules } from "../../rules/index.js";
import { readBaseline } from "../../src/baseline/read.js";
import { parseLogLine } from "../../src/cli/inputs/access-log.js";
import { defaultBudget } from "../../src/compare/model/budget.js";
import { lint } from "../../src/linter/lint.js";
import { migrate } from "../../src/migrate/migrate.js";
import { dumpConfig } from "../../src/project/dump.js";
import { renderMigrationJson } from "../../src/report/comparisons/migration-json.js";
import { renderMigrationDiff } from "../../src/report/comparisons/migration-text.js";
import { formats, render } from "../../src/report/index.js";
import { readSettings } from "../../src/settings/read.js";
import { fromBytes } from "../../src/text/bytes.js";
import { sourceFile, toReadable } from "../../src/text/source.js";
import { tellOfRequests, tellOfUpgrade } from "./answers.js";
import { editAll } from "./editing.js";
import { givenFiles, load } from "./given-files.js";
import { recoverAll } from "./journals.js";
import { checkReport, expectThat } from "./promises.js";

/** Takes any bytes, and throws where what they are given to does not keep its word. */
export type FuzzTarget = (data: Uint8Array) => void;

/** All of them may take minutes: with a fiftieth, what goes on for a minute does not count what it does. */
const fewSteps = { ...defaultBudget, steps: defaultBudget.steps / 50 };

/** What is fuzzed, by the name it is called by. */
export const targets = {
  /** Printing a tree gives back the bytes, and the words of a line stand where they say. */
  grammar(data) {
    const text = fromBytes(data);
    const tree = parseFile({ ...sourceFile("/x", ""), text });
    expectThat(print(tree) === text, "a byte was lost");
    buildTree(tree);
    let end = 0;
    for (const word of parseArguments(text)) {
      expectThat(word.start >= end && word.end <= text.length, `a word stands at ${word.start} behind ${end}`);
      end = word.end;
    }
  },
  expressions(data) {
    const text = fromBytes(data);
    parseExpression(text);
    parseStringExpression(text);
  },
  /** Several files read as one server by both releases. */
  resolver(data) {
    for (const release of ["2.2", "2.4"] as const) {
      const project = load(givenFiles(data), release);
      dumpConfig(project.directives);
      for (const tree of project.files.values()) expectThat(print(tree) === tree.source.text, "a byte was lost");
    }
  },
  /** Every rule, with and without the move from 2.2. */
  rules(data) {
    const files = givenFiles(data);
    lint(load(files, "2.4"), { rules: defaultRules });
    lint(load(files, "2.4"), { rules: defaultRules, from: "2.2", before: () => load(files, "2.2") });
  },
  /** What is found, in every format: nothing that a terminal obeys, JSON that can be read. */
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
  /** What requests for the paths that are named get, and why. */
  explain(data) {
    tellOfRequests(givenFiles(data));
  },
  /** Who gets in where under both releases, what differs, and what else an upgrade changes: `compare`, `map`, `upgrade`. */
  compare(data) {
    tellOfUpgrade(givenFiles(data), fewSteps);
  },
  /** All that an editor asks of the main file, at places all over it. */
  lsp(data) {
    editAll(givenFiles(data));
  },
  /** Old access control moved to new, and shown both ways. */
  migrate(data) {
    const files = givenFiles(data);
    const before = load(files, "2.4");
    const after = (changed: ReadonlyMap<string, string>) => {
      const readable = [...changed].map(([path, text]) => [path, toReadable(text)]);
      return load({ ...files, ...Object.fromEntries(readable) }, "2.4", ["access_compat"]);
    };
    const migration = migrate({ before, after }, "server", fewSteps);
    [...renderMigrationDiff(migration, { base: "/srv/x" })].join("");
    JSON.parse([...renderMigrationJson(migration, "/srv/x")].join(""));
  },
  /** What --recover does by journals that were planted, and by signed ones. */
  journals(data) {
    recoverAll(data);
  },
} satisfies Readonly<Record<string, FuzzTarget>>;

/** The folder of test/fuzz/corpus that a target begins with. */
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
};
