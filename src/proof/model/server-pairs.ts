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
import { isFact, type UnknownFact, unknownFact } from "../../server/model/unknown-facts.js";
import { isMalformedHost } from "../../server/request/request-parser.js";
import { findNamingLines, stripServerName } from "../../server/request/server-names.js";
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
export type EntryPoint = Pick<Request, "scheme" | "host" | "port" | "serverIp" | "nameFacts">;

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

/** Approximate steps to find the server of an entry point, and for each host whose address the resolver knows. */
const STEPS_PER_ENTRY_POINT = 20;
const STEPS_PER_UNRESOLVED = 10;

/** An entry point as some facts about names and addresses lead it to its servers. */
interface Lookup {
  readonly entryPoint: EntryPoint;
  /** Those that hold. */
  readonly facts: ReadonlySet<UnknownFact>;
}

/**
 * Returns the pairs of servers that the same requests reach on both sides, by address, port and name. Whether the resolver
 * gives a name to a host, or an address to a name, is not known: there are pairs for each answer. A host that is selected by
 * some facts is also selected if no others hold than that it has the address, and the name: there are then fewer hosts before
 * it. So one fact of each kind is enough for each side, and for both if they select hosts alike.
 *
 * @returns the pairs, and whether they are complete: not if the steps are used up
 */
export function pairServers(
  setups: Pair<SimulationSetup>,
  steps: StepBudget,
): { readonly pairs: readonly ServerPair[]; readonly isComplete: boolean } {
  const found = new FoundPairs(setups);
  const unresolved = setups.flatMap(({ servers }) => servers.hosts.filter((host) => addressNamesOf(host).length > 0));
  const isAlike = areSelectedAlike(setups);
  const maxFacts = isAlike ? 1 : 2;
  // The usual case first: no fact holds.
  let lookups: Iterable<Lookup> = usualLookupsOf(setups, steps);
  for (;;) {
    const next = new Map<string, Lookup>();
    for (const { entryPoint, facts } of lookups) {
      steps.take(STEPS_PER_ENTRY_POINT + STEPS_PER_UNRESOLVED * unresolved.length);
      if (steps.isUsedUp) return { pairs: found.all(), isComplete: false };
      for (const fact of found.add(entryPoint, facts)) {
        const more = new Set([...facts, fact]);
        if (facts.has(fact) || countLike(fact, more) > maxFacts) continue;
        if (!isAlike || mayLeadToHost(fact, entryPoint, unresolved))
          next.set(JSON.stringify([entryPoint, [...more].sort()]), { entryPoint, facts: more });
      }
    }
    if (next.size === 0) return { pairs: found.all(), isComplete: true };
    lookups = next.values();
  }
}

/** Yields the lookups of all entry points without facts. */
function* usualLookupsOf(setups: Pair<SimulationSetup>, steps: StepBudget): Generator<Lookup> {
  const hosts = setups.flatMap(({ servers }) => servers.hosts);
  // With virtual hosts, the main server's name leads to the first of them.
  const main = new Set(setups.flatMap(({ project }) => namesOf(project.directives)));
  const others = [...withExamples(main), undefined, UNUSED_NAME];
  for (const point of listenPointsOf(hosts, portsOf(setups), steps))
    for (const name of sortSendableFirst([...point.names, ...others], (each) => each))
      yield { entryPoint: entryPointOf(point, name), facts: new Set() };
}

/** The pairs of servers found so far. */
class FoundPairs {
  private readonly pairs = new Map<string, { servers: Pair<Server>; entryPoints: EntryPoint[] }>();
  private readonly numbers = new Numbering<Server>();
  /** Whether a lookup depends on a fact. */
  private dependsOnFacts = false;

  constructor(private readonly setups: Pair<SimulationSetup>) {}

  /**
   * Adds the pair that an entry point reaches.
   *
   * @param holding the facts that hold; no others do
   * @returns the facts on which it depends
   */
  add(entryPoint: EntryPoint, holding: ReadonlySet<UnknownFact>): ReadonlySet<UnknownFact> {
    const asked = new Set<UnknownFact>();
    const servers = mapPair(this.setups, (setup) => {
      const oracle = new Oracle(new Map([...holding].map((fact) => [fact, true])));
      const server = setup.servers.serverOf({ method: "GET", path: "/", clientIp: "", ...entryPoint }, oracle);
      for (const fact of oracle.answered.keys()) asked.add(fact);
      return server;
    });
    this.dependsOnFacts ||= asked.size > 0;
    const key = servers.map((server) => this.numbers.of(server)).join(" ");
    const pair = getOrCreate(this.pairs, key, () => ({ servers, entryPoints: [] }));
    const engines = mapPair(this.setups, (setup, side) => setup.servers.tlsEngineOf(servers[side]));
    const isTls = engines.some(({ state }) => state === "on");
    const isKnown = holding.size > 0 && pair.entryPoints.some((each) => isSamePlace(each, entryPoint));
    if (!isKnown && pair.entryPoints.length < MAX_ENTRY_POINTS)
      pair.entryPoints.push({ ...entryPoint, ...(isTls ? { scheme: "https" } : {}), nameFacts: holding });
    return asked;
  }

  all(): readonly ServerPair[] {
    return [...this.pairs.values()].map(({ servers, entryPoints }) => {
      const sorted = sortSendableFirst(entryPoints, ({ host }) => host);
      return { servers, entryPoints: this.dependsOnFacts ? sorted : sorted.map(({ nameFacts, ...each }) => each) };
    });
  }
}

function isSamePlace(one: EntryPoint, other: EntryPoint): boolean {
  return one.host === other.host && one.port === other.port && one.serverIp === other.serverIp;
}

/** Returns how many of some facts are about an address like a fact, or else about a name like it. */
function countLike(fact: UnknownFact, facts: ReadonlySet<UnknownFact>): number {
  return [...facts].filter((each) => isOfAddress(each) === isOfAddress(fact)).length;
}

function isOfAddress(fact: UnknownFact): boolean {
  return isFact(fact, "server-address");
}

/** Reports whether a fact may lead an entry point to another host: one that it gives the address must have the name, or any. */
function mayLeadToHost(fact: UnknownFact, { host }: EntryPoint, unresolved: readonly VirtualHost[]): boolean {
  if (!isOfAddress(fact) || host === undefined || host === UNUSED_NAME) return true;
  const isAt = (name: string) => unknownFact("server-address", toReadable(name)) === fact;
  return unresolved.some((each) => addressNamesOf(each).some(isAt) && findNamingLines(each, { host }).length > 0);
}

/** Returns the names in the addresses of a virtual host. */
function addressNamesOf({ addresses }: VirtualHost): readonly string[] {
  return addresses.flatMap(({ name }) => name ?? []);
}

/** Reports whether both sides have virtual hosts with the same addresses and names, in the same order. */
function areSelectedAlike(setups: Pair<SimulationSetup>): boolean {
  const [before, after] = mapPair(setups, ({ project }) => {
    const linesOf = (lines: readonly Directive[]) =>
      lines.filter(({ key }) => selectingLines.has(key)).map(({ key, argumentText }) => `${key} ${argumentText}`);
    const hosts = project.directives.filter(({ key }) => key === "<virtualhost");
    const ofHosts = hosts.map(({ argumentText, children = [] }) => [argumentText, ...linesOf(children)]);
    return JSON.stringify([project.release, linesOf(project.directives), ofHosts]);
  });
  return before === after;
}

/** The lines that, with the addresses of virtual hosts, decide which of them answers. */
const selectingLines: ReadonlySet<string> = new Set(["servername", "serveralias", "serverpath", "namevirtualhost"]);

/** Sorts those with names last that 2.4 rejects in any request: a usable entry point is needed to show what a server does. */
function sortSendableFirst<T>(all: readonly T[], hostOf: (each: T) => string | undefined): readonly T[] {
  const isSendable = (each: T) => !isMalformedHost(hostOf(each));
  return [...all.filter(isSendable), ...all.filter((each) => !isSendable(each))];
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
    host.addresses.map(({ address, name, port }) => ({
      address: address && formatAddress(address),
      ...{ port, host, name },
    })),
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
    // A host whose address is not known may be at each of them.
    const anywhere = here.flatMap(({ host, name }) =>
      name === undefined ? [] : [...namesOf(host.directives), name.toLowerCase()],
    );
    for (const [address, names] of byAddress) byAddress.set(address, withExamples(new Set([...names, ...anywhere])));
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
