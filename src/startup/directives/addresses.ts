import type { Directive } from "../../config/model/directive.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { readSubnet } from "../../text/addresses.js";
import { hasWildcard } from "../../text/wildcards.js";
import { adviseOnAddress } from "./access-compat.js";
import { parseLeadingNumber, takeUntilEmpty } from "./values.js";

/** An address and a port, split as by the server (APR's `apr_parse_addr_port`). */
interface AddressPort {
  /** Absent if there is only a port. */
  readonly host?: string;
  /** Absent if there is none. */
  readonly port?: number;
}

/** Parses a port; a value too long for C's `int` is not checked and returns undefined. */
function readPort(digits: string): number | undefined {
  const port = parseLeadingNumber(digits) ?? Number.NaN;
  return port < 1 || port > 65_535 ? undefined : port;
}

/** Returns undefined if the server rejects the address. */
function splitAddressPort(text: string): AddressPort | undefined {
  const [, before = "", digits = ""] = /^([\s\S]*?)(\d*)$/.exec(text) ?? [];
  if (before === "") {
    const port = readPort(digits);
    return port === undefined ? undefined : { port };
  }
  if (!before.endsWith(":") || digits === "") return withHost(text, undefined);
  const port = readPort(digits);
  return before === ":" || port === undefined ? undefined : withHost(before.slice(0, -1), port);
}

function withHost(host: string, port: number | undefined): AddressPort | undefined {
  if (host.startsWith("[")) {
    const [, address = "", scope] = /^\[([^\]%]*)(?:%([^\]]*))?\]$/.exec(host) ?? [];
    // APR accepts more than other parsers, such as leading zeros.
    if (!/^[\dA-Fa-f.]*:[\dA-Fa-f:.]*$/.test(address) || scope === "") return undefined;
  }
  return { host, ...(port === undefined ? {} : { port }) };
}

function hostAdvice(text: string): RefusalText {
  if (text.startsWith(":")) return wordingOf("colon-without-address", text);
  if (text.startsWith("[")) return wordingOf("invalid-bracketed-address", text);
  return wordingOf("invalid-port", text);
}

/** Checks a single Listen line as the server does (server/listen.c `ap_set_listener`). */
export function checkListen(directive: Directive): Refusal | undefined {
  const words = takeUntilEmpty(directive.arguments);
  const [word] = words;
  if (word === undefined || words.length > 2) {
    return { ...wordingOf("listen-argument-count", word !== undefined, words.length), span: directive.span };
  }
  const address = splitAddressPort(word.value);
  const span = directive.spanOf(word);
  if (address === undefined) {
    return { server: "Invalid address or port", ...hostAdvice(word.value), span };
  }
  if (address.port !== undefined) return undefined;
  return { ...wordingOf("missing-port", word.value), span };
}

/** Detects an address and port that is already listened on (2.4, server/listen.c). */
export class ListenerRegistry {
  private readonly lines = new Map<string, Directive>();

  check(directive: Directive): Refusal | undefined {
    const [word] = directive.arguments;
    const { host = "*", port } = (word && splitAddressPort(word.value)) ?? {};
    if (word === undefined || port === undefined) return undefined;
    // The server compares the names as they are written.
    const key = `${host}:${port}`;
    const first = this.lines.get(key);
    if (first === undefined) {
      this.lines.set(key, directive);
      return undefined;
    }
    return {
      ...wordingOf("duplicate-listen", word.value),
      span: directive.span,
      related: [{ message: "first Listen line for this address", span: first.span }],
    };
  }
}

/** Checks the addresses of a VirtualHost as the server does (server/vhost.c `get_addresses`). */
export function checkVirtualHost(directive: Directive): Refusal | undefined {
  for (const word of directive.arguments) {
    const text = word.value.replace(/:\*$/, "");
    if (word.value === "" || word.value === "*") continue;
    const address = splitAddressPort(text);
    const span = directive.spanOf(word);
    if (address === undefined) {
      return {
        server: "The address or port is invalid",
        ...hostAdvice(word.value),
        span,
      };
    }
    if (address.host !== undefined) continue;
    return { ...wordingOf("missing-host-address", word.value, text), span };
  }
  return undefined;
}

/** Checks ServerName as the server does (server/core.c `server_hostname_port`). */
export function checkServerName(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  if (word === undefined) return undefined;
  const name = word.value;
  const span = directive.spanOf(word);
  if (hasWildcard(name)) {
    return { ...wordingOf("wildcard-in-server-name", name), span };
  }
  const [, , authority = name] = /^([\s\S]*?):\/\/([\s\S]*)$/.exec(name) ?? [];
  const colon = authority.indexOf(":");
  if (colon < 0) return undefined;
  const port = parseLeadingNumber(authority.slice(colon + 1));
  if (port === undefined || (port > 0 && port < 65_536)) return undefined;
  return { ...wordingOf("invalid-server-name-port", name), span };
}

function badRemoteIpAddress(text: string): RefusalText {
  return { ...adviseOnAddress(text), remedy: "use an address, or a network such as `10.0.0.0/8`" };
}

/** Characters that do not occur in host names. */
const nonHostCharacters = /[^A-Za-z0-9._-]/;

/**
 * Checks RemoteIPTrustedProxy and RemoteIPInternalProxy as mod_remoteip does (`proxies_set`). Host names are resolved
 * when the server starts, so only invalid names are reported.
 */
export function checkTrustedProxy(directive: Directive): Refusal | undefined {
  for (const word of takeUntilEmpty(directive.arguments)) {
    const text = word.value;
    const verdict = readSubnet(text);
    if (verdict.ok) continue;
    const span = directive.spanOf(word);
    const describeError = (why: string) => `RemoteIP: Error parsing IP ${text} ${why} for ${directive.name}`;
    if (verdict.error !== "not-an-address")
      return { server: describeError(`(${verdict.error} error)`), ...badRemoteIpAddress(text), span };
    const [name = "", mask] = text.split(/\/([\s\S]*)/);
    if (mask !== undefined) {
      return {
        ...wordingOf("mask-without-proxy-address", describeError(`the subnet /${mask} is invalid`), text),
        span,
      };
    }
    if (!nonHostCharacters.test(name)) continue;
    return {
      ...wordingOf("invalid-proxy-name", describeError("(Name or service not known error)"), text, text.includes(",")),
      span,
    };
  }
  return undefined;
}

/** Checks RemoteIPProxyProtocolExceptions, which does not accept names (`remoteip_disable_networks`). */
export function checkProxyProtocolExceptions(directive: Directive): Refusal | undefined {
  for (const word of directive.arguments) {
    const text = word.value;
    const verdict = readSubnet(text);
    if (verdict.ok) continue;
    const span = directive.spanOf(word);
    const server = `ip address '${text.replace(/\/[\s\S]*/, "")}' appears to be invalid`;
    if (verdict.error !== "not-an-address")
      return { server: `${server}: ${verdict.error}`, ...badRemoteIpAddress(text), span };
    return { ...wordingOf("invalid-exempt-address", text.replace(/\/[\s\S]*/, ""), text), span };
  }
  return undefined;
}
