import { join, resolve } from "node:path";
import { allRules } from "../../../../rules/index.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { isWithin } from "../../../config/files/paths.js";
import { statOf } from "../../../config/main-files.js";
import type { Release } from "../../../facts/release.js";

import { describeFormerRule, formerRules } from "../../../lint/former-rules.js";

import type { RuleDefinition } from "../../../lint/rule.js";
import { measurePhase, type Timings } from "../../../lint/runner/timings.js";
import type { Result } from "../../../text/result.js";
import type { BaselineFile } from "../../baseline/baseline-file.js";
import { CACHE_FILE, ResultCache } from "../../cache/result-cache.js";
import { type RuleSelection, selectRules } from "../../settings/apply-settings.js";
import type { PathIgnore, Settings } from "../../settings/settings.js";
import { shortenPath } from "../../short-path.js";
import type { TaskGenerator } from "../../workers/task.js";
import { validateMainFlag } from "../inputs/entry-files.js";
import type { ExclusionFlags } from "../inputs/exclusions.js";
import { FolderSearches } from "../inputs/folder-search.js";
import { enclosingFolderOf, formatSomePaths, type InputFlags, type SettingsFlags } from "../inputs/project-settings.js";
import { describeUnknownRule, isRuleName } from "../inputs/rule-names.js";
import { type CommandResult, createFailure, exitCodes, failWith } from "../output/command-result.js";
import type { ProgressRunner } from "../output/progress-line.js";
import { describeGone, openBaseline, updateBaseline } from "./baseline.js";
import { type CheckGroup, groupPaths } from "./check-groups.js";
import { type CheckResults, createCheckResults, describePlacement } from "./check-results.js";
import { type ChangedLines, createFindingFilter, readChangedLines } from "./finding-filter.js";
import { lintGroup } from "./lint-group.js";

/** The flags that control which problems are reported, and where. */
export interface CheckRunFlags extends InputFlags, SettingsFlags, RuleSelectionFlags, ExclusionFlags {
  /** Main file of the server. */
  readonly main?: string | undefined;
  /** Whether given files are skipped if they are not httpd configuration. */
  readonly skipUnrecognized?: boolean | undefined;
  readonly release?: Release | undefined;
  readonly from?: Release | undefined;
  /** The baseline file. */
  readonly baseline?: string | undefined;
  readonly updateBaseline?: boolean | undefined;
  /** Whether suppressed findings are reported as all others. */
  readonly noSuppressions?: boolean | undefined;
  /** A commit: only changes since then are reported. */
  readonly changedSince?: string | undefined;
  /** The file that keeps results for the next run, empty for the usual one; if absent, the configuration file decides. */
  readonly cache?: string | false | undefined;
  /** What is counted: for `reference`, evidence about recommendations is collected. */
  readonly statistics?: "rule" | "reference" | undefined;
  /** Whether the files are listed instead of checked. */
  readonly listFiles?: boolean | undefined;
  /** Whether the settings are shown, and nothing is checked. */
  readonly showSettings?: boolean | undefined;
  /** Whether fixes are requested. */
  readonly isFixing?: boolean | undefined;
  /** Runs proofs and shows their progress. */
  readonly runWithProgress?: ProgressRunner | undefined;
}

/** The combined results for all requested paths. */
export interface CheckRun {
  readonly found: CheckResults;
  /** The selected rules, with their configured severity. */
  readonly rules: readonly RuleDefinition[];
  /** Entries of `ignores` that did not suppress anything. */
  readonly unused: readonly UnusedIgnore[];
}

/** An `ignores` entry of the configuration file. */
export interface UnusedIgnore {
  readonly settings: string;
  readonly paths: readonly string[];
}

/**
 * Lints paths, each group under its configuration file, and writes caches, and baselines if requested.
 *
 * @param overlay contents that replace files on disk, by absolute path
 * @param watch observes the files read
 * @param timings measures the run
 */
export function* lintPaths(
  paths: readonly string[],
  flags: CheckRunFlags,
  overlay: ReadonlyMap<string, string> | undefined,
  watch: (access: FileAccess) => FileAccess,
  timings: Timings | undefined,
): TaskGenerator<Result<CheckRun, CommandResult>> {
  const noMain = validateMainFlag(flags.main, overlay);
  if (noMain) return { ok: false, error: noMain };
  const searches = new FolderSearches(flags);
  const grouping = groupPaths(paths, flags, searches);
  if (!grouping.ok) return grouping;
  const isFolder = paths.length === 0 || paths.some((path) => statOf(path)?.isDirectory());
  const run = new RunOverGroups(flags, overlay, watch, searches, timings);
  for (const group of grouping.value) {
    const failed = yield* run.runGroup(group);
    if (failed) return { ok: false, error: failed };
  }
  return run.finish(isFolder);
}

/** A run over several groups of paths. */
class RunOverGroups {
  private readonly results: CheckResults;
  private readonly rules = new Map<string, RuleDefinition>();
  private readonly caches = new Map<string, ResultCache>();
  private readonly baselines = new Map<string, BaselineFile>();
  private readonly unused: UnusedIgnore[] = [];
  private readonly outsideRepository = new Map<string, Set<string>>();

  constructor(
    private readonly flags: CheckRunFlags,
    private readonly overlay: ReadonlyMap<string, string> | undefined,
    private readonly watch: (access: FileAccess) => FileAccess,
    private readonly searches: FolderSearches,
    private readonly timings: Timings | undefined,
  ) {
    this.results = createCheckResults(flags.listFiles);
  }

  *runGroup(group: CheckGroup): TaskGenerator<CommandResult | undefined> {
    const { flags, overlay, watch, searches, timings } = this;
    const { settings } = group;
    const chosen = readRuleSelection(flags);
    if (!chosen.ok) return createFailure(exitCodes.usage, chosen.error);
    const selected = flags.listFiles ? [] : selectRules(allRules, chosen.value, settings);
    const rules = flags.showSettings ? [] : selected;
    for (const note of describeFormerNames(chosen.value)) this.results.notes.add(note);
    for (const rule of rules) this.rules.set(rule.id, rule);
    const baseline = flags.noSuppressions || flags.showSettings ? undefined : this.baselineOf(group);
    if (baseline && !baseline.ok) return baseline.error;
    const changes = this.changesFor(group);
    if (changes && !changes.ok) return createFailure(exitCodes.usage, changes.error);
    const used = new Set<PathIgnore>();
    const elsewhere = this.outsideFilesOf(changes?.value.root ?? "");
    const isUpdating = flags.updateBaseline === true;
    const suppress = createFindingFilter({
      settings: flags.noSuppressions && settings ? { ...settings, ignores: [] } : settings,
      baseline: baseline?.value,
      isUpdating,
      changes: changes?.value,
      used,
      elsewhere,
    });
    const cache = this.cacheFor(settings);
    const shownRules = flags.showSettings ? { rules: selected, selection: chosen.value } : undefined;
    const context = { group, flags, searches, rules, shownRules, overlay, suppress, watch, cache, timings };
    const failed = yield* lintGroup(context, this.results);
    if (failed) return failed;
    for (const ignore of (!flags.noSuppressions && settings?.ignores) || [])
      if (!used.has(ignore)) this.unused.push({ settings: ignore.file, paths: ignore.paths });
    return undefined;
  }

  /** @param isFolder whether a folder was searched */
  finish(isFolder: boolean): Result<CheckRun, CommandResult> {
    const { results, rules, unused } = this;
    for (const kept of this.caches.values()) {
      measurePhase(this.timings, "cache", () => kept.save());
      for (const note of kept.notes) results.notes.add(note);
    }
    if (this.flags.updateBaseline)
      for (const file of this.baselines.values()) {
        const updated = updateBaseline(file, results);
        if (!updated.ok) return updated;
        results.notes.add(updated.value);
      }
    else
      for (const file of this.baselines.values()) {
        const gone = this.flags.listFiles || this.flags.showSettings ? undefined : describeGone(file, results);
        if (gone !== undefined) results.notes.add(gone);
      }
    for (const [root, files] of this.outsideRepository)
      if (files.size > 0)
        results.notes.add(
          `httpd-lint: --changed-since omits findings outside the repository \`${root}\`: ${formatSomePaths([...files])}`,
        );
    if (!this.flags.showSettings)
      for (const note of describePlacement(results, this.flags.main, isFolder)) results.notes.add(note);
    return { ok: true, value: { found: results, rules: [...rules.values()], unused } };
  }

  private cacheFor(settings: Settings | undefined): ResultCache | undefined {
    const { cache, config, confine } = this.flags;
    if (cache === false || (cache ?? settings?.cache) === undefined) return undefined;
    const byFlag = cache === "" ? undefined : cache;
    const named = byFlag ?? settings?.cache;
    const file = resolve(named ?? join(settings?.directory ?? ".", CACHE_FILE));
    // Paths named by the user are read wherever they lead, as are files in a folder that is not confined.
    const isFound = byFlag === undefined && config === undefined;
    const within = isFound && confine !== undefined && isWithin(file, resolve(confine)) ? confine : undefined;
    const kept = this.caches.get(file) ?? ResultCache.open(file, within);
    this.caches.set(file, kept);
    return kept;
  }

  private baselineOf({ settings }: CheckGroup): Result<BaselineFile, CommandResult> | undefined {
    const { baseline, updateBaseline: isUpdating = false } = this.flags;
    const file = baseline ?? settings?.baseline;
    if (file === undefined) {
      const where = settings === undefined ? ".httpd-lint.json" : `\`${shortenPath(settings.path)}\``;
      const message = `--update-baseline needs a baseline; name it with --baseline, or as \`baseline\` in ${where}`;
      return isUpdating ? failWith(exitCodes.usage, message) : undefined;
    }
    const within = baseline === undefined && this.flags.config === undefined ? this.flags.confine : undefined;
    const known = this.baselines.get(file);
    if (known) return { ok: true, value: known };
    const opened = openBaseline(file, isUpdating, within);
    if (opened.ok) this.baselines.set(file, opened.value);
    return opened;
  }

  private changesFor({ paths }: CheckGroup): Result<ChangedLines, string> | undefined {
    const { changedSince: revision } = this.flags;
    return revision === undefined ? undefined : readChangedLines(revision, enclosingFolderOf(paths[0] ?? "."));
  }

  private outsideFilesOf(root: string): Set<string> {
    const files = this.outsideRepository.get(root) ?? new Set();
    this.outsideRepository.set(root, files);
    return files;
  }
}

/** The flags that select rules, as comma-separated names of rules and groups. */
interface RuleSelectionFlags {
  readonly select?: readonly string[] | undefined;
  readonly extendSelect?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
}

/** Returns the names of the flags that select rules, or an error for an unknown one. */
function readRuleSelection(flags: RuleSelectionFlags): Result<RuleSelection, string> {
  const [select = [], extendSelect = [], disable = []] = [flags.select, flags.extendSelect, flags.disable].map(
    (lists) => (lists ?? []).flatMap((list) => list.split(",")),
  );
  const unknown = [...select, ...extendSelect, ...disable].find((name) => !isRuleName(name));
  return unknown === undefined
    ? { ok: true, value: { select, extendSelect, disable } }
    : { ok: false, error: describeUnknownRule(unknown) };
}

/** Returns a note for each id of the previous version among the names. */
function describeFormerNames({ select, extendSelect, disable }: RuleSelection): readonly string[] {
  return [...select, ...extendSelect, ...disable].flatMap((name) => {
    const rule = formerRules.get(name);
    return rule === undefined ? [] : `httpd-lint: ${describeFormerRule(name, rule)}`;
  });
}
