import type { Release } from "../../directives/directives.js";
import type { Directive } from "../../project/model/directive.js";
import { quoteText } from "../../project/model/problems.js";
import { findUndefinedVariable } from "../../project/model/variables.js";
import { type Address, parseAddress } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { argumentValuesOf, type ConfigLayer, firstArgumentOf, layerOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { DEFAULT_SERVER_IP, portOf, type Request } from "../model/request.js";
import { isAnyAddress, isSameAddress, type ListenAddress, readListenAddress, type Server } from "../model/server.js";
import { collapseLeadingSlashes } from "../request/url-normalization.js";
import {
  compileServerAlias,
  configuredNameOf,
  findNamingLines,
  isWithinServerPath,
  normalizeHostName,
  stripServerName,
} from "./server-names.js";

/** A virtual host. There may be thousands, and for most only the address is needed: the rest is read on demand. */
class VirtualHost implements Server {
  private own: ConfigLayer | undefined;
  private inForce: readonly ConfigLayer[] | undefined;

  /** @param addresses the same list for all hosts with identical addresses */
  constructor(
    readonly section: Directive,
    readonly main: Server,
    readonly addresses: readonly ListenAddress[],
  ) {}

  get layer(): ConfigLayer {
    this.own ??= layerOf(this.section.children ?? [], this.section);
    return this.own;
  }

  get layers(): readonly ConfigLayer[] {
    this.inForce ??= [...this.main.layers, this.layer];
    return this.inForce;
  }
}

/** The names of a virtual host. */
interface HostNames {
  /** Whether it has a ServerName. */
  readonly isNamedItself: boolean;
  readonly exact: ReadonlySet<string>;
  readonly wildcards: readonly NameTest[];
}

/** A host that may be selected. */
interface Candidate {
  readonly host: VirtualHost;
  /**
   * Reports whether the request arrived at one of its addresses. If that depends on a name, the oracle is queried only
   * when it matters.
   */
  readonly isAt: (address: ListenAddress) => boolean;
}

/** The servers of a configuration, and the selection of the one that responds (server/vhost.c). */
export class ServerLookup {
  readonly main: Server;
  readonly hosts: readonly VirtualHost[];
  /** 2.2 compares names only for these. */
  private readonly nameVirtualHosts: readonly ListenAddress[];
  private readonly candidates = new Map<string, Candidates>();

  constructor(
    directives: readonly Directive[],
    private readonly release: Release,
  ) {
    const layer = layerOf(directives, undefined);
    this.main = { section: undefined, layer, main: undefined, layers: [layer] };
    const inOrder = directives.filter((directive) => directive.key === "<virtualhost");
    const addressesIn = createAddressReader();
    this.hosts = inOrder.map((section) => new VirtualHost(section, this.main, addressesIn(section)));
    this.nameVirtualHosts = directives
      .filter((directive) => directive.key === "namevirtualhost")
      .map((directive) => readListenAddress(directive.arguments[0]?.value ?? "*"));
  }

  /** Returns the server that a request goes to. */
  serverOf(request: Request, oracle: Oracle): Server {
    const candidates = this.candidatesOf(request, oracle);
    const [first] = candidates.hosts;
    if (first === undefined) return this.main;
    if (this.release === "2.2" && !this.isNameBased(first, request)) return first;
    const name = normalizeHostName(request.host);
    const found = name === undefined ? candidates.atPath(request.path) : candidates.named(name, oracle);
    return found ?? first;
  }

  /** Returns the server of a connection, before the server reads the request: the first one at the address. */
  defaultServerOf(request: Request, oracle: Oracle): Server {
    return this.candidatesOf(request, oracle).hosts[0] ?? this.main;
  }

  /**
   * Returns how the virtual host that answers was selected: `default` if none has the name of the Host header, `none`
   * if none has the address. A request without a Host header goes to the first one.
   */
  hostSelectionFor(request: Request, oracle: Oracle): "named" | "default" | "none" {
    const candidates = this.candidatesOf(request, oracle);
    if (candidates.hosts.length === 0) return "none";
    const name = normalizeHostName(request.host);
    return name === undefined || candidates.named(name, oracle) ? "named" : "default";
  }

  /**
   * Reports whether a URL is one of a server (server/vhost.c `ap_matches_request_vhost`). A ServerName without a port
   * has the port 0, which no URL has. @param name in lower case
   */
  isUrlOf(server: Server, name: string, port: number): boolean {
    const addresses = server instanceof VirtualHost ? server.addresses : [];
    if (addresses.some((each) => (each.port === 0 || each.port === port) && each.text.toLowerCase() === name))
      return true;
    const written = firstArgumentOf(server.layer.setting("servername"));
    const own = written === undefined ? (addresses[0]?.port ?? 0) : Number(/:(\d+)$/.exec(written)?.[1] ?? 0);
    return port === own && findNamingLines(server, { host: name }).length > 0;
  }

  /**
   * Returns the hosts at the request's address: those that name it, else those for any address. On 2.4 hosts with the
   * exact port exclude the others.
   */
  private candidatesOf(request: Request, oracle: Oracle): Candidates {
    const serverIp = request.serverIp ?? DEFAULT_SERVER_IP;
    const port = portOf(request);
    const key = `${serverIp} ${port}`;
    const known = this.candidates.get(key);
    if (known) return known;
    const local = parseAddress(serverIp);
    const isLocal = (address: ListenAddress) => isAt(address, local, oracle);
    const levels = this.release === "2.2" ? [[0, port]] : [[port], [0]];
    const places = [isLocal, isAnyAddress].flatMap((fits) => levels.map((ports) => this.hostsAt(ports, fits)));
    const candidates = new Candidates(places.find((each) => each.length > 0) ?? [], this.nameWithout());
    const isAsked = this.hosts.some(({ addresses }) => addresses.some((each) => each.name !== undefined));
    // If a name's address is unknown, every run queries it again.
    if (!isAsked) this.candidates.set(key, candidates);
    return candidates;
  }

  private hostsAt(ports: readonly number[], fits: (address: ListenAddress) => boolean): Candidate[] {
    const found: Candidate[] = [];
    const fitting = new Map<readonly ListenAddress[], boolean>();
    const isAt = (address: ListenAddress) => ports.includes(address.port) && fits(address);
    for (const host of this.hosts) {
      const { addresses } = host;
      const answers = getOrCreate(fitting, addresses, () => addresses.some(isAt));
      if (answers) found.push({ host, isAt });
    }
    return found;
  }

  /** The name of hosts without one: on 2.4 that of the main server. */
  private nameWithout(): string | undefined {
    return this.release === "2.4" ? configuredNameOf(this.main)?.toLowerCase() : undefined;
  }

  private isNameBased(host: VirtualHost, request: Request): boolean {
    const port = portOf(request);
    return this.nameVirtualHosts.some(
      (named) =>
        (named.port === 0 || named.port === port) &&
        host.addresses.some((each) => isSameAddress(each.address, named.address) && each.name === named.name),
    );
  }
}

/** The hosts at one address, distinguished by name: the first in the file that has it. */
class Candidates {
  readonly hosts: readonly VirtualHost[];
  /** Number of hosts whose names are indexed: they are read as far as the lookups need. */
  private entered = 0;
  private readonly byName = new Map<string, number>();
  /** Hosts by the text of their address, in order; computed on demand. */
  private byAddress: ReadonlyMap<string, readonly Candidate[]> | undefined;
  /** Hosts with a ServerPath; computed on demand. */
  private paths: readonly { readonly host: VirtualHost; readonly prefix: string }[] | undefined;
  /** Hosts that need a match test, in order. */
  private readonly others: { readonly place: number; readonly fits: NameTest }[] = [];

  /** @param nameWithout the name of hosts for any address that have none; undefined if they remain without */
  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly nameWithout: string | undefined,
  ) {
    this.hosts = candidates.map(({ host }) => host);
  }

  /** Returns the index of the first host with exactly a name; the names of all earlier hosts are then known. */
  private placeOf(name: string): number | undefined {
    while (!this.byName.has(name)) {
      const host = this.hosts[this.entered];
      if (host === undefined) return undefined;
      this.enter(host, this.entered++);
    }
    return this.byName.get(name);
  }

  private enter(host: VirtualHost, place: number): void {
    const { exact, wildcards, isNamedItself } = namesOf(host);
    for (const name of exact) this.add(name, place);
    for (const fits of wildcards) this.others.push({ place, fits });
    if (isNamedItself || this.nameWithout === undefined) return;
    const [first] = host.addresses;
    if (host.addresses.some(isAnyAddress)) this.add(this.nameWithout, place);
    else if (first) this.others.push({ place, fits: reverseLookupTest(first) });
  }

  private add(name: string, place: number): void {
    if (!this.byName.has(name)) this.byName.set(name, place);
  }

  named(name: string, oracle: Oracle): VirtualHost | undefined {
    const exact = this.placeOf(name);
    const place = this.others.length === 0 ? exact : (this.fitting(name, exact, oracle) ?? exact);
    // If no name matches, the address in a VirtualHost line counts as a name (`update_server_from_aliases`).
    return place === undefined ? this.atAddress(name) : this.hosts[place];
  }

  /**
   * Returns the first host whose ServerPath contains the path of a request without a Host header (`check_serverpath`).
   */
  atPath(sent: string): VirtualHost | undefined {
    const path = collapseLeadingSlashes(sent);
    this.paths ??= this.hosts.flatMap((host) => {
      const line = host.section.children?.findLast(({ key }) => key === "serverpath");
      const prefix = firstArgumentOf(line);
      return prefix === undefined ? [] : [{ host, prefix }];
    });
    return this.paths.find(({ prefix }) => isWithinServerPath(path, prefix))?.host;
  }

  /** The only host at an address has no list of names to compare (`ap_fini_vhost_config`). */
  private atAddress(text: string): VirtualHost | undefined {
    if (this.hosts.length < 2) return undefined;
    this.byAddress ??= byAddressOf(this.candidates);
    const isThere = ({ host, isAt }: Candidate) => host.addresses.some((each) => each.text === text && isAt(each));
    return this.byAddress.get(text)?.find(isThere)?.host;
  }

  /** Returns the first host before an index whose match test succeeds. */
  private fitting(name: string, exact: number | undefined, oracle: Oracle): number | undefined {
    const isAhead = (place: number) => exact === undefined || place < exact;
    return this.others.find(({ place, fits }) => isAhead(place) && fits(name, oracle))?.place;
  }
}

function byAddressOf(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Candidate[]> {
  const found = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    for (const text of new Set(candidate.host.addresses.map((each) => each.text))) {
      getOrCreate(found, text, () => []).push(candidate);
    }
  }
  return found;
}

type NameTest = (name: string, oracle: Oracle) => boolean;

/** A host without a name has the name that its address resolves to. */
function reverseLookupTest({ text }: ListenAddress): NameTest {
  return (name, oracle) =>
    parseAddress(name) === undefined && oracle.ask(`whether \`${text}\` resolves to the name \`${name}\``);
}

/** The value of its variable is unknown. */
function undefinedNameTest(written: string): NameTest {
  return (name, oracle) => oracle.ask(`whether ${quoteText(written)} is \`${name}\``);
}

function isAt({ address, name }: ListenAddress, local: Address | undefined, oracle: Oracle): boolean {
  if (name !== undefined) return oracle.ask(`whether the server's address is that of \`${name}\``);
  return address !== undefined && isSameAddress(address, local);
}

function namesOf({ layer }: VirtualHost): HostNames {
  const serverName = firstArgumentOf(layer.setting("servername"));
  const written = layer.directives.filter(({ key }) => key === "serveralias").flatMap(argumentValuesOf);
  const aliases = written.map((alias) => alias.toLowerCase());
  const exact = new Set(aliases.filter((alias) => !/[*?]/.test(alias)));
  if (serverName) exact.add(stripServerName(serverName));
  const unset = [serverName ?? "", ...written].filter((name) => findUndefinedVariable(name) !== undefined);
  return {
    isNamedItself: serverName !== undefined,
    exact,
    wildcards: [
      ...aliases.filter((alias) => /[*?]/.test(alias)).map(compileServerAlias),
      ...unset.map(undefinedNameTest),
    ],
  };
}

/** Returns a reader of VirtualHost lines that parses each text once: thousands of hosts have the same. */
function createAddressReader(): (section: Directive) => readonly ListenAddress[] {
  const known = new Map<string, readonly ListenAddress[]>();
  return (section) => {
    const text = section.argumentText;
    return getOrCreate(known, text, () =>
      [...new Set(section.arguments.map(({ value }) => value))].map(readListenAddress),
    );
  };
}
