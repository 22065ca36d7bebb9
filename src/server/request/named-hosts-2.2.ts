import type { ListenAddress } from "../model/server.js";
import type { VirtualHost } from "./virtual-host.js";

/** The hosts that 2.2 selects at an address and port. */
export interface HostsAtAddress {
  /** The host without a name to compare, or if no name matches; also one for another port. */
  readonly first: VirtualHost;
  /** The hosts whose names are compared, in the order of the file; undefined if none are. */
  readonly named: readonly VirtualHost[] | undefined;
}

/** An address with the hosts that use it (server/vhost.c `ipaddr_chain`). */
interface AddressEntry {
  port: number;
  /** Undefined for a NameVirtualHost without hosts so far. */
  first: VirtualHost | undefined;
  /** From the last of the file to the first. */
  named: { readonly host: VirtualHost; readonly port: number }[] | undefined;
}

/**
 * Returns the hosts that 2.2 selects at one address, as it builds its tables: from the last host of the file to the first.
 * A host without a port and a NameVirtualHost with one are different entries for a wildcard, and one entry for an address
 * (server/vhost.c `ap_fini_vhost_config`, `find_default_server`, `find_ipaddr`).
 *
 * @param nameVirtualHosts in the order of the file
 * @param fits reports whether an address is the one
 * @param isWildcard whether that is `*`
 * @param port that of the connection
 * @returns undefined if no host has the address
 */
export function hostsAtAddress(
  hosts: readonly VirtualHost[],
  nameVirtualHosts: readonly ListenAddress[],
  fits: (address: ListenAddress) => boolean,
  isWildcard: boolean,
  port: number,
): HostsAtAddress | undefined {
  const bases: AddressEntry[] = nameVirtualHosts
    .filter((each) => fits(each) && each.text.toLowerCase() !== "_default_")
    .map((each) => ({ port: each.port, first: undefined, named: undefined }));
  if (isWildcard) bases.reverse();
  const added: AddressEntry[] = [];
  // A new entry for a wildcard comes before all others, and one for an address after those of NameVirtualHost.
  const entries = () => (isWildcard ? [...added, ...bases] : [...bases, ...added]);
  const find = (at: number) =>
    entries().find((each) => each.port === 0 || each.port === at || (!isWildcard && at === 0));
  for (const host of hosts.toReversed())
    for (const address of host.addresses.filter(fits)) {
      const entry = find(address.port);
      if (entry && (entry.named !== undefined || entry.first === undefined)) {
        entry.named ??= [];
        entry.named.push({ host, port: address.port });
        entry.first = host;
      } else if (entry && !isWildcard) {
        entry.port = address.port;
        entry.first = host;
      } else added.unshift({ port: address.port, first: host, named: undefined });
    }
  const reached = entries().find((each) => each.first !== undefined && (each.port === 0 || each.port === port));
  if (reached?.first === undefined) return undefined;
  const named = reached.named?.filter((each) => each.port === 0 || each.port === port).map(({ host }) => host);
  named?.reverse();
  return { first: reached.first, named };
}
