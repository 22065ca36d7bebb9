import { argumentValuesOf, findSetting, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import { Oracle } from "../../httpd/model/oracle.js";
import { DEFAULT_SERVER_IP, type Request } from "../../httpd/model/request.js";
import { readListenAddress, readListenLine, type Server } from "../../httpd/model/server.js";
import { isMalformedHost } from "../../httpd/request/request-parser.js";
import { stripServerName } from "../../httpd/vhost/server-names.js";
import type { StepBudget } from "../../logic/budget.js";
import type { Directive } from "../../project/model/directive.js";
import type { SimulationSetup } from "../../simulate/model/request-context.js";
import { formatAddress } from "../../text/addresses.js";

/** Numbers things in the order in which they come up, so that keys can be made of them. */
export class Numbering<T extends object> {
  private readonly known = new Map<T, number>();

  of(thing: T): number {
    const number = this.known.get(thing) ?? this.known.size;
    this.known.set(thing, number);
    return number;
  }
}

/** What there is of each of two sides. */
export type Pair<T> = readonly [before: T, after: T];

/** The same made of each side. */
export function mapPair<T, U>([before, after]: Pair<T>, make: (each: T, side: 0 | 1) => U): Pair<U> {
  return [make(before, 0), make(after, 1)];
}

/** The part of a request that leads to a server. */
export type EntryPoint = Pick<Request, "scheme" | "host" | "port" | "serverIp">;

/** What a request comes to on each side: the same on all doors of the pair. */
export interface ServerPair {
  readonly servers: Pair<Server>;
  /** The most usual of them first; never empty. */
  readonly entryPoints: readonly EntryPoint[];
}

/** A name that no configuration has. */
const UNUSED_NAME = "unnamed.invalid";

/** So many doors of one pair are kept. */
const MAX_ENTRY_POINTS = 100;

/** An address and a port at which requests come in, with the names that are asked for there. */
interface ListenPoint {
  /** Undefined for any that no line names. */
  readonly address: string | undefined;
  /** Undefined where no line names one. */
  readonly port: number | undefined;
  readonly names: ReadonlySet<string>;
}

/** It takes about so many steps to find the server of a door. */
const STEPS_PER_ENTRY_POINT = 20;

/**
 * The servers that the same requests come to on both sides, by address, port and name.
 *
 * @returns with whether these are all: not where the steps are used up
 */
export function pairServers(
  setups: Pair<SimulationSetup>,
  steps: StepBudget,
): { readonly pairs: readonly ServerPair[]; readonly isWhole: boolean } {
  const hosts = setups.flatMap(({ servers }) => servers.hosts.map(({ section }) => section).filter(isSection));
  const pairs = new Map<string, { servers: Pair<Server>; entryPoints: EntryPoint[] }>();
  const numbers = new Numbering<Server>();
  const ports = portsOf(setups);
  // Where there are virtual hosts, what the main server is called leads to the first of them.
  const main = setups.flatMap(({ project }) => namesOf(project.directives));
  const others = [...new Set([...main, undefined, UNUSED_NAME])];
  for (const point of listenPointsOf(hosts, ports, steps))
    for (const name of sortSendableFirst([...point.names, ...others])) {
      steps.take(STEPS_PER_ENTRY_POINT);
      if (steps.isUsedUp) return { pairs: [...pairs.values()], isWhole: false };
      const asked = entryPointOf(point, name);
      const servers = mapPair(setups, (setup) =>
        setup.servers.serverOf({ method: "GET", path: "/", clientIp: "", ...asked }, new Oracle(new Map())),
      );
      const key = servers.map((server) => numbers.of(server)).join(" ");
      const pair = pairs.get(key) ?? { servers, entryPoints: [] };
      pairs.set(key, pair);
      const isTls = servers.some((server) => keywordArgumentOf(findSetting(server.layers, "sslengine")) === "on");
      if (pair.entryPoints.length < MAX_ENTRY_POINTS)
        pair.entryPoints.push(isTls ? { ...asked, scheme: "https" } : asked);
    }
  return { pairs: [...pairs.values()], isWhole: true };
}

/** Names that 2.4 refuses in any request behind the others: what a server does is to be seen through a door that leads there. */
function sortSendableFirst(names: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const isSayable = (name: string | undefined) => !isMalformedHost(name);
  return [...names.filter(isSayable), ...names.filter((name) => !isSayable(name))];
}

function isSection(section: Directive | undefined): section is Directive {
  return section !== undefined;
}

function entryPointOf({ address, port }: ListenPoint, host: string | undefined): EntryPoint {
  return {
    ...(address === undefined ? {} : { serverIp: address }),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
  };
}

/** The ports that Listen lines name, each with the addresses that it is listened to at; undefined is any. */
function portsOf(setups: readonly SimulationSetup[]): ReadonlyMap<number, ReadonlySet<string | undefined>> {
  const ports = new Map<number, Set<string | undefined>>();
  for (const line of setups.flatMap(({ project }) => project.directives.filter(({ key }) => key === "listen"))) {
    const { address, port } = readListenLine(line);
    if (port === 0) continue;
    ports.set(port, (ports.get(port) ?? new Set()).add(address && formatAddress(address)));
  }
  return ports;
}

/** Every address and port that hosts are for, and one that none is for by name; one by one, since they may be many. */
function* listenPointsOf(
  hosts: readonly Directive[],
  listened: ReturnType<typeof portsOf>,
  steps: StepBudget,
): Generator<ListenPoint> {
  const places = hosts.flatMap((host) =>
    host.arguments.map((word) => {
      const { address, port } = readListenAddress(word.value);
      return { address: address && formatAddress(address), port, host };
    }),
  );
  const ports = new Set([...listened.keys(), ...places.map(({ port }) => port).filter((port) => port > 0)]);
  for (const port of ports.size > 0 ? ports : [undefined]) {
    steps.take(places.length);
    const here = places.filter((place) => place.port === 0 || place.port === port);
    const byAddress = new Map<string | undefined, Set<string>>([[undefined, new Set()]]);
    for (const { address, host } of here) {
      const names = byAddress.get(address) ?? new Set();
      byAddress.set(address, names);
      for (const name of namesOf(host.children ?? [])) names.add(name);
    }
    const reached = port === undefined ? undefined : listened.get(port);
    const isReached = (address: string | undefined) =>
      reached === undefined || reached.has(undefined) || reached.has(address);
    // Where no address is listened to but those that hosts are for, no other one leads anywhere.
    for (const address of reached ?? [])
      if (!byAddress.has(address)) byAddress.set(address, byAddress.get(undefined) ?? new Set());
    for (const [address, names] of byAddress)
      if (isReached(address))
        yield { address: address ?? (byAddress.has(DEFAULT_SERVER_IP) ? OTHER_IP : undefined), port, names };
  }
}

/** An address of the server's that no line names. */
const OTHER_IP = "198.51.100.80";

/** The names of a server, with one for each wildcard. */
function namesOf(lines: readonly Directive[]): readonly string[] {
  return lines.flatMap((line) => {
    const words = argumentValuesOf(line);
    if (line.key === "servername") return words.slice(0, 1).map(stripServerName);
    return line.key === "serveralias" ? words.map((word) => word.toLowerCase().replace(/[*?]/g, "x")) : [];
  });
}

export const ANY_OTHER_NAME = "any other name";

/** A door in some words: a name or an address, and the port where it is not 80; empty where nothing is known of it. */
export function describeEntryPoint({ host, serverIp, port }: EntryPoint): string {
  const place = host === UNUSED_NAME ? ANY_OTHER_NAME : (host ?? serverIp ?? "");
  return port === undefined || port === 80 || place === "" ? place : `${place}:${port}`;
}
