import { resolve } from "node:path";
import { allRules } from "../../../../rules/index.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import type { Project } from "../../../config/model/project.js";
import { iterateDirectives } from "../../../config/queries/directive-tree.js";
import { isWholeServer } from "../../../config/queries/whole-server.js";
import { isUnread } from "../../../config/refusals/refusal.js";
import { isSince } from "../../../facts/release.js";
import type { Finding } from "../../../lint/finding.js";
import type { RecommendationEvidence } from "../../../lint/recommendations.js";
import type { LintSession } from "../../../lint/runner/lint.js";
import type { LintResult, UncheckedSection } from "../../../lint/runner/run-rules.js";
import type { SuppressedFinding } from "../../../lint/suppressions.js";
import { describeFileCounts, type ShownSettings, type UnreadCommand } from "../../../report/index.js";
import { describeAssumedModules } from "../../../report/text/assumption-words.js";
import { countLines } from "../../../text/source.js";
import { formatCount, formatNumber, formatWordList } from "../../../text/words.js";
import { findStartupErrors } from "../../server-failure.js";
import { shortenPath } from "../../short-path.js";
import { type ConfigSource, type LoadOptionsFactory, rootAdvice } from "../inputs/config-source.js";
import { PlacedFiles } from "./placed-files.js";

/** The combined results of several analyses. */
export interface CheckResults {
  readonly findings: Finding[];
  readonly ignored: SuppressedFinding[];
  /** The number of lines of each file read, by real path. */
  readonly files: Map<string, number>;
  readonly linted: LintedConfiguration[];
  /** The projects read, if the caller needs their includes. */
  readonly read: { readonly project: Project; readonly access: FileAccess }[];
  /** The rules and variants that ran. */
  readonly ran: Set<string>;
  readonly notes: Set<string>;
  /** What each configuration shows about recommendations, if the caller needs it. */
  readonly evidence: RecommendationEvidence[];
  /** Fragments that were checked on their own, each with the servers that do not read it. */
  readonly loneFiles: Map<string, readonly string[]>;
  /** How the files were placed. */
  readonly placed: PlacedFiles;
  /** Conditional sections whose lines were not checked, by path and line. */
  readonly unchecked: Map<string, UncheckedSection>;
  /** Commands whose text is not read, by path, line and target. */
  readonly unread: Map<string, UnreadCommand>;
  /** The modules that are assumed to be loaded because a part needs them. */
  readonly assumedModules: Set<string>;
  /** The lines that were not tried, by path and line. */
  readonly untried: Set<string>;
  /** The settings by which files are read, if they are shown instead. */
  readonly shownSettings: Map<ConfigSource, ShownSettings & { readonly files: string[] }>;
}

/** An analyzed configuration, and how it was read. */
export interface LintedConfiguration {
  readonly linted: LintSession;
  readonly access: FileAccess;
  readonly loadAs: LoadOptionsFactory;
}

/** Returns an empty result. @param isListing whether the files of servers are listed */
export function createCheckResults(isListing = false): CheckResults {
  return {
    ...{
      findings: [],
      ignored: [],
      files: new Map(),
      linted: [],
      read: [],
      ran: new Set(),
      notes: new Set(),
      evidence: [],
    },
    ...{ loneFiles: new Map(), placed: new PlacedFiles(isListing), unchecked: new Map(), assumedModules: new Set() },
    unread: new Map(),
    untried: new Set(),
    shownSettings: new Map(),
  };
}

/** Adds the findings of a configuration in the requested files. */
export function addResult(
  result: Pick<LintResult, "findings" | "ignored" | "unchecked" | "assumedModules" | "untried">,
  files: ReadonlyMap<string, number>,
  only: ReadonlySet<string> | undefined,
  found: CheckResults,
): void {
  const { findings, ignored, unchecked, assumedModules } = result;
  for (const each of assumedModules) found.assumedModules.add(each);
  for (const each of result.untried)
    if (only === undefined || only.has(each.replace(/:\d+$/, ""))) found.untried.add(each);
  for (const finding of findings) if (!isRepeated(finding, found.findings)) found.findings.push(finding);
  for (const finding of ignored) found.ignored.push(finding);
  for (const each of unchecked)
    if (only === undefined || only.has(each.path)) found.unchecked.set(`${each.path}:${each.line}`, each);
  for (const [path, lines] of files) if (only === undefined || only.has(path)) found.files.set(path, lines);
}

const oncePerFile: ReadonlySet<string> = new Set(
  allRules.flatMap(({ id, isAboutTemplate }) => (isAboutTemplate ? id : [])),
);

/** Reports whether another configuration in the same file has a finding that is enough for both. */
function isRepeated({ rule, span }: Finding, before: readonly Finding[]): boolean {
  return (
    oncePerFile.has(rule) && before.some((each) => each.rule === rule && each.span.file.realPath === span.file.realPath)
  );
}

/**
 * Returns what a configuration shows about recommendations.
 *
 * @param project undefined if the configuration was not read as a whole
 */
export function createEvidence(
  { findings, ignored }: Pick<LintResult, "findings" | "ignored">,
  ran: ReadonlySet<string>,
  project: Project | undefined,
): RecommendationEvidence {
  const names = new Set(project && Array.from(iterateDirectives(project), ({ key }) => key));
  return { findings: [...findings, ...ignored], ran, incomplete: describeGap(project), names };
}

/** Returns why a finding may be missing although all rules ran; undefined if the whole server is known. */
function describeGap(project: Project | undefined): string | undefined {
  if (project === undefined || project.kind !== "server") return "not all files of the server were checked";
  if (!isSince(project.release, "2.4")) return "the benchmark is for 2.4";
  if (!isWholeServer(project)) return "not all files or modules of the server are known";
  const unknown = project.problems.find((each) => each.kind === "undefined-variable" || isUnread(each));
  if (unknown) return unknown.problem;
  const [error] = findStartupErrors(project);
  return error && `httpd does not start: ${error.message}`;
}

/** Returns the files of a project by real path, with their number of lines. */
export function countLinesPerFile({ files }: Pick<Project, "files">): ReadonlyMap<string, number> {
  return new Map([...files.values()].map(({ source }) => [source.realPath, countLines(source)]));
}

/**
 * Returns the notes at the end of a run: what was found, which files were checked on their own and why, and which lines
 * were not.
 *
 * @param main the main file that --main names
 * @param isFolder whether a folder was searched
 */
export function describePlacement(
  results: Pick<CheckResults, "loneFiles" | "unchecked" | "unread" | "assumedModules" | "untried" | "files" | "placed">,
  main: string | undefined,
  isFolder: boolean,
): readonly string[] {
  const { loneFiles, unchecked, unread, assumedModules } = results;
  const untried = results.untried.size;
  const counts = isFolder ? describeCounts(results) : undefined;
  const words = main === undefined ? describeLoneFiles([...loneFiles.values()]) : describeUnread(loneFiles.size, main);
  return [
    ...(counts === undefined ? [] : [`httpd-lint: ${counts}`]),
    ...(loneFiles.size === 0 ? [] : [`httpd-lint: ${words}`]),
    ...(assumedModules.size === 0 ? [] : [`httpd-lint: assuming that ${describeAssumedModules([...assumedModules])}`]),
    ...describeUnchecked([...unchecked.values()]).map((each) => `httpd-lint: ${each}`),
    ...(unread.size === 0 ? [] : [`httpd-lint: ${describeUnreadCommands([...unread.values()])}`]),
    ...(untried === 0 ? [] : [`httpd-lint: ${describeUntried(untried)}`]),
  ];
}

/** Describes what was found, unless it is one server or one file. */
function describeCounts({ files, placed }: Pick<CheckResults, "files" | "placed">): string | undefined {
  const loneFiles = placed.loneFiles();
  const servers = placed.serverCount;
  if (servers + loneFiles.length < 2) return undefined;
  const serverFiles = files.size - new Set(loneFiles.map(({ path }) => path)).size;
  const counts = describeFileCounts({ servers, serverFiles, loneFiles, excluded: placed.excluded(files) });
  return `found ${counts} (--list-files lists all)`;
}

function describeUnread(count: number, main: string): string {
  const [own, them] = count === 1 ? ["its", "it"] : ["their", "them"];
  const checked = `checked ${formatCount(count, "file")} on ${own} own`;
  return `${checked}, because \`${shortenPath(resolve(main))}\` of --main does not read ${them}; ${rootAdvice}`;
}

/** @param missed for each file, the servers that do not read it */
function describeLoneFiles(missed: readonly (readonly string[])[]): string {
  const count = missed.length;
  const without = missed.filter((servers) => servers.length === 0).length;
  const [server = "", ...more] = [...new Set(missed.flat())];
  const [own, them] = count === 1 ? ["its", "it"] : ["their", "them"];
  const missing =
    more.length === 0 ? `\`${shortenPath(server)}\` does not read` : `none of ${1 + more.length} servers reads`;
  const checked = `checked ${formatCount(count, "file")} on ${own} own`;
  const naming = "with --main FILE, or as `entry` in .httpd-lint.json";
  if (without === count) return `${checked}, because no main file was found; name it ${naming}`;
  if (without === 0) return `${checked}, because ${missing} ${them}; if another main file does, name it ${naming}`;
  return `${checked}: ${without} without a main file, and ${count - without} that ${missing}; name the main file ${naming}`;
}

/** Maximum number of names shown in a note. */
const MAX_SHOWN_NAMES = 3;

function describeUntried(count: number): string {
  const what =
    count === 1 ? "1 redirect or rewrite rule was" : `${formatNumber(count)} redirects and rewrite rules were`;
  return `${what} not tried: the limit of simulated requests is reached`;
}

/** Describes commands that write or change configuration in a way that cannot be read. */
function describeUnreadCommands(commands: readonly UnreadCommand[]): string {
  const shown = commands.slice(0, MAX_SHOWN_NAMES);
  const names = shown.map(
    ({ command, target, path, line }) => `\`${command}\` for ${target} (${shortenPath(path)}:${line})`,
  );
  const more = commands.length > shown.length ? [`${commands.length - shown.length} more`] : [];
  const [text, was] =
    commands.length === 1 ? ["the text of 1 command", "was"] : [`the texts of ${commands.length} commands`, "were"];
  return `${text} ${was} not checked: ${formatWordList([...names, ...more])}`;
}

/** Describes lines that were not checked, because no server is known that applies them, or the server skips them. */
function describeUnchecked(sections: readonly UncheckedSection[]): readonly string[] {
  const describe = (isPart: boolean, words: string) => {
    const some = sections.filter(({ isCheckedForStart }) => isCheckedForStart === isPart);
    return some.length === 0 ? [] : [`${describeSections(some)} ${words}`];
  };
  return [
    ...describe(false, "not checked"),
    ...describe(true, "only checked for errors at start, because this server skips them"),
  ];
}

/** Returns a list of sections with the number of their lines, and the verb after it. */
function describeSections(sections: readonly UncheckedSection[]): string {
  const lines = sections.reduce((sum, each) => sum + each.lines, 0);
  const longest = sections.toSorted((a, b) => b.lines - a.lines).slice(0, MAX_SHOWN_NAMES);
  const names = longest.map(({ tag, path, line }) => `\`${tag}\` (${shortenPath(path)}:${line})`);
  const more = sections.length > longest.length ? [`${sections.length - longest.length} more`] : [];
  const were = lines === 1 ? "was" : "were";
  return `${formatCount(lines, "line")} under ${formatWordList([...names, ...more])} ${were}`;
}
