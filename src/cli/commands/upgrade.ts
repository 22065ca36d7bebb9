import { defaultRules } from "../../../rules/index.js";
import { readNamedFile } from "../../project/files/file-content.js";
import type { Project } from "../../project/model/project.js";
import { renderUpgradeJson } from "../../report/comparisons/upgrade-json.js";
import { renderUpgradeText, type UpgradeReport } from "../../report/comparisons/upgrade-text.js";
import { joinIntoChunks } from "../../report/index.js";
import { type RecordedBuild, readConfigNice } from "../../upgrade/config-nice.js";
import { type Upgrade, upgrade as upgradeOf } from "../../upgrade/upgrade.js";
import {
  collectAssumptions,
  collectFilesRead,
  loadServer,
  maskServerVariables,
  type ServerFlags,
} from "../inputs/load-server.js";
import { type CommandResult, createFailure, type ExitCode, exitCodes } from "../output/command-result.js";
import { textStyleOf } from "./explain.js";

/** Output formats of an upgrade report. */
export const upgradeFormats = ["text", "json"] as const;

export interface UpgradeFlags extends Omit<ServerFlags, "release"> {
  /** The file that `configure` wrote for rebuilding the server. */
  readonly configNice?: string | undefined;
  readonly format: (typeof upgradeFormats)[number];
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

/** Reports everything that the move from 2.2 to 2.4 breaks or changes. */
export function runUpgrade(flags: UpgradeFlags): CommandResult {
  const build = flags.configNice === undefined ? undefined : readBuild(flags.configNice);
  if (build && "failed" in build) return createFailure(exitCodes.unreadable, build.failed);
  const releases = ["2.2", "2.4"] as const;
  const before = loadServer({ ...flags, release: releases[0] });
  if ("failed" in before) return before.failed;
  const after = loadServer({ ...flags, release: releases[1] });
  if ("failed" in after) return after.failed;
  const withModules = (moreModules: readonly string[]): Project => {
    const loaded = loadServer({ ...flags, release: releases[1], moreModules });
    return "failed" in loaded ? after.project : loaded.project;
  };
  const upgraded: UpgradeReport = {
    upgrade: upgradeOf(before.project, { project: after.project, withModules }, defaultRules),
    releases,
    startupBefore: before.startup,
    assumptions: collectAssumptions(before, after),
    ...(build === undefined ? {} : { build }),
  };
  const look = textStyleOf(flags);
  const pieces = flags.format === "json" ? renderUpgradeJson(upgraded, look.base) : renderUpgradeText(upgraded, look);
  const code = exitCodeOf(upgraded.upgrade);
  return {
    output: joinIntoChunks(maskServerVariables(pieces, [before, after])),
    read: collectFilesRead(before, after),
    notes: [...new Set([...before.notes, ...after.notes])],
    exitCode: flags.exitZero && code === exitCodes.findings ? exitCodes.clean : code,
  };
}

function exitCodeOf({ findings, comparison }: Upgrade): ExitCode {
  const isFound = Object.values(findings).some(({ length }) => length > 0) || comparison.differences.length > 0;
  if (isFound) return exitCodes.findings;
  return comparison.unproved.length > 0 ? exitCodes.unknown : exitCodes.clean;
}

function readBuild(path: string): RecordedBuild | { readonly failed: string } {
  const content = readNamedFile(path);
  if ("failed" in content) return { failed: `the file \`${path}\` of --config-nice cannot be read` };
  const build = readConfigNice(content.text);
  return "failed" in build
    ? { failed: `the file \`${path}\` of --config-nice is no recorded \`configure\` line: ${build.failed}` }
    : build;
}
