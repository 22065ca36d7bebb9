import { defaultRules } from "../../rules/index.js";
import type { Finding } from "../engine/finding.js";
import type { Proofs } from "../engine/proofs.js";
import { lint } from "../lint.js";
import { EditorFindings } from "./findings.js";
import type { AnalysedDocument, Answer, Snapshot } from "./jobs.js";
import { Outlines } from "./outline.js";
import { type Group, SnapshotReading } from "./reading.js";

/**
 * Looks for what is wrong with documents, each within its configuration.
 *
 * @param isProved whether rules are given the proofs that they ask for, which may take long
 */
export function analyse(snapshot: Snapshot, isProved: boolean): Extract<Answer, { readonly kind: "findings" }> {
  const reading = new SnapshotReading(snapshot);
  const asked = new AskedProofs();
  const documents = reading.groups().flatMap((group) => {
    const findings = findingsIn(group, snapshot, isProved ? undefined : asked);
    return inDocuments(group, findings, reading, snapshot);
  });
  return { kind: "findings", documents, asksForProof: asked.areWanted };
}

/** Proves nothing, and remembers whether it was asked to. */
class AskedProofs implements Proofs {
  areWanted = false;

  upgrade(): undefined {
    this.areWanted = true;
  }

  changesNothing(): boolean {
    this.areWanted = true;
    return false;
  }
}

function findingsIn(
  { project, documents, under }: Group,
  { settings: { from } }: Snapshot,
  proofs: Proofs | undefined,
): readonly Finding[] {
  return lint(project, {
    rules: defaultRules,
    only: new Set(documents.keys()),
    ...(from === undefined ? {} : { from, before: () => under(from) }),
    ...(proofs ? { proofs } : {}),
  }).findings;
}

function inDocuments(
  { project, documents }: Group,
  findings: readonly Finding[],
  reading: SnapshotReading,
  snapshot: Snapshot,
): readonly AnalysedDocument[] {
  const put = new EditorFindings(documents);
  const outlines = new Outlines(project, reading, snapshot, (file) => put.uri(file));
  return [...documents].map(([realPath, { uri, version }]) => {
    const own = findings.filter(({ span }) => span.file.realPath === realPath);
    return {
      uri,
      version,
      findings: own.map((finding) => put.of(finding)),
      fixAll: put.fixAll(own, realPath),
      outline: outlines.of(realPath),
    };
  });
}
