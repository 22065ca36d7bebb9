import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { globSync } from "tinyglobby";
import { findOuterSyntax } from "../../../../grammar/embedded.js";
import { isTemplateName, templateEndings } from "../../../../grammar/template.js";
import { useConfined } from "../../../config/files/confinement.js";
import { statOf } from "../../../config/main-files.js";
import { getOrCreate } from "../../../text/collections.js";
import { backupFolderName, backupName } from "../../file-changes/journal.js";
import { SETTINGS_FILE, type Settings } from "../../settings/settings.js";
import { type ExcludedPath, type ExclusionFlags, Exclusions } from "./exclusions.js";
import { GitIgnores } from "./git-ignores.js";

/** The relevant paths in a folder, by name; absolute. */
export interface FolderContents {
  /** Files that may be httpd configuration. */
  readonly candidates: readonly string[];
  /** Files that may be templates for httpd configuration. */
  readonly templates: readonly string[];
  /** Files of other formats that may contain configuration, such as scripts with here-documents. */
  readonly outerFiles: readonly string[];
  /** Configuration files of httpd-lint. */
  readonly settings: readonly string[];
  /** The folders that were searched. */
  readonly folders: readonly string[];
  /** The folders that were not searched, and the files with such names that are left out. */
  readonly excluded: readonly ExcludedPath[];
}

/** Names of configuration files, and distribution folders in which files have any name. */
const candidatePatterns = [
  ...["**/*.{conf,load,vhost}", "**/*htaccess*"],
  ...["**/{sites,conf,mods}-{available,enabled}/*", "**/{sites,conf,mods,vhosts}.d/*"],
];
const templatePatterns = `**/*.{${templateEndings.join(",")}}`;
/** Files that may contain others: `findOuterSyntax` knows them by name. */
const outerPatterns = [
  "**/*.{yml,yaml,sh,bash,ksh,zsh,tf,hcl,pp}",
  "**/{*.,}{Dockerfile,dockerfile,Containerfile,containerfile}{,.*,-*}",
  "**/Vagrantfile",
];
/** Git's files and the originals that httpd-lint keeps are never searched. */
const skippedPatterns = [
  ...["**/.git/**", `**/${backupFolderName}/**`, `**/${backupName}[0-9][0-9][0-9][0-9]-*T*Z/**`],
];

/** Searches folders by the names of files, each folder once for each configuration file. */
export class FolderSearches {
  private readonly git: GitIgnores;
  private readonly known = new Map<string | undefined, FolderSearch>();

  constructor(private readonly flags: ExclusionFlags = {}) {
    this.git = new GitIgnores(flags.confine);
  }

  /** Returns the files of Git that decided, or may decide, which files are searched; existing or not. */
  listIgnoreFiles(): readonly string[] {
    return [...this.git.looked];
  }

  /** @param settings the configuration file that applies in the folders */
  under(settings: Settings | undefined): FolderSearch {
    const { flags, git } = this;
    return getOrCreate(
      this.known,
      settings?.path,
      () => new FolderSearch(new Exclusions(flags, settings, git), flags.confine),
    );
  }
}

/** Searches folders under one configuration file. */
export class FolderSearch {
  private readonly known = new Map<string, FolderContents>();

  /** @param confine the directory that folders below it must not lead out of */
  constructor(
    readonly exclusions: Exclusions,
    private readonly confine: string | undefined,
  ) {}

  /** @param directory absolute */
  contentsOf(directory: string): FolderContents {
    return getOrCreate(this.known, directory, () => searchFolder(directory, this.exclusions, this.confine));
  }

  /** Returns the folders below a folder that have a configuration file of httpd-lint. */
  governedIn(directory: string): readonly string[] {
    return this.contentsOf(directory)
      .settings.map((path) => dirname(path))
      .filter((folder) => folder !== directory);
  }
}

function searchFolder(directory: string, exclusions: Exclusions, confine: string | undefined): FolderContents {
  const excluded: ExcludedPath[] = [];
  const folders: string[] = [];
  const isIncluded = (path: string, isFolder: boolean) => {
    const by = exclusions.find(path, isFolder);
    if (by !== undefined) excluded.push({ path, isFolder, by });
    return by === undefined;
  };
  const found = globSync([...candidatePatterns, templatePatterns, ...outerPatterns, `**/${SETTINGS_FILE}`], {
    cwd: directory,
    absolute: true,
    dot: true,
    ignore: skippedPatterns,
    followSymbolicLinks: false,
    fs: {
      readdirSync: listingOfIncluded(
        confine,
        (path) => isIncluded(path, true),
        (path) => folders.push(path),
      ),
    },
  }).sort();
  const listKind = (kind: FileKind) => found.filter((path) => kindOfName(basename(path)) === kind);
  const listIncluded = (kind: FileKind) => listKind(kind).filter((path) => isIncluded(path, false));
  return {
    candidates: listIncluded("candidate"),
    templates: listIncluded("template"),
    outerFiles: listIncluded("outer"),
    settings: listKind("settings"),
    folders,
    excluded,
  };
}

type FileKind = "candidate" | "template" | "outer" | "settings";

function kindOfName(name: string): FileKind {
  if (name === SETTINGS_FILE) return "settings";
  if (findOuterSyntax(name)) return "outer";
  return isTemplateName(name) ? "template" : "candidate";
}

/**
 * Returns a `readdirSync` that leaves out excluded folders, so that the search does not enter them. It lists links to files as
 * files, because the search skips links. Links to folders are not followed, as they may form loops. Nothing outside a directory
 * is listed: another process may replace a folder by a link during the search. A proxy has all the types of the original.
 *
 * @param onList called with each folder
 */
function listingOfIncluded(
  confine: string | undefined,
  isIncludedFolder: (path: string) => boolean,
  onList: (path: string) => void,
): typeof readdirSync {
  return new Proxy(readdirSync, {
    apply(_original, _this, [path]: readonly unknown[]) {
      const directory = String(path);
      const entries = useConfined(directory, confine, (held) => ({
        ok: true,
        value: readdirSync(held, { withFileTypes: true }),
      }));
      onList(directory);
      if (!entries.ok) return [];
      return entries.value
        .filter((entry) => !entry.isDirectory() || isIncludedFolder(join(directory, entry.name)))
        .map((entry) => withLinkAsFile(entry, directory));
    },
  });
}

function withLinkAsFile(entry: Dirent, directory: string): Dirent {
  if (!entry.isSymbolicLink() || statOf(join(directory, entry.name))?.isFile() !== true) return entry;
  return Object.create(entry, { isFile: { value: () => true }, isSymbolicLink: { value: () => false } });
}
