import { gzipSync } from "node:zlib";
import type { ArtifactLocation, Location, Log, Message, Region, ReportingDescriptor, Result, Run } from "sarif";

const LARGEST_UPLOAD = 10 * 1024 * 1024;
const MAX_RUNS = 20;
const MAX_RESULTS = 25_000;
const MAX_LOCATIONS = 1_000;
const MAX_FLOW_LOCATIONS = 10_000;
const MAX_TAGS = 20;
const MAX_DESCRIPTION_LENGTH = 1024;
const MAX_NAME_LENGTH = 255;

/**
 * Returns the problems that GitHub code scanning would have with a SARIF log, one line each; the SARIF schema allows
 * more. A log without complaints shows every result at its line.
 */
export function githubComplaints(log: Log): string[] {
  const complaints: string[] = [];
  if (!log.$schema) complaints.push("no $schema");
  if (log.version !== "2.1.0") complaints.push(`version ${log.version}`);
  if (log.runs.length === 0 || log.runs.length > MAX_RUNS) complaints.push(`${log.runs.length} runs`);
  for (const [index, run] of log.runs.entries()) {
    for (const complaint of inRun(run)) complaints.push(`run ${index}: ${complaint}`);
  }
  complaints.push(...inStrings(log, "log"));
  const size = gzipSync(JSON.stringify(log), { level: 1 }).length;
  if (size > LARGEST_UPLOAD) complaints.push(`${size} bytes when compressed`);
  return complaints;
}

function* inRun(run: Run): Generator<string> {
  const { driver } = run.tool;
  if (!driver.name) yield "the tool has no name";
  if (run.columnKind !== "utf16CodeUnits") yield `columns count ${run.columnKind}`;
  if (run.automationDetails && !run.automationDetails.id?.endsWith("/")) yield "the category does not end in a slash";
  const rules = driver.rules ?? [];
  if (rules.length === 0) yield "no rule is declared";
  if (new Set(rules.map((rule) => rule.id)).size < rules.length) yield "a rule is declared twice";
  for (const rule of rules) for (const complaint of inRule(rule)) yield `rule ${rule.id}: ${complaint}`;

  if (!run.results) {
    yield "no results: alerts would never close";
    return;
  }
  if (run.results.length > MAX_RESULTS) yield `${run.results.length} results`;
  for (const [index, result] of run.results.entries()) {
    for (const complaint of inResult(result, rules)) yield `result ${index}: ${complaint}`;
  }
}

function* inRule(rule: ReportingDescriptor): Generator<string> {
  const { name = "", shortDescription, fullDescription, help, defaultConfiguration, properties = {} } = rule;
  if (!rule.id) yield "no id";
  if (name.length > MAX_NAME_LENGTH) yield "its name is too long";
  for (const [what, text] of Object.entries({ shortDescription, fullDescription })) {
    if (!text?.text) yield `no ${what}`;
    else if (text.text.length > MAX_DESCRIPTION_LENGTH) yield `its ${what} is too long`;
  }
  if (!help?.text) yield "no help.text";
  if (!isLevel(defaultConfiguration?.level)) yield `level ${defaultConfiguration?.level}`;
  const { tags = [], precision } = properties;
  if (tags.length > MAX_TAGS) yield `${tags.length} tags`;
  if (!["very-high", "high", "medium", "low"].includes(String(precision))) yield `precision ${precision}`;
  const severity = properties["problem.severity"];
  if (!["error", "warning", "recommendation"].includes(String(severity))) yield `problem.severity ${severity}`;
  const security: unknown = properties["security-severity"];
  if (security === undefined) return;
  if (typeof security !== "string") yield "security-severity is no string";
  if (!(Number(security) > 0 && Number(security) <= 10)) yield `security-severity ${security}`;
  if (!tags.includes("security")) yield "security-severity is heeded only with the tag `security`";
}

function* inResult(result: Result, rules: readonly ReportingDescriptor[]): Generator<string> {
  const {
    ruleId,
    ruleIndex,
    message,
    locations = [],
    relatedLocations = [],
    partialFingerprints,
    codeFlows = [],
  } = result;
  if (!isLevel(result.level)) yield `level ${result.level}`;
  if (!rules.some((rule) => rule.id === ruleId)) yield `rule ${ruleId} is not declared`;
  if (ruleIndex !== undefined && rules[ruleIndex]?.id !== ruleId) yield `rule ${ruleIndex} is not ${ruleId}`;
  if (!message.text) yield "no message";
  if (locations.length !== 1) yield `${locations.length} locations; only the first is used`;
  if (locations.length + relatedLocations.length > MAX_LOCATIONS) yield `${relatedLocations.length} related locations`;
  if (partialFingerprints?.["primaryLocationLineHash"]) yield "primaryLocationLineHash is for the uploader to fill in";
  for (const location of [...locations, ...relatedLocations]) yield* inLocation(location);
  yield* inLinks(message, relatedLocations);
  const steps = codeFlows.flatMap((flow) => flow.threadFlows.flatMap((thread) => thread.locations)).length;
  if (steps > MAX_FLOW_LOCATIONS) yield `${steps} locations in its flows`;
}

/**
 * Yields problems in links. Related locations are shown only if the message links to them: later ones are for other
 * readers.
 */
function* inLinks({ text = "", markdown }: Message, related: readonly Location[]): Generator<string> {
  const linksIn = (message: string) =>
    [...message.matchAll(/(?<!\\)\[(?:\\.|[^\\[\]])+\]\((\d+)\)/g)].map((match) => Number(match[1]));
  // Code is not interpreted.
  const links = [
    ...linksIn(text),
    ...linksIn((markdown ?? "").replace(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, "code")),
  ];
  const ids = related.map((location) => location.id);
  const last = links.length === 0 ? ids.length : Math.max(...links);
  for (const [index, id] of ids.entries()) {
    if (id !== index + 1) yield `related location ${index} has the id ${id}`;
    else if (id <= last && !links.includes(id)) yield `the message has no link to ${id}`;
    if (!related[index]?.message?.text) yield `related location ${id} has no message`;
  }
  for (const link of links) if (!ids.includes(link)) yield `the message links to ${link}, which is nowhere`;
}

function* inLocation({ physicalLocation }: Location): Generator<string> {
  if (!physicalLocation?.artifactLocation) yield "a location without a file";
  else yield* inUri(physicalLocation.artifactLocation);
  if (!physicalLocation?.region) yield "a location without a region";
  else yield* inRegion(physicalLocation.region);
}

function* inUri({ uri = "", uriBaseId }: ArtifactLocation): Generator<string> {
  if (!/^(?:[\w.~!$&'()*+,;=:@/-]|%[\dA-F]{2})+$/.test(uri)) yield `${uri} is not encoded`;
  if (/^[a-z][a-z\d+.-]*:|^\//i.test(uri)) {
    yield `${uri} is not relative to the repository`;
    return;
  }
  if (uriBaseId !== "%SRCROOT%") yield `${uri} is relative to ${uriBaseId}`;
  if (uri.split("/").some((part) => part === ".." || part === "." || part === "")) {
    yield `${uri} is not in its shortest form`;
  }
}

function* inRegion({ startLine, startColumn, endLine, endColumn }: Region): Generator<string> {
  if (!startLine || !startColumn || !endLine || !endColumn) {
    yield "a region without its four numbers";
    return;
  }
  if (endLine !== startLine)
    yield `a region of ${endLine - startLine + 1} lines: pull requests show it only if all have changed`;
  if (endLine === startLine && endColumn < startColumn) yield "a region that ends ahead of its start";
}

function isLevel(level: unknown): boolean {
  return level === "error" || level === "warning" || level === "note";
}

/** Yields problems in strings: empty ones are rejected; invalid Unicode and NUL cannot be stored. */
function* inStrings(value: unknown, path: string): Generator<string> {
  if (value === "") yield `${path} is empty`;
  if (typeof value === "string" && /\p{Cs}/u.test(value)) yield `${path} is no Unicode`;
  if (typeof value === "string" && value.includes("\0")) yield `${path} holds a NUL`;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) yield* inStrings(part, `${path}.${key}`);
}
