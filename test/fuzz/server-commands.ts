import { defaultRules } from "../../rules/index.js";
import { iterateDirectives } from "../../src/config/queries/directive-tree.js";
import { upgrade } from "../../src/lint/runner/upgrade.js";
import type { ExplorationBudget } from "../../src/proof/model/budget.js";
import { renderAnswerJson } from "../../src/report/answers/answer-json.js";
import { renderAnswerText } from "../../src/report/answers/answer-text.js";
import { renderComparisonJson } from "../../src/report/comparisons/comparison-json.js";
import { renderComparisonText } from "../../src/report/comparisons/comparison-report.js";
import { renderMapJson } from "../../src/report/comparisons/map-json.js";
import { renderMapText } from "../../src/report/comparisons/map-report.js";
import { renderUpgradeJson } from "../../src/report/comparisons/upgrade-json.js";
import { renderUpgradeText } from "../../src/report/comparisons/upgrade-report.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createAssumedFiles } from "../../src/server/file-trees.js";
import { parseUrl } from "../../src/server/request/request-parser.js";
import { checkReport } from "./guarantees.js";
import { load } from "./input-files.js";

const base = "/srv/x";
const inspect = { base, colour: false } as const;
/** Maximum number of paths named in a configuration to request. */
const MAX_PATHS = 8;

type Files = Readonly<Record<string, string>>;

/** Requests the named paths with `explain` under both releases. */
export function explainRequests(files: Files): void {
  for (const release of ["2.2", "2.4"] as const) {
    const project = load(files, release);
    const simulatedServer = new SimulatedServer(project, createAssumedFiles(project));
    const words = [...iterateDirectives(project)].flatMap((each) => each.arguments.map(({ value }) => value));
    const paths = new Set(["/", ...words.filter((word) => word.startsWith("/"))]);
    for (const url of [...paths].slice(0, MAX_PATHS)) {
      const sent = parseUrl(url);
      if (!sent.ok) continue;
      const request = { ...sent.value, method: "GET", clientIp: "192.0.2.1", headers: { Cookie: "a=b" } };
      const explained = { answer: simulatedServer.answer(request), startup: [] };
      checkReport("text", [...renderAnswerText(explained, inspect)].join(""));
      checkReport("json", [...renderAnswerJson(explained, base)].join(""));
    }
  }
}

/** Runs `compare`, `map` and `upgrade` on one configuration under both releases. */
export function compareReleases(files: Files, budget: ExplorationBudget): void {
  const releases = ["2.2", "2.4"] as const;
  const [before, after] = [load(files, "2.2"), load(files, "2.4")];
  const report = upgrade(before, { project: after, withModules: () => after }, defaultRules, budget);
  const upgraded = { upgrade: report, releases, startupBefore: [] };
  const compared = { comparison: report.comparison, titles: releases, startup: [[], []], notCompared: [] } as const;
  const mapped = { map: report.review, releases, startup: [] };
  for (const text of [
    renderUpgradeText(upgraded, inspect),
    renderComparisonText(compared, inspect),
    renderMapText(mapped, inspect),
  ])
    checkReport("text", [...text].join(""));
  for (const json of [
    renderUpgradeJson(upgraded, base),
    renderComparisonJson(compared, base),
    renderMapJson(mapped, base),
  ])
    checkReport("json", [...json].join(""));
}
