import { type FSWatcher, watch as watchFolder } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SETTINGS_FILE } from "../settings/settings.js";
import { type CheckFlags, check } from "./check.js";
import type { Delivered } from "./deliver.js";
import { exitCodes } from "./exit-codes.js";
import { FolderSearches } from "./folder-searches.js";
import { failure, type Outcome } from "./outcome.js";
import { folderOf, settingsAt } from "./settings.js";
import { isTerminal } from "./terminal.js";
import { WatchedFiles } from "./watched-files.js";

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
export function watchCheck(
  flags: CheckFlags,
  show: (outcome: Outcome) => Delivered,
  exit: (code: number) => void,
): void {
  const misused = misuse(flags);
  if (misused !== undefined) {
    exit(show(failure(exitCodes.usage, misused)).code);
    return;
  }
  process.once("SIGINT", () => exit(exitCodes.clean));
  const isCleared = flags.output === undefined && isTerminal(1);
  const run = () => {
    const files = new WatchedFiles();
    for (const path of besides(flags)) files.add(path);
    const outcome = check(flags, (access) => files.watch(access));
    files.remember();
    if (isCleared) process.stdout.write(CLEAR);
    const { code, isGone } = show(outcome);
    if (isGone) {
      exit(code);
      return;
    }
    if (!flags.quiet) process.stderr.write("httpd-lint: watching for changes; Ctrl-C ends\n");
    onceChanged(files, run);
  };
  run();
}

function misuse({ jobs, paths, updateBaseline }: CheckFlags): string | undefined {
  if (jobs !== undefined) return "--watch checks in one thread, and --jobs asks for others; leave one of them out";
  if (paths.includes("-")) return "--watch is for files, and standard input is none; name the file";
  return updateBaseline ? "--watch and --update-baseline exclude each other; update the baseline once" : undefined;
}

/** Files that count beside the configuration: settings, there or yet to come, and what they and the flags name. */
function besides(flags: CheckFlags): readonly string[] {
  const { paths, config, baseline, envvars } = flags;
  const folders = (paths.length > 0 ? paths.map(folderOf) : ["."]).map((folder) => resolve(folder));
  const searches = new FolderSearches(flags.confine);
  const inner = config === undefined ? folders.flatMap((folder) => searches.in(folder).settings) : [];
  const settings = new Set(
    config === undefined ? [...folders.flatMap(upwards).map(inFolder), ...inner] : [resolve(config)],
  );
  const named = [...folders, ...inner.map((path) => dirname(path))].flatMap((folder) => {
    const found = settingsAt(flags, folder);
    if ("failed" in found || found.settings === undefined) return [];
    return [found.settings.baseline, ...found.settings.servers.map((server) => server.envvars)];
  });
  return [...settings, ...[...named, baseline, envvars].flatMap((path) => (path === undefined ? [] : resolve(path)))];
}

function inFolder(folder: string): string {
  return join(folder, SETTINGS_FILE);
}

function upwards(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...upwards(dirname(folder))];
}

/** Calls back once something is not as it was remembered. */
function onceChanged(files: WatchedFiles, changed: () => void): void {
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
