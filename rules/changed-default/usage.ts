import { hasProxyFlag } from "../../grammar/arguments.js";
import type { Severity } from "../../src/engine/finding.js";
import type { Directive } from "../../src/project/model/directive.js";
import type { Project } from "../../src/project/model/project.js";
import { iterateDirectives } from "../../src/project/queries/directive-tree.js";
import { relocateProject } from "../../src/project/queries/install-root.js";
import { type ServerDirectives, serverDirectivesOf } from "../../src/project/queries/server-directives.js";
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
  readonly usedBy: (server: ServerDirectives, project: Project) => UsageSite | undefined;
  /** What somebody notices, as a clause. */
  readonly so: string;
  /** What to do, as a clause. */
  readonly advice: string;
  /** The lines that keep the old value, where that is no worse than the new one. */
  readonly keep?: (server: ServerDirectives) => readonly string[];
  /** Where they are written, if not behind the line that uses it. */
  readonly keptBehind?: (project: Project) => UsageSite | undefined;
}

/** Where something is used: a directive, or a LoadModule line. */
export interface UsageSite {
  readonly span: Span;
}

/** Limits of processes: the settings of an MPM. */
export const processLimits: readonly string[] = [
  ...["maxconnectionsperchild", "maxrequestsperchild", "maxrequestworkers", "maxclients", "serverlimit"],
  ...["threadsperchild", "startservers", "minspareservers", "maxspareservers", "minsparethreads", "maxsparethreads"],
];

/** How long a connection is kept. */
export const connectionLimits: readonly string[] = ["keepalivetimeout", "keepalive", "maxkeepaliverequests"];

/** A line of the main server that is about the same, by the first name that is there; else its first line. */
export function createSiteFinder(names: readonly string[]) {
  return (main: ServerDirectives, project: Project): Directive | undefined => {
    for (const name of names) {
      const line = main.own(name).findLast(({ guard }) => guard === undefined || guard.kind === "<ifmodule");
      if (line) return line;
    }
    return firstLineOf(project);
  };
}

/** The first line of the main file that counts whatever guards come to; any other where there is none. */
export function firstLineOf({ directives, entry }: Project): Directive | undefined {
  const lines = directives.filter(({ children }) => children === undefined);
  const isSure = ({ guard, span }: Directive) => guard === undefined && span.file.path === entry;
  return lines.find(isSure) ?? lines[0];
}

/** The line that names the files of a server. */
export const findDocumentRoot = (server: ServerDirectives) => server.own("documentroot").at(-1);

/** The line that shows what the server is doing, in whichever of the servers. */
export function findStatusPage(_: ServerDirectives, project: Project): Directive | undefined {
  if (project.modulesAreKnown && !project.modules.has("status_module")) return undefined;
  return find(iterateDirectives(project), ({ key, arguments: [handler] }) => {
    return key === "sethandler" && handler?.value.toLowerCase() === "server-status";
  });
}

/** Whether there are listings, scripts or SSI pages that hang on Options. */
export function usesOptions(server: ServerDirectives, { modules, modulesAreKnown }: Project): boolean {
  if (modulesAreKnown && modules.has("autoindex_module")) return true;
  return (
    find(server.iterateInherited(), ({ key, argumentText }) => {
      if (key === "addhandler" || key === "sethandler") return /cgi-script|server-parsed/i.test(argumentText);
      return (key === "addoutputfilter" || key === "setoutputfilter") && /\bincludes\b/i.test(argumentText);
    }) !== undefined
  );
}

/** What answers by itself, and takes no uploads. */
const noUploads =
  /^"?(?:server-status|server-info|ldap-status|balancer-manager|default-handler|send-as-is|type-map|imap-file|server-parsed|none)\b/i;

/** The first line by which scripts, programs or WebDAV folders may take what clients send. */
export function findUploadLine(server: ServerDirectives): Directive | undefined {
  return find(server.iterateOwn(), ({ key, argumentText }) => {
    if (key === "scriptalias" || key === "scriptaliasmatch" || key === "wsgiscriptalias") return true;
    if (key === "addtype") return /^"?application\/x-httpd-php/i.test(argumentText);
    if (key === "dav") return !/^"?off\b/i.test(argumentText);
    return (key === "addhandler" || key === "sethandler") && !noUploads.test(argumentText);
  });
}

/** A file that is there is told of by itself, and where all folders were looked through there is no other. */
export function mayHaveHtaccess({ root }: ServerDirectives, project: Project): boolean {
  if (root === undefined) return true;
  const { directories, htaccess } = relocateProject(project);
  return !directories?.has(trimRootSlash(root)) && !htaccess.some(({ directory }) => `${directory}/`.startsWith(root));
}

/** Without the slash at its end. */
export function trimRootSlash(root: string): string {
  return root === "/" ? root : root.replace(/\/$/, "");
}

function find(directives: Iterable<Directive>, fits: (directive: Directive) => boolean): Directive | undefined {
  for (const directive of directives) if (fits(directive)) return directive;
  return undefined;
}

/** Whether backends are waited for as long as ProxyTimeout says, wherever there are any. */
export function hasProxyTimeout(main: ServerDirectives, project: Project): boolean {
  const proxying = serverDirectivesOf(project).filter((server) => find(server.iterateOwn(), isProxied));
  return (proxying.length > 0 ? proxying : [main]).every((server) => server.effective("proxytimeout").length > 0);
}

function isProxied({ key, argumentText }: Directive): boolean {
  if (key === "rewriterule") return hasProxyFlag(argumentText);
  if (key === "proxyrequests") return /^"?on\b/i.test(argumentText);
  return key === "proxypass" || key === "proxypassmatch";
}
