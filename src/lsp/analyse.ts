import { defaultRules } from "../../rules/index.js";
import { readBaselineFile } from "../baseline/file.js";
import type { Finding } from "../engine/finding.js";
import type { Sift } from "../engine/lint.js";
import type { Proofs } from "../engine/proofs.js";
import type { RuleDefinition } from "../engine/rule.js";
import { lint } from "../lint.js";
import { levelOf, ratedRule } from "../settings/levels.js";
import { siftBySettings } from "../settings/sift.js";
import { EditorFindings } from "./findings.js";
import type { AnalysedDocument, Answer, Snapshot } from "./jobs.js";
import { Outlines } from "./outline.js";
import { type Group, groupsIn } from "./reading.js";

/**
 * Looks for what is wrong with documents, each within its configuration.
 *
 * @param isProved whether rules are given the proofs that they ask for, which may take long
 */
export function analyse(snapshot: Snapshot, isProved: boolean): Extract<Answer, { readonly kind: "findings" }> {
  const sift = siftIn(snapshot.project);
  const rules = rulesIn(snapshot.project);
  const asked = new AskedProofs();
  const documents = groupsIn(snapshot).flatMap((group) => {
    const { project, reading, before } = group;
    const { findings } = lint(project, {
      ...{ rules, ruleIds, sift },
      only: new Set(group.documents.keys()),
      ...(reading.settings.from === undefined ? {} : { from: reading.settings.from, before }),
      ...(isProved ? {} : { proofs: asked }),
    });
    return inDocuments(group, findings);
  });
  return { kind: "findings", documents, asksForProof: asked.areWanted };
}

const ruleIds = defaultRules.map(({ id }) => id);

/** The rules that run, as grave as the project has them. */
function rulesIn(project: Snapshot["project"]): readonly RuleDefinition[] {
  return defaultRules.filter(({ id }) => levelOf(project, id) !== "off").map((rule) => ratedRule(rule, project));
}

/** What the project ignores is left out, and what its baseline knows. */
function siftIn(project: Snapshot["project"]): Sift {
  const bySettings = siftBySettings(project);
  const read = project?.baseline === undefined ? undefined : readBaselineFile(project.baseline);
  return (findings) => {
    const { told, ignored } = bySettings(findings);
    return { kept: read && "baseline" in read ? read.baseline.sift(told).fresh : told, ignored };
  };
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

function inDocuments(
  { project, documents, reading }: Group,
  findings: readonly Finding[],
): readonly AnalysedDocument[] {
  const put = new EditorFindings(documents);
  const outlines = new Outlines(project, reading, (file) => put.uri(file));
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
