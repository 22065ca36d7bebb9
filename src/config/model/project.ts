import type { ConfigTree } from "../../../grammar/ast.js";
import type { DirectiveFacts, Release } from "../../facts/directives.js";
import type { SourceFile, Span } from "../../text/source.js";
import type { Refusal } from "../refusals/refusal.js";
import type { Directive } from "./directive.js";
import type { Guard } from "./guards.js";
import type { LoadedModules, LoadModule } from "./modules.js";

/**
 * The kind of an entry: the main file of a server, a fragment with an unknown context, or a per-directory file on its
 * own.
 */
export type EntryKind = "server" | "fragment" | "htaccess";

/** A `.htaccess` file (by any name that AccessFileName gives) below a document root. */
export interface HtaccessFile {
  /** The directory it governs. */
  readonly directory: string;
  readonly tree: ConfigTree;
  readonly directives: readonly Directive[];
  /** Reads it again with the read-time directives omitted that the server ignores. */
  readonly readWithout: (isSkipped: (facts: DirectiveFacts) => boolean) => readonly Directive[];
}

/** A `.htaccess` file that is an entry on its own, and the files that it is merged with. */
export interface HtaccessEntry {
  readonly file: HtaccessFile;
  /** Reads the files of that name in the directories above it, outermost first, up to the top of its repository. */
  readonly above: () => readonly HtaccessFile[];
  /** Reads those in the directories below it, a directory before what is in it; none unless they were requested. */
  readonly below: () => readonly HtaccessFile[];
}

/** An Include line that took effect, with the files it found. */
export interface Include {
  readonly span: Span;
  /** The paths they are read by, in order; binary strings. */
  readonly files: readonly string[];
}

/** A view of a part of a server that has more `.htaccess` files than fit in memory. */
export interface HtaccessView {
  /** Whether findings in a file are reported, by its path; other files are only context. */
  readonly isReported: (path: string) => boolean;
  /**
   * Notes that a request reached a directory, by its path without a trailing slash: it may have a file outside of this
   * part.
   */
  readonly onVisit: (directory: string) => void;
  /** Whether there is such a file in a directory or below it. */
  readonly hasFilesBelow: (directory: string) => boolean;
}

/** One configuration as the server would load it. */
export interface Project {
  readonly kind: EntryKind;
  readonly release: Release;
  /** The entry's path on the server. */
  readonly entry: string;
  readonly serverRoot: string;
  /** Present if neither a line nor the user names the ServerRoot: it is that of the usual layout around the main file. */
  readonly serverRootIsAssumed?: true;
  /** The ServerRoot that the configuration names, if the user gives another location of its files. */
  readonly installedAt?: string;
  /** The entry's directives with all includes; for an entry of kind `htaccess`, those of that file. */
  readonly directives: readonly Directive[];
  readonly htaccess: readonly HtaccessFile[];
  /** Present if the entry is of kind `htaccess`. */
  readonly htaccessEntry?: HtaccessEntry;
  /** The directories at and below the document roots that exist on disk; present only if all of them could be read. */
  readonly directories?: ReadonlySet<string>;
  /**
   * The DocumentRoot lines that do not name a directory, although the parent directory exists on disk; present only if
   * the document roots were searched.
   */
  readonly missingDocumentRoots?: ReadonlySet<Directive>;
  /** Present if there are `.htaccess` files that are not among those above. */
  readonly view?: HtaccessView;
  /** The modules loaded at the end of reading. */
  readonly modules: LoadedModules;
  /** Whether the modules come from LoadModule lines (or the user); if not, they are the release's usual ones. */
  readonly modulesAreKnown: boolean;
  readonly loadModules: readonly LoadModule[];
  /**
   * The files in the folders that they name, by name (`mod_alias.so`), if these exist on disk and belong to this
   * release.
   */
  readonly sharedObjects?: ReadonlySet<string>;
  readonly guards: readonly Guard[];
  /** The includes of the main file and its included files; a line that takes effect twice is listed twice. */
  readonly includes: readonly Include[];
  readonly problems: readonly Refusal[];
  /** Every file that was read, by its path. */
  readonly files: ReadonlyMap<string, ConfigTree>;
}

/** The path of the lines that the analysis assumes. The file does not exist, so no finding is in it. */
export const ASSUMED_PATH = "/httpd-lint-assumed.conf";

/** Reports whether a span is in lines that the analysis assumes. */
export function isAssumed({ file }: Span): boolean {
  return file.path === ASSUMED_PATH;
}

/** Returns the file in which the server's own directives start; undefined if it was not read. */
export function mainFileOf({ entry, files }: Pick<Project, "entry" | "files">): SourceFile | undefined {
  return [...files.values()].find(({ source }) => source.path === entry)?.source;
}
