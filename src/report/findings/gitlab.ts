import { createHash } from "node:crypto";
import type { Severity } from "../../lint/finding.js";
import { formatJson } from "../../text/escaping.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { Fingerprinter } from "./fingerprint.js";
import { type ReportInput, renderFinding } from "./rendered-finding.js";

const gitlabSeverities: Readonly<Record<Severity, string>> = { error: "critical", warning: "major", info: "info" };

/**
 * Renders a GitLab Code Quality report: one line per finding. GitLab shows the header at the line in a merge request, and
 * compares fingerprints to tell new findings from known ones.
 */
export function* renderGitlab(input: ReportInput): Generator<string> {
  const places = new PlaceResolver(input.base);
  const fingerprints = new Fingerprinter();
  let separator = "\n";
  yield "[";
  for (const finding of input.findings) {
    const { rule, severity, message, place, isAboutServer } = renderFinding(finding, places);
    const path = places.path(place.file);
    const hash = createHash("sha256")
      .update(`${path}\n${fingerprints.numberedHash(finding)}`)
      .digest("hex");
    const issue = {
      description: makeVisible(message),
      check_name: rule,
      fingerprint: hash.slice(0, FINGERPRINT_DIGITS),
      severity: gitlabSeverities[severity],
      location: { path, lines: { begin: isAboutServer ? 1 : place.line.number } },
    };
    yield `${separator}${formatJson(issue)}`;
    separator = ",\n";
  }
  yield `${input.findings.length === 0 ? "" : "\n"}]\n`;
}

const FINGERPRINT_DIGITS = 32;
