import { addressOf } from "../text/addresses.js";

/**
 * Whether 2.4 takes a Host header for malformed, and answers 400 before it looks at anything else: none at all, a broken
 * port, an empty label, a character that no name has, digits that are neither a name nor an address (server/vhost.c `fix_hostname`).
 */
export function isMalformedHost(header: string | undefined): boolean {
  if (header === undefined || usual.test(header)) return false;
  const [, host, port] = /^(\[.*\]|[^:]*)(?::(.*))?$/.exec(header) ?? [];
  if (host === undefined || (port !== undefined && !isPort(port))) return true;
  // An IPv4 address in IPv6's clothes is one, too.
  if (host.startsWith("[")) return !host.includes(":") || addressOf(host.slice(1, -1)) === undefined;
  return isMalformedName(host);
}

/** Labels that begin with a letter. */
const usual = /^[a-z][\w-]*(?:\.[a-z][\w-]*)*$/i;

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function isMalformedName(host: string): boolean {
  const name = host.replace(/\.$/, "");
  if (name === "" || /[^\w.-]|\.\./.test(host)) return true;
  if (/[^\d.]/.test(name)) return /\.[^a-z.][^.]*$/i.test(name);
  const octets = name.split(".");
  return octets.length !== 4 || octets.some((octet) => /^0\d/.test(octet));
}
