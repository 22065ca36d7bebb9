import type { PathRules } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { DEFAULT_ACCESS_FILE_NAMES } from "../../config/reader/htaccess-discovery.js";
import { memoize } from "../../text/memoize.js";
import { toReadable } from "../../text/source.js";
import { argumentValuesOf, type ConfigLayer, findSetting, layerOfSection } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import type { Server } from "../model/server.js";
import type { PerDirConfig } from "../sections/per-dir-config.js";
import { fileTestOf, SectionIndex } from "../sections/section-index.js";

/** The sections that a server reads: the main server's before those of a virtual host. */
export interface ServerSections {
  readonly indexes: readonly SectionIndex[];
  /** Directory sections by pattern: those with fewer slashes first. */
  readonly patterns: SectionIndex["directoryPatterns"];
  readonly files: readonly FilesSection[];
  /** The names of `.htaccess` files, readable. */
  readonly fileNames: readonly string[];
  readonly rules: PathRules;
}

/** A Files section with its test for names. */
interface FilesSection {
  readonly layer: ConfigLayer;
  readonly applies: ReturnType<typeof fileTestOf>;
}

const filesSections: ReadonlySet<string> = new Set(["<files", "<filesmatch"]);

/** Returns the Files sections in the Directory sections and `.htaccess` files of a configuration. */
const filesWithin = memoize(({ sections }: PerDirConfig) => sections.flatMap((layer) => layer.pick(filesSections)));

function filesSectionOf(section: Directive, rules: PathRules): FilesSection {
  return { layer: layerOfSection(section), applies: fileTestOf(section, rules) };
}

/** Indexes the sections of a server. @param main those of its main server, if it is a virtual host */
export function indexServerSections(
  server: Server,
  project: Project,
  main: ServerSections | undefined,
): ServerSections {
  const own = new SectionIndex(server.layer.content, project);
  const indexes = main ? [...main.indexes, own] : [own];
  const patterns = indexes.flatMap((index) => index.directoryPatterns).sort((a, b) => a.slashes - b.slashes);
  const files = indexes.flatMap((index) => index.files).map((section) => filesSectionOf(section, project.pathRules));
  const named = findSetting(server.layers, "accessfilename");
  const fileNames = (named ? argumentValuesOf(named) : DEFAULT_ACCESS_FILE_NAMES).map(toReadable);
  return { indexes, patterns, files, fileNames, rules: project.pathRules };
}

/** Returns the Files sections of the servers and of the directory walk. @param config with only these */
export function findFilesSections(
  { files, rules }: ServerSections,
  filename: string,
  config: PerDirConfig,
  oracle: Oracle,
): ConfigLayer[] {
  const name = filename.slice(filename.lastIndexOf("/") + 1);
  const found: ConfigLayer[] = [];
  for (const { layer, applies } of files) if (applies(name, oracle)) found.push(layer);
  for (const section of filesWithin(config))
    if (fileTestOf(section, rules)(name, oracle)) found.push(layerOfSection(section));
  return found;
}

/** Returns the Location sections, in file order. @param plain the path for those without a pattern */
export function findLocations({ indexes }: ServerSections, path: string, plain: string, oracle: Oracle): ConfigLayer[] {
  const found: ConfigLayer[] = [];
  for (const index of indexes) for (const { layer } of index.locationsAt(path, plain, oracle)) found.push(layer);
  return found;
}

/** Returns the Proxy sections, which replace the directory walk. @param target `proxy:http://backend/path` */
export function findProxySections({ indexes }: ServerSections, target: string, oracle: Oracle): ConfigLayer[] {
  const backend = target.replace(/^proxy:/, "");
  return indexes.flatMap((index) =>
    index.proxies.filter(({ test }) => test(backend, oracle)).map(({ layer }) => layer),
  );
}
