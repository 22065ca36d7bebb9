/**
 * Whether httpd takes a text as an address or a subnet: `10.1.2.3`, `10.1`, `10.0.0.0/8`, `10.0.0.0/255.0.0.0`,
 * `fe80::/10` (`subnet_parse_arg` in server/util_expr_eval.c; `apr_ipsubnet_create` and `apr_inet_pton` in APR).
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

/** A count of bits as C's `strtol` reads it. */
function isBits(mask: string, most: number): boolean {
  if (!/^[\t-\r ]*\+?[0-9]+$/.test(mask)) return false;
  const bits = Number(mask);
  return bits > 0 && bits <= most;
}

/** One to four numbers, a dot behind each but the last, where it may be left out. C's `atoi` wraps at 32 bits. */
function isNetwork(address: string): boolean {
  if (/^[0-9]+(?:\.[0-9]+){3}$/.test(address) && isIPv4(address)) return true;
  if (address.length > 15 || !/^[0-9]+(?:\.[0-9]+){0,3}\.?$/.test(address)) return false;
  return address.split(".").every((part) => (Number(part) | 0) >= 0 && (Number(part) | 0) <= 255);
}

/** Leading zeros are taken for what they are. */
function isIPv4(address: string): boolean {
  const parts = address.split(".");
  return parts.length === 4 && parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255);
}

/** Laxer than the standard: any count of leading zeros, a `:` at the end, and `::` that stands for nothing. */
function isPlainIPv6(address: string): boolean {
  if (address.startsWith(":") && !address.startsWith("::")) return false;
  const parts = address.replace(/^:/, "").split(":");
  const last = parts.pop() ?? "";
  const gap = parts.indexOf("");
  if (gap !== parts.lastIndexOf("") || !parts.every((part) => part === "" || isGroup(part))) return false;
  const groups = parts.filter((part) => part !== "");
  if (last.includes(".")) {
    if (!isIPv4(last)) return false;
    groups.push("0", "0");
  } else if (last !== "") {
    if (!isGroup(last)) return false;
    groups.push(last);
  }
  if (groups.length > 8 || (gap < 0 && groups.length < 8)) return false;
  if (gap >= 0) groups.splice(gap, 0, ...Array<string>(8 - groups.length).fill("0"));
  const values = groups.map((group) => Number.parseInt(group, 16));
  return values[5] !== 0xffff || values.slice(0, 5).some((value) => value !== 0);
}

function isGroup(part: string): boolean {
  return /^0*[0-9A-Fa-f]{1,4}$/.test(part);
}
