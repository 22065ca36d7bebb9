import { statSync } from "node:fs";
import { resolve } from "node:path";
import { defaultRules } from "../../rules/index.js";
import type { Release } from "../directives/directives.js";
import { type Finding, type Severity, severities } from "../engine/finding.js";
import { byPlace } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import { lint } from "../lint.js";
import type { FileAccess } from "../project/files.js";
import { type LoadOptions, type LoadResult, loadProject } from "../project/load.js";
import type { Project } from "../project/project.js";
import { type Format, type ReportInput, render, statistics } from "../report/index.js";
import { fromBytes } from "../text/bytes.js";
import { nearest } from "../text/nearest.js";
import { countLines } from "../text/position.js";
import { fromReadable } from "../text/source.js";
import { version } from "../version.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import { withRoomToGrow } from "./memory.js";
import { moduleNotes, type ReadingFlags, readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { Progress } from "./progress.js";
import { browserScript, rulePage } from "./shipped.js";
import { readStandardInput } from "./standard-input.js";
import { type Target, targetsOf } from "./targets.js";

export interface CheckFlags extends ReadingFlags {
  readonly paths: readonly string[];
  readonly from?: Release | undefined;
  readonly stdinFilename?: string | undefined;
  readonly format: Format;
  readonly select?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
  readonly minSeverity: Severity;
  readonly exitZero: boolean;
  readonly statistics: boolean;
  readonly quiet: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
  readonly category?: string | undefined;
}

const ruleIds = defaultRules.map((rule) => rule.id);

/** What several analyses found together. */
interface Found {
  readonly findings: Finding[];
  readonly ignored: Finding[];
  /** The files read, by real path, with their number of lines. */
  readonly files: Map<string, number>;
  readonly notes: string[];
}

/** Says what is wrong with the configurations at the paths. */
export function check(flags: CheckFlags): Outcome {
  const rules = chosenRules(flags);
  if ("failed" in rules) return failure(exitCodes.usage, rules.failed);
  if (flags.statistics && !isCounted(flags.format))
    return failure(exitCodes.usage, `--statistics is written as text or json, not as ${flags.format}`);
  const mistyped = mistypedCommand(flags.paths);
  if (mistyped !== undefined) return failure(exitCodes.unreadable, mistyped);
  const input = standardInput(flags);
  if (input && "failed" in input) return failure(input.exitCode, input.failed);
  const targets = targetsOf(flags.paths.map((path) => (path === "-" && input ? input.path : path)));
  if ("failed" in targets) return failure(exitCodes.unreadable, targets.failed);

  const progress = Progress.onTerminal(flags.quiet);
  const found: Found = { findings: [], ignored: [], files: new Map(), notes: moduleNotes(flags) };
  const failed = checkTargets(targets.targets, flags, rules.rules, input?.overlay, progress, found);
  progress.end();
  if (failed) return failed;
  const threshold = severities.indexOf(flags.minSeverity);
  const isShown = (finding: Finding) => severities.indexOf(finding.severity) <= threshold;
  const findings = found.findings.filter(isShown).sort(byPlace).filter(isFirstOfItsKind);
  const result: ReportInput = {
    findings,
    ignored: found.ignored,
    files: found.files.size,
    lines: [...found.files.values()].reduce((sum, lines) => sum + lines, 0),
    rules: rules.rules,
    version,
    base: process.cwd(),
    colour: flags.colour,
    ...(flags.width === undefined ? {} : { width: flags.width }),
    ...(flags.category === undefined ? {} : { category: flags.category }),
    ...(flags.format === "html" ? { rulePageOf: rulePage, script: browserScript("check") } : {}),
  };
  const isCount = flags.statistics && isCounted(flags.format);
  const output = isCount ? [statistics[flags.format](result)] : render(flags.format, result);
  const exitCode = findings.length > 0 && !flags.exitZero ? exitCodes.findings : exitCodes.clean;
  return { output, notes: found.notes, exitCode };
}

/** Whether `--statistics` can be written so. */
function isCounted(format: Format): format is keyof typeof statistics {
  return Object.hasOwn(statistics, format);
}

const commands = ["check", "resolve", "explain", "test", "compare", "map", "rules", "completion"];

/** A first word that is no path and almost a command: any other word is one, too, of the default command. */
function mistypedCommand([first = ""]: readonly string[]): string | undefined {
  const near = /^[a-z]+$/i.test(first) ? nearest(first, commands) : undefined;
  if (near === undefined || statSync(first, { throwIfNoEntry: false })) return undefined;
  return `\`${first}\` is no command, and no such path is there; did you mean \`httpd-lint ${near}\`?`;
}

/** Of what two servers find in a file that both read, one is enough. */
function isFirstOfItsKind(finding: Finding, index: number, sorted: readonly Finding[]): boolean {
  const before = sorted[index - 1];
  return before === undefined || byPlace(before, finding) !== 0;
}

/**
 * Analyses the servers with the paths asked for in them, and then on its own each path that none of them reads.
 *
 * @returns what went wrong
 */
function checkTargets(
  targets: readonly Target[],
  flags: CheckFlags,
  rules: readonly RuleDefinition[],
  overlay: ReadonlyMap<string, string> | undefined,
  progress: Progress,
  found: Found,
): Outcome | undefined {
  const left: { readonly path: string; readonly reading: Reading }[] = [];
  for (const target of targets) {
    const options = readingOptions(flags, target.main, overlay);
    if ("failed" in options) return failure(exitCodes.usage, options.failed);
    const load = { ...options.load, access: withRoomToGrow(progress.watch(options.access)) };
    const reading: Reading = { load, access: options.access };
    const alone =
      target.main === undefined ? target.paths : checkServer(target.main, target, flags, rules, reading, found);
    if ("exitCode" in alone) return alone;
    for (const path of alone) left.push({ path, reading });
  }
  for (const { path, reading } of left) {
    if (found.files.has(reading.access.realPath(fromReadable(path)))) continue;
    const loaded = loadProject(path, reading.load);
    if ("failed" in loaded) return failure(exitCodes.unreadable, `\`${path}\` cannot be read: ${loaded.failed}`);
    if (flags.from !== undefined && loaded.project.kind === "fragment")
      found.notes.push(
        `httpd-lint: \`${path}\` is read as a piece of a configuration, so what the upgrade changes of access is not worked out; name the server's main file`,
      );
    const before = () => projectOf(loadProject(path, { ...reading.load, release: flags.from ?? "2.2" }));
    collect(loaded.project, flags, rules, undefined, found, before);
  }
  return undefined;
}

/** How the files of a target are read. */
interface Reading {
  readonly load: LoadOptions;
  readonly access: FileAccess;
}

/** @returns the paths asked for that the server does not read, or what went wrong */
function checkServer(
  main: string,
  target: Target,
  flags: CheckFlags,
  rules: readonly RuleDefinition[],
  { load, access }: Reading,
  found: Found,
): readonly string[] | Outcome {
  const loaded = loadProject(main, { ...load, kind: "server" });
  if ("failed" in loaded) return failure(exitCodes.unreadable, `\`${main}\` cannot be read: ${loaded.failed}`);
  const { serverRoot, problems } = loaded.project;
  const isTold = problems.some(({ kind }) => kind === "server-root");
  if (!isTold && !access.isDirectory(fromReadable(serverRoot))) {
    found.notes.push(
      `httpd-lint: the ServerRoot \`${serverRoot}\` of \`${main}\` is not there; name where its files lie with --server-root or --sysroot`,
    );
  }
  const reached = filesOf(loaded.project);
  const asked = new Set<string>();
  const alone: string[] = [];
  for (const path of target.paths) {
    const real = access.realPath(fromReadable(path));
    if (reached.has(real)) asked.add(real);
    else alone.push(path);
  }
  const before = () => projectOf(loadProject(main, { ...load, kind: "server", release: flags.from ?? "2.2" }));
  if (target.whole || asked.size > 0)
    collect(loaded.project, flags, rules, target.whole ? undefined : asked, found, before);
  return alone;
}

function projectOf(loaded: LoadResult): Project | undefined {
  return "failed" in loaded ? undefined : loaded.project;
}

/** The files of a project by real path, with their number of lines. */
function filesOf(project: Project): Map<string, number> {
  return new Map([...project.files.values()].map(({ source }) => [source.realPath, countLines(source)]));
}

function collect(
  project: Project,
  flags: CheckFlags,
  rules: readonly RuleDefinition[],
  only: ReadonlySet<string> | undefined,
  found: Found,
  before: () => Project | undefined,
): void {
  const result = lint(project, {
    rules,
    ruleIds,
    ...(flags.from === undefined ? {} : { from: flags.from, before }),
    ...(only === undefined ? {} : { only }),
  });
  for (const finding of result.findings) found.findings.push(finding);
  for (const finding of result.ignored) found.ignored.push(finding);
  for (const [path, lines] of filesOf(project)) if (only === undefined || only.has(path)) found.files.set(path, lines);
}

/** The rules by `--select` and `--disable`. */
function chosenRules(flags: CheckFlags): { readonly rules: readonly RuleDefinition[] } | { readonly failed: string } {
  const select = (flags.select ?? []).flatMap((list) => list.split(","));
  const disable = (flags.disable ?? []).flatMap((list) => list.split(","));
  const unknown = [...select, ...disable].find((id) => !ruleIds.includes(id));
  if (unknown !== undefined) {
    const near = nearest(unknown, ruleIds);
    return {
      failed: `there is no rule \`${unknown}\`${near ? `, did you mean \`${near}\`` : ""}; \`httpd-lint rules\` lists them`,
    };
  }
  const rules = defaultRules.filter(
    (rule) => (select.length === 0 || select.includes(rule.id)) && !disable.includes(rule.id),
  );
  return { rules };
}

/** Standard input in place of a file, where `-` is among the paths. */
export function standardInput(
  flags: Pick<CheckFlags, "paths" | "stdinFilename">,
): { path: string; overlay: ReadonlyMap<string, string> } | { failed: string; exitCode: ExitCode } | undefined {
  const { usage, unreadable } = exitCodes;
  if (!flags.paths.includes("-")) {
    if (flags.stdinFilename === undefined) return undefined;
    return { failed: "--stdin-filename goes with the path `-`", exitCode: usage };
  }
  if (flags.stdinFilename === undefined) {
    const failed = "`-` needs --stdin-filename: the name decides what the text is and where it belongs";
    return { failed, exitCode: usage };
  }
  const path = resolve(flags.stdinFilename);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return { failed: `\`${flags.stdinFilename}\` of --stdin-filename is a folder; name the file`, exitCode: usage };
  const bytes = readStandardInput();
  if (bytes === undefined) return { failed: "standard input cannot be read", exitCode: unreadable };
  return { path, overlay: new Map([[path, fromBytes(bytes)]]) };
}
