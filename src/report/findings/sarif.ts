import { isAbsolute, sep } from "node:path";
import type {
  ArtifactChange,
  ArtifactLocation,
  CodeFlow,
  Location,
  Log,
  Notification,
  Region,
  Replacement,
  ReportingDescriptor,
  Result,
  Run,
  Fix as SarifFix,
  ToolComponent,
} from "sarif";
import { type Finding, type Fix, type Severity, severities } from "../../lint/finding.js";
import type { RuleDefinition } from "../../lint/rule.js";
import type { SuppressedFinding } from "../../lint/suppressions.js";
import { toBytes } from "../../text/bytes.js";
import { getOrCreate } from "../../text/collections.js";
import type { Edit } from "../../text/edits.js";
import { formatJson } from "../../text/escaping.js";
import { fromReadable, type Range, type SourceFile, toReadable } from "../../text/source.js";
import { escapeMarkdown } from "../text/markdown.js";
import { PlaceResolver, type SourcePlace } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { formatFindingMarkdown } from "./finding-markdown.js";
import { Fingerprinter } from "./fingerprint.js";
import { type RenderedFinding, type RenderedRelated, type ReportInput, renderFinding } from "./rendered-finding.js";
import { createTaxonomies, relationshipsOf, weaknessTagsOf } from "./sarif-taxonomies.js";
import { suppressionsOf } from "./suppressed.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/** The base of relative URIs: for GitHub, the repository. */
const ROOT = "%SRCROOT%";

/** GitHub rejects a run with more results. */
const MAX_RESULTS = 25_000;
/** GitHub keeps only this many of them. */
const GITHUB_DISPLAYED_RESULTS = 5_000;
/** Limit of all locations of a result; it has one primary location. */
const MAX_LOCATIONS = 1_000;

const levels = { error: "error", warning: "warning", info: "note" } as const;
const problemSeverities = { error: "error", warning: "warning", info: "recommendation" } as const;

/** Renders a SARIF 2.1.0 log: one line for the header, followed by one line per result, by severity. */
export function* renderSarif(input: ReportInput): Generator<string> {
  const { findings, ignored, reportIgnored = false } = input;
  const all: readonly (Finding | SuppressedFinding)[] = [
    ...bySeverity(findings),
    ...bySeverity(reportIgnored ? ignored : []),
  ];
  const reported = all.slice(0, MAX_RESULTS);

  const log = formatJson(emptyLog(input, all.length));
  yield log.slice(0, -END.length);
  const writer = new ResultWriter(input);
  let separator = "\n";
  for (const finding of reported) {
    const result = writer.result(finding);
    if (reportIgnored) result.suppressions = "by" in finding ? suppressionsOf(finding) : [];
    yield separator + formatJson(result);
    separator = ",\n";
  }
  yield `${reported.length === 0 ? "" : "\n"}${END}\n`;
}

/** The end of a log without results, which are its last part. */
const END = "]}]}";

function emptyLog(input: ReportInput, found: number): Log {
  const { version, rules, category, helpUri } = input;
  const notifications = notificationsOf(found);
  const taxonomies = createTaxonomies(rules);
  const run: Run = {
    tool: {
      driver: {
        name: "httpd-lint",
        version: nonEmptyOr(version, "unknown"),
        rules: rules.map((rule) => descriptorOf(rule, taxonomies, helpUri)),
        ...(taxonomies.length > 0
          ? { supportedTaxonomies: taxonomies.map(({ name }, index) => ({ name, index })) }
          : {}),
      },
    },
    ...(taxonomies.length > 0 ? { taxonomies: [...taxonomies] } : {}),
    ...(category ? { automationDetails: { id: makeVisible(category.endsWith("/") ? category : `${category}/`) } } : {}),
    invocations: [
      {
        executionSuccessful: true,
        ...(notifications.length > 0 ? { toolExecutionNotifications: notifications } : {}),
      },
    ],
    originalUriBaseIds: {
      [ROOT]: { description: { text: "The working directory of httpd-lint: the root of the repository." } },
    },
    columnKind: "utf16CodeUnits",
    results: [],
  };
  return { $schema: SCHEMA, version: "2.1.0", runs: [run] };
}

function notificationsOf(found: number): Notification[] {
  const notifications: Notification[] = [];
  if (found > MAX_RESULTS) {
    const text = `${found - MAX_RESULTS} of ${found} results are omitted, those with the lowest severity. GitHub rejects a run with more than ${MAX_RESULTS}.`;
    notifications.push({ level: "warning", message: { text } });
  }
  if (found > GITHUB_DISPLAYED_RESULTS) {
    const text = `GitHub shows ${GITHUB_DISPLAYED_RESULTS} of the results in a run, those with the highest severity.`;
    notifications.push({ level: "note", message: { text } });
  }
  return notifications;
}

function descriptorOf(
  rule: RuleDefinition,
  taxonomies: readonly ToolComponent[],
  helpUri: ReportInput["helpUri"],
): ReportingDescriptor {
  const { id, title, severity, description, help, securitySeverity, references, tags = [] } = rule;
  const relationships = relationshipsOf(references, taxonomies);
  const isSecurity = securitySeverity !== undefined;
  const url = helpUri?.(id);
  return {
    id,
    name: pascalCase(id),
    shortDescription: { text: nonEmptyOr(title, id) },
    fullDescription: { text: nonEmptyOr(description, id) },
    help: { text: nonEmptyOr(help, id), markdown: nonEmptyOr(`${description}\n\n${help}`.trim(), id) },
    ...(url === undefined ? {} : { helpUri: url }),
    defaultConfiguration: { level: levels[severity] },
    ...(relationships.length > 0 ? { relationships } : {}),
    properties: {
      // GitHub honors the severity only of results with this tag.
      tags: [...new Set([...tags, ...(isSecurity ? ["security"] : []), ...weaknessTagsOf(references)])],
      precision: "high",
      "problem.severity": problemSeverities[severity],
      ...(isSecurity ? { "security-severity": securitySeverity.toFixed(1) } : {}),
    },
  };
}

class ResultWriter {
  private readonly places: PlaceResolver;
  private readonly fingerprints = new Fingerprinter();
  private readonly indexes: ReadonlyMap<string, number>;

  constructor({ base, rules }: ReportInput) {
    this.places = new PlaceResolver(base);
    this.indexes = new Map(rules.map((rule, index) => [rule.id, index]));
  }

  result(finding: Finding): Result {
    const rendered = renderFinding(finding, this.places);
    const { rule, severity, message, place, label, related, additionalLocations, fix, witness } = rendered;
    const linked = related.slice(0, MAX_LOCATIONS - 1);
    // A message with links to hundreds of locations would be unreadable.
    const others = [...linked, ...additionalLocations].slice(0, MAX_LOCATIONS - 1);
    const flows = witness ? this.codeFlows(witness.steps) : [];
    const ruleIndex = this.indexes.get(rule);
    return {
      ruleId: rule,
      ...(ruleIndex === undefined ? {} : { ruleIndex }),
      level: levels[severity],
      message: { text: escapeLinks(nonEmptyOr(message, rule)), markdown: renderMessageMarkdown(rendered, linked) },
      locations: [{ ...this.location(place), ...(label === "" ? {} : { message: { text: relatedText(label) } }) }],
      partialFingerprints: { "httpdLintFinding/v1": this.fingerprints.numberedHash(finding) },
      ...(others.length > 0 ? { relatedLocations: others.map((other, index) => this.related(other, index + 1)) } : {}),
      ...(flows.length > 0 ? { codeFlows: flows } : {}),
      ...(fix ? { fixes: [this.fix(fix)] } : {}),
    };
  }

  private location(place: SourcePlace): Location {
    const region = regionOf(this.places.region(place));
    return { physicalLocation: { artifactLocation: this.artifact(place.file), region } };
  }

  private related({ message, place }: RenderedRelated, id: number): Location {
    return { id, ...this.location(place), message: { text: relatedText(message) } };
  }

  /** Renders the path of the request that demonstrates the finding. */
  private codeFlows(steps: readonly RenderedRelated[]): CodeFlow[] {
    const locations = steps.slice(0, MAX_LOCATIONS).map(({ message, place }) => ({
      location: { ...this.location(place), message: { text: relatedText(message) } },
    }));
    return locations.length === 0 ? [] : [{ threadFlows: [{ locations }] }];
  }

  private artifact(file: SourceFile): ArtifactLocation {
    const path = this.places.path(file);
    const uri = path.split(sep).map(encodeURIComponent).join("/");
    return isAbsolute(path) ? { uri: `file://${uri.startsWith("/") ? "" : "/"}${uri}` } : { uri, uriBaseId: ROOT };
  }

  private fix({ title, safety, edits }: Fix): SarifFix {
    const changes = new Map<string, ArtifactChange>();
    for (const edit of edits) {
      const { file } = edit.span;
      const path = this.places.path(file);
      const change = getOrCreate(changes, path, () => ({ artifactLocation: this.artifact(file), replacements: [] }));
      change.replacements.push(this.replacement(edit));
    }
    return {
      ...(title === "" ? {} : { description: { text: makeVisible(title) } }),
      artifactChanges: [...changes.values()],
      properties: { safety },
    };
  }

  /** Renders an edit: text replaces lines and columns; bytes that are not text replace bytes. */
  private replacement({ span, text }: Edit): Replacement {
    const readable = toReadable(text);
    if (fromReadable(readable) !== text || text.includes("\0")) {
      return {
        deletedRegion: { byteOffset: span.start, byteLength: span.end - span.start },
        insertedContent: { binary: toBytes(text).toString("base64") },
      };
    }
    const deletedRegion = regionOf(this.places.exactRange(span));
    return text === "" ? { deletedRegion } : { deletedRegion, insertedContent: { text: readable } };
  }
}

function regionOf({ start, end }: Range): Region {
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

/** Renders all parts of a finding as Markdown, with links to the related locations by their ids. */
function renderMessageMarkdown(finding: RenderedFinding, related: readonly RenderedRelated[]): string {
  const links = related.map((other, index) => `related: [${escapeMarkdown(relatedText(other.message))}](${index + 1})`);
  return formatFindingMarkdown(escapeMarkdown(nonEmptyOr(finding.message, finding.rule)), finding, links);
}

/** Makes text visible. Text of the configuration that looks like a link does not become one. */
function escapeLinks(message: string): string {
  return makeVisible(message).replace(/\](?=\((?:\d+|[a-z][a-z\d+.-]*:[^)]*)\))/gi, "] ");
}

function relatedText(message: string): string {
  return nonEmptyOr(makeVisible(message), "this location");
}

function bySeverity<T extends Finding>(findings: readonly T[]): T[] {
  const rank = (severity: Severity) => severities.indexOf(severity);
  return [...findings].sort((a, b) => rank(a.severity) - rank(b.severity));
}

function pascalCase(id: string): string {
  return id.replace(/(?:^|-)([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

/** GitHub does not accept empty texts. */
function nonEmptyOr(text: string, other: string): string {
  return text === "" ? other : text;
}
