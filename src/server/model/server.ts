import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Address, parseAddress } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize, memoizeByText } from "../../text/memoize.js";
import type { ConfigLayer } from "./config-layer.js";

/** The main server or a virtual host. */
export interface Server {
  /** Undefined for the main server. */
  readonly section: Directive | undefined;
  readonly layer: ConfigLayer;
  /** The server that it inherits from; undefined for the main one. */
  readonly main: Server | undefined;
  /** The configurations that apply to the server itself: the main server's, then its own. */
  readonly layers: readonly ConfigLayer[];
  /** Those in the line of a virtual host; empty for the main server. */
  readonly addresses: readonly ListenAddress[];
}

/** The address that a server listens on, or that of a virtual host. */
export interface ListenAddress {
  /** Undefined for `*` and `_default_`. */
  readonly address: Address | undefined;
  /** A host name: only the server's resolver knows its address. */
  readonly name: string | undefined;
  /** 0 for every port. */
  readonly port: number;
  /** As written, without the port. */
  readonly text: string;
}

/** Returns the address of a Listen line, with its port, which may be the only part. */
export function readListenLine({ arguments: [word] }: Directive): ListenAddress {
  return readListenWord(word?.value ?? "");
}

/** Returns the address in the first argument of a Listen line. */
export function readListenWord(text: string): ListenAddress {
  return readListenAddress(/^\d+$/.test(text) ? `*:${text}` : text);
}

/** Returns an address in a VirtualHost or NameVirtualHost line, with its port as written. */
export const readListenAddress = memoizeByText(parseListenAddress);

function parseListenAddress(text: string): ListenAddress {
  const found = /^(?:\[(.*)\]|([^[\]]*?))(?::(\d+|\*))?$/.exec(text);
  // Not a resolvable name: the server ignores it.
  if (found === null || text === "") return { address: undefined, name: text, port: 0, text };
  const [, bracketed, plain = "", digits] = found;
  const host = bracketed ?? plain;
  const port = digits === undefined || digits === "*" ? 0 : Number(digits);
  if (host === "*" || host.toLowerCase() === "_default_" || host === "")
    return { address: undefined, name: undefined, port, text: host };
  const address = parseAddress(host);
  return { address, name: address === undefined ? host : undefined, port, text: host };
}

/**
 * Returns a function for the addresses of a VirtualHost or NameVirtualHost line. An address without a port has that of the
 * last ServerName of the main server before the line, except `*`, which stands for all ports (server/vhost.c
 * `get_addresses`, server/core.c `server_hostname_port`). Each text is parsed once: thousands of hosts have the same.
 *
 * @param directives those at the top of a configuration
 */
export const addressReaderOf = memoize((directives: readonly Directive[]) => {
  const defaultPorts = new Map<Directive, number>();
  let port = 0;
  for (const line of directives) {
    if (line.key === "servername") port = Number(/:(\d+)$/.exec(line.arguments[0]?.value ?? "")?.[1] ?? 0);
    else if (port !== 0 && hasAddresses.test(line.key)) defaultPorts.set(line, port);
  }
  const known = new Map<string, readonly ListenAddress[]>();
  return (line: Directive): readonly ListenAddress[] => {
    const defaultPort = defaultPorts.get(line) ?? 0;
    return getOrCreate(known, `${defaultPort} ${line.argumentText}`, () =>
      [...new Set(line.arguments.map(({ value }) => value))].map((text) => {
        const listen = readListenAddress(text);
        return listen.port === 0 && !text.endsWith("*") ? { ...listen, port: defaultPort } : listen;
      }),
    );
  };
});

const hasAddresses = /^(?:<virtualhost|namevirtualhost)$/;

/**
 * Returns the addresses of a VirtualHost line, each once, in a form that is equal for equal ones. Lines with equal text and
 * the same ServerName before them have the same array.
 *
 * @param project that of the line: it gives the port of an address without one
 */
export function addressKeysOf(directive: Directive, project: Project): readonly string[] {
  return keysOfAddresses(addressReaderOf(project.directives)(directive));
}

const keysOfAddresses = memoize((addresses: readonly ListenAddress[]) => addresses.map(addressKeyOf));

/** Returns an address of a virtual host in a form that is equal for equal ones. */
export function addressKeyOf(listen: ListenAddress): string {
  const { address, name, port } = listen;
  if (isHostForAny(listen)) return `* ${port}`;
  return `${address ? `${address.family} ${address.bits}` : name?.toLowerCase()} ${port}`;
}

/** A virtual host that is not the first one of any of its addresses, and the first one of its first address. */
interface LaterHost {
  readonly host: Directive;
  readonly first: Directive;
}

/** Returns the first virtual host of each address. */
const firstHostsOf = memoize((project: Project): ReadonlyMap<string, Directive> => {
  const firstHosts = new Map<string, Directive>();
  for (const host of project.directives.filter(({ key }) => key === "<virtualhost"))
    for (const address of addressKeysOf(host, project)) getOrCreate(firstHosts, address, () => host);
  return firstHosts;
});

/** Returns the addresses, in words for comparison, of which a virtual host is the first one. */
export function addressesAsFirst(host: Directive, project: Project): readonly string[] {
  return addressKeysOf(host, project).filter((address) => firstHostsOf(project).get(address) === host);
}

/** Lists the virtual hosts that never respond to names that no virtual host has. */
export const listLaterHosts: (project: Project) => readonly LaterHost[] = memoize((project) => {
  const hosts = project.directives.filter(({ key }) => key === "<virtualhost");
  return hosts.flatMap((host) => {
    const [first, ...others] = addressKeysOf(host, project).map((address) => firstHostsOf(project).get(address));
    return first === undefined || first === host || others.includes(host) ? [] : [{ host, first }];
  });
});

/** Reports whether it represents every address. */
export function isAnyAddress({ address, name }: ListenAddress): boolean {
  return address === undefined && name === undefined;
}

/** Reports whether a virtual host with it is for every address: `0.0.0.0` and `[::]` are equal to `*` (server/vhost.c). */
export function isHostForAny(listen: ListenAddress): boolean {
  return isAnyAddress(listen) || isUnspecified(listen.address);
}

/** Reports whether it is `0.0.0.0` or `::`. */
export function isUnspecified(address: Address | undefined): boolean {
  return address !== undefined && address.bits === 0n;
}

export function isSameAddress(a: Address | undefined, b: Address | undefined): boolean {
  return a?.family === b?.family && a?.bits === b?.bits;
}
