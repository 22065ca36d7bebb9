import type { Suppression } from "sarif";
import type { SuppressedFinding, SuppressionSource } from "../../lint/suppressions.js";
import { lineAt, toReadable } from "../../text/source.js";
import type { suppressionSchema } from "../schema/findings.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import type { ReportInput } from "./rendered-finding.js";

/** Returns the suppression of a finding for SARIF. */
export function suppressionsOf({ by }: SuppressedFinding): Suppression[] {
  const justification = makeVisible(reasonOf(by));
  const kind = by.kind === "comment" ? "inSource" : "external";
  return [{ kind, ...(justification === "" ? {} : { justification }) }];
}

/** Returns the suppression of a finding, as `check.schema.json` describes it. */
export function suppressionToJson(by: SuppressionSource, base: string | undefined): JsonOf<typeof suppressionSchema> {
  const reason = reasonOf(by) || undefined;
  switch (by.kind) {
    case "comment":
      return { kind: by.kind, line: lineAt(by.comment.span.file, by.comment.span.start), reason };
    case "settings":
      return { kind: by.kind, path: displayPathOf(by.path, base), glob: by.glob, reason };
    case "baseline":
      return { kind: by.kind, path: displayPathOf(by.path, base) };
  }
}

/** Renders the suppression of a finding as text: its location and reason. */
export function describeSuppression(by: SuppressionSource, base: string | undefined): string {
  const reason = reasonOf(by);
  const why = reason === "" ? "" : `: ${makeVisible(reason)}`;
  switch (by.kind) {
    case "comment":
      return `is ignored by the comment in line ${lineAt(by.comment.span.file, by.comment.span.start)}${why}`;
    case "settings":
      return `is ignored by \`${makeVisible(by.glob)}\` in ${makeVisible(displayPathOf(by.path, base))}${why}`;
    case "baseline":
      return `is known in ${makeVisible(displayPathOf(by.path, base))}`;
  }
}

/** Renders globs of the configuration file that did not suppress any finding, one line each. */
export function describeUnusedIgnores({ unusedIgnores = [], base }: ReportInput): string[] {
  return unusedIgnores.map(({ settings, paths }) => {
    const globs = paths.map((glob) => `\`${makeVisible(glob)}\``).join(", ");
    return `${makeVisible(displayPathOf(settings, base))}: ${globs} of \`ignores\` suppressed nothing here`;
  });
}

/** Returns the stated reason; empty if there is none. */
function reasonOf(by: SuppressionSource): string {
  switch (by.kind) {
    case "comment":
      return toReadable(by.comment.reason);
    case "settings":
      return by.reason;
    case "baseline":
      return "";
  }
}

/** Returns a path for display: relative if it is in the base. */
function displayPathOf(path: string, base: string | undefined): string {
  return new PlaceResolver(base).displayPath(path);
}
