import { dirname, join } from "node:path";
import { diskAccess } from "../../../config/files/disk.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { readFoundFile } from "../../../config/files/file-content.js";
import type { PathMap } from "../../../config/files/path-maps.js";
import type { Project } from "../../../config/model/project.js";
import { assumeEnvironment, readDefine, readEnvvars } from "../../../config/model/variables.js";
import { guessServerRoot, replacementRootOf } from "../../../config/server-root.js";
import type { Release } from "../../../facts/release.js";
import { loadProject } from "../../../startup/load-project.js";
import { fromReadable } from "../../../text/source.js";
import { fragmentContextOf } from "../../settings/path-ignores.js";
import type { EffectiveSettings } from "../documents/editor-settings.js";
import type { ConfigReadSpec, DocumentSnapshot, DocumentText } from "../job.js";

/** The documents of one configuration, by the real path that findings use. */
export interface DocumentGroup {
  readonly project: Project;
  readonly documents: ReadonlyMap<string, DocumentText>;
  readonly reading: ConfigurationReader;
  /**
   * Returns the configuration as read by the version you upgrade from; undefined if there is none or it is the same
   * version.
   */
  readonly before: () => Project | undefined;
}

/** Groups the documents of a snapshot by the server that reads them; each other document is a group of its own. */
export function groupDocuments({ servers, documents }: DocumentSnapshot): readonly DocumentGroup[] {
  const left = new Set(documents);
  const ofServers = servers.flatMap((server) => {
    const reading = new ConfigurationReader(server, documents);
    const project = left.size === 0 ? undefined : reading.load(server.main, "server");
    if (project === undefined) return [];
    const reached = new Set([...project.files.values()].map(({ source }) => source.realPath));
    const own = [...left].filter(({ path }) => reached.has(reading.realPath(path)));
    for (const document of own) left.delete(document);
    return own.length === 0 ? [] : [createGroup(reading, project, own, server.main, "server")];
  });
  const standalone = [...left].flatMap((document) => {
    const { main, settings } = document.standalone;
    // A file that is not below the sysroot is read from its own location.
    const roots = settings.sysroot === undefined ? [undefined] : [settings.sysroot, undefined];
    for (const sysroot of roots) {
      const reading = new ConfigurationReader({ main, settings: { ...settings, sysroot } }, documents);
      const project = reading.load(document.path);
      if (project) return [createGroup(reading, project, [document], document.path)];
    }
    return [];
  });
  return [...ofServers, ...standalone];
}

function createGroup(
  reading: ConfigurationReader,
  project: Project,
  documents: readonly DocumentText[],
  entry: string,
  kind?: "server",
): DocumentGroup {
  const { from } = reading.settings;
  return {
    project,
    reading,
    documents: new Map(documents.map((document) => [reading.realPath(document.path), document])),
    before: () => (from === undefined ? undefined : reading.load(entry, kind, from)),
  };
}

/** Reads configurations with given settings; the contents of open documents replace the files on disk. */
export class ConfigurationReader {
  readonly access: FileAccess;
  readonly environment: ReadonlyMap<string, string>;
  readonly settings: EffectiveSettings;

  constructor({ main, settings }: ConfigReadSpec, documents: readonly DocumentText[]) {
    const { sysroot, maps, confine } = settings;
    const overlay = new Map(documents.map(({ path, text }) => [path, text]));
    const diskBelow = (root: string | undefined, part?: PathMap) =>
      diskAccess({
        maps: part ? [part] : maps,
        ...(root === undefined ? {} : { sysroot: root }),
        ...(confine === undefined ? {} : { confine }),
        overlay,
      });
    const disk = diskBelow(sysroot);
    const envvars = settings.envvars ?? (main === undefined ? undefined : join(dirname(main), "envvars"));
    const read = envvars === undefined ? undefined : readEnvironment(envvars, confine);
    this.environment = read ?? (settings.envvars === undefined ? assumeEnvironment(main ?? "") : new Map());
    const hasNamedRoot = settings.serverRoot !== undefined || sysroot !== undefined || maps.length > 0;
    const given = { environment: this.environment, defines: new Map(settings.defines.map(readDefine)) };
    const guess =
      hasNamedRoot || main === undefined ? undefined : guessServerRoot(main, disk, given, { overlay, confine });
    const serverRoot = replacementRootOf(guess);
    this.access = guess && serverRoot === undefined ? diskBelow(guess.sysroot, guess.part) : disk;
    this.settings = serverRoot === undefined ? settings : { ...settings, serverRoot };
  }

  /** @param path as the editor names it */
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
    return loaded.ok ? loaded.value : undefined;
  }
}

/** Returns the server's environment from an envvars file; undefined if there is none. */
function readEnvironment(file: string, confine: string | undefined): ReadonlyMap<string, string> | undefined {
  const content = readFoundFile(file, confine);
  return content.ok ? readEnvvars(content.value.text) : undefined;
}
