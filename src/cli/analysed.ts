import { defaultRules } from "../../rules/index.js";
import type { Release } from "../directives/directives.js";
import type { Texts } from "../engine/fix-passes.js";
import { type LintOptions, type LintResult, told } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import { Linted } from "../linted.js";
import { diskAccess } from "../project/disk.js";
import type { FileAccess } from "../project/files.js";
import { type LoadOptions, type LoadResult, loadProject } from "../project/load.js";
import type { EntryKind, Project } from "../project/project.js";
import { countLines } from "../text/position.js";
import { fromReadable } from "../text/source.js";
import { type KeptResults, type KnownResult, keyOf } from "./kept-results.js";

/** How a configuration is read as a release does, with texts in place of files by their real paths. */
export type LoadAs = (release: Release, texts?: Texts) => LoadOptions;

/** How the files of a server are read. */
export interface Reading {
  readonly load: LoadOptions;
  readonly access: FileAccess;
  readonly release: Release;
  readonly from: Release | undefined;
  readonly loadAs: LoadAs;
}

/** A configuration to be analysed. */
export interface ToAnalyse {
  readonly path: string;
  /** Worked out where absent. */
  readonly kind: EntryKind | undefined;
  readonly reading: Reading;
  readonly rules: readonly RuleDefinition[];
  readonly kept: KeptResults | undefined;
}

/** A configuration of which is known which files it has, and on demand what is wrong with it. */
export interface Analysed extends Pick<KnownResult, "kind" | "files" | "notes"> {
  /** Tells what is found; how it was come by only where that was done now. */
  tell(options: Pick<LintOptions, "only" | "sift">): { readonly result: LintResult; readonly linted?: Linted };
}

/** Analyses a configuration, unless what is known of it still holds. */
export function analyse(asked: ToAnalyse): Analysed | { readonly unreadable: string } {
  const { kept, reading } = asked;
  if (kept === undefined) return afresh(asked);
  const key = keyTo(asked);
  const access = reading.load.access ?? diskAccess();
  const known = kept.find(key, access);
  if (known) return { ...known, tell: (options) => ({ result: told(known.examined, options) }) };
  const answers = kept.answers();
  const overheard = (load: LoadOptions) => ({ ...load, access: answers.through(load.access ?? diskAccess()) });
  const analysed = afresh({
    ...asked,
    reading: {
      ...reading,
      load: overheard(reading.load),
      loadAs: (as, texts) => overheard(reading.loadAs(as, texts)),
    },
  });
  if ("unreadable" in analysed) return analysed;
  return {
    ...analysed,
    tell(options) {
      const now = analysed.tell(options);
      const { project, examined } = now.linted;
      kept.keep(key, answers, project, access, { ...analysed, examined });
      return now;
    },
  };
}

/** What else than files decides what is found. */
function keyTo({ path, kind, reading: { load, release, from }, rules }: ToAnalyse): string {
  const { access: _, ...plain } = load;
  return keyOf({ path, kind, release, from, load: plain, rules: rules.map(({ id, severity }) => [id, severity]) });
}

interface AnalysedNow extends Analysed {
  tell(options: Pick<LintOptions, "only" | "sift">): { readonly result: LintResult; readonly linted: Linted };
}

function afresh({ path, kind, reading, rules }: ToAnalyse): AnalysedNow | { readonly unreadable: string } {
  const { load, loadAs, release, from } = reading;
  const loaded = loadProject(path, kind === undefined ? load : { ...load, kind });
  if ("failed" in loaded) return { unreadable: loaded.failed };
  const { project } = loaded;
  const read = (as: Release, texts?: Texts) =>
    projectOf(loadProject(path, { ...loadAs(as, texts), kind: project.kind }));
  return {
    kind: project.kind,
    files: filesOf(project),
    notes: kind === "server" ? rootNotes(path, project, load.access ?? diskAccess()) : [],
    tell(asked) {
      const before = from === undefined ? {} : { from, before: () => read(from) };
      const linted = new Linted(project, { ...asked, ...before, rules, ruleIds }, (texts) => read(release, texts));
      return { linted, result: linted.result };
    },
  };
}

const ruleIds = defaultRules.map(({ id }) => id);

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
