import { join, resolve } from "node:path";
import type { BaselineFile } from "../baseline/file.js";
import type { RuleDefinition } from "../engine/rule.js";
import { isWithin } from "../project/confined.js";
import type { FileAccess } from "../project/files.js";
import type { PathIgnore, Settings } from "../settings/settings.js";
import { Analyses } from "./analyses.js";
import { type AskedPaths, askedPaths } from "./asked-paths.js";
import { type ChangedLines, changedSince } from "./changed-lines.js";
import { chosenRules, isRule, type RuleFlags } from "./chosen-rules.js";
import { exitCodes } from "./exit-codes.js";
import { FolderSearches } from "./folder-searches.js";
import { type Found, nothingFound } from "./found.js";
import { CACHE_FILE, KeptResults } from "./kept-results.js";
import { openBaseline, updateBaseline } from "./known-findings.js";
import { wrongMain } from "./main-flag.js";
import { failure, type Outcome } from "./outcome.js";
import { placementNotes } from "./placement-notes.js";
import { folderOf, type InputFlags, type SettingsFlags, shortPath } from "./settings.js";
import { siftBy } from "./sift.js";
import type { Steps } from "./work.js";

/** The flags that say what is looked for, and where. */
export interface LookFlags extends InputFlags, SettingsFlags, RuleFlags {
  /** The main file of the server. */
  readonly main?: string | undefined;
  /** Whether given files are skipped if they are not httpd configuration. */
  readonly skipUnrecognized?: boolean | undefined;
  readonly release?: "2.2" | "2.4" | undefined;
  readonly from?: "2.2" | "2.4" | undefined;
  /** The file of findings that are known. */
  readonly baseline?: string | undefined;
  readonly updateBaseline?: boolean | undefined;
  /** A commit: only what was changed since is told of. */
  readonly changedSince?: string | undefined;
  /** Whether what is found is kept for the next run; where absent, the settings say so. */
  readonly cache?: boolean | undefined;
  /** The file that it is kept in. */
  readonly cacheLocation?: string | undefined;
  /** Whether fixes are wanted. */
  readonly isFixing?: boolean | undefined;
}

/** What was found at all that was asked for. */
export interface Checked {
  readonly found: Found;
  /** The rules that were chosen, as grave as they are. */
  readonly rules: readonly RuleDefinition[];
  /** What the settings ignore, and nothing was ignored by it. */
  readonly unused: readonly UnusedIgnore[];
}

/** An entry of the settings' `ignores`. */
export interface UnusedIgnore {
  readonly settings: string;
  readonly paths: readonly string[];
}

type Failed = { readonly failed: Outcome };

/**
 * Looks for what is wrong at paths, each under the settings that hold there, and writes baselines where that is asked for.
 *
 * @param overlay texts that stand for files on disk, by absolute path
 * @param watch is shown the files that are read
 */
export function* checked(
  paths: readonly string[],
  flags: LookFlags,
  overlay: ReadonlyMap<string, string> | undefined,
  watch: (access: FileAccess) => FileAccess,
): Steps<Checked | Failed> {
  const noMain = wrongMain(flags.main, overlay);
  if (noMain) return { failed: noMain };
  const searches = new FolderSearches(flags.confine);
  const groups = askedPaths(paths, flags, searches);
  if ("failed" in groups) return groups;
  const run = new Run(flags, overlay, watch, searches);
  for (const group of groups.asked) {
    const failed = yield* run.group(group);
    if (failed) return failed;
  }
  return run.end();
}

/** One run over several groups of paths. */
class Run {
  private readonly found = nothingFound();
  private readonly rules = new Map<string, RuleDefinition>();
  private readonly caches = new Map<string, KeptResults>();
  private readonly baselines = new Map<string, BaselineFile>();
  private readonly unused: UnusedIgnore[] = [];
  private readonly elsewhere = new Map<string, Set<string>>();

  constructor(
    private readonly flags: LookFlags,
    private readonly overlay: ReadonlyMap<string, string> | undefined,
    private readonly watch: (access: FileAccess) => FileAccess,
    private readonly searches: FolderSearches,
  ) {}

  *group(group: AskedPaths): Steps<Failed | undefined> {
    const { flags, overlay, watch, searches } = this;
    const { settings } = group;
    const chosen = chosenRules(flags, settings);
    if ("failed" in chosen) return { failed: failure(exitCodes.usage, chosen.failed) };
    const { rules } = chosen;
    for (const rule of rules) this.rules.set(rule.id, rule);
    const baseline = this.baselineOf(group);
    if (baseline && "failed" in baseline) return baseline;
    const changes = this.changesFor(group);
    if (changes && "failed" in changes) return { failed: failure(exitCodes.usage, changes.failed) };
    const used = new Set<PathIgnore>();
    const elsewhere = this.elsewhereOf(changes?.root ?? "");
    const isUpdating = flags.updateBaseline === true;
    const sift = siftBy({ settings, baseline, isUpdating, changes, used, elsewhere });
    const kept = this.keptFor(settings);
    const isFixing = flags.isFixing === true;
    const { main, skipUnrecognized = false } = flags;
    const placing = { ...group, main, searches, skipUnrecognized };
    const asked = { ...placing, flags, rules, overlay, sift, watch, kept, isFixing, isUpdating };
    const failed = yield* new Analyses(asked, this.found).run();
    if (failed) return { failed };
    for (const ignore of settings?.ignores ?? [])
      if (settings && !used.has(ignore)) this.unused.push({ settings: settings.path, paths: ignore.paths });
    return undefined;
  }

  end(): Checked | Failed {
    const { found, rules, unused } = this;
    for (const kept of this.caches.values()) {
      kept.save();
      for (const note of kept.notes) found.notes.add(note);
    }
    if (this.flags.updateBaseline)
      for (const file of this.baselines.values()) {
        const updated = updateBaseline(file, found, isRule);
        if ("failed" in updated) return updated;
        found.notes.add(updated.note);
      }
    for (const [root, files] of this.elsewhere)
      if (files.size > 0)
        found.notes.add(
          `httpd-lint: --changed-since leaves out what was found outside the repository \`${root}\`: ${[...files].map((file) => `\`${file}\``).join(", ")}`,
        );
    for (const note of placementNotes(found, this.flags.main)) found.notes.add(note);
    return { found, rules: [...rules.values()], unused };
  }

  private keptFor(settings: Settings | undefined): KeptResults | undefined {
    const { cache, cacheLocation, config, confine } = this.flags;
    const named = cacheLocation ?? settings?.cache;
    if (!(cache ?? named !== undefined)) return undefined;
    const file = resolve(named ?? join(settings?.directory ?? ".", CACHE_FILE));
    // What the user names is read wherever it leads, and so is what lies in a folder that is not confined.
    const isFound = cacheLocation === undefined && config === undefined;
    const within = isFound && confine !== undefined && isWithin(file, resolve(confine)) ? confine : undefined;
    const kept = this.caches.get(file) ?? KeptResults.in(file, within);
    this.caches.set(file, kept);
    return kept;
  }

  private baselineOf({ settings }: AskedPaths): BaselineFile | Failed | undefined {
    const { baseline, updateBaseline: isUpdating = false } = this.flags;
    const file = baseline ?? settings?.baseline;
    if (file === undefined) {
      const where = settings === undefined ? "" : ` (\`${shortPath(settings.path)}\` names none)`;
      const message = `--update-baseline needs to know the file: name it with --baseline, or as \`baseline\` in the settings${where}`;
      return isUpdating ? { failed: failure(exitCodes.usage, message) } : undefined;
    }
    const within = baseline === undefined && this.flags.config === undefined ? this.flags.confine : undefined;
    const opened = this.baselines.get(file) ?? openBaseline(file, isUpdating, within);
    if ("baseline" in opened) this.baselines.set(file, opened);
    return opened;
  }

  private changesFor({ paths }: AskedPaths): ChangedLines | { readonly failed: string } | undefined {
    const { changedSince: revision } = this.flags;
    return revision === undefined ? undefined : changedSince(revision, folderOf(paths[0] ?? "."));
  }

  private elsewhereOf(root: string): Set<string> {
    const files = this.elsewhere.get(root) ?? new Set();
    this.elsewhere.set(root, files);
    return files;
  }
}
