import type { Release } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import { compileFnmatch } from "../project/fnmatch.js";
import { type Address, addressOf } from "../text/addresses.js";
import { type Layer, layerOf } from "./layer.js";
import type { Questions } from "./questions.js";
import { DEFAULT_SERVER_IP, portOf, type Request } from "./request.js";

/** The main server or a virtual host. */
export interface Server {
  /** Undefined for the main server. */
  readonly section: Directive | undefined;
  readonly layer: Layer;
  /** The server that it takes from what it does not say itself; undefined for the main one. */
  readonly main: Server | undefined;
}

interface ListenAddress {
  /** Undefined for `*` and `_default_`. */
  readonly address: Address | undefined;
  /** A name: only the server's resolver knows its address. */
  readonly name: string | undefined;
  /** 0 for every port. */
  readonly port: number;
}

interface Host extends Server {
  readonly addresses: readonly ListenAddress[];
  readonly names: ReadonlySet<string>;
  readonly wildcards: readonly ((name: string) => boolean)[];
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
    this.main = { section: undefined, layer: layerOf(directives, undefined), main: undefined };
    const inOrder = directives.filter((directive) => directive.key === "<virtualhost");
    this.hosts = inOrder.map((section) => readHost(section, this.main));
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
    return (name === undefined ? undefined : candidates.named(name)) ?? first;
  }

  /** The hosts at the address that the request came in at: those that name it, else those for any. */
  private candidatesOf(request: Request, questions: Questions): Candidates {
    const serverIp = request.serverIp ?? DEFAULT_SERVER_IP;
    const port = portOf(request);
    const key = `${serverIp} ${port}`;
    const known = this.candidates.get(key);
    if (known) return known;
    const local = addressOf(serverIp);
    const exact: Host[] = [];
    const any: Host[] = [];
    let asked = false;
    for (const host of this.hosts) {
      const fits = host.addresses.filter((each) => each.port === 0 || each.port === port);
      asked ||= fits.some((each) => each.name !== undefined);
      if (fits.some((each) => isAt(each, local, questions))) exact.push(host);
      else if (fits.some((each) => each.address === undefined && each.name === undefined)) any.push(host);
    }
    const candidates = new Candidates(exact.length > 0 ? exact : any);
    // Where a name's address is a question, every run asks it anew.
    if (!asked) this.candidates.set(key, candidates);
    return candidates;
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

/** Hosts that answer at one address, ready to be told apart by name: the first in the file that has it. */
class Candidates {
  private readonly byName = new Map<string, number>();
  private readonly wildcards: { readonly place: number; readonly fits: (name: string) => boolean }[] = [];

  constructor(readonly hosts: readonly Host[]) {
    for (const [place, host] of hosts.entries()) {
      for (const name of host.names) if (!this.byName.has(name)) this.byName.set(name, place);
      for (const fits of host.wildcards) this.wildcards.push({ place, fits });
    }
  }

  named(name: string): Host | undefined {
    const exact = this.byName.get(name);
    const wild = this.wildcards.find(({ place, fits }) => (exact === undefined || place < exact) && fits(name));
    return this.hosts[wild?.place ?? exact ?? -1];
  }
}

function isAt({ address, name }: ListenAddress, local: Address | undefined, questions: Questions): boolean {
  if (name !== undefined) return questions.ask(`whether the server's address is that of \`${name}\``);
  return address !== undefined && sameAddress(address, local);
}

function sameAddress(a: Address | undefined, b: Address | undefined): boolean {
  return a?.family === b?.family && a?.bits === b?.bits;
}

function readHost(section: Directive, main: Server): Host {
  const layer = layerOf(section.children ?? [], section);
  const serverName = layer.setting("servername")?.arguments[0]?.value;
  const aliases = layer.directives
    .filter((directive) => directive.key === "serveralias")
    .flatMap((directive) => directive.arguments.map((word) => word.value.toLowerCase()));
  const names = new Set(aliases.filter((alias) => !/[*?]/.test(alias)));
  if (serverName) names.add(bareServerName(serverName));
  return {
    section,
    layer,
    main,
    addresses: section.arguments.map((word) => readListenAddress(word.value)),
    names,
    wildcards: aliases
      .filter((alias) => /[*?]/.test(alias))
      .map((alias) => compileFnmatch(alias.replaceAll("[", "\\["))),
  };
}

/** The lines by which a server goes by the name that a request asks for. */
export function namingLines({ layer }: Server, { host }: Request): readonly Directive[] {
  const name = hostName(host);
  if (name === undefined) return [];
  return layer.directives.filter(({ key, arguments: words }) => {
    if (key === "servername") return words[0] !== undefined && bareServerName(words[0].value) === name;
    return key === "serveralias" && words.some(({ value }) => fitsAlias(value.toLowerCase(), name));
  });
}

function fitsAlias(alias: string, name: string): boolean {
  return /[*?]/.test(alias) ? compileFnmatch(alias.replaceAll("[", "\\["))(name) : alias === name;
}

/** `https://name:443` is `name`. */
function bareServerName(written: string): string {
  return written
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/:\d+$/, "");
}

function readListenAddress(text: string): ListenAddress {
  const [, bracketed, plain = "", digits] = /^(?:\[(.*)\]|([^[\]]*?))(?::(\d+|\*))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined || digits === "*" ? 0 : Number(digits);
  if (host === "*" || host.toLowerCase() === "_default_" || host === "")
    return { address: undefined, name: undefined, port };
  const address = addressOf(host);
  return { address, name: address === undefined ? host : undefined, port };
}

/** The name in a Host header as hosts are compared with it: no port, no dot at its end, any case. */
function hostName(header: string | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  return header.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}
