import {
  type CodeAction,
  CodeActionKind,
  type Range,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { ignoreMarks } from "../../../lint/suppressions.js";
import { indentOf } from "../../../text/edits.js";
import { findEnclosingSections, findLineIndex } from "../documents/config-lines.js";
import type { OpenDocument } from "../documents/open-documents.js";
import type { DocumentFindings, EditorFinding, EditorFix } from "../job.js";

/** The source action with which editors fix everything on saving. */
export const FIX_ALL = `${CodeActionKind.SourceFixAll}.httpd-lint`;

/** The input for code actions. */
export interface ActionContext {
  readonly document: OpenDocument;
  /** The result for the currently open version. */
  readonly linted: DocumentFindings;
  /** Returns the version of an open document; an edit of an older version is rejected. */
  readonly versionOf: (uri: string) => number | null;
  /** Whether the editor supports versions in edits. */
  readonly takesVersions: boolean;
}

/**
 * Returns the code actions for the findings in a range: their fixes, suppression comments, and all safe fixes at once.
 *
 * @param only the requested kinds; all if absent
 */
export function listCodeActions(
  range: Range,
  only: readonly string[] | undefined,
  context: ActionContext,
): CodeAction[] {
  const isRequested = (kind: string) =>
    only === undefined || only.some((requested) => kind === requested || kind.startsWith(`${requested}.`));
  const found = context.linted.findings.filter(({ diagnostic }) => isOverlapping(diagnostic.range, range));
  return [
    ...(isRequested(CodeActionKind.QuickFix) ? found.flatMap((each) => createFixAction(each, context)) : []),
    ...(isRequested(FIX_ALL) ? createFixAllAction(context) : []),
    ...(isRequested(CodeActionKind.QuickFix) ? found.flatMap((each) => createIgnoreActions(each, context)) : []),
  ];
}

function isOverlapping(one: Range, other: Range): boolean {
  return one.start.line <= other.end.line && other.start.line <= one.end.line;
}

function createFixAction({ diagnostic, fix }: EditorFinding, context: ActionContext): CodeAction[] {
  if (fix === undefined) return [];
  const { title, isSafe, edits } = fix;
  return [
    {
      title: isSafe ? title : `${title} (may change access)`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnostic],
      isPreferred: isSafe,
      edit: createWorkspaceEdit(edits, context),
    },
  ];
}

function createFixAllAction(context: ActionContext): CodeAction[] {
  const { uri, fixAll } = context.linted;
  if (fixAll.length === 0) return [];
  const edit = createWorkspaceEdit({ [uri]: fixAll }, context);
  return [{ title: "Apply all safe fixes (httpd-lint)", kind: FIX_ALL, edit }];
}

function createIgnoreActions({ diagnostic, rule }: EditorFinding, context: ActionContext): CodeAction[] {
  const { document, linted } = context;
  const top = document.placed.rangeOf({ start: 0, end: 0 });
  const ignoring = (title: string, edit: TextEdit): CodeAction => ({
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    edit: createWorkspaceEdit({ [linted.uri]: [edit] }, context),
  });
  const inFile = `# ${ignoreMarks.file} ${rule}${lineEndingOf(document)}`;
  const { tree, placed } = document;
  const index = findLineIndex(tree, placed.offsetOf(diagnostic.range.start));
  const line = tree.lines.at(index);
  const section = line?.kind === "open" ? line : findEnclosingSections(tree, index).at(-1);
  const before = (reach: "line" | "section", start: number) =>
    createIgnoreEdit(start, ignoreMarks[reach], rule, document);
  return [
    ignoring(`Ignore ${rule} on this line`, before("line", line?.start ?? 0)),
    ...(section ? [ignoring(`Ignore ${rule} in this section`, before("section", section.start))] : []),
    ignoring(`Ignore ${rule} in this file`, { range: top, newText: inFile }),
  ];
}

/**
 * Returns an edit that inserts a comment before the line at an offset, or adds the rule to an existing comment.
 *
 * @param mark the keyword of the comment
 */
function createIgnoreEdit(start: number, mark: string, rule: string, { placed, source, tree }: OpenDocument): TextEdit {
  const index = findLineIndex(tree, start);
  const line = tree.lines.at(index);
  const above = tree.lines.at(index - 1);
  const comment = above?.kind === "comment" ? source.text.slice(above.nameStart, above.restEnd) : "";
  const listed = /^#[\t ]*([a-z-]+)[\t :]+[a-z-]+(?:,[\t ]*[a-z]+(?:-[a-z]+)+)*/.exec(comment);
  if (above && listed?.[1] === mark) {
    const at = above.nameStart + listed[0].length;
    return { range: placed.rangeOf({ start: at, end: at }), newText: `, ${rule}` };
  }
  const at = line?.start ?? 0;
  const indent = indentOf({ file: source, start: line?.nameStart ?? 0 });
  const newText = `${indent}# ${mark} ${rule}${lineEndingOf({ source })}`;
  return { range: placed.rangeOf({ start: at, end: at }), newText };
}

/** Returns the line ending of a document's first line. */
function lineEndingOf({ source }: Pick<OpenDocument, "source">): string {
  return /^[^\n]*\r\n/.test(source.text) ? "\r\n" : "\n";
}

function createWorkspaceEdit(edits: EditorFix["edits"], { takesVersions, versionOf }: ActionContext): WorkspaceEdit {
  const byUri = Object.entries(edits).map(([uri, each]): [string, TextEdit[]] => [uri, [...each]]);
  if (!takesVersions) return { changes: Object.fromEntries(byUri) };
  return {
    documentChanges: byUri.map(([uri, each]) => ({ textDocument: { uri, version: versionOf(uri) }, edits: each })),
  };
}
