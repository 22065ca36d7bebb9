import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Release } from "../directives/directives.js";
import { diskAccess } from "../project/disk.js";
import { readEnvvars } from "../project/envvars.js";
import type { FileAccess } from "../project/files.js";
import { type LoadOptions, loadProject } from "../project/load.js";
import type { Project } from "../project/project.js";
import { readDefine } from "../project/variables.js";
import { fromReadable } from "../text/source.js";
import type { DocumentText, Snapshot } from "./jobs.js";

/** Documents of one configuration, by the real path that findings name. */
export interface Group {
  readonly project: Project;
  readonly documents: ReadonlyMap<string, DocumentText>;
  /** The same configuration as another release reads it. */
  readonly under: (release: Release) => Project | undefined;
}

/** A snapshot with its texts in place of the files on the disk. */
export class SnapshotReading {
  readonly access: FileAccess;
  readonly environment: ReadonlyMap<string, string>;

  constructor(private readonly snapshot: Snapshot) {
    const { documents, main, settings } = snapshot;
    this.access = diskAccess({
      ...(settings.sysroot === undefined ? {} : { sysroot: settings.sysroot }),
      overlay: new Map(documents.map(({ path, text }) => [path, text])),
    });
    this.environment = main === undefined ? new Map() : envvarsBeside(main);
  }

  /** The server with those documents that it reads, and each other document on its own. */
  groups(): readonly Group[] {
    const { documents, main } = this.snapshot;
    const left = new Map(documents.map((document) => [this.access.realPath(fromReadable(document.path)), document]));
    const groups: Group[] = [];
    const server = main === undefined ? undefined : this.load(main, "server");
    if (main !== undefined && server) {
      const reached = new Set([...server.files.values()].map(({ source }) => source.realPath));
      const read = new Map([...left].filter(([path]) => reached.has(path)));
      for (const path of read.keys()) left.delete(path);
      const under = (release: Release) => this.load(main, "server", release);
      if (read.size > 0) groups.push({ project: server, documents: read, under });
    }
    for (const [real, document] of left) {
      const project = this.load(document.path);
      const under = (release: Release) => this.load(document.path, undefined, release);
      if (project) groups.push({ project, documents: new Map([[real, document]]), under });
    }
    return groups;
  }

  private load(path: string, kind?: "server", release = this.snapshot.settings.release): Project | undefined {
    const { serverRoot, defines, modules } = this.snapshot.settings;
    const options: LoadOptions = {
      release,
      access: this.access,
      environment: this.environment,
      defines: new Map(defines.map(readDefine)),
      ...(kind === undefined ? {} : { kind }),
      ...(serverRoot === undefined ? {} : { serverRoot }),
      ...(modules === undefined ? {} : { modules }),
    };
    const loaded = loadProject(path, options);
    return "failed" in loaded ? undefined : loaded.project;
  }
}

/** The server's environment as Debian has it, beside the main file; empty where there is none. */
function envvarsBeside(main: string): ReadonlyMap<string, string> {
  try {
    return readEnvvars(readFileSync(join(dirname(main), "envvars"), "latin1"));
  } catch {
    return new Map();
  }
}
