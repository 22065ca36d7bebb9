import { type Edit, edited } from "../text/edits.js";
import type { SourceFile } from "../text/source.js";
import type { Finding } from "./finding.js";

/** What became of fixes. */
export interface AppliedFixes {
  /** The new text of each file that changed, by real path; binary strings, as they were read. */
  readonly texts: ReadonlyMap<string, string>;
  readonly applied: readonly Finding[];
  /** Findings whose fix has to wait for another pass, since it meets one that was applied, or itself. */
  readonly postponed: readonly Finding[];
}

/**
 * Applies the fixes of findings, each as a whole or not at all, to the texts that they were found in. Of fixes that meet, the
 * one that stands first is applied; what becomes of the others is seen by linting the new texts.
 *
 * @param isWanted which fixes to apply
 */
export function applyFixes(findings: readonly Finding[], isWanted: (finding: Finding) => boolean): AppliedFixes {
  const taken = new Map<string, { readonly file: SourceFile; readonly edits: Edit[] }>();
  const applied: Finding[] = [];
  const postponed: Finding[] = [];
  for (const finding of findings) {
    const edits = finding.fix?.edits ?? [];
    // What a macro put in place is no text of a file.
    if (edits.length === 0 || edits.some(({ span }) => "macro" in span.file) || !isWanted(finding)) continue;
    const isMet = (edit: Edit) => taken.get(edit.span.file.realPath)?.edits.some((other) => meet(edit, other));
    if (edits.some(isMet) || meetEachOther(edits)) {
      postponed.push(finding);
      continue;
    }
    applied.push(finding);
    for (const edit of edits) {
      const { file } = edit.span;
      const inFile = taken.get(file.realPath) ?? { file, edits: [] };
      inFile.edits.push(edit);
      taken.set(file.realPath, inFile);
    }
  }
  const texts = new Map([...taken].map(([path, { file, edits }]) => [path, edited(file.text, edits)]));
  return { texts, applied, postponed };
}

function meetEachOther(edits: readonly Edit[]): boolean {
  return edits.some((edit, index) =>
    edits.slice(0, index).some((other) => other.span.file.realPath === edit.span.file.realPath && meet(edit, other)),
  );
}

/** Whether two edits of a file touch the same text, or put theirs in the same place. */
function meet({ span: a }: Edit, { span: b }: Edit): boolean {
  return a.start === b.start || (a.start < b.end && b.start < a.end);
}
