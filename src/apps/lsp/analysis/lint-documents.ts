import { allRules } from "../../../../rules/index.js";
import { readCertificates } from "../../../config/files/certificates.js";
import type { Finding } from "../../../lint/finding.js";
import type { SuppressionFilter } from "../../../lint/runner/filter-findings.js";
import { lint, ProofRecorder } from "../../../lint/runner/lint.js";
import { createDefaultFiles } from "../../../server/file-trees.js";
import type { Span } from "../../../text/source.js";
import { readBaselineFile } from "../../baseline/baseline-file.js";
import { createSettingsFilter, noSelection, selectRules } from "../../settings/apply-settings.js";
import type { DocumentFindings, DocumentSnapshot, JobResult } from "../job.js";
import { type DocumentGroup, groupDocuments } from "./document-groups.js";
import { FindingConverter } from "./finding-conversion.js";
import { OutlineBuilder } from "./outline.js";

/**
 * Lints documents, each within its configuration, as `check` does: reads it, runs the rules, filters the findings.
 *
 * @param isProved whether rules get the proofs that they request, which may take long
 */
export function lintDocuments(
  snapshot: DocumentSnapshot,
  isProved: boolean,
): Extract<JobResult, { readonly kind: "findings" }> {
  const suppress = createProjectFilter(snapshot.project);
  const rules = selectRules(allRules, noSelection, snapshot.project);
  const proofRecorder = new ProofRecorder();
  const documents = groupDocuments(snapshot).flatMap((group) => {
    const { project, reading, before } = group;
    const { findings } = lint(project, {
      ...{ rules, ruleIds, suppress, omitsRoutine: true },
      only: new Set(group.documents.keys()),
      files: createDefaultFiles(project, reading.access),
      readCertificates,
      ...(reading.settings.from === undefined ? {} : { from: reading.settings.from, before }),
      ...(isProved ? {} : { proofs: proofRecorder }),
    });
    return groupByDocument(group, findings);
  });
  return { kind: "findings", documents, asksForProof: proofRecorder.wereRequested };
}

const ruleIds = allRules.map(({ id }) => id);

/** Returns a filter that drops the findings that the project ignores or its baseline contains. */
function createProjectFilter(project: DocumentSnapshot["project"]): SuppressionFilter {
  const bySettings = createSettingsFilter(project);
  const read = project?.baseline === undefined ? undefined : readBaselineFile(project.baseline);
  return (findings) => {
    const { reported, ignored } = bySettings(findings);
    return { kept: read?.ok ? read.value.baseline.takeNew(reported).fresh : reported, ignored };
  };
}

/** Returns a finding at its place in a file: an Include elsewhere may add a line of the file where it is not allowed. */
function placeInFile(finding: Finding, realPath: string): Finding | undefined {
  const { span, covers = [], related, message } = finding;
  const isInFile = ({ file }: Span) => file.realPath === realPath;
  if (isInFile(span)) return finding;
  const covered = covers.find(isInFile);
  return covered && { ...finding, span: covered, related: [{ message, span }, ...related] };
}

function groupByDocument(
  { project, documents, reading }: DocumentGroup,
  findings: readonly Finding[],
): readonly DocumentFindings[] {
  const put = new FindingConverter(documents);
  const outlines = new OutlineBuilder(project, reading, (file) => put.uri(file));
  return [...documents].map(([realPath, { uri, version }]) => {
    const own = findings.flatMap((finding) => placeInFile(finding, realPath) ?? []);
    return {
      uri,
      version,
      findings: own.map((finding) => put.convert(finding)),
      fixAll: put.fixAll(own, realPath),
      outline: outlines.build(realPath),
    };
  });
}
