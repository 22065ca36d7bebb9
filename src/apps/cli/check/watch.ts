import { type FSWatcher, readdirSync, watch as watchFolder } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { FileAccess } from "../../../config/files/file-access.js";
import { statOf } from "../../../config/main-files.js";
import { SETTINGS_FILE } from "../../settings/settings.js";
import type { CheckFlags } from "../commands/check-flags.js";
import { FolderSearches } from "../inputs/folder-search.js";
import { enclosingFolderOf, loadSettingsAt } from "../inputs/project-settings.js";
import { isPipePath } from "../inputs/standard-input.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { isTerminal } from "../output/terminal.js";
import { writeResult } from "../output/write-output.js";

/** Delay after the first change before checking, because editors write in several steps. */
const PAUSE_MS = 100;
/** Polling interval if the system cannot watch more folders. */
const POLL_MS = 1_000;

const CLEAR = "\x1b[2J\x1b[3J\x1b[H";

/**
 * Runs the check again whenever a file that the last run read has changed. Folder events are only hints, because they
 * differ between systems; the comparison of files decides.
 *
 * @param runOnce checks once, with the access to files that the function returns
 * @param exit called if there is nothing to watch, if the output has no reader, and at Ctrl-C
 */
export function runWatch(
  flags: CheckFlags,
  runOnce: (watch: (access: FileAccess) => FileAccess) => CommandResult,
  exit: (code: number) => void,
): void {
  const show = (result: CommandResult) => writeResult(result, flags.output, flags.quiet);
  const misused = findWatchMisuse(flags);
  if (misused !== undefined) {
    exit(show(createFailure(exitCodes.usage, misused)).code);
    return;
  }
  process.once("SIGINT", () => exit(exitCodes.clean));
  const isCleared = flags.output === undefined && isTerminal(1);
  const run = () => {
    const files = new WatchedFiles();
    const further = listFurther(flags);
    for (const path of further.files) files.add(path);
    for (const path of further.folders) files.addFolder(path);
    const outcome = runOnce((access) => files.watch(access));
    files.remember();
    if (isCleared) process.stdout.write(CLEAR);
    const { code, isOutputClosed } = show(outcome);
    if (isOutputClosed) {
      exit(code);
      return;
    }
    if (flags.quiet === 0) process.stderr.write("httpd-lint: watching for changes; press Ctrl-C to stop\n");
    callOnChange(files, run);
  };
  run();
}

function findWatchMisuse({ jobs, paths, updateBaseline }: CheckFlags): string | undefined {
  if (jobs !== undefined) return "--watch checks in one thread and cannot be used with --jobs; use only one of them";
  if (paths.some((path) => path === "-" || isPipePath(path)))
    return "--watch needs files and cannot read standard input or a pipe; name the file";
  return updateBaseline ? "--watch and --update-baseline cannot be used together; update the baseline once" : undefined;
}

/**
 * Returns relevant files besides the configuration: configuration files of httpd-lint, existing or not, the files that they
 * and the flags name, and Git's ignore rules. Configuration may also be created in the folders that are searched.
 */
function listFurther(flags: CheckFlags): { readonly files: readonly string[]; readonly folders: readonly string[] } {
  const { paths, config, baseline, envvars } = flags;
  const folders = (paths.length > 0 ? paths.map(enclosingFolderOf) : ["."]).map((folder) => resolve(folder));
  const searches = new FolderSearches(flags);
  const contents = folders.flatMap((folder) => {
    const found = loadSettingsAt(flags, folder);
    return found.ok ? [searches.under(found.value).contentsOf(folder)] : [];
  });
  const below = contents.flatMap(({ settings }) => settings);
  const inner = config === undefined ? below : [];
  const settings = new Set(
    config === undefined ? [...folders.flatMap(listFoldersUpwards).map(toFolderPath), ...inner] : [resolve(config)],
  );
  const named = [...folders, ...inner.map((path) => dirname(path))].flatMap(
    (folder): readonly (string | undefined)[] => {
      const found = loadSettingsAt(flags, folder);
      if (!found.ok) return found.error.read ?? [];
      if (found.value === undefined) return [];
      return [...found.value.files, found.value.baseline, ...found.value.servers.map((server) => server.envvars)];
    },
  );
  const isSearched = (folder: string) =>
    flags.paths.length === 0 || flags.paths.some((path) => resolve(path) === folder);
  return {
    files: [
      ...settings,
      ...searches.listIgnoreFiles(),
      ...[...named, baseline, envvars].flatMap((path) => (path === undefined ? [] : resolve(path))),
    ],
    folders: contents.flatMap((each, index) => (isSearched(folders[index] ?? "") ? each.folders : [])),
  };
}

function toFolderPath(folder: string): string {
  return join(folder, SETTINGS_FILE);
}

function listFoldersUpwards(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...listFoldersUpwards(dirname(folder))];
}

/** Calls back once a file differs from its remembered state. */
function callOnChange(files: WatchedFiles, changed: () => void): void {
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  const check = () => {
    timer = isPolling ? setTimeout(check, POLL_MS) : undefined;
    if (!files.hasChanged()) return;
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    changed();
  };
  const poll = () => {
    if (isPolling) return;
    isPolling = true;
    timer ??= setTimeout(check, POLL_MS);
  };
  for (const folder of files.places()) {
    try {
      const schedule = () => {
        timer ??= setTimeout(check, PAUSE_MS);
      };
      watchers.push(watchFolder(folder, schedule).on("error", poll));
    } catch {
      poll();
    }
  }
  // Changes since the run read the files did not cause an event.
  timer ??= setTimeout(check, PAUSE_MS);
}

/** The files and directories that a run has read, to detect whether another run would differ. */
class WatchedFiles {
  private readonly files = new Set<string>();
  private readonly folders = new Set<string>();
  private seen = "";

  /** Records what is read: files, including missing ones, and directories that an Include lists. */
  watch(access: FileAccess): FileAccess {
    return {
      ...access,
      read: (path) => {
        this.add(access.realPath(path));
        return access.read(path);
      },
      list: (path) => {
        this.folders.add(access.realPath(path));
        return access.list(path);
      },
    };
  }

  /** Adds a relevant file, existing or not. */
  add(path: string): void {
    this.files.add(path);
    // The server's environment may be next to a main file.
    this.files.add(join(dirname(path), "envvars"));
  }

  /** Adds a folder in which configuration may be created. */
  addFolder(path: string): void {
    this.folders.add(path);
  }

  /** Remembers the current state of all files. */
  remember(): void {
    this.seen = this.state();
  }

  hasChanged(): boolean {
    return this.state() !== this.seen;
  }

  /** Returns the folders to watch: for missing paths, the nearest existing parent. */
  places(): ReadonlySet<string> {
    return new Set([...[...this.files].map(dirname), ...this.folders].map(findExistingFolder));
  }

  private state(): string {
    const files = [...this.files].map((path) => {
      const status = statOf(path);
      return status ? `${path} ${status.ino} ${status.size} ${status.mtimeMs}` : path;
    });
    return [...files, ...[...this.folders].map((path) => `${path} ${listNames(path)}`)].join("\n");
  }
}

/** The temporary files of editors. */
const temporaryName = /~$|\.sw[a-z]$|^\.?#|^4913$/;

function listNames(folder: string): string {
  try {
    return readdirSync(folder)
      .filter((name) => !temporaryName.test(name))
      .sort()
      .join("/");
  } catch {
    return "";
  }
}

function findExistingFolder(folder: string): string {
  let path = folder;
  while (!statOf(path)?.isDirectory() && dirname(path) !== path) path = dirname(path);
  return path;
}
