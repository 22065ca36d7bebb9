import { allRules } from "../../../../rules/index.js";
import { readCertificates } from "../../../config/files/certificates.js";
import { readNamedFile } from "../../../config/files/file-content.js";
import { type Finding, isAtLeast, type Severity, severities } from "../../../lint/finding.js";
import { lint } from "../../../lint/runner/lint.js";
import { viewFromOutside } from "../../../proof/audit/outside-view.js";
import { parseSensitivePaths, type SensitivePath, sensitivePaths } from "../../../proof/audit/sensitive-paths.js";
import { probeSensitivePaths } from "../../../proof/audit/sensitive-probes.js";
import { renderAuditJson } from "../../../report/comparisons/audit-json.js";
import { renderAuditText } from "../../../report/comparisons/audit-text.js";
import type { AuditReport } from "../../../report/comparisons/audit-words.js";
import { renderAuditPage } from "../../../report/html/audit-page.js";
import { installConfig } from "../../../startup/install-config.js";
import { toReadable } from "../../../text/source.js";
import { readRulePage } from "../../package-files.js";
import { createSettingsFilter, noSelection, selectRules } from "../../settings/apply-settings.js";
import { collectAssumptions, type LoadedServer, type ServerFlags } from "../inputs/load-server.js";
import type { ChosenServer } from "../inputs/project-settings.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { commandFormats } from "../output/formats.js";
import { defineCommand } from "./command.js";
import { type ReportFlags, runServerCommand, type ServerReport, textStyleOf, withServer } from "./server-command.js";
import {
  addEntryArgument,
  addOutputFlags,
  addReadingFlags,
  defineFilesFlag,
  flagGroups,
  verboseFlag,
} from "./shared-options.js";

/** Output formats of an audit. */
const formats = commandFormats.audit;

interface AuditFlags extends ServerFlags, ReportFlags, Pick<ChosenServer, "settings"> {
  readonly wordlist?: string | undefined;
  readonly failOn: Severity;
  readonly format: (typeof formats)[number];
}

export const auditCommand = defineCommand({
  command: "audit [entry]",
  describe: "Show what anonymous clients from the Internet can access",
  builder: (command) =>
    addEntryArgument(addOutputFlags(addReadingFlags(command)))
      .option("files", defineFilesFlag("Files that exist on the server, for sensitive paths"))
      .option("wordlist", {
        type: "string",
        requiresArg: true,
        describe: "File with more sensitive URL paths, one per line",
      })
      .option("fail-on", {
        requiresArg: true,
        choices: severities,
        default: "warning" as Severity,
        describe: "Least severity for exit code 1 (default: warning)",
      })
      .option("format", {
        requiresArg: true,
        choices: formats,
        default: "text" as (typeof formats)[number],
        describe: "Output format (default: text): text, json, html",
      })
      .option("verbose", { ...verboseFlag, describe: "Show all servers, hosts and paths" })
      .group(["files", "wordlist"], flagGroups.input)
      .group("fail-on", flagGroups.output),
  handler: (flags) => withServer(flags, (server) => runAudit({ ...server, release: server.effectiveRelease })),
});

/** Shows one server as anonymous clients from the Internet see it. */
function runAudit(flags: AuditFlags): CommandResult {
  const more = flags.wordlist === undefined ? [] : readWordlist(flags.wordlist);
  if ("failed" in more) return more.failed;
  const known = new Set(sensitivePaths.map(({ path }) => path));
  const paths = [...sensitivePaths, ...more.filter(({ path }) => !known.has(path))];
  return runServerCommand(flags, [flags], ([server]) => auditServer(flags, server, paths), "unanswering");
}

function readWordlist(file: string): readonly SensitivePath[] | { readonly failed: CommandResult } {
  const content = readNamedFile(file);
  if ("failed" in content)
    return { failed: createFailure(exitCodes.unreadable, `the list \`${file}\` of --wordlist cannot be read`) };
  const list = parseSensitivePaths(toReadable(content.text));
  if ("paths" in list) return list.paths;
  const reason = `line ${list.line} of the list \`${file}\` of --wordlist is not a URL path: \`${list.text}\``;
  return { failed: createFailure(exitCodes.usage, reason) };
}

function auditServer(flags: AuditFlags, server: LoadedServer, paths: readonly SensitivePath[]): ServerReport {
  const { project, files, startup } = server;
  const view = viewFromOutside({ project, semantics: "server" });
  const audited = allRules.filter(({ group }) => group === "exposure" || group === "tls");
  const rules = selectRules(audited, noSelection, flags.settings);
  const raw = lint(installConfig(project.read), {
    rules,
    ruleIds: allRules.map(({ id }) => id),
    files,
    readCertificates,
  });
  const findings = createSettingsFilter(flags.settings)(raw.findings).reported;
  const report: AuditReport = {
    view,
    probes: probeSensitivePaths(project, files, view.servers, paths),
    checkedPaths: paths.length,
    findings: findings.toSorted((a, b) => rankOf(a) - rankOf(b)),
    rules,
    release: project.release,
    startup,
    assumptions: collectAssumptions(server),
  };
  const style = textStyleOf(flags);
  const pieces = {
    text: () => renderAuditText(report, style),
    json: () => renderAuditJson(report, style.base),
    html: () => renderAuditPage({ report, base: style.base, entry: flags.entry, rulePageOf: readRulePage }),
  };
  const isFailed =
    startup.length > 0 ||
    report.probes.some(({ outcome }) => outcome === "exposed") ||
    findings.some((finding) => isAtLeast(finding, flags.failOn));
  return { pieces: pieces[flags.format](), exitCode: isFailed ? exitCodes.findings : exitCodes.clean };
}

function rankOf({ severity }: Finding): number {
  return severities.indexOf(severity);
}
