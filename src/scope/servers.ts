import type { Release } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import { type Address, addressOf } from "../text/addresses.js";
import { type Layer, layerOf, settingIn } from "./layer.js";
import { anyName } from "./names.js";
import type { Questions } from "./questions.js";
import { DEFAULT_SERVER_IP, portOf, type Request, usualPort } from "./request.js";
import { keywordOf, wordOf } from "./words.js";

/** The main server or a virtual host. */
export interface Server {
  /** Undefined for the main server. */
  readonly section: Directive | undefined;
  readonly layer: Layer;
  /** The server that it takes from what it does not say itself; undefined for the main one. */
  readonly main: Server | undefined;
  /** What is in force for it itself: the main server's layer, then its own. */
  readonly layers: readonly Layer[];
}

export interface ListenAddress {
  /** Undefined for `*` and `_default_`. */
  readonly address: Address | undefined;
  /** A name: only the server's resolver knows its address. */
  readonly name: string | undefined;
  /** 0 for every port. */
  readonly port: number;
  /** As written, without the port. */
  readonly text: string;
}

/** A virtual host. There may be thousands, and most are only asked where they are: the rest is read when it is needed. */
class Host implements Server {
  private own: Layer | undefined;
  private inForce: readonly Layer[] | undefined;

  /** @param addresses the same list for all that say the same */
  constructor(
    readonly section: Directive,
    readonly main: Server,
    readonly addresses: readonly ListenAddress[],
  ) {}

  get layer(): Layer {
    this.own ??= layerOf(this.section.children ?? [], this.section);
    return this.own;
  }

  get layers(): readonly Layer[] {
    this.inForce ??= [...this.main.layers, this.layer];
    return this.inForce;
  }
}

/** What a virtual host goes by. */
interface Names {
  /** Whether it has a ServerName. */
  readonly isNamedItself: boolean;
  readonly exact: ReadonlySet<string>;
  readonly wildcards: readonly Fits[];
}

/** A host that may answer. */
interface Candidate {
  readonly host: Host;
  /** Whether the request came in at one of its addresses. Where that hangs on a name it is a question, asked only if it matters. */
  readonly isAt: (address: ListenAddress) => boolean;
}

/** The servers of a configuration, and which of them answers (server/vhost.c). */
export class Servers {
  readonly main: Server;
  readonly hosts: readonly Host[];
  /** 2.2 looks at names only for these. */
  private readonly nameVirtualHosts: readonly ListenAddress[];
  private readonly candidates = new Map<string, Candidates>();

  constructor(
    directives: readonly Directive[],
    private readonly release: Release,
  ) {
    const layer = layerOf(directives, undefined);
    this.main = { section: undefined, layer, main: undefined, layers: [layer] };
    const inOrder = directives.filter((directive) => directive.key === "<virtualhost");
    const addressesIn = readingAddresses();
    this.hosts = inOrder.map((section) => new Host(section, this.main, addressesIn(section)));
    this.nameVirtualHosts = directives
      .filter((directive) => directive.key === "namevirtualhost")
      .map((directive) => readListenAddress(directive.arguments[0]?.value ?? "*"));
  }

  /** The server that a request goes to. */
  serverOf(request: Request, questions: Questions): Server {
    const candidates = this.candidatesOf(request, questions);
    const [first] = candidates.hosts;
    if (first === undefined) return this.main;
    if (this.release === "2.2" && !this.isNameBased(first, request)) return first;
    const name = hostName(request.host);
    return (name === undefined ? undefined : candidates.named(name, questions)) ?? first;
  }

  /**
   * The hosts at the address that the request came in at: those that name it, else those for any. On 2.4 those that name the
   * port, too, keep away the others.
   */
  private candidatesOf(request: Request, questions: Questions): Candidates {
    const serverIp = request.serverIp ?? DEFAULT_SERVER_IP;
    const port = portOf(request);
    const key = `${serverIp} ${port}`;
    const known = this.candidates.get(key);
    if (known) return known;
    const local = addressOf(serverIp);
    const isLocal = (address: ListenAddress) => isAt(address, local, questions);
    const levels = this.release === "2.2" ? [[0, port]] : [[port], [0]];
    const places = [isLocal, isAny].flatMap((fits) => levels.map((ports) => this.hostsAt(ports, fits)));
    const candidates = new Candidates(places.find((each) => each.length > 0) ?? [], this.nameWithout());
    const isAsked = this.hosts.some(({ addresses }) => addresses.some((each) => each.name !== undefined));
    // Where a name's address is a question, every run asks it anew.
    if (!isAsked) this.candidates.set(key, candidates);
    return candidates;
  }

  private hostsAt(ports: readonly number[], fits: (address: ListenAddress) => boolean): Candidate[] {
    const found: Candidate[] = [];
    const fitting = new Map<readonly ListenAddress[], boolean>();
    const isAt = (address: ListenAddress) => ports.includes(address.port) && fits(address);
    for (const host of this.hosts) {
      const { addresses } = host;
      const answers = fitting.get(addresses) ?? addresses.some(isAt);
      fitting.set(addresses, answers);
      if (answers) found.push({ host, isAt });
    }
    return found;
  }

  /** The name of hosts that have none: on 2.4 that of the main server. */
  private nameWithout(): string | undefined {
    return this.release === "2.4" ? serverNameIn(this.main)?.toLowerCase() : undefined;
  }

  private isNameBased(host: Host, request: Request): boolean {
    const port = portOf(request);
    return this.nameVirtualHosts.some(
      (named) =>
        (named.port === 0 || named.port === port) &&
        host.addresses.some((each) => sameAddress(each.address, named.address) && each.name === named.name),
    );
  }
}

/** Hosts that answer at one address, told apart by name: the first in the file that has it. */
class Candidates {
  readonly hosts: readonly Host[];
  /** How many of the hosts have their names in here: they are read as far as the names asked for take. */
  private entered = 0;
  private readonly byName = new Map<string, number>();
  /** Those with an address of a text, in their order; made when it is needed. */
  private byAddress: ReadonlyMap<string, readonly Candidate[]> | undefined;
  /** Those that only a look tells, in their order. */
  private readonly others: { readonly place: number; readonly fits: Fits }[] = [];

  /** @param nameWithout the name of hosts for any address that have none; undefined where they go without */
  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly nameWithout: string | undefined,
  ) {
    this.hosts = candidates.map(({ host }) => host);
  }

  /** The place of the first host that has exactly a name; the names of those ahead of it are known then. */
  private placeOf(name: string): number | undefined {
    while (!this.byName.has(name)) {
      const host = this.hosts[this.entered];
      if (host === undefined) return undefined;
      this.enter(host, this.entered++);
    }
    return this.byName.get(name);
  }

  private enter(host: Host, place: number): void {
    const { exact, wildcards, isNamedItself } = namesOf(host);
    for (const name of exact) this.add(name, place);
    for (const fits of wildcards) this.others.push({ place, fits });
    if (isNamedItself || this.nameWithout === undefined) return;
    const [first] = host.addresses;
    if (host.addresses.some(isAny)) this.add(this.nameWithout, place);
    else if (first) this.others.push({ place, fits: leadsTo(first) });
  }

  private add(name: string, place: number): void {
    if (!this.byName.has(name)) this.byName.set(name, place);
  }

  named(name: string, questions: Questions): Host | undefined {
    const exact = this.placeOf(name);
    const place = this.others.length === 0 ? exact : (this.fitting(name, exact, questions) ?? exact);
    // Where no name fits, the address that a VirtualHost line names counts as one (`update_server_from_aliases`).
    return place === undefined ? this.atAddress(name) : this.hosts[place];
  }

  private atAddress(text: string): Host | undefined {
    this.byAddress ??= byAddressOf(this.candidates);
    const isThere = ({ host, isAt }: Candidate) => host.addresses.some((each) => each.text === text && isAt(each));
    return this.byAddress.get(text)?.find(isThere)?.host;
  }

  /** The first ahead of some place that a look tells to fit. */
  private fitting(name: string, exact: number | undefined, questions: Questions): number | undefined {
    const isAhead = (place: number) => exact === undefined || place < exact;
    return this.others.find(({ place, fits }) => isAhead(place) && fits(name, questions))?.place;
  }
}

function byAddressOf(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Candidate[]> {
  const found = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    for (const text of new Set(candidate.host.addresses.map((each) => each.text))) {
      const known = found.get(text);
      if (known) known.push(candidate);
      else found.set(text, [candidate]);
    }
  }
  return found;
}

type Fits = (name: string, questions: Questions) => boolean;

/** A host without a name has the one that its own address leads to. */
function leadsTo({ text }: ListenAddress): Fits {
  return (name, questions) =>
    addressOf(name) === undefined && questions.ask(`whether \`${text}\` leads to the name \`${name}\``);
}

function isAny({ address, name }: ListenAddress): boolean {
  return address === undefined && name === undefined;
}

function isAt({ address, name }: ListenAddress, local: Address | undefined, questions: Questions): boolean {
  if (name !== undefined) return questions.ask(`whether the server's address is that of \`${name}\``);
  return address !== undefined && sameAddress(address, local);
}

function sameAddress(a: Address | undefined, b: Address | undefined): boolean {
  return a?.family === b?.family && a?.bits === b?.bits;
}

function namesOf({ layer }: Host): Names {
  const serverName = wordOf(layer.setting("servername"));
  const aliases = layer.directives
    .filter((directive) => directive.key === "serveralias")
    .flatMap((directive) => directive.arguments.map((word) => word.value.toLowerCase()));
  const exact = new Set(aliases.filter((alias) => !/[*?]/.test(alias)));
  if (serverName) exact.add(bareServerName(serverName));
  return {
    isNamedItself: serverName !== undefined,
    exact,
    wildcards: aliases.filter((alias) => /[*?]/.test(alias)).map(aliasPattern),
  };
}

/** The lines by which a server goes by the name that a request asks for. */
export function namingLines({ layer }: Server, { host }: Pick<Request, "host">): readonly Directive[] {
  const name = hostName(host);
  if (name === undefined) return [];
  return layer.directives.filter(({ key, arguments: words }) => {
    if (key === "servername") return words[0] !== undefined && bareServerName(words[0].value) === name;
    return key === "serveralias" && words.some(({ value }) => fitsAlias(value.toLowerCase(), name));
  });
}

function fitsAlias(alias: string, name: string): boolean {
  return /[*?]/.test(alias) ? aliasPattern(alias)(name) : alias === name;
}

/** In a ServerAlias only `*` and `?` are more than letters, and both fit a dot (server/util.c `ap_strcasecmp_match`). */
function aliasPattern(alias: string): (name: string) => boolean {
  return anyName(alias.replace(/[[\\]/g, "\\$&"));
}

/** `https://name:443` is `name`. */
export function bareServerName(written: string): string {
  return written
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/:\d+$/, "");
}

/** Reads VirtualHost lines, each text once: hosts by the thousand have the same. */
function readingAddresses(): (section: Directive) => readonly ListenAddress[] {
  const known = new Map<string, readonly ListenAddress[]>();
  return (section) => {
    const text = section.argumentText;
    const addresses =
      known.get(text) ?? [...new Set(section.arguments.map(({ value }) => value))].map(readListenAddress);
    known.set(text, addresses);
    return addresses;
  };
}

/** The address of a Listen line, with its port, which may stand alone. */
export function readListenLine({ arguments: [word] }: Directive): ListenAddress {
  const text = word?.value ?? "";
  return readListenAddress(/^\d+$/.test(text) ? `*:${text}` : text);
}

/** The address of a VirtualHost or NameVirtualHost line, with its port. */
export function readListenAddress(text: string): ListenAddress {
  const [, bracketed, plain = "", digits] = /^(?:\[(.*)\]|([^[\]]*?))(?::(\d+|\*))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined || digits === "*" ? 0 : Number(digits);
  if (host === "*" || host.toLowerCase() === "_default_" || host === "")
    return { address: undefined, name: undefined, port, text: host };
  const address = addressOf(host);
  return { address, name: address === undefined ? host : undefined, port, text: host };
}

/** The name in a Host header as hosts are compared with it: no port, no dot at its end, any case. */
function hostName(header: string | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  const lower = header.toLowerCase();
  return /[:.][^a-z]*$/.test(lower) ? lower.replace(/:\d*$/, "").replace(/\.$/, "") : lower;
}

/** The ServerName of a server, without scheme and port. */
function serverNameIn({ layer }: Server): string | undefined {
  const written = wordOf(layer.setting("servername"));
  return written?.replace(/^[^:]*:\/\//, "").replace(/:\d*$/, "");
}

/** What the configuration says of how a server calls itself. */
export interface Naming {
  /** UseCanonicalName. */
  readonly canonical: string;
  /** UseCanonicalPhysicalPort. */
  readonly isPhysical: boolean;
  readonly name: string | undefined;
  readonly port: number;
  /** Whether its ServerName begins with `https://`. */
  readonly isHttps: boolean;
  /** Whether HostnameLookups asks for the client's name. */
  readonly looksUpNames: boolean;
}

/** What a server calls itself in its answer to a request, and whether it looks up what clients are called. */
export interface ServerNames {
  /** Undefined where only the resolver knows. */
  readonly serverName: string | undefined;
  readonly serverPort: number;
  readonly scheme: "http" | "https";
  readonly looksUpNames: boolean;
}

export function serverNamesOf(naming: Naming, request: Request): ServerNames {
  return {
    serverName: serverNameOf(naming, request),
    serverPort: serverPortOf(naming, request),
    scheme: schemeOf(naming, request),
    looksUpNames: naming.looksUpNames,
  };
}

/** @param layers those in force for the request */
export function namingOf(server: Server, layers: readonly Layer[]): Naming {
  return {
    canonical: keywordOf(settingIn(layers, "usecanonicalname")) ?? "off",
    isPhysical: keywordOf(settingIn(layers, "usecanonicalphysicalport")) === "on",
    name: writtenName(server),
    port: writtenPort(server),
    looksUpNames: looksUpNames(layers),
    isHttps: /^https:\/\//i.test(wordOf(server.layer.setting("servername")) ?? ""),
  };
}

/** Whether the server looks up the names of its clients, be it for a rule or not. @param layers those in force */
export function looksUpNames(layers: readonly Layer[]): boolean {
  return (keywordOf(settingIn(layers, "hostnamelookups")) ?? "off") !== "off";
}

function writtenName(server: Server): string | undefined {
  const named = serverNameIn(server);
  if (named !== undefined || server.main === undefined) return named;
  const isForAny = server.section?.arguments.some((word) => isAny(readListenAddress(word.value)));
  return isForAny ? serverNameIn(server.main) : undefined;
}

/**
 * What a server calls itself (server/core.c `ap_get_server_name`): as the request calls it, unless UseCanonicalName is on.
 * Undefined where only the resolver knows.
 */
function serverNameOf({ canonical, name }: Naming, { host }: Request): string | undefined {
  if (canonical === "dns") return undefined;
  return canonical === "off" ? (hostName(host) ?? name) : name;
}

/** Whether an absolute URL with some host and port leads to a server (server/vhost.c `ap_matches_request_vhost`). */
export function isAtHost(server: Server, host: string, port: number): boolean {
  const addresses = server.section?.arguments.map((word) => readListenAddress(word.value)) ?? [];
  const name = host.toLowerCase();
  // The main server has an address without a name.
  if (server.main === undefined && name === "") return true;
  if (addresses.some((each) => (each.port === 0 || each.port === port) && each.text.toLowerCase() === name))
    return true;
  if (port !== writtenPort(server)) return false;
  const own = serverNameIn(server) ?? (server.main && serverNameIn(server.main));
  return own?.toLowerCase() === name || namingLines(server, { host: name }).length > 0;
}

/**
 * `https` behind TLS, and without it where the ServerName says so (modules/http/http_core.c `http_scheme`;
 * test/live/servers.live.test.ts).
 */
function schemeOf({ isHttps }: Naming, { scheme }: Request): "http" | "https" {
  return isHttps || scheme === "https" ? "https" : "http";
}

/** The port that a server takes itself to be at (server/core.c `ap_get_server_port`). */
function serverPortOf(naming: Naming, request: Request): number {
  const { canonical, isPhysical, port: own } = naming;
  const isCanonical = canonical === "on";
  // A request that the server makes itself has no port of its own.
  const isAsked = !isCanonical && request.outer === undefined;
  const asked = isAsked ? Number(/:(\d+)$/.exec(request.host ?? "")?.[1] ?? 0) : 0;
  const physical = isPhysical ? portOf(request) : 0;
  const named = isCanonical ? own || physical : asked || physical || own;
  return named || usualPort(schemeOf(naming, request));
}

/** A ServerName resets the port that a VirtualHost line gives. */
function writtenPort({ layer, section, main }: Server): number {
  const named = wordOf(layer.setting("servername"));
  if (named !== undefined) return Number(/:(\d+)$/.exec(named)?.[1] ?? 0);
  const first = wordOf(section);
  return (first !== undefined && readListenAddress(first).port) || (main ? writtenPort(main) : 0);
}
