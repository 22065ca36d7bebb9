import type { Directive } from "../../config/model/directive.js";
import { classifyByAutomaton, productOf } from "../../regex/automata/classifier.js";
import { AutomatonAlgebra } from "../../regex/automata/operations.js";
import { findShortestTexts } from "../../regex/automata/shortest-texts.js";
import { wildcardLanguageOf } from "../../regex/automata/wildcards.js";
import type { StepBudget } from "../../regex/budget.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { Oracle } from "../../server/model/oracle.js";
import { DEFAULT_SERVER_IP, type Request } from "../../server/model/request.js";
import { readListenLine, type Server } from "../../server/model/server.js";
import type { SimulationSetup } from "../../server/model/simulation-setup.js";
import { isMalformedHost } from "../../server/request/request-parser.js";
import { stripServerName } from "../../server/request/server-names.js";
import type { VirtualHost } from "../../server/request/virtual-host.js";
import { formatAddress } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { toReadable } from "../../text/source.js";

/** Numbers objects in order of first use, for building keys. */
export class Numbering<T extends object> {
  private readonly known = new Map<T, number>();

  of(thing: T): number {
    return getOrCreate(this.known, thing, () => this.known.size);
  }
}

/** One value for each of two sides. */
export type Pair<T> = readonly [before: T, after: T];

/** Maps both sides. */
export function mapPair<T, U>([before, after]: Pair<T>, make: (each: T, side: 0 | 1) => U): Pair<U> {
  return [make(before, 0), make(after, 1)];
}

/** The part of a request that selects a server. */
export type EntryPoint = Pick<Request, "scheme" | "host" | "port" | "serverIp">;

/** The server of a request on each side: the same for all entry points of the pair. */
export interface ServerPair {
  readonly servers: Pair<Server>;
  /** The most usual entry point first; never empty. */
  readonly entryPoints: readonly EntryPoint[];
}

/** A name that no configuration contains. */
const UNUSED_NAME = "unnamed.invalid";

/** Maximum number of entry points kept for one pair. */
export const MAX_ENTRY_POINTS = 100;

/** A listening address and port, with the host names requested there. */
interface ListenPoint {
  /** Undefined for any address that no line names. */
  readonly address: string | undefined;
  /** Undefined if no line names a port. */
  readonly port: number | undefined;
  readonly names: ReadonlySet<string>;
}

/** Approximate steps to find the server of an entry point. */
const STEPS_PER_ENTRY_POINT = 20;

/**
 * Returns the pairs of servers that the same requests reach on both sides, by address, port and name.
 *
 * @returns the pairs, and whether they are complete: not if the steps are used up
 */
export function pairServers(
  setups: Pair<SimulationSetup>,
  steps: StepBudget,
): { readonly pairs: readonly ServerPair[]; readonly isComplete: boolean } {
  const hosts = setups.flatMap(({ servers }) => servers.hosts);
  const pairs = new Map<string, { servers: Pair<Server>; entryPoints: EntryPoint[] }>();
  const numbers = new Numbering<Server>();
  const ports = portsOf(setups);
  // With virtual hosts, the main server's name leads to the first of them.
  const main = new Set(setups.flatMap(({ project }) => namesOf(project.directives)));
  const others = [...withExamples(main), undefined, UNUSED_NAME];
  for (const point of listenPointsOf(hosts, ports, steps))
    for (const name of sortSendableFirst([...point.names, ...others])) {
      steps.take(STEPS_PER_ENTRY_POINT);
      if (steps.isUsedUp) return { pairs: [...pairs.values()], isComplete: false };
      const entryPoint = entryPointOf(point, name);
      const servers = mapPair(setups, (setup) =>
        setup.servers.serverOf({ method: "GET", path: "/", clientIp: "", ...entryPoint }, new Oracle(new Map())),
      );
      const key = servers.map((server) => numbers.of(server)).join(" ");
      const pair = getOrCreate(pairs, key, () => ({ servers, entryPoints: [] }));
      const engines = mapPair(setups, (setup, side) => setup.servers.tlsEngineOf(servers[side]));
      const isTls = engines.some(({ state }) => state === "on");
      if (pair.entryPoints.length < MAX_ENTRY_POINTS)
        pair.entryPoints.push(isTls ? { ...entryPoint, scheme: "https" } : entryPoint);
    }
  return { pairs: [...pairs.values()], isComplete: true };
}

/** Sorts names that 2.4 rejects in any request last: a usable entry point is needed to show what a server does. */
function sortSendableFirst(names: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const isValidName = (name: string | undefined) => !isMalformedHost(name);
  return [...names.filter(isValidName), ...names.filter((name) => !isValidName(name))];
}

function entryPointOf({ address, port }: ListenPoint, host: string | undefined): EntryPoint {
  return {
    ...(address === undefined ? {} : { serverIp: address }),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
  };
}

/** Returns the ports in Listen lines, each with its listening addresses; undefined means any address. */
function portsOf(setups: readonly SimulationSetup[]): ReadonlyMap<number, ReadonlySet<string | undefined>> {
  const ports = new Map<number, Set<string | undefined>>();
  for (const line of setups.flatMap(({ project }) => project.directives.filter(({ key }) => key === "listen"))) {
    const { address, port } = readListenLine(line);
    if (port === 0) continue;
    getOrCreate(ports, port, () => new Set()).add(address && formatAddress(address));
  }
  return ports;
}

/**
 * Yields every address and port of the hosts, and one that none of them names. A generator, because there may be many.
 */
function* listenPointsOf(
  hosts: readonly VirtualHost[],
  listened: ReturnType<typeof portsOf>,
  steps: StepBudget,
): Generator<ListenPoint> {
  const places = hosts.flatMap((host) =>
    host.addresses.map(({ address, port }) => ({ address: address && formatAddress(address), port, host })),
  );
  const ports = new Set([...listened.keys(), ...places.map(({ port }) => port).filter((port) => port > 0)]);
  for (const port of ports.size > 0 ? ports : [undefined]) {
    steps.take(places.length);
    const here = places.filter((place) => place.port === 0 || place.port === port);
    const byAddress = new Map<string | undefined, Set<string>>([[undefined, new Set()]]);
    for (const { address, host } of here) {
      const names = getOrCreate(byAddress, address, () => new Set());
      for (const name of namesOf(host.directives)) names.add(name);
    }
    for (const [address, names] of byAddress) byAddress.set(address, withExamples(names));
    const reached = port === undefined ? undefined : listened.get(port);
    const isReached = (address: string | undefined) =>
      reached === undefined || reached.has(undefined) || reached.has(address);
    // If the server only listens on addresses that hosts name, no other address reaches it.
    for (const address of reached ?? [])
      if (!byAddress.has(address)) byAddress.set(address, byAddress.get(undefined) ?? new Set());
    for (const [address, names] of byAddress)
      if (isReached(address))
        yield { address: address ?? (byAddress.has(DEFAULT_SERVER_IP) ? OTHER_IP : undefined), port, names };
  }
}

/** An address of the server that no line names. */
const OTHER_IP = "198.51.100.80";

/** Returns the names of a server. */
function namesOf(lines: readonly Directive[]): readonly string[] {
  return lines.flatMap((line) => {
    const words = argumentValuesOf(line);
    if (line.key === "servername") return words.slice(0, 1).map(stripServerName);
    return line.key === "serveralias" ? words.map((word) => word.toLowerCase()) : [];
  });
}

/**
 * Returns names with examples in place of wildcards. If another host has that example, or may have it by a wildcard within
 * a name, there are more: each wildcard alone, and together with each other.
 */
function withExamples(names: ReadonlySet<string>): Set<string> {
  const wildcards = [...names].filter((name) => /[*?]/.test(name));
  const found = new Set([...names].filter((name) => !/[*?]/.test(name)));
  const inner = wildcards.filter((name) => !/^\*\.[^*?]*$/.test(name));
  const examples = wildcards.map((name) => fillWildcards(name, "x"));
  const others = wildcards.filter((_, index) => inner.length > 0 || found.has(examples[index] ?? ""));
  for (const example of [...examples, ...others.map((name) => fillWildcards(name, "unnamed"))]) found.add(example);
  for (const name of inner)
    for (const other of wildcards) {
      found.add(fillWildcards(name, fillWildcards(other, "x")));
      found.add(fillWildcards(other, fillWildcards(name, "x")));
    }
  if (inner.length > 0) for (const name of namesMatching(wildcards.slice(0, MAX_COMBINED))) found.add(name);
  return found;
}

/** Beyond this number of names with wildcards, the others have examples of their own only. */
const MAX_COMBINED = 16;
/** Automata over names stay small. */
const MAX_STATES = 2_000;
const automata = new AutomatonAlgebra(MAX_STATES);
/** The characters of names, the most usual first. */
const nameCharacters = "xabcdefghijklmnopqrstuvwyz0123456789.-_";

/** Returns a shortest name for each combination of wildcards that a name may match: `*` also stands for nothing. */
function namesMatching(wildcards: readonly string[]): readonly string[] {
  const classifiers = wildcards.flatMap((name) => {
    const automaton = automata.of(wildcardLanguageOf(name, false));
    return automaton === "too large" ? [] : [classifyByAutomaton(automaton)];
  });
  return classifiers.length === 0 ? [] : findShortestTexts(productOf(classifiers), nameCharacters, MAX_STATES);
}

/** Returns a name with a text for each `*`, and its first character for each `?`. */
function fillWildcards(name: string, text: string): string {
  return name.replace(/[*?]/g, (sign) => (sign === "*" ? text : text.charAt(0)));
}

/** Reports whether requests with names that no configuration contains arrive at an entry point. */
export function isUnnamed({ host }: EntryPoint): boolean {
  return host === UNUSED_NAME;
}

/** Names a pair of servers by its most usual entry point. */
export function nameOfPair({ entryPoints: [first] }: ServerPair): string {
  const name = first === undefined ? "" : toReadable(describeEntryPoint(first));
  return name === "" ? "the main server" : name;
}

/** Returns the section of the virtual host of a pair; undefined for the main server. */
export function sectionOfPair({ servers }: ServerPair): Directive | undefined {
  return servers.find(({ section }) => section !== undefined)?.section;
}

export const ANY_OTHER_NAME = "any other name";

/** Describes an entry point briefly: a name or an address, and the port if it is not 80; empty if nothing is known. */
export function describeEntryPoint({ host, serverIp, port }: EntryPoint): string {
  const place = host === UNUSED_NAME ? ANY_OTHER_NAME : (host ?? serverIp ?? "");
  return port === undefined || port === 80 || place === "" ? place : `${place}:${port}`;
}
