import { countBy, findFirstBeyond } from "../../text/collections.js";
import { mapOffset } from "../../text/edits.js";
import { checkNameOf, type Finding } from "../finding.js";
import type { LintSession } from "./lint.js";

/**
 * Returns a reason to withhold fixes: an error that they cause. Errors are counted by rule, because their messages may
 * contain the number of lines. Of other rules, those count that stop the server or show a request: a fix may uncover
 * other mistakes in a line, which are then reported.
 */
export function findNewError(current: LintSession, next: LintSession, applied: readonly Finding[]): string | undefined {
  const checks = new Set(applied.map(checkNameOf));
  const errorsOf = ({ unproved }: LintSession) =>
    unproved.findings.filter(
      (each) => each.severity === "error" && (checks.has(checkNameOf(each)) || each.effect || each.witness),
    );
  const [before, after] = [errorsOf(current), errorsOf(next)];
  const found =
    findFirstBeyond(after, checkNameOf, countBy(before, checkNameOf)) ?? findReplacement(before, after, applied);
  return found && `the fixed configuration has a new error of \`${found.rule}\`: ${found.message}`;
}

/** Returns an error on a changed line that stops the server as the fixed one did, and has no fix itself. */
function findReplacement(
  before: readonly Finding[],
  after: readonly Finding[],
  applied: readonly Finding[],
): Finding | undefined {
  const keyOf = ({ rule, span, cause, message }: Finding) => `${rule} ${span.file.realPath} ${cause?.key ?? message}`;
  const known = new Set(before.map(keyOf));
  return after.find(
    (finding) => finding.effect && !finding.fix && !known.has(keyOf(finding)) && isOnChangedLine(finding, applied),
  );
}

function isOnChangedLine({ span: { file, start } }: Finding, applied: readonly Finding[]): boolean {
  const edits = applied
    .flatMap(({ fix }) => fix?.edits ?? [])
    .filter(({ span }) => span.file.realPath === file.realPath);
  const first = file.text.lastIndexOf("\n", start - 1) + 1;
  const feed = file.text.indexOf("\n", start);
  const last = feed < 0 ? file.text.length : feed;
  return edits.some((edit) => {
    const from = mapOffset(
      edit.span.start,
      edits.filter((other) => other !== edit),
    );
    return from <= last && from + edit.text.length >= first;
  });
}
