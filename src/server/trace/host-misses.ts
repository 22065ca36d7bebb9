import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { isAssumed, type Project } from "../../config/model/project.js";
import { findSkippedListen } from "../../config/queries/inactive-lines.js";
import { toReadable } from "../../text/source.js";
import { documentRootOf } from "../mapping/url-mapping.js";
import type { Cause, Miss } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import { Oracle } from "../model/oracle.js";
import type { Pass } from "../model/pass.js";
import { stripAliasPrefix } from "../model/patterns.js";
import { DEFAULT_SERVER_IP, portOf, type Request } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { Server } from "../model/server.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { compileServerAlias, findNamingLines, normalizeHostName } from "../request/server-names.js";
import type { PassedOverHost, ServerLookup } from "../request/vhost-lookup.js";
import type { VirtualHost } from "../request/virtual-host.js";
import { formatLine, formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/** More hosts with the same name explain no more. */
const MAX_HOSTS = 3;

/** Returns the virtual hosts that have the name of a request, but do not handle it, and why. */
export function missesOfHosts(pass: Pass, servers: ServerLookup, project: Project): readonly Miss[] {
  const { server, request } = pass;
  const oracle = new Oracle(new Map());
  const namesOfChosen = findNamingLines(server, request);
  // A section for the port is skipped as well.
  const isPortSkipped = findSkippedListen(project, portOf(request)) !== undefined;
  return servers
    .hostsPassedOver(request, server, oracle)
    .slice(0, MAX_HOSTS)
    .map(({ host, why }, index) => {
      const by = server.section && (namesOfChosen[0] ?? server.section);
      const [name] = findNamingLines(host, request);
      const reason = `${name ? `it has ${quoteLine(name)}, but ` : ""}${reasonOf(why, pass, host)}`;
      const isNamedBy = why === "later" || why === "any-address" || why === "any-port";
      const place = { section: formatLine(host.section), span: host.section.span };
      // A host for another port is usual if the one that answers has the name, too.
      const isClose = why === "later" || (namesOfChosen.length === 0 && !(why === "other-port" && isPortSkipped));
      return {
        ...place,
        reason,
        ...(isNamedBy && by ? { by } : {}),
        isClose,
        ...(why !== "other-port" ? remedyFor(why, pass, host) : isClose && index === 0 ? remedyForPort(pass) : {}),
        ...(why === "names-not-compared" || why === "other-port" ? { stays: true as const } : {}),
      };
    });
}

/** Reports whether no virtual host has the name of a request, so that the first one at its address answers. */
export function isForDefaultHost(request: Request, servers: ServerLookup): boolean {
  return servers.hostSelectionFor(request, new Oracle(new Map())) === "default";
}

/** Returns why a virtual host answers that does not have the name of the request; none if another host has the name, or a similar one. */
export function explainDefaultHost(
  { pass, status }: RequestOutcome,
  { servers, project, files }: SimulationSetup,
): readonly Cause[] {
  if (pass === undefined) return [];
  const { server, request, mapping } = pass;
  const name = normalizeHostName(request.host);
  // A forward proxy is asked for the URL of another server.
  if (mapping.kind === "proxy" && mapping.by.key === "proxyrequests") return [];
  if (name === undefined || isAddress(name) || server.section === undefined || isAssumed(server.section.span))
    return [];
  if (!isForDefaultHost(request, servers)) return [];
  const others = [
    ...servers.hostsPassedOver(request, server, new Oracle(new Map())),
    ...missesOfSimilarHosts(pass, servers),
  ];
  if (others.length > 0) return [];
  const text = `no virtual host has the name \`${toReadable(name)}\`, so the first one at this address answers`;
  const root = status === 404 ? findRootOfMain(pass, servers.main, project, files) : undefined;
  if (root === undefined) return [{ text }];
  const [section, ...lines] = [
    formatLine(server.section),
    `ServerName ${toReadable(name)}`,
    `DocumentRoot "${nativePath(toReadable(root))}"`,
  ];
  return [
    {
      text: `${text}, and not the main server, which has the path in its document root`,
      help: [`add ${quoteWritten(section)} with ${quoteWritten(...lines)}`],
    },
  ];
}

/** Returns the document root of the main server if it has the path of a request, and the virtual host has another one. */
function findRootOfMain({ server, path }: Pass, main: Server, project: Project, files: FileTree): string | undefined {
  if (!main.layer.has("documentroot")) return undefined;
  const root = documentRootOf(main, project);
  const kind =
    root === documentRootOf(server, project) ? "missing" : files.kindOf(root + path.replace(/\/+$/, ""), true);
  return kind === "missing" || kind === "unknown" ? undefined : root;
}

/** Reports whether a host is an address: a client that names it expects no virtual host of its own. */
function isAddress(host: string): boolean {
  return !/[a-z]/.test(host) || host.includes(":");
}

/**
 * Returns the virtual hosts at the address of a request that have its name but for `www.`, a port or a path, or no name at all, if none
 * has it.
 */
export function missesOfSimilarHosts({ server, request }: Pass, servers: ServerLookup): readonly Miss[] {
  const host = normalizeHostName(request.host);
  if (host === undefined || !isForDefaultHost(request, servers)) return [];
  const other = host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`;
  const reached = servers.hostsReachedBy(request, new Oracle(new Map()));
  const similar = reached.flatMap((each) => {
    const withPath = findNameLine(each, (word) => isWithPath(word, host, request.path));
    if (withPath) return [missOfPath(withPath, host, each)];
    if (each === server) return [];
    const misspelt = findMisspeltName(host, each);
    if (misspelt) return [misspelt];
    const [name] = findNamingLines(each, { host: other });
    return name === undefined
      ? []
      : [missOfName(`it has ${quoteLine(name)}, but no name for`, "ServerAlias", host, each)];
  });
  if (similar.length > 0 || servers.hosts.some((each) => findNamingLines(each, request).length > 0)) return similar;
  const unnamed = isAddress(host) ? [] : reached.filter((each) => each !== server && isUnnamed(each));
  return unnamed
    .slice(0, MAX_HOSTS)
    .map((each) => missOfName("it has no `ServerName`, so httpd does not choose it for", "ServerName", host, each));
}

/** Reports whether a host has no name of its own: then it has that of the main server, or of its address (server/vhost.c). */
function isUnnamed({ layer }: VirtualHost): boolean {
  return !layer.has("servername") && !layer.has("serveralias");
}

function missOfName(reason: string, key: string, host: string, { section }: VirtualHost): Miss {
  const shown = toReadable(host);
  const help = [`add ${quoteWritten(`${key} ${shown}`)} to this virtual host`];
  return { section: formatLine(section), span: section.span, reason: `${reason} \`${shown}\``, isClose: true, help };
}

/** Returns the ServerAlias line with a name that no request has, such as one with a port (server/vhost.c `matches_aliases`). */
function findNameLine({ layer }: VirtualHost, isName: (word: string) => boolean): Directive | undefined {
  return layer.directives.find((line) => line.key === "serveralias" && argumentValuesOf(line).some(isName));
}

/** Reports whether a name is followed by the beginning of a path. */
function isWithPath(word: string, host: string, path: string): boolean {
  const at = word.indexOf("/");
  const written = word.slice(at).replace(/\/+$/, "");
  return (
    at > 0 &&
    written !== "" &&
    word.slice(0, at).toLowerCase() === host &&
    stripAliasPrefix(written, path) !== undefined
  );
}

function missOfPath(line: Directive, host: string, { section }: VirtualHost): Miss {
  const words = argumentValuesOf(line).filter((word) => word.toLowerCase().startsWith(`${host}/`));
  const [path = ""] = words.map((word) => word.slice(host.length).replace(/\/+$/, ""));
  const reason = `its ${quoteLine(line)} never matches \`${toReadable(host)}\`: a ServerAlias is a name without a path, and maps no path to a directory`;
  const help = [`to map the path, use ${quoteWritten(`Alias ${toReadable(path)} DIRECTORY`)}`];
  return { section: formatLine(section), span: section.span, reason, by: line, isClose: true, help, change: line };
}

/** What is part of a name as httpd compares it, although a reader does not mean it (server/vhost.c `matches_aliases`). */
const nameParts: readonly (readonly [part: RegExp, reason: string])[] = [
  [/[,;]/, "spaces separate names, and a comma or semicolon is part of the name"],
  [/^[a-z]+:\/\//i, "a name has no scheme"],
  [/\/$/, "a name has no slash"],
  [/:\d+$/, "a ServerAlias is a name without a port"],
  [/^\./, "a dot at the beginning does not stand for other names, `*.` does"],
];

/** Returns the names that a word is written for. */
function namesMeant(word: string): readonly string[] {
  const names = word.split(/[,;]+/);
  return names.flatMap((each) => {
    const name = each.replace(/^[a-z]+:\/\//i, "").replace(/(?::\d+)?\/?$/, "");
    return name === "" ? [] : [name.replace(/^\./, "*.")];
  });
}

/** Returns the line with the name of a request, which it does not match because of other characters in the word; undefined if there is none. */
function findMisspeltName(host: string, { layer, section }: VirtualHost): Miss | undefined {
  const isMeant = (word: string) => namesMeant(word).some((name) => compileServerAlias(name.toLowerCase())(host));
  for (const line of layer.directives) {
    if (line.key !== "serveralias" && line.key !== "servername") continue;
    const words = argumentValuesOf(line);
    const word = words.find(isMeant);
    const why = word === undefined ? undefined : nameParts.find(([part]) => part.test(word))?.[1];
    if (word === undefined || why === undefined) continue;
    const names = words.flatMap((each) => (each.includes("/") && !isMeant(each) ? [] : namesMeant(each)));
    const [first = "", ...others] = line.key === "servername" ? names : [names.join(" ")];
    const written = formatWholeLine(line, first);
    const aliases = others.length > 0 ? [`ServerAlias ${others.join(" ")}`] : [];
    const reason = `its ${quoteLine(line)} never matches \`${toReadable(host)}\`: ${why}`;
    const help = [`use ${quoteWritten(written, ...aliases.map(toReadable))}`];
    return { section: formatLine(section), span: section.span, reason, by: line, isClose: true, help, change: line };
  }
  return undefined;
}

/** What to change so that a virtual host handles a request. */
type Remedy = Pick<Miss, "help" | "change">;

/** Returns the line to write so that a virtual host is considered; nothing if the request is for another one on purpose. */
function remedyFor(
  why: Exclude<PassedOverHost["why"], "other-port">,
  { server, request }: Pass,
  host: VirtualHost,
): Remedy {
  const chosen = server.section && argumentValuesOf(server.section).join(" ");
  const written = toReadable(argumentValuesOf(host.section).join(" "));
  switch (why) {
    case "later":
      return remedyForLaterHost(server, request, host);
    case "names-not-compared":
      return { help: [`add ${quoteWritten(`NameVirtualHost ${written}`)} before the virtual hosts`] };
    case "other-address":
      return host.addresses.some(({ name }) => name !== undefined)
        ? { help: [`use ${quoteWritten(`<VirtualHost *:${portOf(request)}>`)}`] }
        : {};
    case "any-address":
    case "any-port": {
      if (chosen === undefined) return {};
      const [here, there] = [toReadable(chosen), written].map((each) => quoteWritten(`<VirtualHost ${each}>`));
      return { help: [`use the same address in both: ${here} here, or ${there} there`] };
    }
  }
}

/** Returns the virtual host to add for a name that no virtual host of the port has. */
function remedyForPort({ request }: Pass): Remedy {
  const name = toReadable(normalizeHostName(request.host) ?? "");
  const certificate = request.scheme === "https" ? ", its certificate" : "";
  const [section, line] = [`<VirtualHost *:${portOf(request)}>`, `ServerName ${name}`];
  return { help: [`add ${quoteWritten(section)} with ${quoteWritten(line)}${certificate} and its document root`] };
}

/** Returns what to do with two hosts that have the same name: the first one answers, so the other one moves, or its name goes. */
function remedyForLaterHost(first: Server, request: Request, later: VirtualHost): Remedy {
  const name = normalizeHostName(request.host);
  const [line] = findNamingLines(first, request);
  const [own] = findNamingLines(later, request);
  const isExact = (each: Directive | undefined) =>
    each !== undefined && argumentValuesOf(each).some((word) => word.toLowerCase() === name);
  const section = first.section && quoteLine(first.section);
  if (line?.key === "serveralias" && isExact(line))
    return { help: [`delete \`${toReadable(name ?? "")}\` from ${quoteLine(line)}`] };
  if (line?.key === "serveralias" && isExact(own))
    return { help: [`move this virtual host before the ${section} with ${quoteLine(line)}`] };
  // The first one may be the one that is not wanted.
  return { help: ["delete the virtual host that is not wanted, or give the two different names"], change: line };
}

/** Returns a clause without the host as its subject. */
function reasonOf(why: PassedOverHost["why"], { server, request }: Pass, { addresses }: VirtualHost): string {
  const named = addresses.find(({ name }) => name !== undefined)?.name;
  const [port, address] = [portOf(request), request.serverIp ?? DEFAULT_SERVER_IP];
  const [naming] = findNamingLines(server, request);
  const chosen = server.section ? quoteLine(server.section) : "the main server";
  switch (why) {
    case "later":
      return naming
        ? `${quoteLine(naming)} of an earlier virtual host matches first`
        : "an earlier virtual host matches first";
    case "names-not-compared":
      return "httpd 2.2 compares no names without a `NameVirtualHost` line for this address";
    case "other-port":
      return `it is not for port ${port}, at which the request arrives`;
    case "other-address":
      if (named !== undefined && request.nameFacts)
        return `it is for the address that the name \`${toReadable(named)}\` has in \`/etc/hosts\`, which is not ${toReadable(address)}`;
      if (named !== undefined)
        return `it is for the address that the name \`${toReadable(named)}\` has when httpd starts, and for none if the name is not known`;
      return `it is not for the address ${toReadable(address)}, at which the request arrives`;
    case "any-address":
      return `httpd prefers the exact address of ${chosen} to \`*\`, whatever the names`;
    case "any-port":
      return `httpd prefers the exact port of ${chosen} to any port, whatever the names`;
  }
}
