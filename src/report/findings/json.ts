import type { Finding } from "../../lint/finding.js";
import { toBytes } from "../../text/bytes.js";
import type { Edit } from "../../text/edits.js";
import { formatJson } from "../../text/escaping.js";
import { fromReadable, type Range, type SourceFile, type Span, toReadable } from "../../text/source.js";
import { PlaceResolver } from "../text/source-places.js";
import {
  countBySeverity,
  countFixable,
  type RenderedFinding,
  type ReportInput,
  renderFinding,
} from "./rendered-finding.js";
import { suppressionToJson } from "./suppressed.js";

/** Renders findings as JSON, as `check.schema.json` describes them: one line per finding. */
export function* renderJson(input: ReportInput): Generator<string> {
  const { findings, ignored, reportIgnored = false, version, files, lines, base, helpUri } = input;
  const places = new PlaceResolver(base);
  const convert = (finding: Finding) => convertFinding(renderFinding(finding, places), places, helpUri?.(finding.rule));
  yield `{"version":${formatJson(version)},"findings":[`;
  for (const [index, finding] of findings.entries()) {
    yield `${index === 0 ? "\n" : ",\n"}${formatJson(convert(finding))}`;
  }
  yield `${findings.length === 0 ? "" : "\n"}]`;
  if (reportIgnored) {
    const quiet = ignored.map((finding) =>
      formatJson({ finding: convert(finding), by: suppressionToJson(finding.by, base) }),
    );
    yield `,"ignored":[${quiet.map((each) => `\n${each}`).join(",")}${quiet.length === 0 ? "" : "\n"}]`;
  }
  yield `,"summary":${formatJson({ ...countBySeverity(findings), fixable: countFixable(findings).safe, files, lines })}}\n`;
}

/** Renders a finding as `check.schema.json` describes it. @param url of its rule's page, if known */
export function convertFinding(finding: RenderedFinding, places: PlaceResolver, url?: string): object {
  const { rule, severity, message, span, label, related, notes, help, isAboutServer } = finding;
  const { additionalLocations, hosts, fix, witness } = finding;
  const at = (file: SourceFile, { start, end }: Range) => ({ path: places.path(file), start, end });
  const edited = ({ span: replaced, text }: Edit) => editToJson(replaced, text, places);
  return {
    rule,
    severity,
    message,
    notes,
    help,
    ...(url === undefined ? {} : { url }),
    ...at(span.file, places.range(span)),
    ...(label === "" ? {} : { label }),
    ...(isAboutServer ? { isAboutServer } : {}),
    related: [...related, ...additionalLocations].map((other) => ({
      message: other.message,
      ...at(other.span.file, places.range(other.span)),
    })),
    ...(hosts.length > 0 ? { hosts } : {}),
    ...(witness ? { witness: witness.request } : {}),
    ...(fix ? { fix: { title: fix.title, safety: fix.safety, edits: fix.edits.map(edited) } } : {}),
  };
}

/** Renders an edit. @param text the text to insert; undefined if it contains a secret, which no output shows */
export function editToJson(span: Span, text: string | undefined, places: PlaceResolver): object {
  const { start, end } = places.exactRange(span);
  return {
    path: places.path(span.file),
    start,
    end,
    ...(text === undefined ? { omitted: "secret" } : insertion(text)),
  };
}

/** Returns the text to insert; bytes that are not valid UTF-8 are encoded as base64. */
function insertion(text: string): { readonly text: string } | { readonly base64: string } {
  const readable = toReadable(text);
  return fromReadable(readable) === text ? { text: readable } : { base64: toBytes(text).toString("base64") };
}
