import { completePart } from "../../config/complete-part.js";
import { dropFinalSlash, isWithin, pathKey, resolvePath, withTrailingSlash } from "../../config/files/paths.js";
import { type Directive, virtualHostAround } from "../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import type { DirectoryMapping } from "../../config/queries/named-directories.js";
import { findUnreadPart } from "../../config/refusals/refusal.js";
import { isLoopbackEntryPoint, isLoopbackListener } from "../../proof/clients/outsiders.js";
import type { EntryPoint } from "../../proof/model/server-pairs.js";
import { UNLISTED_CLIENT_IP, unlistedClientIps } from "../../proof/requests/sample-clients.js";
import { answerUnder, type DefiniteAnswer } from "../../server/definite-answer.js";
import { findSetting, firstArgumentOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { enumerateRuns } from "../../server/model/oracle.js";
import { defaultPortOf, type Request } from "../../server/model/request.js";
import { type ListenAddress, readListenLine, type Server } from "../../server/model/server.js";
import type { SimulationSetup } from "../../server/model/simulation-setup.js";
import { isFact, leavesDestination, type UnknownFact } from "../../server/model/unknown-facts.js";
import { findExternalDependency } from "../../server/partial-server.js";
import { prepareSimulation } from "../../server/process-request.js";
import { findUnverifiedAddressHeader } from "../../server/request/remote-ip.js";
import { stripServerName } from "../../server/request/server-names.js";
import { markUnmodelledDirectives } from "../../server/unmodelled-directives.js";
import { isInSubnet, parseAddress, readSubnet } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable } from "../../text/source.js";
import { findIfConstraints } from "./if-constraints.js";
import { prepareAssumedServer } from "./inspector.js";
import { findPathInto, urlRootsOf } from "./sample-paths.js";
import { entryPointOfHost } from "./sample-requests.js";
import { type ListedDirectory, listDirectories, servedDirectoryOf } from "./served-directories.js";

/** The main server or a virtual host that listens on more than loopback addresses. */
export interface OutsideServer {
  /** Undefined for the main server. */
  readonly section: Directive | undefined;
  readonly at: EntryPoint;
}

/** The parts of a request that a rule chooses. */
export type SentRequest = Pick<Request, "path"> &
  Partial<Pick<Request, "method" | "query" | "host" | "headers" | "clientIp" | "origin">>;

/** Whether requested files are assumed to exist, or looked up on the disk. */
export type FileAssumption = "assumed" | "disk";

/** Limit of the simulated requests of all rules. */
const MAX_REQUESTS = 5_000;

/**
 * An anonymous client with a public address. It sends no credentials, and only the headers that a rule names. An answer
 * that depends on unknown facts is undefined.
 */
export class OutsideClient {
  private sent = 0;
  private onDisk: SimulationSetup | undefined;
  private readonly isUnread: boolean;
  private readonly listed = new Map<string, readonly ListedDirectory[]>();
  private readonly listens: readonly ListenAddress[];
  /** Whether all Listen lines are for loopback addresses. */
  private readonly isClosed: boolean;
  private readonly found = new Map<Directive | undefined, readonly OutsideServer[]>();
  /** The answers so far: rules ask for the same URLs. */
  private readonly answered = new Map<OutsideServer, Map<string, readonly DefiniteAnswer[]>>();

  /**
   * @param disk the files of the server; undefined if they are unknown
   * @param reach `anywhere` for what concerns every client: also of servers that listen on loopback addresses only, and
   *   although a part of the configuration is not read. The caller must know that such parts do not change what it reports.
   * @param omitsOpen whether answers are unknown that the rest of the server may change otherwise than by denying access
   */
  constructor(
    private readonly project: Project,
    readonly disk: FileTree | undefined,
    private readonly reach: "outside" | "anywhere" = "outside",
    private readonly omitsOpen = false,
  ) {
    this.isUnread = reach === "outside" && findUnreadPart(project.problems) !== undefined;
    this.listens = project.directives.filter(({ key }) => key === "listen").map(readListenLine);
    this.isClosed = reach === "outside" && this.listens.length > 0 && this.listens.every(isLoopbackListener);
  }

  /** Returns the first servers that an outside client reaches, the main server before virtual hosts. */
  listServers(max: number): readonly OutsideServer[] {
    const found: OutsideServer[] = [];
    for (const { section } of [{ section: undefined }, ...prepareAssumedServer(this.project).servers.hosts]) {
      if (found.length >= max) break;
      found.push(...this.findServer(section));
    }
    return found;
  }

  /** Returns the main server, or that of a virtual host; nothing if an outside client does not reach it. */
  findServer(section: Directive | undefined): readonly OutsideServer[] {
    // Of thousands of hosts that listen on loopback addresses only, none needs to be examined.
    if (this.isClosed) return [];
    return getOrCreate(this.found, section, () => {
      const part = section
        ? entryPointOfHost(section)
        : entryPointOfMain(prepareAssumedServer(this.project).servers.main);
      const at = findEntryPoint(part, this.listens, this.reach);
      return at === undefined ? [] : [{ section, at }];
    });
  }

  /** Returns the answer to a request; undefined if it is unknown, or if another server gets the request. */
  ask(server: OutsideServer, sent: SentRequest, files: FileAssumption = "assumed"): DefiniteAnswer | undefined {
    return findCommonAnswer(this.askAll(server, sent, files));
  }

  /**
   * Returns the possible answers to a request, which depend on facts that the configuration leaves open; none if one of
   * them is unknown, or if another server gets the request.
   */
  askAll(server: OutsideServer, sent: SentRequest, files: FileAssumption = "assumed"): readonly DefiniteAnswer[] {
    const known = getOrCreate(this.answered, server, () => new Map<string, readonly DefiniteAnswer[]>());
    return getOrCreate(known, JSON.stringify([files, sent]), () => {
      const answers = this.send(this.setupWith(files), server, sent);
      return files === "assumed" && this.isRefutedByDisk(answers, server, sent) ? [] : answers;
    });
  }

  /**
   * Returns whether the files of the server lead to another access decision than the assumption that all exist: a rule
   * for missing files may send the request elsewhere.
   */
  private isRefutedByDisk(assumed: readonly DefiniteAnswer[], server: OutsideServer, sent: SentRequest): boolean {
    if (this.disk === undefined || assumed.length === 0) return false;
    const classes = new Set(assumed.map((each) => each.class));
    const actual = this.askAll(server, sent, "disk");
    return actual.length > 0 && actual.every((each) => !classes.has(each.class));
  }

  /** Returns the decision of access control as if the URL were mapped to a file, by rules, too; 200 if it allows the request. */
  askAsFile(server: OutsideServer, sent: SentRequest, file: string): DefiniteAnswer | undefined {
    const setup = this.setupWith("assumed");
    const accessCheck = { target: file, afterRules: { backendBy: undefined } };
    return findCommonAnswer(this.send(setup && { ...setup, accessCheck }, server, sent));
  }

  private send(
    setup: SimulationSetup | undefined,
    server: OutsideServer,
    sent: SentRequest,
  ): readonly DefiniteAnswer[] {
    if (setup === undefined || this.isUnread || this.sent >= MAX_REQUESTS) return [];
    this.sent++;
    const clientIp = isLoopbackEntryPoint(server.at) ? "127.0.0.1" : findUnlistedAddress(this.project);
    const request = { method: "GET", clientIp, ...server.at, ...sent };
    const runs = enumerateRuns((facts) => {
      const answer = answerUnder(setup, request, facts);
      markUnmodelledDirectives(answer);
      const open = this.omitsOpen && !setup.accessCheck ? findExternalDependency(answer) : undefined;
      if (open !== undefined && !isAssumable(open)) facts.markUndecidable(open);
      return setup.servers.serverOf(request, facts).section === server.section ? answer : undefined;
    });
    if (runs === undefined || runs.some(({ undecidable, result }) => undecidable !== undefined || !result)) return [];
    return runs.flatMap(({ result }) => result ?? []);
  }

  /** Returns the answer to a request for a file below a mapped directory, if the server sends the file itself. */
  askForFile(
    server: OutsideServer,
    { from, to }: DirectoryMapping,
    file: string,
    files: FileAssumption = "disk",
  ): DefiniteAnswer | undefined {
    const path = encodeUrlPath(from + file.slice(to.length));
    const answer = this.ask(server, { path }, files);
    return answer?.status === 200 && answer.answeredBy === undefined && answer.file === file ? answer : undefined;
  }

  /** Returns the answer to a request for a directory of the disk, if the server lists it (mod_autoindex). */
  askForListing(server: OutsideServer, { from, to }: DirectoryMapping, directory: string): DefiniteAnswer | undefined {
    const path = encodeUrlPath(from + directory.slice(to.length));
    const answer = this.ask(server, { path }, "disk");
    return answer?.status === 200 && answer.answeredBy === "listing" ? answer : undefined;
  }

  /** Returns the directory that a line serves, and the directories below it. */
  directoriesOf(
    line: Directive,
  ): { readonly mapping: DirectoryMapping; readonly all: readonly ListedDirectory[] } | undefined {
    const { disk } = this;
    const mapping = servedDirectoryOf(line, this.project);
    if (disk === undefined || mapping === undefined) return undefined;
    return { mapping, all: getOrCreate(this.listed, mapping.to, () => listDirectories(disk, mapping.to)) };
  }

  /** Returns a file in a directory of the disk, if it has one that is not hidden. */
  findFileIn(path: string): string | undefined {
    const directory = dropFinalSlash(path);
    const files = this.disk?.list?.(directory)?.filter(({ name, kind }) => kind === "file" && !name.startsWith("."));
    return files?.[0] && `${directory}/${files[0].name}`;
  }

  /** Returns the answer to a request for a file that is assumed to exist, if a line of the server maps a URL to it. */
  askForPath(server: OutsideServer, written: string): DefiniteAnswer | undefined {
    const file = resolvePath(this.project.serverRoot, written);
    for (const mapping of urlRootsOf(this.project, server.section)) {
      const answer = isWithin(file, mapping.to) ? this.askForFile(server, mapping, file, "assumed") : undefined;
      if (answer) return answer;
    }
    return undefined;
  }

  /** Returns the file that lines of a server map a URL path to, unless a backend or another line takes it. */
  fileAt({ section }: OutsideServer, path: string): string | undefined {
    // An Alias of the path itself leads to a file.
    const withSlash = withTrailingSlash(path);
    const roots = urlRootsOf(this.project, section).filter(({ from }) => withSlash.startsWith(from));
    const [longest] = roots.toSorted((a, b) => b.from.length - a.from.length);
    if (longest === undefined) return undefined;
    return longest.from === path ? longest.to : dropFinalSlash(longest.to) + path.slice(longest.from.length - 1);
  }

  /** Yields the URL paths of a file on all servers. */
  *urlsOf(file: string): Generator<{ readonly server: OutsideServer; readonly path: string }> {
    const { project } = this;
    for (let slash = file.lastIndexOf("/"); slash >= 0; slash = slash === 0 ? -1 : file.lastIndexOf("/", slash - 1))
      for (const line of linesByDirectory(project).get(pathKey(file.slice(0, slash + 1))) ?? [])
        for (const { server, from } of this.serversWith(line))
          yield { server, path: encodeUrlPath(from + file.slice(slash + 1)) };
  }

  /** Yields the servers for which a line maps a URL to a directory, with the URL path. */
  private *serversWith(line: Directive): Generator<{ readonly server: OutsideServer; readonly from: string }> {
    const host = virtualHostAround(line);
    const { hosts } = prepareAssumedServer(this.project).servers;
    const sections = host ? [host] : [undefined, ...hosts.map(({ section }) => section)];
    const own = servedDirectoryOf(line, this.project);
    if (own === undefined) return;
    for (const section of sections) {
      const roots = urlRootsOf(this.project, section);
      if (!roots.some(({ from, to }) => from === own.from && to === own.to)) continue;
      for (const server of this.findServer(section)) yield { server, from: own.from };
    }
  }

  /** Returns a URL path that a scope applies to, if one can be derived from its sections and their conditions. */
  findPathInto(scope: Scope, { section }: OutsideServer): string | undefined {
    const path = findIfConstraints(scope)?.path ?? findPathInto(scope, this.project, section);
    return path && encodeUrlPath(path);
  }

  /** Returns the RemoteIPHeader line of a server that takes the header of any client; undefined if there is none. */
  findUnverifiedAddressHeader({ section }: OutsideServer): Directive | undefined {
    const servers = this.setupWith("assumed")?.servers;
    const server = servers && [servers.main, ...servers.hosts].find((each) => each.section === section);
    return server && findUnverifiedAddressHeader(server, this.project);
  }

  /** Returns the directory of a `.htaccess` file on the server, with a slash at the end. */
  directoryOf({ directory }: HtaccessFile): string {
    return withTrailingSlash(fromReadable(directory));
  }

  private setupWith(files: FileAssumption): SimulationSetup | undefined {
    if (files === "assumed") return prepareAssumedServer(this.project);
    this.onDisk ??= this.disk && prepareSimulation(this.project, this.disk);
    return this.onDisk;
  }
}

/**
 * Returns a client that reaches every server of a configuration, also of a part, which is completed. Rules about what a
 * line does, rather than about who may use it, share it.
 */
export const clientAnywhereOf = memoize(
  (project: Project) => new OutsideClient(completePart(project), undefined, "anywhere"),
);

/** Reports whether what is open of a part is as usual: access is granted, and there is no `.htaccess` file but those of the part. */
function isAssumable(open: UnknownFact): boolean {
  return leavesDestination(open) || isFact(open, "htaccess-beyond-part", "override-elsewhere");
}

/** Returns a public address that no access rule names: examples and tests name those for documentation. */
const findUnlistedAddress = memoize((project: Project): string => {
  const index = indexDirectives(project);
  const lines = ["require", "allow", "deny"].flatMap((key) => index.named(key));
  const subnets = lines.flatMap(({ arguments: words }) =>
    words.map(({ value }) => readSubnet(value)).flatMap((read) => (read.ok ? [read.value] : [])),
  );
  const isNamed = (ip: string) => {
    const address = parseAddress(ip);
    return address !== undefined && subnets.some((subnet) => isInSubnet(address, subnet));
  };
  return unlistedClientIps[4].find((ip) => !isNamed(ip)) ?? UNLISTED_CLIENT_IP;
});

/** Reports whether two answers differ only in their reasons. */
function isSameAnswer(a: DefiniteAnswer, b: DefiniteAnswer): boolean {
  return (
    a.status === b.status &&
    a.class === b.class &&
    a.answeredBy === b.answeredBy &&
    a.file === b.file &&
    a.backend?.url === b.backend?.url
  );
}

function findCommonAnswer(answers: readonly DefiniteAnswer[]): DefiniteAnswer | undefined {
  const [first] = answers;
  return first && answers.every((each) => isSameAnswer(each, first)) ? first : undefined;
}

/** Returns the lines that map a URL to a directory, by the directory. */
const linesByDirectory = memoize((project: Project) => {
  const index = indexDirectives(project);
  const found = new Map<string, Directive[]>();
  for (const line of mappingKeys.flatMap((key) => index.named(key))) {
    const mapping = servedDirectoryOf(line, project);
    if (mapping) getOrCreate(found, pathKey(mapping.to), () => []).push(line);
  }
  return found;
});

const mappingKeys = ["documentroot", "alias", "scriptalias"];

/** Returns how to reach a server; undefined if it listens only on loopback addresses, which are outside of the reach. */
function findEntryPoint(
  { port: fixed, ...at }: EntryPoint,
  listens: readonly ListenAddress[],
  reach: "outside" | "anywhere",
): EntryPoint | undefined {
  const isReached = reach === "anywhere";
  if (!isReached && isLoopbackEntryPoint(at)) return undefined;
  const usual = defaultPortOf(at.scheme);
  const open = listens.filter((each) => isReached || !isLoopbackListener(each));
  const port = fixed ?? (open.some((each) => each.port === usual) ? usual : open[0]?.port);
  const listen = open.find((each) => each.port === port);
  if (listen === undefined && listens.length > 0) return undefined;
  const serverIp = at.serverIp ?? (listen?.address ? listen.text.replace(/^\[|\]$/g, "") : undefined);
  return {
    ...at,
    ...(port === undefined || port === usual ? {} : { port }),
    ...(serverIp === undefined ? {} : { serverIp }),
  };
}

function entryPointOfMain({ layers }: Server): EntryPoint {
  const name = firstArgumentOf(findSetting(layers, "servername"));
  return {
    ...(keywordArgumentOf(findSetting(layers, "sslengine")) === "on" ? { scheme: "https" as const } : {}),
    ...(name === undefined ? {} : { host: stripServerName(name) }),
  };
}
