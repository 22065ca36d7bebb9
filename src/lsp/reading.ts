import { dirname, join } from "node:path";
import type { Release } from "../directives/directives.js";
import { diskAccess } from "../project/disk.js";
import { readEnvvars } from "../project/envvars.js";
import { readFound } from "../project/file-content.js";
import type { FileAccess } from "../project/files.js";
import { guessServerRoot } from "../project/guessed-root.js";
import { loadProject } from "../project/load.js";
import type { Project } from "../project/project.js";
import { readDefine } from "../project/variables.js";
import { fragmentContextOf } from "../settings/path-ignores.js";
import { fromReadable } from "../text/source.js";
import type { DocumentText, Read, Snapshot } from "./jobs.js";
import type { Settings } from "./settings.js";

/** Documents of one configuration, by the real path that findings name. */
export interface Group {
  readonly project: Project;
  readonly documents: ReadonlyMap<string, DocumentText>;
  readonly reading: ConfigurationReading;
  /** The same configuration as the release reads it that it comes from; undefined where there is no such or it is the same. */
  readonly before: () => Project | undefined;
}

/** The servers of a snapshot with those documents that they read, and each other document on its own. */
export function groupsIn({ servers, documents }: Snapshot): readonly Group[] {
  const left = new Set(documents);
  const ofServers = servers.flatMap((server) => {
    const reading = new ConfigurationReading(server, documents);
    const project = left.size === 0 ? undefined : reading.load(server.main, "server");
    if (project === undefined) return [];
    const reached = new Set([...project.files.values()].map(({ source }) => source.realPath));
    const own = [...left].filter(({ path }) => reached.has(reading.realPath(path)));
    for (const document of own) left.delete(document);
    return own.length === 0 ? [] : [groupOf(reading, project, own, server.main, "server")];
  });
  const alone = [...left].flatMap((document) => {
    const { main, settings } = document.alone;
    // What does not lie below the root of a system is read where it lies.
    const roots = settings.sysroot === undefined ? [undefined] : [settings.sysroot, undefined];
    for (const sysroot of roots) {
      const reading = new ConfigurationReading({ main, settings: { ...settings, sysroot } }, documents);
      const project = reading.load(document.path);
      if (project) return [groupOf(reading, project, [document], document.path)];
    }
    return [];
  });
  return [...ofServers, ...alone];
}

function groupOf(
  reading: ConfigurationReading,
  project: Project,
  documents: readonly DocumentText[],
  entry: string,
  kind?: "server",
): Group {
  const { from } = reading.settings;
  return {
    project,
    reading,
    documents: new Map(documents.map((document) => [reading.realPath(document.path), document])),
    before: () => (from === undefined ? undefined : reading.load(entry, kind, from)),
  };
}

/** One way to read configurations, with the texts of documents in place of the files on the disk. */
export class ConfigurationReading {
  readonly access: FileAccess;
  readonly environment: ReadonlyMap<string, string>;
  readonly settings: Settings;

  constructor({ main, settings }: Read, documents: readonly DocumentText[]) {
    const { sysroot, maps, confine } = settings;
    const overlay = new Map(documents.map(({ path, text }) => [path, text]));
    this.access = diskAccess({
      maps,
      ...(sysroot === undefined ? {} : { sysroot }),
      ...(confine === undefined ? {} : { confine }),
      overlay,
    });
    const envvars = settings.envvars ?? (main === undefined ? undefined : join(dirname(main), "envvars"));
    this.environment = envvars === undefined ? new Map() : environmentIn(envvars, confine);
    const isTold = settings.serverRoot !== undefined || sysroot !== undefined || maps.length > 0;
    const given = { environment: this.environment, defines: new Map(settings.defines.map(readDefine)) };
    const guess = isTold || main === undefined ? undefined : guessServerRoot(main, this.access, given, overlay);
    this.settings = guess ? { ...settings, serverRoot: guess.root } : settings;
  }

  /** @param path as an editor has it */
  realPath(path: string): string {
    return this.access.realPath(fromReadable(path));
  }

  load(path: string, kind?: "server", release: Release = this.settings.release): Project | undefined {
    const { fragments, serverRoot, defines, modules, withoutModules } = this.settings;
    const loaded = loadProject(path, {
      release,
      access: this.access,
      environment: this.environment,
      defines: new Map(defines.map(readDefine)),
      withoutModules,
      ...(fragments ? { context: fragmentContextOf(fragments, this.realPath(path)) } : {}),
      ...(kind === undefined ? {} : { kind }),
      ...(serverRoot === undefined ? {} : { serverRoot }),
      ...(modules === undefined ? {} : { modules }),
    });
    return "failed" in loaded ? undefined : loaded.project;
  }
}

/** The server's environment, as Debian has it in a file beside the main one; empty where there is none. */
function environmentIn(file: string, confine: string | undefined): ReadonlyMap<string, string> {
  const content = readFound(file, confine);
  return "text" in content ? readEnvvars(content.text) : new Map();
}
