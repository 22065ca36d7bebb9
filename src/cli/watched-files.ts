import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileAccess } from "../project/files.js";
import { statOf } from "../project/main-files.js";

/** What a run has looked at on the disk, so that it can be told whether another would find something else. */
export class WatchedFiles {
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
    return new Set([...[...this.files].map(dirname), ...this.folders].map(existing));
  }

  private state(): string {
    const files = [...this.files].map((path) => {
      const status = statOf(path);
      return status ? `${path} ${status.ino} ${status.size} ${status.mtimeMs}` : path;
    });
    return [...files, ...[...this.folders].map((path) => `${path} ${namesIn(path)}`)].join("\n");
  }
}

function namesIn(folder: string): string {
  try {
    return readdirSync(folder).sort().join("/");
  } catch {
    return "";
  }
}

function existing(folder: string): string {
  let path = folder;
  while (!statOf(path)?.isDirectory() && dirname(path) !== path) path = dirname(path);
  return path;
}
