import type { ConfigTree } from "../../../grammar/ast.js";
import { parseFile } from "../../../grammar/parser.js";
import { fillTemplate, type TemplateBranch } from "../../../grammar/template.js";
import { findDirectiveFacts, isAllowedIn } from "../../facts/directives.js";
import { type SourceFile, type Span, toReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import { formatNumber } from "../../text/words.js";
import type { FileAccess, FileFailure } from "../files/file-access.js";
import { parentOf, resolvePath, toAbsolutePath } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import { decideTemplateCondition } from "../model/guards.js";
import { SharedObjects } from "../model/load-module.js";
import { findPlaceholder, templateOf } from "../model/placeholders.js";
import { findUndefinedVariable } from "../model/variables.js";
import { RefusalLog, type RefusalText, wordingOf } from "../refusals/refusal.js";
import { assumeModulesOf } from "./assumed-modules.js";
import { FileReader } from "./file-reader.js";
import { describeUnreadableInclude, findIncludedFiles } from "./include.js";
import type { LineCache } from "./line-cache.js";
import type { Macro } from "./macros.js";
import { type EffectiveName, locatePath, ReaderCache, type ReadingReport, type ReadingState } from "./reading-state.js";

/** Limit of nested includes; beyond it, the server stops (server/core.c AP_MAX_INCLUDE_DEPTH). */
export const MAX_INCLUDE_DEPTH = 128;

/** Limit of lines expanded from macros; no real configuration reaches it. */
export const MAX_EXPANDED_LINES = 500_000;

/** Limit of the bytes of all texts expanded from macros and variables, which may multiply each other. */
export const MAX_EXPANDED_BYTES = 32 * 1024 * 1024;

/**
 * Limit of lines in files that are included repeatedly. If each of a hundred files includes the next one twice, the
 * server does not finish either.
 */
export const MAX_REREAD_LINES = 2_000_000;

/** Limit of different unknown directives; an Include with more of them reads programs, documents or the like. */
export const MAX_UNKNOWN_NAMES = 1_000;

/**
 * Reads an entry file and its includes into the directives that the server would load, line by line as the server does
 * (server/config.c `ap_build_config`). Conditional sections are evaluated. Include, Define, LoadModule, Macro and Use
 * take effect in place, and everything else is kept in order. If the server would stop, the problem is recorded and
 * reading continues after it.
 */
export class ConfigReader {
  readonly problems: RefusalLog;
  readonly report: ReadingReport;
  readonly lineCache: LineCache;
  readonly sharedObjects: SharedObjects;
  private readonly names: Map<string, EffectiveName>;
  private readonly undefinedNames = new Set<string>();
  /** Macros whose definitions the server rejects, so that their absence is explained. */
  readonly refusedMacros = new Set<string>();
  /** Whether a macro was ever defined, even if all are undefined by now. */
  hadMacros: boolean;
  private serverRootIsMissing = false;
  /** Whether a ServerRoot line was read. */
  namesServerRoot = false;
  private includeDepth = 0;
  private includesStopped = false;
  private expandedLines = 0;
  private expandedBytes = 0;
  private rereadLines = 0;
  private unknownNames = 0;
  private includesUnknownFormat = false;

  /** @param known cache for repeated lines; readers with the same options may share it */
  constructor(
    readonly state: ReadingState,
    known: ReaderCache = new ReaderCache(),
  ) {
    this.lineCache = known.lines;
    this.names = known.names;
    this.problems = new RefusalLog(state.inHtaccess);
    this.sharedObjects = new SharedObjects(state.access, state.release);
    this.report = {
      problems: this.problems.problems,
      guards: [],
      loadModules: [],
      includes: [],
      templateBranches: [],
      macros: [],
      executedLines: [],
      files: new Map(),
    };
    this.hadMacros = state.macros.size > 0;
  }

  /** Reads one file into the list of a section (or of the server); returns the reason if it cannot be read. */
  readFile(
    path: string,
    includedFrom: Directive | undefined,
    into: Directive[],
    parent: Directive | undefined,
  ): FileFailure | undefined {
    let tree = this.report.files.get(path);
    if (tree === undefined) {
      const content = this.state.access.read(path);
      if (!content.ok) return content.error;
      const { realPath, text, isPart, readAs = text } = content.value;
      const before = this.state.parsed?.get(path);
      const source = before?.source ?? { path: toReadable(path), realPath, text, ...(isPart ? { isPart } : {}) };
      tree = this.parseTemplate(source, readAs, before) ?? before ?? parseFile(source, readAs);
      this.report.files.set(path, tree);
      assumeModulesOf(tree, this.state.release, this.state.modules);
    } else if (includedFrom && !this.allowsRereading(tree, includedFrom.span)) return undefined;
    new FileReader(this, includedFrom ? { tree, includedFrom } : { tree }, into, parent).read();
    return undefined;
  }

  /**
   * Reports whether included files are not read any further because they are not configuration; records that once.
   *
   * @param at the Include
   */
  stopsIncluding(at: Span): boolean {
    if (this.unknownNames <= MAX_UNKNOWN_NAMES) return false;
    if (this.includesUnknownFormat) return true;
    this.includesUnknownFormat = true;
    const max = formatNumber(MAX_UNKNOWN_NAMES);
    this.problems.add(at, wordingOf("too-many-unknown-directives", max));
    return true;
  }

  /** Returns the release's facts about a name as written, and its current meaning. */
  lookUp(written: string): EffectiveName {
    const { inHtaccess, isSkipped: passing, modules, release, includesAll } = this.state;
    const before = this.names.get(written);
    if (before?.stamp === modules.stamp) return before;
    const key = written.toLowerCase();
    const isOfBoth = includesAll && key === "includeoptional";
    const known = before?.known ?? { key, facts: findDirectiveFacts(isOfBoth ? "2.4" : release, written) };
    if (before === undefined && known.facts.length === 0) this.unknownNames++;
    const loaded = known.facts.filter((each) => modules.provides(each));
    const [facts] = loaded;
    const name = facts ? `${facts.section ? "<" : ""}${facts.tableName}` : written;
    const running = loaded.filter((each) => each.readTime && (!inHtaccess || isAllowedIn(each, "htaccess")));
    const runsNow = running.length > 0;
    const isSkipped = passing !== undefined && running.some(passing);
    const effective = { known, name, closing: `</${written.slice(1)}>`, runsNow, isSkipped, stamp: modules.stamp };
    this.names.set(written, effective);
    return effective;
  }

  /** Records an undefined variable once, even if it is used several times. */
  undefinedVariable(name: string, span: Span): void {
    if (this.undefinedNames.has(name)) return;
    this.undefinedNames.add(name);
    this.problems.add(span, wordingOf("undefined-variable", name));
  }

  /** Parses a file as a template; undefined if it is none. @param before the tree of an earlier reading */
  private parseTemplate(source: SourceFile, text: string, before: ConfigTree | undefined): ConfigTree | undefined {
    const template = templateOf(source);
    if (template === undefined) return undefined;
    const statement = template.tags.find(({ isExpression }) => !isExpression);
    if (statement) this.templateTag({ file: source, start: statement.start, end: statement.end });
    const { version, templateConditions = [] } = this.state;
    const onVersion = template.branches.flatMap(({ requires }) =>
      [...requires.keys()].flatMap((key) => {
        const holds = decideTemplateCondition(key, version);
        return holds === undefined ? [] : [[key, holds] as const];
      }),
    );
    const filled = fillTemplate(text, template, new Map([...onVersion, ...templateConditions]));
    const add = (applies: boolean) => (branch: TemplateBranch) =>
      this.report.templateBranches.push({ ...branch, file: source, applies });
    filled.applied.forEach(add(true));
    filled.skipped.forEach(add(false));
    return before?.text === filled.text ? before : parseFile(source, filled.text);
  }

  /** Records the tag of a template, once for each file. */
  templateTag(span: Span): void {
    const isKnown = this.report.problems.some(({ kind, span: at }) => kind === "template" && at.file === span.file);
    if (isKnown) return;
    this.problems.add(span, wordingOf("template-tag", span.file.text.slice(span.start, span.end)));
  }

  defineMacro(macro: Macro): void {
    this.hadMacros = true;
    this.state.macros.set(macro.name, macro);
    this.report.macros.push(macro);
  }

  /** Reports whether a macro may be expanded: macros that use others repeatedly could expand without end. */
  allowsExpansion(lines: number, at: Span): boolean {
    this.expandedLines += lines;
    if (this.expandedLines <= MAX_EXPANDED_LINES) return true;
    if (this.expandedLines - lines <= MAX_EXPANDED_LINES) {
      const max = formatNumber(MAX_EXPANDED_LINES);
      this.problems.add(at, wordingOf("too-many-macro-lines", max));
    }
    return false;
  }

  /**
   * Counts the bytes of an expanded text.
   *
   * @param what the kind of expansion, for the message
   * @returns whether the text may be used; if not, that is reported once
   */
  allowsExpandedBytes(bytes: number, at: Span, what: "use" | "line"): boolean {
    const before = this.expandedBytes;
    if (before > MAX_EXPANDED_BYTES) return false;
    this.expandedBytes += bytes;
    if (this.expandedBytes <= MAX_EXPANDED_BYTES) return true;
    this.problems.add(at, wordingOf("too-many-expanded-bytes", MAX_EXPANDED_BYTES >> 20, what));
    return false;
  }

  /** Reports whether a file that was already read may be read again. */
  private allowsRereading({ lines }: ConfigTree, at: Span): boolean {
    const before = this.rereadLines;
    this.rereadLines += lines.length + 1;
    if (this.rereadLines <= MAX_REREAD_LINES) return true;
    if (before <= MAX_REREAD_LINES) {
      const max = formatNumber(MAX_REREAD_LINES);
      this.problems.add(at, wordingOf("too-many-repeated-lines", max));
    }
    return false;
  }

  /** Applies a ServerRoot line, unless the user set it. */
  changeServerRoot(path: string, at: Span): void {
    const { access, serverRoot, serverRootIsFixed } = this.state;
    this.namesServerRoot = true;
    const root = resolvePath(serverRoot, path);
    const isAbsolute = toAbsolutePath(path) !== undefined;
    if (serverRootIsFixed) {
      if (isAbsolute) this.state.installedAt = root;
      return;
    }
    this.state.serverRoot = root;
    this.serverRootIsMissing = isMissingDirectory(root, access);
    // A relative one starts at the server's working directory, which is unknown. That of a template is not known yet.
    const isNamed = isAbsolute || findUndefinedVariable(path) !== undefined;
    if (!this.serverRootIsMissing || !isNamed || findPlaceholder(path) !== undefined) return;
    this.problems.add(at, wordingOf("missing-server-root", path));
  }

  /** Follows an Include; its files' directives are added in place of the Include. */
  include(path: string, optional: boolean, by: Directive, into: Directive[], parent: Directive | undefined): void {
    const { access, release } = this.state;
    const at = by.span;
    if (this.includesStopped || this.stopsIncluding(at)) return;
    if (this.includeDepth >= MAX_INCLUDE_DEPTH) {
      // The server stops here; continuing would only repeat the same cycle.
      this.includesStopped = true;
      this.problems.add(at, wordingOf("includes-too-deep", MAX_INCLUDE_DEPTH, release));
      return;
    }
    this.includeDepth++;
    // A missing ServerRoot is the cause of the missing file.
    const isElsewhere = toAbsolutePath(path) === undefined && this.serverRootIsMissing;
    if (isElsewhere) this.problems.add(at, wordingOf("below-missing-server-root", path));
    const located = locatePath(path, this.state);
    // A ServerRoot in a template is not known, either.
    const variable = findUndefinedVariable(path) ?? findPlaceholder(located);
    if (variable !== undefined) this.problems.add(at, wordingOf("depends-on-variable", path, variable));
    const addProblem = (fault: RefusalText) => {
      if (!isElsewhere && variable === undefined) this.problems.add(at, fault);
    };
    const found = findIncludedFiles(located, optional, release, access);
    const files = found.ok ? found.value : [];
    const isOpen = files.length === 0 && mayHaveFiles(located, access);
    this.report.includes.push({ span: at, path: located, files, ...(isOpen ? { mayHaveFiles: true } : {}) });
    if (found.ok) {
      for (const file of found.value) {
        if (this.stopsIncluding(at)) break;
        const failure = this.readFile(file, by, into, parent);
        if (failure) addProblem(describeUnreadableInclude(file, failure, { optional, release, access }));
      }
    } else addProblem(found.error);
    this.includeDepth--;
    if (this.includeDepth === 0) this.includesStopped = false;
  }
}

/**
 * Reports whether a server may have files where none are here: the folder cannot be listed, or contains only files such as
 * `.gitkeep`, without which a version control does not keep it.
 */
function mayHaveFiles(path: string, access: FileAccess): boolean {
  const known = hasWildcard(path) ? path.replace(/[*?[].*$/s, "") : path;
  const entries = access.list(parentOf(known));
  if (!entries.ok || access.isPartial) return true;
  return entries.value.length > 0 && entries.value.every(({ name }) => name.startsWith("."));
}

/** Reports whether a path is not a directory; undecided if it may not be read. */
function isMissingDirectory(path: string, access: FileAccess): boolean {
  if (access.isDirectory(path)) return false;
  const entries = access.list(path);
  return !entries.ok && entries.error.system !== undefined;
}
