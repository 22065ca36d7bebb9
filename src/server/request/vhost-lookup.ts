import type { Directive } from "../../config/model/directive.js";
import { isSince, type Release } from "../../facts/release.js";
import { type Address, parseAddress } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { toReadable } from "../../text/source.js";
import { findSetting, firstArgumentOf, layerOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { DEFAULT_SERVER_IP, portOf, type Request } from "../model/request.js";
import { addressReaderOf, isHostForAny, isSameAddress, type ListenAddress, type Server } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";
import { type Candidate, Candidates } from "./host-candidates.js";
import { hostsAtAddress } from "./named-hosts-2.2.js";
import { fillInAddresses } from "./placeholder-addresses.js";
import { configuredNameOf, findNamingLines, normalizeHostName } from "./server-names.js";
import { decideTlsEngine, type TlsEngine } from "./tls-engine.js";
import { VirtualHost } from "./virtual-host.js";

/** A virtual host that has the name of a request, which another server handles. */
export interface PassedOverHost {
  readonly host: VirtualHost;
  /**
   * `later`: a host before it has the name, too; `names-not-compared`: 2.2 without NameVirtualHost; `other-port` and
   * `other-address`: it is for another one; `any-port` and `any-address`: a host for exactly this one takes precedence.
   */
  readonly why: "later" | "names-not-compared" | "other-port" | "other-address" | "any-port" | "any-address";
}

/** The servers of a configuration, and the selection of the one that responds (server/vhost.c). */
export class ServerLookup {
  readonly main: Server;
  readonly hosts: readonly VirtualHost[];
  /** 2.2 compares names only for these. */
  private readonly nameVirtualHosts: readonly ListenAddress[];
  private readonly listenLines: readonly Directive[];
  private readonly candidates = new Map<string, Candidates>();

  /** @param fillsInAddresses whether requests reach the virtual hosts whose addresses have a placeholder */
  constructor(
    directives: readonly Directive[],
    private readonly release: Release,
    fillsInAddresses = false,
  ) {
    const layer = layerOf(directives, undefined);
    this.main = { section: undefined, layer, main: undefined, layers: [layer], addresses: [] };
    const inOrder = directives.filter((directive) => directive.key === "<virtualhost");
    const addressesIn = addressReaderOf(directives);
    const addressesOf = (section: Directive) =>
      fillsInAddresses ? fillInAddresses(addressesIn(section), section) : addressesIn(section);
    this.hosts = inOrder.map((section) => new VirtualHost(section, this.main, addressesOf(section)));
    this.nameVirtualHosts = directives.filter((directive) => directive.key === "namevirtualhost").flatMap(addressesIn);
    this.listenLines = directives.filter((directive) => directive.key === "listen");
  }

  /** Returns the server that handles a request. */
  serverOf(request: Request, oracle: Oracle): Server {
    const resolver = resolverOf(request, oracle);
    const candidates = this.candidatesOf(request, resolver);
    const { first } = candidates;
    if (first === undefined) return this.main;
    if (!candidates.comparesNames) return first;
    const name = normalizeHostName(request.host);
    const found = name === undefined ? candidates.atPath(request.path) : candidates.named(name, resolver);
    return found ?? first;
  }

  /** Reports whether names select one of several virtual hosts at the address of a request. */
  hasNamesAt(request: Request, oracle: Oracle): boolean {
    const { hosts, comparesNames } = this.candidatesOf(request, oracle);
    return comparesNames && hosts.length > 1;
  }

  /** Returns the virtual hosts at the address of a request: one of them handles it, whatever its name. */
  hostsReachedBy(request: Request, oracle: Oracle): readonly VirtualHost[] {
    return this.candidatesOf(request, oracle).hosts;
  }

  /** Returns the server of a connection, before the server reads the request: the first one at the address. */
  defaultServerOf(request: Request, oracle: Oracle): Server {
    return this.candidatesOf(request, oracle).first ?? this.main;
  }

  /** Returns whether mod_ssl, if it is loaded, is on for a server. */
  tlsEngineOf(server: Server): TlsEngine {
    const { layers } = server;
    const lines = {
      engine: findSetting(layers, "sslengine"),
      protocol: findSetting(layers, "protocol"),
      certificate: findSetting(layers, "sslcertificatefile"),
      listen: this.listenLines,
    };
    return decideTlsEngine(lines, server instanceof VirtualHost ? server : undefined, this.release);
  }

  /**
   * Returns how the virtual host that answers was selected: `default` if none has the name of the Host header, or
   * `unnamed` if that has the unknown name of the machine. It is `none` if no virtual host has the address. A request
   * without a Host header goes to the first one.
   */
  hostSelectionFor(request: Request, oracle: Oracle): "named" | "unnamed" | "default" | "none" {
    const candidates = this.candidatesOf(request, oracle);
    const { first } = candidates;
    if (first === undefined) return "none";
    const name = normalizeHostName(request.host);
    if (name === undefined || candidates.named(name, resolverOf(request, oracle))) return "named";
    return candidates.hasMachineName(first) ? "unnamed" : "default";
  }

  /**
   * Returns why virtual hosts that have the name of a request do not handle it, in order (server/vhost.c
   * `ap_update_vhost_given_ip`, `check_hostalias`).
   *
   * @param chosen the server that handles it
   */
  hostsPassedOver(request: Request, chosen: Server, oracle: Oracle): readonly PassedOverHost[] {
    const { hosts, comparesNames } = this.candidatesOf(request, oracle);
    const reached = new Map<Server, PassedOverHost["why"]>(
      hosts.map((host) => [host, comparesNames ? "later" : "names-not-compared"]),
    );
    const named = this.hosts.filter((host) => host !== chosen && findNamingLines(host, request).length > 0);
    return named.map((host) => ({ host, why: reached.get(host) ?? whyNotReached(host, request, oracle) }));
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
    const host = name.includes(":") ? `[${name}]` : name;
    return port === own && findNamingLines(server, { host }).length > 0;
  }

  /**
   * Returns the hosts at the request's address: those that name it, else those for any address. Hosts with the exact port
   * exclude the others; 2.2 has other tables.
   */
  private candidatesOf(request: Request, oracle: Oracle): Candidates {
    const resolver = resolverOf(request, oracle);
    const serverIp = request.serverIp ?? DEFAULT_SERVER_IP;
    const port = portOf(request);
    const key = `${serverIp} ${port}`;
    const known = this.candidates.get(key);
    if (known) return known;
    const local = parseAddress(serverIp);
    const isLocal = (address: ListenAddress) => isAt(address, local, resolver);
    const places = [isLocal, isHostForAny];
    const candidates = isSince(this.release, "2.4")
      ? this.candidatesAt(places.flatMap((fits) => [port, 0].map((each) => this.hostsAt(each, fits))))
      : this.candidatesAt22(places, port);
    const usesResolver = this.hosts.some(({ addresses }) => addresses.some((each) => each.name !== undefined));
    // If a name's address is unknown, every run queries it again.
    if (!usesResolver) this.candidates.set(key, candidates);
    return candidates;
  }

  private candidatesAt(places: readonly (readonly Candidate[])[]): Candidates {
    return new Candidates(places.find((each) => each.length > 0) ?? [], this.mainName());
  }

  private candidatesAt22(places: readonly ((address: ListenAddress) => boolean)[], port: number): Candidates {
    for (const fits of places) {
      const at = hostsAtAddress(this.hosts, this.nameVirtualHosts, fits, fits === isHostForAny, port);
      if (at === undefined) continue;
      const isAt = (address: ListenAddress) => (address.port === 0 || address.port === port) && fits(address);
      const hosts = at.named ?? this.hosts.filter(({ addresses }) => addresses.some(isAt));
      const candidates = hosts.map((host) => ({ host, isAt }));
      return new Candidates(candidates, this.mainName(), { first: at.first, comparesNames: at.named !== undefined });
    }
    return new Candidates([], undefined);
  }

  private hostsAt(ownPort: number, fits: (address: ListenAddress) => boolean): Candidate[] {
    const found: Candidate[] = [];
    const fitting = new Map<readonly ListenAddress[], boolean>();
    const isAt = (address: ListenAddress) => address.port === ownPort && fits(address);
    for (const host of this.hosts) {
      const { addresses } = host;
      const answers = getOrCreate(fitting, addresses, () => addresses.some(isAt));
      if (answers) found.push({ host, isAt });
    }
    return found;
  }

  /** The name of the main server, which hosts for any address have that are without one. */
  private mainName(): string | undefined {
    return configuredNameOf(this.main)?.toLowerCase();
  }
}

function whyNotReached({ addresses }: VirtualHost, request: Request, oracle: Oracle): PassedOverHost["why"] {
  const port = portOf(request);
  const atPort = addresses.filter((each) => each.port === 0 || each.port === port);
  if (atPort.length === 0) return "other-port";
  const local = parseAddress(request.serverIp ?? DEFAULT_SERVER_IP);
  if (atPort.some((each) => isAt(each, local, oracle))) return "any-port";
  return atPort.some(isHostForAny) ? "any-address" : "other-address";
}

/** Returns what answers questions about names and addresses: for a request of a proof, the facts that it has. */
function resolverOf({ nameFacts }: Request, oracle: Oracle): Oracle {
  return nameFacts === undefined ? oracle : new Oracle(new Map([...nameFacts].map((fact) => [fact, true])));
}

function isAt({ address, name }: ListenAddress, local: Address | undefined, oracle: Oracle): boolean {
  if (name !== undefined) return oracle.ask(unknownFact("server-address", toReadable(name)));
  return address !== undefined && isSameAddress(address, local);
}
