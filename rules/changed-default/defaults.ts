import type { Severity } from "../../src/engine/finding.js";
import type { Directive } from "../../src/project/directive.js";
import { asInstalled } from "../../src/project/installed.js";
import type { Project } from "../../src/project/project.js";
import type { ServerLines } from "../../src/project/server-lines.js";
import type { Span } from "../../src/text/source.js";

/** A default that 2.4 changed, and who notices. */
export interface ChangedDefault {
  /** As the manual spells it. */
  readonly directive: string;
  /** The lower-case names of the lines that decide it; its own where absent. */
  readonly decidedBy?: readonly string[];
  /** Whether such a line decides it; all do where absent. */
  readonly decides?: (line: Directive) => boolean;
  /**
   * Where a line decides it: once for all processes, for a server, for what lies at the document root, or in any section
   * of the server.
   */
  readonly place: "process" | "server" | "root" | "section";
  /** What each release takes where nobody says. */
  readonly before: string;
  readonly after: string;
  readonly severity: Severity;
  /** The line of the server that uses what it governs; undefined where none does. */
  readonly usedBy: (server: ServerLines, project: Project) => Place | undefined;
  /** What somebody notices, as a clause. */
  readonly so: string;
  /** What to do, as a clause. */
  readonly advice: string;
  /** The lines that keep the old value, where that is no worse than the new one. */
  readonly keep?: (server: ServerLines) => readonly string[];
}

/** Where something is used: a directive, or a LoadModule line. */
export interface Place {
  readonly span: Span;
}

/** A line at which the main server's settings may be written. */
export function mainPlace(main: ServerLines, { directives }: Project): Directive | undefined {
  return main.own("listen")[0] ?? directives.find(({ children }) => children === undefined);
}

const servesFiles = (server: ServerLines) => server.own("documentroot").at(-1);

export const defaults: readonly ChangedDefault[] = [
  {
    directive: "TimeOut",
    place: "process",
    before: "`TimeOut 300`",
    after: "`TimeOut 60`",
    severity: "warning",
    usedBy: mainPlace,
    so: "a script or backend that is silent for more than a minute is given up with 504, and a client as slow is cut off",
    advice: "write `TimeOut 300`, or see that nothing takes that long",
    keep: () => ["TimeOut 300"],
  },
  {
    directive: "MaxConnectionsPerChild",
    decidedBy: ["maxconnectionsperchild", "maxrequestsperchild"],
    place: "process",
    before: "`MaxRequestsPerChild 10000`",
    after: "`MaxConnectionsPerChild 0`",
    severity: "info",
    usedBy: mainPlace,
    so: "no process is replaced any more after a while, and what a module or script leaks piles up until the next restart",
    advice: "watch the memory of the processes, or write `MaxConnectionsPerChild 10000`",
    keep: () => ["MaxConnectionsPerChild 10000"],
  },
  {
    directive: "MaxMemFree",
    place: "process",
    before: "`MaxMemFree 0`",
    after: "`MaxMemFree 2048`",
    severity: "info",
    usedBy: mainPlace,
    so: "processes give memory back that they kept before, and grow less",
    advice: "leave it at that, or write `MaxMemFree 0` to have them keep all",
  },
  {
    directive: "ExtendedStatus",
    place: "process",
    before: "`ExtendedStatus Off`",
    after: "`ExtendedStatus On`",
    severity: "info",
    usedBy: statusPage,
    so: "the status page shows the address and the request line of every client to all who may see it",
    advice: "see who may, or write `ExtendedStatus Off`",
    keep: () => ["ExtendedStatus Off"],
  },
  {
    directive: "RequestReadTimeout",
    place: "process",
    before: "no limit",
    after: "`RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500`",
    severity: "info",
    usedBy: (_, { loadModules }) => loadModules.find(({ identifier }) => identifier === "reqtimeout_module"),
    so: "who sends a request or an upload more slowly than 500 bytes a second gets 408",
    advice:
      "leave it at that, since it keeps idle connections from filling the server, or write a RequestReadTimeout of your own",
  },
  {
    directive: "EnableSendfile",
    place: "root",
    before: "`EnableSendfile On`",
    after: "`EnableSendfile Off`",
    severity: "info",
    usedBy: servesFiles,
    so: "the server copies files itself where the kernel did: large ones cost more processor time, and none comes out garbled from a network file system",
    advice: "leave it at that, or write `EnableSendfile On` for large files on a local disk",
  },
  {
    directive: "FileETag",
    place: "root",
    before: "`FileETag INode MTime Size`",
    after: "`FileETag MTime Size`",
    severity: "info",
    usedBy: servesFiles,
    so: "every file has another ETag than before, and browsers and caches fetch each of them once more",
    advice:
      "leave it at that, since now several servers give a file the same one, or write `FileETag INode MTime Size`",
  },
  {
    directive: "DefaultType",
    decidedBy: ["defaulttype", "forcetype"],
    place: "root",
    before: "`DefaultType text/plain`",
    after: "no type at all",
    severity: "warning",
    usedBy: servesFiles,
    so: "a file whose type nothing tells, such as one without an extension, is sent without Content-Type, and browsers guess it or save the file",
    advice: 'write `ForceType text/plain` for the files that are meant, such as those in `<FilesMatch "^[^.]+$">`',
  },
  {
    directive: "Options",
    decides: ({ arguments: words }) => words.some(({ value }) => !/^[+-]/.test(value)),
    place: "root",
    before: "`Options All`",
    after: "`Options FollowSymLinks`",
    severity: "warning",
    usedBy: (server, project) => (listsOrRuns(server, project) ? servesFiles(server) : undefined),
    so: "no folder is listed any more (403), no CGI script runs outside of ScriptAlias (403), and SSI pages come as they are written",
    advice:
      "write into the `<Directory>` of this DocumentRoot what it needs of `Options Indexes Includes ExecCGI FollowSymLinks`",
  },
  {
    directive: "AllowOverride",
    decidedBy: ["allowoverride", "allowoverridelist"],
    place: "root",
    before: "`AllowOverride All`",
    after: "nothing at all",
    severity: "warning",
    usedBy: (server, project) => (mayHaveHtaccess(server, project) ? servesFiles(server) : undefined),
    so: "every request below a `.htaccess` file answers 500 as soon as there is a directive in it",
    advice:
      "write AllowOverride with what such files need into the `<Directory>` of this DocumentRoot, or `AllowOverride None` to have them left alone",
    keep: ({ root = "/" }) => [`<Directory "${bare(root)}">`, "    AllowOverride All", "</Directory>"],
  },
  {
    directive: "LimitRequestBody",
    place: "section",
    before: "`LimitRequestBody 0`",
    after: "`LimitRequestBody 1073741824`",
    severity: "info",
    usedBy: takesUploads,
    so: "an upload of more than 1 GiB to a script or a WebDAV folder gets 413",
    advice: "write the limit that they need into the sections that take uploads, `LimitRequestBody 0` for none",
  },
  {
    directive: "CacheDirLevels",
    place: "server",
    before: "`CacheDirLevels 3`",
    after: "`CacheDirLevels 2`",
    severity: "info",
    usedBy: (server) => server.own("cacheroot").at(-1),
    so: "what lies in the cache is not found there any more",
    advice: "empty the folder at the move and let the cache fill anew, or write `CacheDirLevels 3`",
    keep: () => ["CacheDirLevels 3"],
  },
];

function statusPage(main: ServerLines, { directives }: Project): Directive | undefined {
  const hosts = directives.filter(({ key }) => key === "<virtualhost");
  return find([...main.within(), ...hosts.flatMap(inside)], ({ key, arguments: [handler] }) => {
    return key === "sethandler" && handler?.value.toLowerCase() === "server-status";
  });
}

/** Whether there are listings, scripts or SSI pages that hang on Options. */
function listsOrRuns(server: ServerLines, { modules, modulesAreKnown }: Project): boolean {
  if (modulesAreKnown && modules.has("autoindex_module")) return true;
  return (
    find(server.around(), ({ key, argumentText }) => {
      if (key === "addhandler" || key === "sethandler") return /cgi-script|server-parsed/i.test(argumentText);
      return (key === "addoutputfilter" || key === "setoutputfilter") && /\bincludes\b/i.test(argumentText);
    }) !== undefined
  );
}

/** What answers by itself, and takes no uploads. */
const noUploads =
  /^"?(?:server-status|server-info|ldap-status|balancer-manager|default-handler|send-as-is|type-map|imap-file|server-parsed|none)\b/i;

function takesUploads(server: ServerLines): Directive | undefined {
  return find(server.within(), ({ key, argumentText }) => {
    if (key === "scriptalias" || key === "scriptaliasmatch" || key === "wsgiscriptalias") return true;
    if (key === "dav") return !/^"?off\b/i.test(argumentText);
    return (key === "addhandler" || key === "sethandler") && !noUploads.test(argumentText);
  });
}

/** A file that is there is told of by itself, and where all folders were looked through there is no other. */
function mayHaveHtaccess({ root }: ServerLines, project: Project): boolean {
  if (root === undefined) return true;
  const { directories, htaccess } = asInstalled(project);
  return !directories?.has(bare(root)) && !htaccess.some(({ directory }) => `${directory}/`.startsWith(root));
}

function bare(root: string): string {
  return root === "/" ? root : root.replace(/\/$/, "");
}

function inside(section: Directive): readonly Directive[] {
  return (section.children ?? []).flatMap((each) => [each, ...inside(each)]);
}

function find(directives: Iterable<Directive>, fits: (directive: Directive) => boolean): Directive | undefined {
  for (const directive of directives) if (fits(directive)) return directive;
  return undefined;
}
