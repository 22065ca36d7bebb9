import { allDirectives } from "../../src/project/all-directives.js";
import type { Directive } from "../../src/project/directive.js";
import { asInstalled } from "../../src/project/installed.js";
import type { Project } from "../../src/project/project.js";
import { hasProxyFlag } from "../../src/project/rewrite-words.js";
import { type ServerLines, serversOf } from "../../src/project/server-lines.js";

/** Limits of processes: the settings of an MPM. */
export const processLimits: readonly string[] = [
  ...["maxconnectionsperchild", "maxrequestsperchild", "maxrequestworkers", "maxclients", "serverlimit"],
  ...["threadsperchild", "startservers", "minspareservers", "maxspareservers", "minsparethreads", "maxsparethreads"],
];

/** How long a connection is kept. */
export const connectionLimits: readonly string[] = ["keepalivetimeout", "keepalive", "maxkeepaliverequests"];

/** A line of the main server that is about the same, by the first name that is there; else its first line. */
export function besideOrFirst(names: readonly string[]) {
  return (main: ServerLines, project: Project): Directive | undefined => {
    for (const name of names) {
      const line = main.own(name).findLast(({ guard }) => guard === undefined || guard.kind === "<ifmodule");
      if (line) return line;
    }
    return firstLine(project);
  };
}

/** The first line of the main file that counts whatever guards come to; any other where there is none. */
export function firstLine({ directives, entry }: Project): Directive | undefined {
  const lines = directives.filter(({ children }) => children === undefined);
  const isSure = ({ guard, span }: Directive) => guard === undefined && span.file.path === entry;
  return lines.find(isSure) ?? lines[0];
}

/** The line that names the files of a server. */
export const servesFiles = (server: ServerLines) => server.own("documentroot").at(-1);

/** The line that shows what the server is doing, in whichever of the servers. */
export function statusPage(_: ServerLines, project: Project): Directive | undefined {
  if (project.modulesAreKnown && !project.modules.has("status_module")) return undefined;
  return find(allDirectives(project), ({ key, arguments: [handler] }) => {
    return key === "sethandler" && handler?.value.toLowerCase() === "server-status";
  });
}

/** Whether there are listings, scripts or SSI pages that hang on Options. */
export function listsOrRuns(server: ServerLines, { modules, modulesAreKnown }: Project): boolean {
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

/** The first line by which scripts, programs or WebDAV folders may take what clients send. */
export function takesUploads(server: ServerLines): Directive | undefined {
  return find(server.within(), ({ key, argumentText }) => {
    if (key === "scriptalias" || key === "scriptaliasmatch" || key === "wsgiscriptalias") return true;
    if (key === "addtype") return /^"?application\/x-httpd-php/i.test(argumentText);
    if (key === "dav") return !/^"?off\b/i.test(argumentText);
    return (key === "addhandler" || key === "sethandler") && !noUploads.test(argumentText);
  });
}

/** A file that is there is told of by itself, and where all folders were looked through there is no other. */
export function mayHaveHtaccess({ root }: ServerLines, project: Project): boolean {
  if (root === undefined) return true;
  const { directories, htaccess } = asInstalled(project);
  return !directories?.has(bare(root)) && !htaccess.some(({ directory }) => `${directory}/`.startsWith(root));
}

/** Without the slash at its end. */
export function bare(root: string): string {
  return root === "/" ? root : root.replace(/\/$/, "");
}

function find(directives: Iterable<Directive>, fits: (directive: Directive) => boolean): Directive | undefined {
  for (const directive of directives) if (fits(directive)) return directive;
  return undefined;
}

/** Whether backends are waited for as long as ProxyTimeout says, wherever there are any. */
export function hasProxyTimeout(main: ServerLines, project: Project): boolean {
  const proxying = serversOf(project).filter((server) => find(server.within(), isProxied));
  return (proxying.length > 0 ? proxying : [main]).every((server) => server.inForce("proxytimeout").length > 0);
}

function isProxied({ key, argumentText }: Directive): boolean {
  if (key === "rewriterule") return hasProxyFlag(argumentText);
  if (key === "proxyrequests") return /^"?on\b/i.test(argumentText);
  return key === "proxypass" || key === "proxypassmatch";
}
