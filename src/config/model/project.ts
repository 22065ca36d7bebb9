import type { ConfigTree } from "../../../grammar/ast.js";
import type { TemplateBranch } from "../../../grammar/template.js";
import type { DirectiveFacts } from "../../facts/directives.js";
import type { Release } from "../../facts/release.js";
import type { SourceFile, Span } from "../../text/source.js";
import type { PathRules } from "../files/paths.js";
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

/** A folder that a line maps to, and that is not here. */
export interface AbsentFolder {
  readonly path: string;
  readonly by: Directive;
}

/** An Include line that took effect, with the files it found. */
export interface Include {
  readonly span: Span;
  /** The path that it names, absolute; a binary string. */
  readonly path: string;
  /** The paths they are read by, in order; binary strings. */
  readonly files: readonly string[];
  /** Present if there are none, and the folder is missing here, or a version control keeps it: the server may have some. */
  readonly mayHaveFiles?: true;
}

/** A file with configuration that the wildcard of an Include does not match, only because of the ending of its name. */
export interface SkippedFile {
  readonly include: Include;
  readonly source: SourceFile;
  /** What the name would have to end in: `.conf`. */
  readonly ending: string;
}

/** A file with configuration that httpd does not read, although the folders show that it could. */
export interface DisabledFile {
  readonly source: SourceFile;
  /**
   * The folder that it is in, with that of the files which are read, for `conf-available` and the like; `include` if the wildcard of
   * an Include skips it; `comment` if the Include line is commented; `unread` for others.
   */
  readonly kind: "conf" | "sites" | "mods" | "include" | "comment" | "unread";
  /**
   * The name that it is enabled by, without the folder: `roundcube` for `conf-available/roundcube.conf`, a new name for `include`, else
   * the path that an Include line names.
   */
  readonly name: string;
  /** The commented Include line. */
  readonly comment?: Span;
  /** Its lines as httpd would read them after the configuration, with the modules that a `.load` file beside it loads. */
  readonly directives: readonly Directive[];
  /** The modules that are loaded with it. */
  readonly modules: LoadedModules;
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

/** One of the alternatives of a condition in a template, as read. */
export interface TemplateBranchReading extends TemplateBranch {
  readonly file: SourceFile;
  readonly applies: boolean;
}

/** A macro, and whether a Use inserts it, or it is read as if one did. */
export interface MacroDefinition {
  /** The opening line. */
  readonly span: Span;
  readonly isUsed: boolean;
}

/** The lines of a conditional section, of a condition in a template, or of a macro, without the tags. */
export interface Branch {
  readonly kind: "section" | "template" | "macro";
  /** The opening tag. */
  readonly tag: Span;
  readonly span: Span;
  /** Number of lines. */
  readonly lines: number;
}

/** A configuration as another server would read it, on which conditional sections apply that are skipped here. */
export interface AlternativeReading {
  readonly config: ReadConfig;
  /** The sections that apply in this reading, and in none before it. */
  readonly branches: readonly Branch[];
  /** Whether the server is known, and has other modules or files. */
  readonly isOfOtherServer: boolean;
}

/** The readings of a configuration in which its skipped conditional sections apply. */
export interface Alternatives {
  readonly readings: readonly AlternativeReading[];
  /** The skipped sections that apply in no reading; without those inside them. */
  readonly unread: readonly Branch[];
}

/** One configuration as it is read: its files with all includes, by the paths that they are read from. */
export interface ReadConfig {
  readonly kind: EntryKind;
  readonly release: Release;
  /** The entry's path on the server. */
  readonly entry: string;
  readonly pathRules: PathRules;
  readonly serverRoot: string;
  /** Present if neither a line nor the user names the ServerRoot: it is that of the usual layout around the main file. */
  readonly serverRootIsAssumed?: true;
  /** The ServerRoot that the configuration names, if the user gives another location of its files. */
  readonly installedAt?: string;
  /**
   * Present if the files are a copy of those of the server, elsewhere or below a system root, without the server's modules:
   * a missing file may be on the server.
   */
  readonly isCopy?: boolean;
  /** The entry's directives with all includes; for an entry of kind `htaccess`, those of that file. */
  readonly directives: readonly Directive[];
  readonly htaccess: readonly HtaccessFile[];
  /** Present if the entry is of kind `htaccess`. */
  readonly htaccessEntry?: HtaccessEntry;
  /** The directories at and below the document roots that exist on disk; present only if all of them could be read. */
  readonly directories?: ReadonlySet<string>;
  /**
   * The DocumentRoot lines that do not name a directory, and the Alias lines that name nothing, although the
   * disk has what is around it; present only if the document roots were searched.
   */
  readonly missingFolders?: ReadonlySet<Directive>;
  /**
   * The folders, readable, that lines map to and that may exist on the server, but not here: their `.htaccess` files were
   * not read. Present only if the document roots were searched.
   */
  readonly absentFolders?: readonly AbsentFolder[];
  /** Present if there are `.htaccess` files that are not among those above. */
  readonly view?: HtaccessView;
  /** The modules loaded at the end of reading. */
  readonly modules: LoadedModules;
  /** Modules, by identifier, that were read as if they were loaded first, although no line loads them. */
  readonly suppliedModules: readonly string[];
  /** Whether the user states that no `.htaccess` file in the folders of UserDir controls access. */
  readonly assumesNoUserHtaccess?: true;
  /** Whether the modules come from LoadModule lines (or the user); if not, they are the release's usual ones. */
  readonly modulesAreKnown: boolean;
  readonly loadModules: readonly LoadModule[];
  /**
   * The files in the folders that they name, by name (`mod_alias.so`), if these exist on disk and belong to this
   * release.
   */
  readonly sharedObjects?: ReadonlySet<string>;
  readonly guards: readonly Guard[];
  /** The alternatives in templates. */
  readonly templateBranches: readonly TemplateBranchReading[];
  /** The macros that are defined, with their first lines. */
  readonly macros: readonly MacroDefinition[];
  /** The includes of the main file and its included files; a line that takes effect twice is listed twice. */
  readonly includes: readonly Include[];
  /**
   * The lines that the server executed while it read them, and that leave nothing else here: LoadFile, DefaultRuntimeDir,
   * LuaAuthzProvider and UNCList, in order.
   */
  readonly executedLines: readonly Directive[];
  readonly problems: readonly Refusal[];
  /** Every file that was read, by its path. */
  readonly files: ReadonlyMap<string, ConfigTree>;
  /** Returns the files that wildcards skip; searched at the first call. */
  readonly findSkippedFiles: () => readonly SkippedFile[];
  /** Returns the files that are available, but not enabled, and those that wildcards skip; read at the first call. */
  readonly findDisabledFiles: () => readonly DisabledFile[];
  /** Reads it again for its conditional sections that are skipped; at the first call. */
  readonly alternatives: () => Alternatives;
  /** Only an installed configuration has it: this is one as read. */
  readonly read?: never;
}

/**
 * A configuration as installed on its server: its paths are those of the server. It may have further changes, each of which
 * is one of its assumptions. `installConfig` makes it.
 */
export interface Project extends Omit<ReadConfig, "read"> {
  /** What it is made of. */
  readonly read: ReadConfig;
  /** Whether the rest of the server is unknown, so that it may decide what no line here decides. */
  readonly isPart: boolean;
  /** Whether requests are assumed to reach the virtual hosts whose addresses have a placeholder. */
  readonly fillsInAddresses?: true;
  /** What the analysis assumes, in the order in which it was assumed. */
  readonly assumptions: readonly Assumption[];
  /**
   * Finds the lines that the server refuses; computed at the first call, once for each configuration. The configuration is a
   * parameter, so that a copy with other lines finds its own.
   */
  readonly findRefusals: (config: Project) => RefusedLines;
}

/** Something that an analysis assumes about a server, with its data. */
export type Assumption =
  /** Relative paths start at the ServerRoot that the configuration names, not where its files were read. */
  | { readonly code: "relocated"; readonly from: string; readonly to: string }
  /** No other file of the server sets access for the paths of a part of it. */
  | { readonly code: "no-other-file" }
  /** A `.htaccess` file, or those above it, is in a document root with `AllowOverride All`. */
  | { readonly code: "document-root"; readonly directory: string }
  /** A section for the requested directory includes a fragment. */
  | { readonly code: "included-in-directory" }
  /** The first virtual host of a fragment answers requests without a Host header. */
  | { readonly code: "default-host" }
  /** Requests reach these virtual hosts of a fragment, whose addresses have placeholders. */
  | { readonly code: "placeholder-addresses"; readonly hosts: readonly Directive[] }
  /** The conditions of these branches of a template hold, and its other tags stand for no lines. */
  | { readonly code: "template-branches"; readonly tags: readonly Span[] }
  /** No `.htaccess` file in the folders of these UserDir lines, which were not read, controls access. */
  | { readonly code: "no-userdir-htaccess"; readonly lines: readonly Directive[] }
  /** No `.htaccess` file in these folders, which are not here, controls access. */
  | { readonly code: "absent-folders-without-htaccess"; readonly folders: readonly AbsentFolder[] }
  /** Modules, by identifier, are loaded although no line loads them. */
  | { readonly code: "modules-loaded"; readonly modules: readonly string[] }
  /** The files that Include names, and that are missing here, have no lines. */
  | { readonly code: "missing-files-empty"; readonly problems: readonly Refusal[] }
  /** The tags of a template stand for no lines. */
  | { readonly code: "template-tags-empty"; readonly problems: readonly Refusal[] }
  /** The server starts without the lines of the main files that it refuses. */
  | { readonly code: "refused-lines-omitted"; readonly lines: ReadonlySet<Directive> };

/** A refusal of a directive. */
export interface RefusedLine extends Refusal {
  /** The directive that the server names; the span has the invalid words. */
  readonly directive: Directive;
  /** The server's message; empty if it is not known. */
  readonly server: string;
}

/** The lines that the server refuses, as far as they are modeled, in the server's order. */
export interface RefusedLines {
  /** Those of the main files: the server stops at the first. */
  readonly startup: readonly RefusedLine[];
  /** Those of `.htaccess` files: every request below the directory of the first one returns 500. */
  readonly htaccess: readonly RefusedLine[];
  /** Lines of `.htaccess` files that would be refused except for their undefined variables. */
  readonly open: readonly Directive[];
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
