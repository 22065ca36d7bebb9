import { isIPv4, isIPv6 } from "node:net";

/**
 * Whether httpd takes a text as an address or a subnet: `10.1.2.3`, `10.1`, `10.0.0.0/8`, `10.0.0.0/255.0.0.0`,
 * `fe80::/10` (`subnet_parse_arg` in server/util_expr_eval.c, `apr_ipsubnet_create` in APR's network_io/unix/sockaddr.c).
 * IPv4 addresses in IPv6 (`::ffff:10.0.0.1`) are refused, and so are host names and short IPv4 addresses with a mask.
 */
export function isSubnet(text: string): boolean {
  const slash = text.indexOf("/");
  const address = slash < 0 ? text : text.slice(0, slash);
  const mask = slash < 0 ? undefined : text.slice(slash + 1);
  if (address.includes(":")) return isPlainIPv6(address) && (mask === undefined || isBits(mask, 128));
  if (mask === undefined) return isNetwork(address);
  return isIPv4(address) && (isBits(mask, 32) || isIPv4(mask));
}

function isPlainIPv6(address: string): boolean {
  if (!isIPv6(address) || address.includes("%")) return false;
  return !/^\[::ffff:[^:]+:[^:]+\]$/.test(new URL(`http://[${address}]`).hostname);
}

/** A count of bits as C's `strtol` reads it. */
function isBits(mask: string, most: number): boolean {
  if (!/^[\t-\r ]*\+?[0-9]+$/.test(mask)) return false;
  const bits = Number(mask);
  return bits > 0 && bits <= most;
}

/** One to four numbers, a dot behind each but the last, where it may be left out. C's `atoi` wraps at 32 bits. */
function isNetwork(address: string): boolean {
  if (address.length > 15 || !/^[0-9]+(?:\.[0-9]+){0,3}\.?$/.test(address)) return false;
  return address.split(".").every((part) => (Number(part) | 0) >= 0 && (Number(part) | 0) <= 255);
}
