import {
  type Directive,
  hasProxyFlag,
  iterateDirectives,
  type Project,
  type ServerDirectives,
  serverDirectivesOf,
} from "../../src/lint/api/configuration.js";
import type { Severity, Span } from "../../src/lint/api/rule.js";

/** A default that 2.4 changed, and its effect. */
export interface ChangedDefault {
  /** Directive name as spelled in the manual. */
  readonly directive: string;
  /** Lower-case names of the directives that decide it; by default, only this one. */
  readonly decidedBy?: readonly string[];
  /** Whether such a line decides it; by default, all do. */
  readonly decides?: (line: Directive) => boolean;
  /** Scope of a deciding line: all processes, a server, the document root, or any section of the server. */
  readonly place: "process" | "server" | "root" | "section";
  /** The default in each release, for the header. */
  readonly before: string;
  readonly after: string;
  readonly severity: Severity;
  /** Whether all processes rely on the default, and `usedBy` returns the place for its fix. */
  readonly isAboutServer?: true;
  /** Whether nearly every server relies on the default, and hardly any notices the change. */
  readonly isRoutine?: true;
  /** The line of the server that relies on the default; undefined if none does. */
  readonly usedBy: (server: ServerDirectives, project: Project) => UsageSite | undefined;
  /** The effects, one sentence each. */
  readonly notes: readonly string[];
  /** The remedies, one imperative sentence each. */
  readonly help: readonly string[];
  /** The lines that restore the old value, if it is not worse than the new one. */
  readonly keep?: (server: ServerDirectives) => readonly string[];
  /** The place to insert them, if not after the line that relies on it. */
  readonly keepAfter?: (project: Project) => UsageSite | undefined;
}

/** The place of a use: a directive, or a LoadModule line. */
export interface UsageSite {
  readonly span: Span;
}

/** Process limits: the settings of an MPM. */
export const processLimits: readonly string[] = [
  ...["maxconnectionsperchild", "maxrequestsperchild", "maxrequestworkers", "maxclients", "serverlimit"],
  ...["threadsperchild", "startservers", "minspareservers", "maxspareservers", "minsparethreads", "maxsparethreads"],
];

/** Connection lifetime settings. */
export const connectionLimits: readonly string[] = ["keepalivetimeout", "keepalive", "maxkeepaliverequests"];

/**
 * Returns a function that finds a related line of the main server, by the first name with a match; else its first line.
 */
export function createSiteFinder(names: readonly string[]) {
  return (main: ServerDirectives, project: Project): Directive | undefined => {
    for (const name of names) {
      const line = main.own(name).findLast(({ guard }) => guard === undefined || guard.kind === "<ifmodule");
      if (line) return line;
    }
    return firstLineOf(project);
  };
}

/** Returns the first unconditional line of the main file; else any line. */
export function firstLineOf({ directives, entry }: Project): Directive | undefined {
  const lines = directives.filter(({ children }) => children === undefined);
  const isUnconditional = ({ guard, span }: Directive) => guard === undefined && span.file.path === entry;
  return lines.find(isUnconditional) ?? lines[0];
}

/** Returns the line that sets the document root of a server. */
export const findDocumentRoot = (server: ServerDirectives) => server.own("documentroot").at(-1);

/** Returns the line that enables the status page, in any server. */
export function findStatusPage(_: ServerDirectives, project: Project): Directive | undefined {
  if (project.modulesAreKnown && !project.modules.has("status_module")) return undefined;
  return find(iterateDirectives(project), ({ key, arguments: [handler] }) => {
    return key === "sethandler" && handler?.value.toLowerCase() === "server-status";
  });
}

/** Returns whether there are listings, scripts or SSI pages that depend on Options. */
export function usesOptions(server: ServerDirectives, { modules, modulesAreKnown }: Project): boolean {
  if (modulesAreKnown && modules.has("autoindex_module")) return true;
  return (
    find(server.iterateInherited(), ({ key, argumentText }) => {
      if (key === "addhandler" || key === "sethandler") return /cgi-script|server-parsed/i.test(argumentText);
      return (key === "addoutputfilter" || key === "setoutputfilter") && /\bincludes\b/i.test(argumentText);
    }) !== undefined
  );
}

/** Handlers that do not accept uploads. */
const noUploads =
  /^"?(?:server-status|server-info|ldap-status|balancer-manager|default-handler|send-as-is|type-map|imap-file|server-parsed|none)\b/i;

/** Returns the first line that enables uploads: to scripts, programs or WebDAV directories. */
export function findUploadLine(server: ServerDirectives): Directive | undefined {
  return find(server.iterateOwn(), ({ key, argumentText }) => {
    if (key === "scriptalias" || key === "scriptaliasmatch" || key === "wsgiscriptalias") return true;
    if (key === "addtype") return /^"?application\/x-httpd-php/i.test(argumentText);
    if (key === "dav") return !/^"?off\b/i.test(argumentText);
    return (key === "addhandler" || key === "sethandler") && !noUploads.test(argumentText);
  });
}

/**
 * Returns whether unknown `.htaccess` files may exist. A known file is reported separately, and after a search of all
 * directories, none is unknown.
 */
export function mayHaveHtaccess({ root }: ServerDirectives, project: Project): boolean {
  if (root === undefined) return true;
  const { directories, htaccess } = project;
  return !directories?.has(trimRootSlash(root)) && !htaccess.some(({ directory }) => `${directory}/`.startsWith(root));
}

/** Removes the trailing slash. */
export function trimRootSlash(root: string): string {
  return root === "/" ? root : root.replace(/\/$/, "");
}

function find(directives: Iterable<Directive>, fits: (directive: Directive) => boolean): Directive | undefined {
  for (const directive of directives) if (fits(directive)) return directive;
  return undefined;
}

/** Returns whether ProxyTimeout is set on every server with backends. */
export function hasProxyTimeout(main: ServerDirectives, project: Project): boolean {
  const proxying = serverDirectivesOf(project).filter((server) => find(server.iterateOwn(), isProxied));
  return (proxying.length > 0 ? proxying : [main]).every((server) => server.effective("proxytimeout").length > 0);
}

function isProxied({ key, argumentText }: Directive): boolean {
  if (key === "rewriterule") return hasProxyFlag(argumentText);
  if (key === "proxyrequests") return /^"?on\b/i.test(argumentText);
  return key === "proxypass" || key === "proxypassmatch";
}
