import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { globSync } from "tinyglobby";
import { findOuterSyntax } from "../../../../grammar/embedded.js";
import { useConfined } from "../../../config/files/confinement.js";
import { statOf } from "../../../config/main-files.js";
import { getOrCreate } from "../../../text/collections.js";
import { backupFolderName, backupName } from "../../file-changes/journal.js";
import { SETTINGS_FILE } from "../../settings/settings.js";

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
}

/** Names of configuration files, and distribution folders in which files have any name. */
const candidatePatterns = [
  ...["**/*.{conf,load,vhost}", "**/*htaccess*"],
  ...["**/{sites,conf,mods}-{available,enabled}/*", "**/{sites,conf,mods,vhosts}.d/*"],
];
/** Extensions of templates. */
const templateExtensions = [
  ...["j2", "jinja", "jinja2", "erb", "epp", "tpl", "stpl", "tmpl", "template", "mustache", "ctmpl", "gotmpl"],
  "in",
];
const templatePatterns = `**/*.{${templateExtensions.join(",")}}`;
/** Files that may contain others: `findOuterSyntax` knows them by name. */
const outerPatterns = [
  "**/*.{yml,yaml,sh,bash,ksh,zsh}",
  "**/{*.,}{Dockerfile,dockerfile,Containerfile,containerfile}{,.*,-*}",
  "**/Vagrantfile",
];
/** Files and folders that are skipped, including backup copies. */
const skippedPatterns = [
  ...["**/node_modules/**", "**/.git/**", "**/*~", "**/*.{bak,orig,rej,swp,dpkg-*,rpmsave,rpmnew}"],
  ...[`**/${backupFolderName}/**`, `**/${backupName}[0-9][0-9][0-9][0-9]-*T*Z/**`],
];

/** Searches folders by the names of files, each folder once. */
export class FolderSearch {
  private readonly known = new Map<string, FolderContents>();

  /** @param confine the directory that folders below it must not lead out of */
  constructor(private readonly confine?: string) {}

  /** @param directory absolute */
  contentsOf(directory: string): FolderContents {
    return getOrCreate(this.known, directory, () => searchFolder(directory, this.confine));
  }

  /** Returns the folders below a folder that have a configuration file of httpd-lint. */
  governedIn(directory: string): readonly string[] {
    return this.contentsOf(directory)
      .settings.map((path) => dirname(path))
      .filter((folder) => folder !== directory);
  }
}

function searchFolder(directory: string, confine: string | undefined): FolderContents {
  const found = globSync([...candidatePatterns, templatePatterns, ...outerPatterns, `**/${SETTINGS_FILE}`], {
    cwd: directory,
    absolute: true,
    dot: true,
    ignore: skippedPatterns,
    followSymbolicLinks: false,
    fs: { readdirSync: listingWithLinkedFiles(confine) },
  }).sort();
  const listKind = (kind: FileKind) => found.filter((path) => kindOfName(basename(path)) === kind);
  return {
    candidates: listKind("candidate"),
    templates: listKind("template"),
    outerFiles: listKind("outer"),
    settings: listKind("settings"),
  };
}

type FileKind = "candidate" | "template" | "outer" | "settings";

function kindOfName(name: string): FileKind {
  if (name === SETTINGS_FILE) return "settings";
  if (findOuterSyntax(name)) return "outer";
  return isTemplateName(name) ? "template" : "candidate";
}

/**
 * Returns a `readdirSync` that lists links to files as files, because the search skips links. Links to folders are not
 * followed, as they may form loops. Nothing outside a directory is listed: another process may replace a folder by a
 * link during the search. A proxy has all the types of the original.
 */
function listingWithLinkedFiles(confine: string | undefined): typeof readdirSync {
  return new Proxy(readdirSync, {
    apply(_original, _this, [path]: readonly unknown[]) {
      const directory = String(path);
      const entries = useConfined(directory, confine, (held) => ({
        ok: true,
        value: readdirSync(held, { withFileTypes: true }),
      }));
      return entries.ok ? entries.value.map((entry) => withLinkAsFile(entry, directory)) : [];
    },
  });
}

function withLinkAsFile(entry: Dirent, directory: string): Dirent {
  if (!entry.isSymbolicLink() || statOf(join(directory, entry.name))?.isFile() !== true) return entry;
  return Object.create(entry, { isFile: { value: () => true }, isSymbolicLink: { value: () => false } });
}

/** Reports whether a file's name is that of a template. */
export function isTemplateName(name: string): boolean {
  const lower = name.toLowerCase();
  return templateExtensions.some((extension) => lower.endsWith(`.${extension}`));
}
