import { defaultRules } from "../../rules/index.js";
import type { SurveyBudget } from "../../src/compare/survey-budget.js";
import { allDirectives } from "../../src/project/all-directives.js";
import { comparisonJson } from "../../src/report/comparison-json.js";
import { comparisonText } from "../../src/report/comparison-text.js";
import { decisionJson } from "../../src/report/decision-json.js";
import { decisionText } from "../../src/report/decision-text.js";
import { mapJson } from "../../src/report/map-json.js";
import { mapText } from "../../src/report/map-text.js";
import { upgradeJson } from "../../src/report/upgrade-json.js";
import { upgradeText } from "../../src/report/upgrade-text.js";
import { readUrl } from "../../src/scope/sent-url.js";
import { Decider } from "../../src/simulate/decide.js";
import { assumedFiles } from "../../src/simulate/file-trees.js";
import { upgrade } from "../../src/upgrade/upgrade.js";
import { load } from "./given-files.js";
import { checkReport } from "./promises.js";

const base = "/srv/x";
const look = { base, colour: false } as const;
/** So many of the paths that a configuration names are asked for. */
const MOST_PATHS = 8;

type Files = Readonly<Record<string, string>>;

/** Requests for the paths that are named, as `explain` tells of them under both releases. */
export function tellOfRequests(files: Files): void {
  for (const release of ["2.2", "2.4"] as const) {
    const project = load(files, release);
    const decider = new Decider(project, assumedFiles(project));
    const words = [...allDirectives(project)].flatMap((each) => each.arguments.map(({ value }) => value));
    const paths = new Set(["/", ...words.filter((word) => word.startsWith("/"))]);
    for (const url of [...paths].slice(0, MOST_PATHS)) {
      const sent = readUrl(url);
      if ("failed" in sent) continue;
      const request = { ...sent, method: "GET", clientIp: "192.0.2.1", headers: { Cookie: "a=b" } };
      const explained = { decision: decider.decide(request), startup: [] };
      checkReport("text", [...decisionText(explained, look)].join(""));
      checkReport("json", [...decisionJson(explained, base)].join(""));
    }
  }
}

/** One configuration under both releases, as `compare`, `map` and `upgrade` tell of it. */
export function tellOfUpgrade(files: Files, budget: SurveyBudget): void {
  const releases = ["2.2", "2.4"] as const;
  const [before, after] = [load(files, "2.2"), load(files, "2.4")];
  const told = upgrade(before, { project: after, withModules: () => after }, defaultRules, budget);
  const upgraded = { upgrade: told, releases, startupBefore: [] };
  const compared = { comparison: told.comparison, titles: releases, startup: [[], []], notCompared: [] } as const;
  const mapped = { map: told.review, releases, startup: [] };
  for (const text of [upgradeText(upgraded, look), comparisonText(compared, look), mapText(mapped, look)])
    checkReport("text", [...text].join(""));
  for (const json of [upgradeJson(upgraded, base), comparisonJson(compared, base), mapJson(mapped, base)])
    checkReport("json", [...json].join(""));
}
