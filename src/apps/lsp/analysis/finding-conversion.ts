import { basename } from "node:path";
import { DiagnosticSeverity, DiagnosticTag, type TextEdit } from "vscode-languageserver/node";
import { allRules } from "../../../../rules/index.js";
import { applyFixes } from "../../../lint/apply-fixes.js";
import type { Finding, Fix, Severity } from "../../../lint/finding.js";
import { formatFindingMarkdown } from "../../../report/findings/finding-markdown.js";
import { type RenderedFinding, renderFinding } from "../../../report/findings/rendered-finding.js";
import { escapeMarkdown, formatMarkdownCode } from "../../../report/text/markdown.js";
import { PlaceResolver } from "../../../report/text/source-places.js";
import type { Edit } from "../../../text/edits.js";
import { fromReadable, type SourceFile, toReadable } from "../../../text/source.js";
import { findRulePage, findRuleUrl } from "../../package-files.js";
import { editorRangeOf, uriOf } from "../documents/protocol-conversion.js";
import type { DocumentText, EditorFinding, EditorFix } from "../job.js";

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
};

/** The editor tags for lines without effect and for deprecated ones. */
const editorTags = { unnecessary: DiagnosticTag.Unnecessary, deprecated: DiagnosticTag.Deprecated } as const;
const tags: ReadonlyMap<string, DiagnosticTag> = new Map(
  allRules.flatMap(({ id, editorTag }) => (editorTag ? [[id, editorTags[editorTag]] as const] : [])),
);

/** Converts findings to the editor's format. */
export class FindingConverter {
  private readonly places = new PlaceResolver(undefined);

  /** @param documents open ones by real path: the editor's own URIs are used for them */
  constructor(private readonly documents: ReadonlyMap<string, DocumentText>) {}

  convert(finding: Finding): EditorFinding {
    const rendered = renderFinding(finding, this.places);
    const { rule, severity, message, span, fix } = rendered;
    const tag = tags.get(rule);
    const edits = fix && this.editsOf(fix.edits);
    const page = findRulePage(rule)?.href ?? findRuleUrl(rule, {});
    return {
      rule,
      diagnostic: {
        range: editorRangeOf(span),
        severity: severities[severity],
        code: rule,
        ...(page === undefined ? {} : { codeDescription: { href: page } }),
        source: "httpd-lint",
        message,
        relatedInformation: this.relatedOf(rendered),
        ...(tag === undefined ? {} : { tags: [tag] }),
      },
      hover: this.hoverOf(rendered),
      ...(fix && edits ? { fix: toEditorFix(fix, edits) } : {}),
    };
  }

  /** Returns the URI under which the editor knows a file. */
  uri(file: SourceFile): string {
    return this.documents.get(file.realPath)?.uri ?? uriOf(file.realPath);
  }

  /** Returns the edits of all safe fixes within a single document; of overlapping fixes, the first. */
  fixAll(findings: readonly Finding[], realPath: string): readonly TextEdit[] {
    const { applied } = applyFixes(
      findings,
      ({ fix }) => fix?.safety === "safe" && fix.edits.every(({ span }) => span.file.realPath === realPath),
    );
    return applied.flatMap(({ fix }) => fix?.edits ?? []).map(toTextEdit);
  }

  /** Returns the further locations. The hover has the other parts, so that an editor shows them only once. */
  private relatedOf({ related }: RenderedFinding) {
    return related.map(({ message, span }) => ({
      message,
      location: { uri: this.uri(span.file), range: editorRangeOf(span) },
    }));
  }

  private hoverOf(finding: RenderedFinding): string {
    const { rule, severity, message, place, related } = finding;
    const others = related.map((other) => {
      const { file, line } = other.place;
      const where =
        file.realPath === place.file.realPath ? `line ${line.number}` : `${basename(file.realPath)}:${line.number}`;
      return `${escapeMarkdown(where)}: ${escapeMarkdown(other.message)}`;
    });
    const head = `**${severity}** ${formatMarkdownCode(rule)}: ${escapeMarkdown(message)}`;
    return formatFindingMarkdown(head, finding, others);
  }

  /** Returns undefined if a text contains bytes that cannot be sent to an editor. */
  private editsOf(edits: readonly Edit[]): Record<string, TextEdit[]> | undefined {
    const byUri: Record<string, TextEdit[]> = {};
    for (const edit of edits) {
      if ("macro" in edit.span.file || fromReadable(toReadable(edit.text)) !== edit.text) return undefined;
      const uri = this.uri(edit.span.file);
      byUri[uri] = [...(byUri[uri] ?? []), toTextEdit(edit)];
    }
    return byUri;
  }
}

function toEditorFix({ title, safety }: Fix, edits: EditorFix["edits"]): EditorFix {
  return { title, isSafe: safety === "safe", edits };
}

function toTextEdit({ span, text }: Edit): TextEdit {
  return { range: editorRangeOf(span), newText: toReadable(text) };
}
