import type { Finding } from "../../lint/finding.js";
import { toBytes } from "../../text/bytes.js";
import { unlessEmpty } from "../../text/collections.js";
import type { Edit } from "../../text/edits.js";
import { formatJson } from "../../text/escaping.js";
import { fromReadable, type Range, type SourceFile, toReadable } from "../../text/source.js";
import type { checkOutput, editSchema, findingSchema } from "../schema/findings.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import {
  countBySeverity,
  countFixable,
  type RenderedFinding,
  type ReportInput,
  renderFinding,
} from "./rendered-finding.js";
import { suppressionToJson } from "./suppressed.js";

type Checked = JsonOf<typeof checkOutput>;

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
    const quiet = ignored.map((finding) => {
      const by = suppressionToJson(finding.by, base);
      const entry: NonNullable<Checked["ignored"]>[number] = { finding: convert(finding), by };
      return formatJson(entry);
    });
    yield `,"ignored":[${quiet.map((each) => `\n${each}`).join(",")}${quiet.length === 0 ? "" : "\n"}]`;
  }
  const unchecked: Checked["unchecked"] = input.unchecked?.map(
    ({ path, isSkippedByServer, isCheckedForStart, ...rest }) => ({
      path: places.displayPath(path),
      ...rest,
      isSkippedByServer: isSkippedByServer || undefined,
      isCheckedForStart: isCheckedForStart || undefined,
    }),
  );
  if (unchecked) yield `,"unchecked":${formatJson(unchecked)}`;
  const unread: Checked["unreadCommands"] = input.unreadCommands?.map(({ path, command, target, ...rest }) => ({
    ...{ path: places.displayPath(path), ...rest, command: toReadable(command), target: toReadable(target) },
  }));
  if (unread && unread.length > 0) yield `,"unreadCommands":${formatJson(unread)}`;
  const assumedModules: Checked["assumedModules"] = input.assumedModules?.map(toReadable);
  if (assumedModules) yield `,"assumedModules":${formatJson(assumedModules)}`;
  const fixable = countFixable(findings).safe;
  const untried = input.untriedCount || undefined;
  const summary: Checked["summary"] = { ...countBySeverity(findings), fixable, files, lines, untried };
  yield `,"summary":${formatJson(summary)}}\n`;
}

/** Renders each finding as one line of JSON, as `check.schema.json` describes those of `findings`. */
export function* renderJsonLines({ findings, base, helpUri }: ReportInput): Generator<string> {
  const places = new PlaceResolver(base);
  for (const finding of findings)
    yield `${formatJson(convertFinding(renderFinding(finding, places), places, helpUri?.(finding.rule)))}\n`;
}

/** Renders a finding as `check.schema.json` describes it. @param url of its rule's page, if known */
export function convertFinding(
  finding: RenderedFinding,
  places: PlaceResolver,
  url?: string,
): JsonOf<typeof findingSchema> {
  const { rule, severity, message, span, label, related, notes, help, isAboutServer } = finding;
  const { additionalLocations, hosts, fix, witness } = finding;
  const at = (file: SourceFile, { start, end }: Range) => ({ path: places.path(file), start, end });
  return {
    rule,
    severity,
    message,
    notes,
    help,
    url,
    ...at(span.file, places.range(span)),
    label: label === "" ? undefined : label,
    isAboutServer: isAboutServer || undefined,
    related: [...related, ...additionalLocations].map((other) => ({
      message: other.message,
      ...at(other.span.file, places.range(other.span)),
    })),
    hosts: unlessEmpty(hosts),
    witness: witness?.request,
    fix: fix && { title: fix.title, safety: fix.safety, edits: fix.edits.map((edit) => editToJson(edit, places)) },
  };
}

/** Renders an edit. Bytes that are not valid UTF-8 are encoded as base64. */
export function editToJson(edit: Edit, places: PlaceResolver): JsonOf<typeof editSchema> {
  const { text } = edit;
  const place = editPlaceToJson(edit, places);
  const readable = toReadable(text);
  return fromReadable(readable) === text
    ? { ...place, text: readable }
    : { ...place, base64: toBytes(text).toString("base64") };
}

/** Renders the text that an edit replaces. */
export function editPlaceToJson({ span }: Pick<Edit, "span">, places: PlaceResolver) {
  return { path: places.path(span.file), ...places.exactRange(span) };
}
