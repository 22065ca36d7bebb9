import { toBytes } from "../../text/bytes.js";
import type { Edit } from "../../text/edits.js";
import { formatJson } from "../../text/escaping.js";
import { fromReadable, type Range, type SourceFile, toReadable } from "../../text/source.js";
import { PlaceResolver } from "../text/source-places.js";
import { countBySeverity, type RenderedFinding, type ReportInput, renderFinding } from "./rendered-finding.js";
import { suppressionToJson } from "./suppressed.js";

/** Renders findings as JSON, as `check.schema.json` describes them: one line per finding. */
export function* renderJson(input: ReportInput): Generator<string> {
  const { findings, ignored, reportIgnored = false, version, files, lines, base } = input;
  const places = new PlaceResolver(base);
  yield `{"version":${formatJson(version)},"findings":[`;
  for (const [index, finding] of findings.entries()) {
    yield `${index === 0 ? "\n" : ",\n"}${formatJson(convertFinding(renderFinding(finding, places), places))}`;
  }
  yield `${findings.length === 0 ? "" : "\n"}]`;
  if (reportIgnored) {
    const quiet = ignored.map((finding) => {
      const told = convertFinding(renderFinding(finding, places), places);
      return formatJson({ finding: told, by: suppressionToJson(finding.by, base) });
    });
    yield `,"ignored":[${quiet.map((each) => `\n${each}`).join(",")}${quiet.length === 0 ? "" : "\n"}]`;
  }
  yield `,"summary":${formatJson({ ...countBySeverity(findings), files, lines })}}\n`;
}

/** Renders a finding as `check.schema.json` describes it. */
export function convertFinding(finding: RenderedFinding, places: PlaceResolver): object {
  const { rule, severity, message, span, related, notes, additionalLocations, fix, witness } = finding;
  const at = (file: SourceFile, { start, end }: Range) => ({ path: places.path(file), start, end });
  const edited = ({ span: replaced, text }: Edit) => ({
    ...at(replaced.file, places.exactRange(replaced)),
    ...insertion(text),
  });
  return {
    rule,
    severity,
    message,
    ...(notes.length > 0 ? { notes } : {}),
    ...at(span.file, places.range(span)),
    related: [...related, ...additionalLocations].map((other) => ({
      message: other.message,
      ...at(other.span.file, places.range(other.span)),
    })),
    ...(witness ? { witness: witness.request } : {}),
    ...(fix ? { fix: { title: fix.title, safety: fix.safety, edits: fix.edits.map(edited) } } : {}),
  };
}

/** Returns the text to insert; bytes that are not valid UTF-8 are encoded as base64. */
function insertion(text: string): { readonly text: string } | { readonly base64: string } {
  const readable = toReadable(text);
  return fromReadable(readable) === text ? { text: readable } : { base64: toBytes(text).toString("base64") };
}
