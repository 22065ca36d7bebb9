import { defaultRules } from "../../../../rules/index.js";
import { readNamedFile } from "../../../config/files/file-content.js";
import type { Project } from "../../../config/model/project.js";
import { isSince, lineOf, type Release } from "../../../facts/release.js";
import { isAtLeast, type Severity } from "../../../lint/finding.js";
import { type RecordedBuild, readConfigNice } from "../../../lint/runner/config-nice.js";
import { upgrade as upgradeOf } from "../../../lint/runner/upgrade.js";
import { defaultBudget } from "../../../proof/model/budget.js";
import { describeUpgradedFiles } from "../../../report/comparisons/migration-notes.js";
import { renderUpgradeJson } from "../../../report/comparisons/upgrade-json.js";
import {
  formatUpgradeTitle,
  listUpgrade,
  renderUpgradeText,
  type UpgradeReport,
} from "../../../report/comparisons/upgrade-report.js";
import { type OutputFormat, outputFormats, type Renderers } from "../../../report/formats.js";
import { findFilesFor24, findLineOf24 } from "../../../server/access/lines-of-24.js";
import { installConfig } from "../../../startup/install-config.js";
import type { Result } from "../../../text/result.js";
import { formatFlag, switchFlag, textFlag } from "../inputs/flags.js";
import { collectAssumptions, type LoadedServer, loadServer, type ServerFlags } from "../inputs/load-server.js";
import { type CommandResult, createFailure, type ExitCode, exitCodes } from "../output/command-result.js";
import { ProgressLine } from "../output/progress-line.js";
import { defineCommand } from "./command.js";
import {
  documentRenderers,
  type ReportFlags,
  runServerCommand,
  type ServerReport,
  textStyleOf,
  withServer,
} from "./server-command.js";
import {
  assumptionFlags,
  entryArgument,
  failOnFlag,
  inputFlags,
  mainFlags,
  releaseFlag,
  resultFlags,
} from "./shared-flags.js";

interface UpgradeFlags extends Omit<ServerFlags, "release">, ReportFlags {
  readonly from?: Release | undefined;
  readonly to?: Release | undefined;
  /** The file that `configure` wrote for rebuilding the server. */
  readonly configNice?: string | undefined;
  readonly format: OutputFormat<"upgrade">;
  readonly failOn: Severity;
}

export const upgradeCommand = defineCommand({
  describe: "Report what an upgrade breaks or changes: 2.2 → 2.4, or between versions",
  arguments: { entry: entryArgument },
  flags: {
    from: releaseFlag("Version you upgrade from (default: 2.2)"),
    // Other commands call the target version `--release`.
    to: { ...releaseFlag("Version you upgrade to (default: 2.4)"), alias: ["release"] },
    ...inputFlags,
    ...mainFlags,
    ...assumptionFlags,
    "config-nice": textFlag("Input", "FILE", "config.nice of the 2.2 build; reports switches that 2.4 does not accept"),
    format: formatFlag(outputFormats.upgrade),
    "fail-on": failOnFlag,
    ...resultFlags,
    verbose: switchFlag(
      "Output",
      "Show repeated advice, all hosts, all affected requests and unchanged access in full",
    ),
  },
  handler: (flags) => withServer(flags, runUpgrade),
});

/** Reports everything that the move to another version breaks or changes. */
function runUpgrade(flags: UpgradeFlags): CommandResult {
  const { from = "2.2", to = "2.4" } = flags;
  const misused =
    findWrongOrder(from, to) ??
    (flags.configNice !== undefined && lineOf(from) === lineOf(to)
      ? "--config-nice is about an upgrade from 2.2 to 2.4; omit it, or --from"
      : undefined);
  if (misused !== undefined) return createFailure(exitCodes.usage, misused);
  const build = flags.configNice === undefined ? undefined : readBuild(flags.configNice);
  if (build && !build.ok) return createFailure(exitCodes.unreadable, build.error);
  const flagsFor = (release: Release) => ({ ...flags, release });
  return runServerCommand(flags, [flagsFor(from), flagsFor(to)], ([before, after = before]) =>
    upgradeServer(flags, [before, after], [from, to], build?.value),
  );
}

function upgradeServer(
  flags: UpgradeFlags,
  [before, after]: readonly [LoadedServer, LoadedServer],
  [from, to]: readonly [Release, Release],
  build: RecordedBuild | undefined,
): ServerReport {
  const withModules = (moreModules: readonly string[]): Project => {
    const loaded = loadServer({
      ...flags,
      release: to,
      moreModules: [...(flags.moreModules ?? []), ...moreModules],
    });
    return installConfig(loaded.ok ? loaded.value.project.read : after.project.read);
  };
  const style = textStyleOf(flags);
  // A configuration of 2.4 has nothing that an upgrade from 2.2 could change.
  const line = isSince(from, "2.4") ? undefined : findLineOf24(before.project);
  const old = line === undefined ? before : { project: after.project, startup: [] };
  const target = { project: installConfig(after.project.read), withModules };
  const upgraded: UpgradeReport = {
    upgrade: ProgressLine.onTerminal(flags.quiet).run((onProgress) =>
      upgradeOf(installConfig(old.project.read), target, defaultRules, defaultBudget, onProgress),
    ),
    releases: [from, to],
    startupBefore: old.startup,
    assumptions: collectAssumptions(before, after),
    ...(build === undefined ? {} : { build }),
    ...(line === undefined ? {} : { newer: line }),
  };
  const renderers: Renderers<"upgrade", () => Iterable<string>> = {
    text: () => renderUpgradeText(upgraded, style),
    json: () => renderUpgradeJson(upgraded, style.base),
    ...documentRenderers(
      { title: formatUpgradeTitle(upgraded), subject: flags.entry },
      (options) => listUpgrade(upgraded, options),
      style,
    ),
  };
  const files = isSince(from, "2.4") ? [] : [...findFilesFor24(before.project).values()];
  const notes = line ? [] : files.map(() => `httpd-lint: ${describeUpgradedFiles(files, style.base)}`).slice(0, 1);
  return { pieces: renderers[flags.format](), notes, exitCode: exitCodeOf(upgraded, flags.failOn) };
}

/** Returns why two versions are none to upgrade between. */
function findWrongOrder(from: Release, to: Release): string | undefined {
  if (from === to) return `--from and --to are both ${from}; name two versions`;
  return isSince(from, to) && !isSince(to, from)
    ? `${from} (--from) is newer than ${to} (--to); \`httpd-lint compare --from ${from} --to ${to}\` compares them`
    : undefined;
}

function exitCodeOf({ upgrade, newer }: UpgradeReport, failOn: Severity): ExitCode {
  const { findings, versions } = upgrade;
  const { differences, unproved } = newer ? { differences: [], unproved: [] } : upgrade.comparison;
  const isFound =
    Object.values(findings).some((some) => some.some((finding) => isAtLeast(finding, failOn))) ||
    differences.length > 0 ||
    (versions !== undefined && versions.differences.length + versions.changes.length > 0);
  if (isFound) return exitCodes.findings;
  return unproved.length > 0 ? exitCodes.unknown : exitCodes.clean;
}

function readBuild(path: string): Result<RecordedBuild, string> {
  const content = readNamedFile(path);
  if (!content.ok) return { ok: false, error: `the file \`${path}\` of --config-nice cannot be read` };
  const build = readConfigNice(content.value.text);
  if (build.ok) return build;
  const error = `the file \`${path}\` of --config-nice is not a recorded \`configure\` command: ${build.error}`;
  return { ok: false, error };
}
