import type { Steps } from "../logic/budget.js";
import type { Directive } from "../project/directive.js";
import { isMalformedHost } from "../scope/host-header.js";
import { settingIn } from "../scope/layer.js";
import { readListenAddress, readListenLine } from "../scope/listen-address.js";
import { Questions } from "../scope/questions.js";
import { DEFAULT_SERVER_IP, type Request } from "../scope/request.js";
import type { Server } from "../scope/server.js";
import { bareServerName } from "../scope/server-names.js";
import { keywordOf, wordsOf } from "../scope/words.js";
import type { Setup } from "../simulate/pass.js";
import { addressText } from "../text/address-text.js";
import { Numbers } from "./numbers.js";
import { ofBoth, type Two } from "./two.js";

/** The part of a request that leads to a server. */
export type Door = Pick<Request, "scheme" | "host" | "port" | "serverIp">;

/** What a request comes to on each side: the same on all doors of the pair. */
export interface ServerPair {
  readonly servers: Two<Server>;
  /** The most usual of them first; never empty. */
  readonly doors: readonly Door[];
}

/** A name that no configuration has. */
const NOBODY = "unnamed.invalid";

/** So many doors of one pair are kept. */
const MOST_DOORS = 100;

/** An address and a port at which requests come in, with the names that are asked for there. */
interface Point {
  /** Undefined for any that no line names. */
  readonly address: string | undefined;
  /** Undefined where no line names one. */
  readonly port: number | undefined;
  readonly names: ReadonlySet<string>;
}

/** It takes about so many steps to find the server of a door. */
const STEPS_PER_DOOR = 20;

/**
 * The servers that the same requests come to on both sides, by address, port and name.
 *
 * @returns with whether these are all: not where the steps are used up
 */
export function serverPairs(
  setups: Two<Setup>,
  steps: Steps,
): { readonly pairs: readonly ServerPair[]; readonly isWhole: boolean } {
  const hosts = setups.flatMap(({ servers }) => servers.hosts.map(({ section }) => section).filter(isSection));
  const pairs = new Map<string, { servers: Two<Server>; doors: Door[] }>();
  const numbers = new Numbers<Server>();
  const ports = portsOf(setups);
  // Where there are virtual hosts, what the main server is called leads to the first of them.
  const main = setups.flatMap(({ project }) => namesOf(project.directives));
  const others = [...new Set([...main, undefined, NOBODY])];
  for (const point of pointsOf(hosts, ports, steps))
    for (const name of sayableFirst([...point.names, ...others])) {
      steps.take(STEPS_PER_DOOR);
      if (steps.isUsedUp) return { pairs: [...pairs.values()], isWhole: false };
      const asked = doorOf(point, name);
      const servers = ofBoth(setups, (setup) =>
        setup.servers.serverOf({ method: "GET", path: "/", clientIp: "", ...asked }, new Questions(new Map())),
      );
      const key = servers.map((server) => numbers.of(server)).join(" ");
      const pair = pairs.get(key) ?? { servers, doors: [] };
      pairs.set(key, pair);
      const isTls = servers.some((server) => keywordOf(settingIn(server.layers, "sslengine")) === "on");
      if (pair.doors.length < MOST_DOORS) pair.doors.push(isTls ? { ...asked, scheme: "https" } : asked);
    }
  return { pairs: [...pairs.values()], isWhole: true };
}

/** Names that 2.4 refuses in any request behind the others: what a server does is to be seen through a door that leads there. */
function sayableFirst(names: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const isSayable = (name: string | undefined) => !isMalformedHost(name);
  return [...names.filter(isSayable), ...names.filter((name) => !isSayable(name))];
}

function isSection(section: Directive | undefined): section is Directive {
  return section !== undefined;
}

function doorOf({ address, port }: Point, host: string | undefined): Door {
  return {
    ...(address === undefined ? {} : { serverIp: address }),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
  };
}

/** The ports that Listen lines name, each with the addresses that it is listened to at; undefined is any. */
function portsOf(setups: readonly Setup[]): ReadonlyMap<number, ReadonlySet<string | undefined>> {
  const ports = new Map<number, Set<string | undefined>>();
  for (const line of setups.flatMap(({ project }) => project.directives.filter(({ key }) => key === "listen"))) {
    const { address, port } = readListenLine(line);
    if (port === 0) continue;
    ports.set(port, (ports.get(port) ?? new Set()).add(address && addressText(address)));
  }
  return ports;
}

/** Every address and port that hosts are for, and one that none is for by name; one by one, since they may be many. */
function* pointsOf(hosts: readonly Directive[], listened: ReturnType<typeof portsOf>, steps: Steps): Generator<Point> {
  const places = hosts.flatMap((host) =>
    host.arguments.map((word) => {
      const { address, port } = readListenAddress(word.value);
      return { address: address && addressText(address), port, host };
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
    const words = wordsOf(line);
    if (line.key === "servername") return words.slice(0, 1).map(bareServerName);
    return line.key === "serveralias" ? words.map((word) => word.toLowerCase().replace(/[*?]/g, "x")) : [];
  });
}

export const ANY_OTHER_NAME = "any other name";

/** A door in some words: a name or an address, and the port where it is not 80; empty where nothing is known of it. */
export function doorText({ host, serverIp, port }: Door): string {
  const place = host === NOBODY ? ANY_OTHER_NAME : (host ?? serverIp ?? "");
  return port === undefined || port === 80 || place === "" ? place : `${place}:${port}`;
}
