import { type FSWatcher, readdirSync, watch as watchFolder } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { statOf } from "../../project/discovery/main-files.js";
import type { FileAccess } from "../../project/files/file-access.js";
import { SETTINGS_FILE } from "../../settings/settings.js";
import { FolderSearch } from "../discovery/folder-search.js";
import { enclosingFolderOf, loadSettingsAt } from "../inputs/project-settings.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { isTerminal } from "../output/terminal.js";
import type { WriteStatus } from "../output/write-output.js";
import { type CheckFlags, runCheck } from "./check.js";

/** Editors write in several steps: it is looked so long after the first of them. */
const PAUSE_MS = 100;
/** Where the system watches no more folders, it is looked that often. */
const POLL_MS = 1_000;

const CLEAR = "\x1b[2J\x1b[3J\x1b[H";

/**
 * Checks again whenever something was changed that the last run looked at. What the system says of folders is taken as a
 * hint to look, not as the truth: it differs from system to system, and what counts is whether a file is another.
 *
 * @param show writes what a run found
 * @param exit called where there is nothing to watch or nobody takes what is found, and at Ctrl-C
 */
export function runWatch(
  flags: CheckFlags,
  show: (outcome: CommandResult) => WriteStatus,
  exit: (code: number) => void,
): void {
  const misused = findWatchMisuse(flags);
  if (misused !== undefined) {
    exit(show(createFailure(exitCodes.usage, misused)).code);
    return;
  }
  process.once("SIGINT", () => exit(exitCodes.clean));
  const isCleared = flags.output === undefined && isTerminal(1);
  const run = () => {
    const files = new WatchedFiles();
    for (const path of listFurtherFiles(flags)) files.add(path);
    const outcome = runCheck(flags, (access) => files.watch(access));
    files.remember();
    if (isCleared) process.stdout.write(CLEAR);
    const { code, isReaderGone } = show(outcome);
    if (isReaderGone) {
      exit(code);
      return;
    }
    if (!flags.quiet) process.stderr.write("httpd-lint: watching for changes; Ctrl-C ends\n");
    callOnChange(files, run);
  };
  run();
}

function findWatchMisuse({ jobs, paths, updateBaseline }: CheckFlags): string | undefined {
  if (jobs !== undefined) return "--watch checks in one thread, and --jobs asks for others; leave one of them out";
  if (paths.includes("-")) return "--watch is for files, and standard input is none; name the file";
  return updateBaseline ? "--watch and --update-baseline exclude each other; update the baseline once" : undefined;
}

/** Files that count beside the configuration: settings, there or yet to come, and what they and the flags name. */
function listFurtherFiles(flags: CheckFlags): readonly string[] {
  const { paths, config, baseline, envvars } = flags;
  const folders = (paths.length > 0 ? paths.map(enclosingFolderOf) : ["."]).map((folder) => resolve(folder));
  const searches = new FolderSearch(flags.confine);
  const inner = config === undefined ? folders.flatMap((folder) => searches.contentsOf(folder).settings) : [];
  const settings = new Set(
    config === undefined ? [...folders.flatMap(listFoldersUpwards).map(toFolderPath), ...inner] : [resolve(config)],
  );
  const named = [...folders, ...inner.map((path) => dirname(path))].flatMap((folder) => {
    const found = loadSettingsAt(flags, folder);
    if ("failed" in found || found.settings === undefined) return [];
    return [found.settings.baseline, ...found.settings.servers.map((server) => server.envvars)];
  });
  return [...settings, ...[...named, baseline, envvars].flatMap((path) => (path === undefined ? [] : resolve(path)))];
}

function toFolderPath(folder: string): string {
  return join(folder, SETTINGS_FILE);
}

function listFoldersUpwards(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...listFoldersUpwards(dirname(folder))];
}

/** Calls back once something is not as it was remembered. */
function callOnChange(files: WatchedFiles, changed: () => void): void {
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  const look = () => {
    timer = isPolling ? setTimeout(look, POLL_MS) : undefined;
    if (!files.hasChanged()) return;
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    changed();
  };
  const poll = () => {
    if (isPolling) return;
    isPolling = true;
    timer ??= setTimeout(look, POLL_MS);
  };
  for (const folder of files.places()) {
    try {
      const hinted = () => {
        timer ??= setTimeout(look, PAUSE_MS);
      };
      watchers.push(watchFolder(folder, hinted).on("error", poll));
    } catch {
      poll();
    }
  }
  // What was changed since the run looked at it gave no hint.
  timer ??= setTimeout(look, PAUSE_MS);
}

/** What a run has looked at on the disk, so that it can be told whether another would find something else. */
class WatchedFiles {
  private readonly files = new Set<string>();
  private readonly folders = new Set<string>();
  private seen = "";

  /** Notes what is read: files, also those that are not there, and directories that an Include goes through. */
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

  /** A file that counts, there or not. */
  add(path: string): void {
    this.files.add(path);
    // Where a main file lies, the server's environment may.
    this.files.add(join(dirname(path), "envvars"));
  }

  /** Keeps in mind how all is now. */
  remember(): void {
    this.seen = this.state();
  }

  hasChanged(): boolean {
    return this.state() !== this.seen;
  }

  /** The folders that have to be watched: for what is not there, the nearest above that is. */
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

function listNames(folder: string): string {
  try {
    return readdirSync(folder).sort().join("/");
  } catch {
    return "";
  }
}

function findExistingFolder(folder: string): string {
  let path = folder;
  while (!statOf(path)?.isDirectory() && dirname(path) !== path) path = dirname(path);
  return path;
}
