import { defaultRules } from "../../rules/index.js";
import type { Release } from "../directives/directives.js";
import type { Texts } from "../engine/fix-passes.js";
import { type Examined, type LintOptions, type LintResult, told } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import type { Answers } from "../kept/answers.js";
import { Linted } from "../linted.js";
import { diskAccess } from "../project/disk.js";
import type { FileAccess } from "../project/files.js";
import { type LoadOptions, type LoadResult, loadProject, openEntry } from "../project/load.js";
import type { EntryKind, Project } from "../project/project.js";
import { countLines } from "../text/position.js";
import { fromReadable } from "../text/source.js";
import { analysedInParts } from "./analysed-in-parts.js";
import { type KeptResults, type KnownResult, keyOf } from "./kept-results.js";
import { MANY_FILES } from "./many-files.js";
import { type Reading, readingInContext } from "./reading.js";
import type { Steps } from "./work.js";

/** A configuration to be analysed. */
export interface ToAnalyse {
  readonly path: string;
  /** Worked out where absent. */
  readonly kind: EntryKind | undefined;
  readonly reading: Reading;
  readonly rules: readonly RuleDefinition[];
}

/** The same where it is known how it came out before, or where it may be looked at in parts. */
export interface ToAnalyseOnce extends ToAnalyse {
  readonly kept: KeptResults | undefined;
  /** Whether it is held as a whole, however many files it has: fixes are of all files together. */
  readonly isWhole: boolean;
}

type ToTell = Pick<LintOptions, "only" | "sift">;

/** What is told of a configuration. */
export interface Told {
  readonly result: LintResult;
  /** The files that were read, by real path, with their number of lines. */
  readonly files: ReadonlyMap<string, number>;
  /** As it was read, where that was done now; of one that is looked at in parts, the main files. */
  readonly project?: Project;
  /** How it was come by, where that was done now and as a whole. */
  readonly linted?: Linted;
}

/** A configuration of which is known which files it has, and on demand what is wrong with it. */
export interface Analysed extends Pick<KnownResult, "kind" | "notes"> {
  /** Whether a file is one of its own, by its real path. */
  readonly reads: (real: string) => boolean;
  tell(options: ToTell): Steps<Told>;
}

/** What was found now. */
export interface ToldNow extends Told {
  readonly examined: Examined;
  readonly project: Project;
  /** Whether that is all there is to be found. */
  readonly isAll: boolean;
}

export interface AnalysedNow extends Analysed {
  tell(options: ToTell): Steps<ToldNow>;
}

export interface Unreadable {
  readonly unreadable: string;
}

/** Analyses a configuration, unless what is known of it still holds. */
export function analyse(given: ToAnalyseOnce): Analysed | Unreadable {
  const asked = { ...given, reading: readingInContext(given.reading, given.path) };
  const { kept, reading } = asked;
  if (kept === undefined) return afresh(asked, undefined);
  const key = keyTo(asked);
  const access = reading.load.access ?? diskAccess();
  const known = kept.find(key, access);
  if (known) {
    const { files, examined } = known;
    const tell = (options: ToTell): Told => ({ result: told(examined, options), files });
    return { ...known, reads: (real) => files.has(real), tell: (options) => atOnce(tell(options)) };
  }
  const answers = kept.answers();
  const overheard = (load: LoadOptions) => ({ ...load, access: answers.through(load.access ?? diskAccess()) });
  const { load, loadAs } = reading;
  const listening = {
    ...reading,
    load: overheard(load),
    loadAs: (as: Release, texts?: Texts) => overheard(loadAs(as, texts)),
  };
  const analysed = afresh({ ...asked, reading: listening }, answers);
  if ("unreadable" in analysed) return analysed;
  return {
    ...analysed,
    *tell(options) {
      const now = yield* analysed.tell(options);
      const { files, examined, project, isAll } = now;
      if (isAll) kept.keep(key, answers, project, access, { ...analysed, files, examined });
      return now;
    },
  };
}

/** What else than files decides what is found. */
function keyTo({ path, kind, reading: { load, release, from }, rules }: ToAnalyse): string {
  const { access, ...plain } = load;
  const isPartial = access?.isPartial === true;
  return keyOf({
    path,
    kind,
    release,
    from,
    isPartial,
    load: plain,
    rules: rules.map(({ id, severity }) => [id, severity]),
  });
}

/** @param answers what notes what is asked of files, if anybody does */
function afresh(asked: ToAnalyseOnce, answers: Answers | undefined): AnalysedNow | Unreadable {
  const { path, kind, reading, isWhole } = asked;
  const opened = openEntry(path, kind === undefined ? reading.load : { ...reading.load, kind });
  if ("failed" in opened) return { unreadable: opened.failed };
  const found = opened.find();
  const isMany = found !== undefined && found.files.length >= MANY_FILES;
  // What an upgrade changes is proved of all requests at once.
  if (isMany && !isWhole && reading.from === undefined)
    return { ...about(path, opened.project, reading), ...analysedInParts(asked, opened, found, answers) };
  return asWhole(asked, found ? opened.whole(found) : opened.project);
}

/** Analyses a configuration now, with all files that it has. */
export function analyseWhole(given: ToAnalyse): (Pick<Analysed, "kind"> & { readonly linted: Linted }) | Unreadable {
  const asked = { ...given, reading: readingInContext(given.reading, given.path) };
  const { path, kind, reading } = asked;
  const loaded = loadProject(path, kind === undefined ? reading.load : { ...reading.load, kind });
  if ("failed" in loaded) return { unreadable: loaded.failed };
  return { kind: loaded.project.kind, linted: lintedOf(asked, loaded.project, {}) };
}

function asWhole(asked: ToAnalyse, project: Project): AnalysedNow {
  const files = filesOf(project);
  return {
    ...about(asked.path, project, asked.reading),
    reads: (real) => files.has(real),
    tell(options) {
      const linted = lintedOf(asked, project, options);
      return atOnce({ linted, files, result: linted.result, examined: linted.examined, project, isAll: true });
    },
  };
}

function lintedOf({ path, reading, rules }: ToAnalyse, project: Project, asked: ToTell): Linted {
  const { from, loadAs, release } = reading;
  const read = (as: Release, texts?: Texts) =>
    projectOf(loadProject(path, { ...loadAs(as, texts), kind: project.kind }));
  const before = from === undefined ? {} : { from, before: () => read(from) };
  return new Linted(project, { ...asked, ...before, rules, ruleIds }, (texts) => read(release, texts));
}

// biome-ignore lint/correctness/useYield: there is no work that is shared out
function* atOnce<T>(value: T): Steps<T> {
  return value;
}

const ruleIds = defaultRules.map(({ id }) => id);

function about(path: string, project: Project, { load }: Reading): Pick<Analysed, "kind" | "notes"> {
  const { kind } = project;
  return { kind, notes: kind === "server" ? rootNotes(path, project, load.access ?? diskAccess()) : [] };
}

function projectOf(loaded: LoadResult): Project | undefined {
  return "failed" in loaded ? undefined : loaded.project;
}

/** The files of a project by real path, with their number of lines. */
export function filesOf(project: Project): ReadonlyMap<string, number> {
  return new Map([...project.files.values()].map(({ source }) => [source.realPath, countLines(source)]));
}

/** A ServerRoot that is not there, where no finding tells of it. */
function rootNotes(main: string, { serverRoot, problems }: Project, access: FileAccess): readonly string[] {
  if (problems.some(({ kind }) => kind === "server-root") || access.isDirectory(fromReadable(serverRoot))) return [];
  return [
    `httpd-lint: the ServerRoot \`${serverRoot}\` of \`${main}\` is not there; name where its files lie with --server-root or --sysroot`,
  ];
}
