import type { ConfigTree } from "../../../grammar/ast.js";
import type { DirectiveFacts, Release } from "../../directives/directives.js";
import type { SourceFile, Span } from "../../text/source.js";
import type { Directive } from "./directive.js";
import type { Guard } from "./guards.js";
import type { LoadedModules, LoadModule } from "./modules.js";
import type { Problem } from "./problems.js";

/**
 * What the entry is: the main file of a server, a piece of one whose surroundings are unknown, or a per-directory file
 * on its own.
 */
export type EntryKind = "server" | "fragment" | "htaccess";

/** A `.htaccess` file (by whatever name AccessFileName gives) that lies below a document root. */
export interface HtaccessFile {
  /** The directory it governs. */
  readonly directory: string;
  readonly tree: ConfigTree;
  readonly directives: readonly Directive[];
  /** What it says where the server passes over lines that it would else carry out while reading. */
  readonly readPassingOver: (isPassedOver: (facts: DirectiveFacts) => boolean) => readonly Directive[];
}

/** A `.htaccess` file that is an entry on its own, and the files that it is merged with. */
export interface HtaccessEntry {
  readonly file: HtaccessFile;
  /** Reads the files of that name in the directories above it, outermost first, up to the top of its repository. */
  readonly above: () => readonly HtaccessFile[];
  /** Reads those in the directories below it, a directory before what is in it; none unless they were asked for. */
  readonly below: () => readonly HtaccessFile[];
}

/** An Include line that took effect, with what it led to. */
export interface Include {
  readonly span: Span;
  /** By the paths that they are read by, in their order; binary strings. */
  readonly files: readonly string[];
}

/** How a part of a server is looked at that has more `.htaccess` files than are held at once. */
export interface HtaccessView {
  /** Whether what is found in a file is told, by its path; others are there for what is looked at beside them. */
  readonly isReported: (path: string) => boolean;
  /** A request came by a directory, by its path without a slash at its end: there may be a file that is not part of it. */
  readonly onVisit: (directory: string) => void;
  /** Whether there is such a file in a directory or below. */
  readonly hasFilesBelow: (directory: string) => boolean;
}

/** One configuration as the server would load it. */
export interface Project {
  readonly kind: EntryKind;
  readonly release: Release;
  /** The entry's path, as the server would name it. */
  readonly entry: string;
  readonly serverRoot: string;
  /** The ServerRoot that the configuration names, where the user says that its files lie elsewhere. */
  readonly installedAt?: string;
  /** The entry's directives with everything included; for an entry of kind `htaccess`, that file's. */
  readonly directives: readonly Directive[];
  readonly htaccess: readonly HtaccessFile[];
  /** Present if the entry is of kind `htaccess`. */
  readonly htaccessEntry?: HtaccessEntry;
  /** The directories at and below those document roots that are on the disk, where all of them could be looked at. */
  readonly directories?: ReadonlySet<string>;
  /** Present where there are `.htaccess` files that are not among those above. */
  readonly view?: HtaccessView;
  /** The modules loaded when reading was over. */
  readonly modules: LoadedModules;
  /** Whether the modules come from LoadModule lines (or the user); else they are the release's usual ones. */
  readonly modulesAreKnown: boolean;
  readonly loadModules: readonly LoadModule[];
  /** What lies in the folders that they name, by name (`mod_alias.so`), where these are on the disk and of this release. */
  readonly sharedObjects?: ReadonlySet<string>;
  readonly guards: readonly Guard[];
  /** Of the main file and what it leads to; a line that is reached twice stands here twice. */
  readonly includes: readonly Include[];
  readonly problems: readonly Problem[];
  /** Every file that was read, by the path it was reached by. */
  readonly files: ReadonlyMap<string, ConfigTree>;
}

/** The path of the lines that the analysis assumes. The file does not exist, so no finding is in it. */
export const ASSUMED_PATH = "/httpd-lint-assumed.conf";

/** Whether a span is in lines that the analysis assumes. */
export function isAssumed({ file }: Span): boolean {
  return file.path === ASSUMED_PATH;
}

/** The file that the server's own directives start in; undefined where it was not read. */
export function mainFileOf({ entry, files }: Pick<Project, "entry" | "files">): SourceFile | undefined {
  return [...files.values()].find(({ source }) => source.path === entry)?.source;
}
