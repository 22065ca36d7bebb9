import { memoizeByText } from "./memoize.js";
import type { Result } from "./result.js";

/**
 * A range of addresses as APR stores it: it contains a client if the client's bits under the mask equal the network's.
 */
export interface Subnet {
  readonly family: 4 | 6;
  readonly network: bigint;
  readonly mask: bigint;
}

/** APR's messages, as httpd prints them; or the text does not look like an address and may be a host name. */
type SubnetError = "The specified IP address is invalid." | "The specified network mask is invalid." | "not-an-address";

export type SubnetResult = Result<Subnet, SubnetError>;

const badAddress: SubnetResult = { ok: false, error: "The specified IP address is invalid." };
const badMask: SubnetResult = { ok: false, error: "The specified network mask is invalid." };
const allOf4 = (1n << 32n) - 1n;
const allOf6 = (1n << 128n) - 1n;

/**
 * Parses an address or network as `apr_ipsubnet_create` does (APR 1.7, network_io/unix/sockaddr.c). It accepts whole
 * addresses of both families, with a prefix length or, for IPv4, an arbitrary mask. It accepts leading parts of an IPv4
 * address (`10.1`, `10.1.`) without either. It rejects IPv4-mapped IPv6 addresses.
 *
 * @param text as written: `10.1.0.0/16`, `10.1`, `2001:db8::/32`
 */
export const readSubnet = memoizeByText((text): SubnetResult => {
  const slash = text.indexOf("/");
  const address = slash < 0 ? text : text.slice(0, slash);
  const mask = slash < 0 ? undefined : text.slice(slash + 1);
  if (!/^[0-9.]+$/.test(address) && !address.includes(":")) return { ok: false, error: "not-an-address" };
  const four = readAddress4(address);
  if (four !== undefined) return withMask(4, four, mask);
  const six = readAddress6(address);
  if (six !== undefined) return six >> 32n === 0xffffn ? badAddress : withMask(6, six, mask);
  return mask === undefined ? readParts(address) : badAddress;
});

function withMask(family: 4 | 6, address: bigint, text: string | undefined): SubnetResult {
  const bits = family === 4 ? 32 : 128;
  const all = family === 4 ? allOf4 : allOf6;
  const mask = text === undefined ? all : readMask(text, family, bits, all);
  return mask === undefined ? badMask : { ok: true, value: { family, network: address & mask, mask } };
}

/** Parses a number of bits as C's `strtol` does, or an IPv4 mask. */
function readMask(text: string, family: 4 | 6, bits: number, all: bigint): bigint | undefined {
  if (/^[\t-\r ]*\+?\d+$/.test(text)) {
    const length = Number(text.trim());
    if (length > 0 && length <= bits) return (all << BigInt(bits - length)) & all;
  }
  return family === 4 ? readAddress4(text) : undefined;
}

const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Parses four decimal parts up to 255; leading zeros are ignored (APR's `inet_pton4`). */
function readAddress4(text: string): bigint | undefined {
  let address = 0;
  let parts = 0;
  let part: number | undefined;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : DOT;
    if (code >= ZERO && code <= NINE) {
      part = 10 * (part ?? 0) + code - ZERO;
      if (part > 255) return undefined;
      continue;
    }
    if (code !== DOT || part === undefined) return undefined;
    address = 256 * address + part;
    parts++;
    part = undefined;
  }
  return parts === 4 ? BigInt(address) : undefined;
}

/**
 * Parses an address like APR's `inet_pton6`, which accepts more than the standard: leading zeros in a group, a single
 * colon after eight groups, and a `::` that represents nothing.
 */
function readAddress6(text: string): bigint | undefined {
  if (!text.includes(":") || (text.startsWith(":") && !text.startsWith("::"))) return undefined;
  const groups: bigint[] = [];
  let gap: number | undefined;
  let rest = text.startsWith(":") ? text.slice(1) : text;
  while (rest !== "") {
    const match = /^([0-9a-f]*)(:?)/i.exec(rest);
    const [whole = "", digits = "", colon = ""] = match ?? [];
    const remainder = rest.slice(whole.length);
    if (colon === "" && remainder !== "") {
      const tail = groups.length <= 6 ? readAddress4(rest) : undefined;
      if (tail === undefined) return undefined;
      groups.push(tail >> 16n, tail & 0xffffn);
      break;
    }
    if (digits === "") {
      if (gap !== undefined) return undefined;
      gap = groups.length;
    } else {
      const value = BigInt(`0x${digits}`);
      if (value > 0xffffn || groups.length === 8) return undefined;
      groups.push(value);
    }
    rest = remainder;
  }
  if (gap !== undefined) groups.splice(gap, 0, ...Array.from({ length: 8 - groups.length }, () => 0n));
  return groups.length === 8 ? groups.reduce((address, group) => (address << 16n) | group, 0n) : undefined;
}

/** Parses one to four leading parts of an IPv4 address, with an optional trailing dot (APR's `parse_network`). */
function readParts(text: string): SubnetResult {
  if (text.length > 15 || !/^(\d+\.){0,3}\d+\.?$/.test(text)) return badAddress;
  const parts = text.replace(/\.$/, "").split(".");
  let network = 0n;
  for (const part of parts) {
    // C's `atoi` keeps the low 32 bits on overflow.
    const value = Number(part) | 0;
    if (value < 0 || value > 255) return badAddress;
    network = (network << 8n) | BigInt(value);
  }
  const free = BigInt(32 - 8 * parts.length);
  return { ok: true, value: { family: 4, network: network << free, mask: (allOf4 << free) & allOf4 } };
}

/**
 * Returns the network meant by an IPv4 address with trailing `*` parts, as the server parses it: `10.1` of `10.1.*`.
 */
export function readWildcardNetwork(word: string): string | undefined {
  const leading = word.match(/^(\d+(?:\.\d+){0,2})(?:\.\*)+$/)?.[1];
  return leading !== undefined && readParts(leading).ok ? leading : undefined;
}

/** A complete address. */
export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** Parses a complete address of either family, and an IPv4-mapped IPv6 address as IPv4; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const four = readAddress4(text);
  if (four !== undefined) return { family: 4, bits: four };
  const six = readAddress6(text);
  if (six === undefined) return undefined;
  return six >> 32n === 0xffffn ? { family: 4, bits: six & allOf4 } : { family: 6, bits: six };
}

/** Returns whether an address is in a network. */
export function isInSubnet({ family, bits }: Address, subnet: Subnet): boolean {
  return family === subnet.family && (bits & subnet.mask) === subnet.network;
}

/** Reports whether an address is the one of the machine itself that systems name `localhost`: 127.0.0.1 or ::1. */
export function isLocalhost({ family, bits }: Address): boolean {
  return bits === (family === 4 ? (127n << 24n) | 1n : 1n);
}

/** Returns the network that contains one address. */
export function hostSubnetOf({ family, bits }: Address): Subnet {
  return { family, network: bits, mask: (1n << (family === 4 ? 32n : 128n)) - 1n };
}

/** Formats an address as text; IPv6 in lower case with the longest run of zeros omitted (RFC 5952). */
export function formatAddress({ family, bits }: Address): string {
  if (family === 4) return splitBits(bits, 4, 8).join(".");
  const groups = splitBits(bits, 8, 16);
  const { start, length } = longestZeros(groups);
  const text = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  return length < 2 ? text(0, 8) : `${text(0, start)}::${text(start + length, 8)}`;
}

/**
 * Formats a network as Allow and Require accept it: a single address without a prefix length, or a mask if no prefix
 * length represents it.
 */
export function formatNetwork({ family, network, mask }: Subnet): string {
  const address = formatAddress({ family, bits: network });
  const length = prefixLength({ family, network, mask });
  if (length === undefined) return `${address}/${formatAddress({ family, bits: mask })}`;
  return length === (family === 4 ? 32 : 128) ? address : `${address}/${length}`;
}

/** Returns the prefix length of a mask; undefined if its bits are not contiguous. */
function prefixLength({ family, mask }: Subnet): number | undefined {
  const bits = mask.toString(2).padStart(family === 4 ? 32 : 128, "0");
  const length = bits.indexOf("0");
  if (length < 0) return bits.length;
  return bits.includes("1", length) ? undefined : length;
}

function splitBits(bits: bigint, count: number, width: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Number(BigInt.asUintN(width, bits >> BigInt(width * (count - 1 - index)))),
  );
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index + 1 - length, length };
  }
  return longest;
}

/**
 * Reports whether an address is not one of the Internet, as far as mod_remoteip tests it (modules/metadata/mod_remoteip.c
 * `remoteip_modify_request`).
 */
export function isPrivateAddress(text: string): boolean {
  return text.includes(":")
    ? !/^[23]/.test(text)
    : /^(?:10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\./.test(text);
}
