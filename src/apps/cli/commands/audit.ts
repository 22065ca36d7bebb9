import { allRules } from "../../../../rules/index.js";
import { readCertificates } from "../../../config/files/certificates.js";
import { readNamedFile } from "../../../config/files/file-content.js";
import { type Finding, isAtLeast, type Severity, severities } from "../../../lint/finding.js";
import { lint } from "../../../lint/runner/lint.js";
import { viewFromOutside } from "../../../proof/audit/outside-view.js";
import { parseSensitivePaths, type SensitivePath, sensitivePaths } from "../../../proof/audit/sensitive-paths.js";
import { probeSensitivePaths } from "../../../proof/audit/sensitive-probes.js";
import { type ExpectedRequest, renderCurlCommands } from "../../../report/answers/sent-request.js";
import { renderAuditJson } from "../../../report/comparisons/audit-json.js";
import { renderAuditText } from "../../../report/comparisons/audit-text.js";
import type { AuditReport } from "../../../report/comparisons/audit-words.js";
import { type OutputFormat, outputFormats, type Renderers } from "../../../report/formats.js";
import { renderAuditPage } from "../../../report/html/audit-page.js";
import { installConfig } from "../../../startup/install-config.js";
import type { Result } from "../../../text/result.js";
import { toReadable } from "../../../text/source.js";
import { readRulePage } from "../../package-files.js";
import { createSettingsFilter, noSelection, selectRules } from "../../settings/apply-settings.js";
import { formatFlag, switchFlag, textFlag } from "../inputs/flags.js";
import { collectAssumptions, type LoadedServer, type ServerFlags } from "../inputs/load-server.js";
import type { ChosenServer } from "../inputs/project-settings.js";
import { withChosenRelease } from "../inputs/project-settings.js";
import { type CommandResult, createFailure, exitCodes, failWith } from "../output/command-result.js";
import { defineCommand } from "./command.js";
import { type ReportFlags, runServerCommand, type ServerReport, textStyleOf, withServer } from "./server-command.js";
import {
  assumptionFlags,
  curlFlag,
  entryArgument,
  failOnFlag,
  filesFlag,
  findCurlConflict,
  mainFlags,
  readingFlags,
  resultFlags,
} from "./shared-flags.js";

interface AuditFlags extends ServerFlags, ReportFlags, Pick<ChosenServer, "settings"> {
  readonly wordlist?: string | undefined;
  readonly failOn: Severity;
  readonly curl: boolean;
  readonly format: OutputFormat<"audit">;
}

export const auditCommand = defineCommand({
  describe: "Show what anonymous clients from the Internet can access",
  arguments: { entry: entryArgument },
  flags: {
    ...readingFlags,
    ...mainFlags,
    ...assumptionFlags,
    files: filesFlag("Files that exist on the server, for sensitive paths"),
    wordlist: textFlag("Input", "FILE", "File with more sensitive URL paths, one per line"),
    format: formatFlag(outputFormats.audit),
    ...resultFlags,
    curl: curlFlag,
    verbose: switchFlag("Output", "Show all servers, hosts and paths"),
    "fail-on": failOnFlag,
  },
  handler: (flags) => withServer(flags, (server) => runAudit(withChosenRelease(server))),
});

/** Shows one server as anonymous clients from the Internet see it. */
function runAudit(flags: AuditFlags): CommandResult {
  const more = flags.wordlist === undefined ? ({ ok: true, value: [] } as const) : readWordlist(flags.wordlist);
  if (!more.ok) return more.error;
  const conflict = findCurlConflict(flags);
  if (conflict !== undefined) return createFailure(exitCodes.usage, conflict);
  const known = new Set(sensitivePaths.map(({ path }) => path));
  const paths = [...sensitivePaths, ...more.value.filter(({ path }) => !known.has(path))];
  return runServerCommand(flags, [flags], ([server]) => auditServer(flags, server, paths), "unanswering");
}

function readWordlist(file: string): Result<readonly SensitivePath[], CommandResult> {
  const content = readNamedFile(file);
  if (!content.ok) return failWith(exitCodes.unreadable, `the list \`${file}\` of --wordlist cannot be read`);
  const list = parseSensitivePaths(toReadable(content.value.text));
  if ("paths" in list) return { ok: true, value: list.paths };
  const reason = `line ${list.line} of the list \`${file}\` of --wordlist is not a URL path: \`${list.text}\``;
  return failWith(exitCodes.usage, reason);
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
  const renderers: Renderers<"audit", () => Iterable<string>> = {
    text: () => (flags.curl ? renderCurlCommands(listOpenRequests(report)) : renderAuditText(report, style)),
    json: () => renderAuditJson(report, style.base),
    html: () => renderAuditPage({ report, base: style.base, entry: flags.entry, rulePageOf: readRulePage }),
  };
  const isFailed =
    startup.length > 0 ||
    report.probes.some(({ outcome }) => outcome === "exposed") ||
    findings.some((finding) => isAtLeast(finding, flags.failOn));
  return { pieces: renderers[flags.format](), exitCode: isFailed ? exitCodes.findings : exitCodes.clean };
}

/** Returns an example request for each scope that is open to anonymous clients. */
function listOpenRequests({ view }: AuditReport): readonly ExpectedRequest[] {
  return view.servers.flatMap(({ scopes }) =>
    scopes.map(({ answer: { request, status } }) => ({ request, expected: String(status) })),
  );
}

function rankOf({ severity }: Finding): number {
  return severities.indexOf(severity);
}
