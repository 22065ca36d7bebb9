import type { Directive } from "../../config/model/directive.js";
import { readSubnet } from "../../text/addresses.js";
import { hasWildcard } from "../../text/wildcards.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
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

function hostAdvice(text: string): Pick<CheckFailure, "wrong" | "remedy"> {
  if (text.startsWith(":"))
    return { wrong: `no address before the colon in ${quoteText(text)}`, remedy: `use \`*${text}\`` };
  if (text.startsWith("["))
    return {
      wrong: `invalid IPv6 address in brackets: ${quoteText(text)}`,
      remedy: "use an address such as `[2001:db8::1]:80`",
    };
  return { wrong: `invalid port in ${quoteText(text)}: expected 1 to 65535`, remedy: "correct the port" };
}

/** Checks a single Listen line as the server does (server/listen.c `ap_set_listener`). */
export function checkListen(directive: Directive): CheckFailure | undefined {
  const words = takeUntilEmpty(directive.arguments);
  const [word] = words;
  if (word === undefined || words.length > 2) {
    return {
      server: "Listen requires 1 or 2 arguments.",
      wrong: word ? `\`Listen\` takes 1 or 2 arguments, but ${words.length} were given` : "`Listen` needs a port",
      remedy: word ? "use one line per address" : "add the port",
      span: directive.span,
    };
  }
  const address = splitAddressPort(word.value);
  const span = directive.spanOf(word);
  if (address === undefined) {
    return { server: "Invalid address or port", ...hostAdvice(word.value), span };
  }
  if (address.port !== undefined) return undefined;
  return {
    server: "Port must be specified",
    wrong: `missing port in ${quoteText(word.value)}`,
    remedy: "add the port, after the address if there is one: `192.0.2.1:80`",
    span,
  };
}

/** Detects an address and port that is already listened on (2.4, server/listen.c). */
export class ListenerRegistry {
  private readonly lines = new Map<string, Directive>();

  check(directive: Directive): CheckFailure | undefined {
    const [word] = directive.arguments;
    const { host = "*", port } = (word && splitAddressPort(word.value)) ?? {};
    if (word === undefined || port === undefined) return undefined;
    const key = `${host.toLowerCase()}:${port}`;
    const first = this.lines.get(key);
    if (first === undefined) {
      this.lines.set(key, directive);
      return undefined;
    }
    return {
      server: "Cannot define multiple Listeners on the same IP:port",
      wrong: `duplicate \`Listen\` for ${quoteText(word.value)}`,
      remedy: "delete one of the Listen lines",
      span: directive.span,
      related: [{ message: "first Listen line for this address", span: first.span }],
    };
  }
}

/** Checks the addresses of a VirtualHost as the server does (server/vhost.c `get_addresses`). */
export function checkVirtualHost(directive: Directive): CheckFailure | undefined {
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
    return {
      server: "Missing address for VirtualHost",
      wrong: `missing address for port ${quoteText(word.value)}`,
      remedy: `use \`*:${text}\``,
      span,
    };
  }
  return undefined;
}

/** Checks ServerName as the server does (server/core.c `server_hostname_port`). */
export function checkServerName(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  if (word === undefined) return undefined;
  const name = word.value;
  const span = directive.spanOf(word);
  if (hasWildcard(name)) {
    return {
      server: `Invalid ServerName "${name}" use ServerAlias to set multiple server names.`,
      wrong: `\`ServerName\` does not accept the wildcard in ${quoteText(name)}`,
      remedy: "set one name, and add the others with `ServerAlias`",
      span,
    };
  }
  const [, , authority = name] = /^([\s\S]*?):\/\/([\s\S]*)$/.exec(name) ?? [];
  const colon = authority.indexOf(":");
  if (colon < 0) return undefined;
  const port = parseLeadingNumber(authority.slice(colon + 1));
  if (port === undefined || (port > 0 && port < 65_536)) return undefined;
  return {
    server: `The port number "${name}" is outside the appropriate range (i.e., 1..65535).`,
    wrong: `invalid port in ${quoteText(name)}: expected 1 to 65535`,
    remedy: "correct the port, or delete the colon",
    span,
  };
}

const remoteIpRemedy = "use an address, or a network such as `10.0.0.0/8`";

function badRemoteIpAddress(text: string): Pick<CheckFailure, "wrong" | "remedy"> {
  return { wrong: adviseOnAddress(text).wrong, remedy: remoteIpRemedy };
}

/** Characters that do not occur in host names. */
const nonHostCharacters = /[^A-Za-z0-9._-]/;

/**
 * Checks RemoteIPTrustedProxy and RemoteIPInternalProxy as mod_remoteip does (`proxies_set`). Host names are resolved
 * when the server starts, so only invalid names are reported.
 */
export function checkTrustedProxy(directive: Directive): CheckFailure | undefined {
  for (const word of takeUntilEmpty(directive.arguments)) {
    const text = word.value;
    const verdict = readSubnet(text);
    if ("subnet" in verdict) continue;
    const span = directive.spanOf(word);
    const describeError = (why: string) => `RemoteIP: Error parsing IP ${text} ${why} for ${directive.name}`;
    if ("refused" in verdict)
      return { server: describeError(`(${verdict.refused} error)`), ...badRemoteIpAddress(text), span };
    const [name = "", mask] = text.split(/\/([\s\S]*)/);
    if (mask !== undefined) {
      return {
        server: describeError(`the subnet /${mask} is invalid`),
        wrong: `no address before the slash in ${quoteText(text)}`,
        remedy: "use a network such as `10.0.0.0/8`, or a name without a slash",
        span,
      };
    }
    if (!nonHostCharacters.test(name)) continue;
    return {
      server: describeError("(Name or service not known error)"),
      wrong: `${quoteText(text)} is not an address or a host name`,
      remedy: text.includes(",") ? "use spaces instead of commas" : "use an address, a network or a name",
      span,
    };
  }
  return undefined;
}

/** Checks RemoteIPProxyProtocolExceptions, which does not accept names (`remoteip_disable_networks`). */
export function checkProxyProtocolExceptions(directive: Directive): CheckFailure | undefined {
  for (const word of directive.arguments) {
    const text = word.value;
    const verdict = readSubnet(text);
    if ("subnet" in verdict) continue;
    const span = directive.spanOf(word);
    const server = `ip address '${text.replace(/\/[\s\S]*/, "")}' appears to be invalid`;
    if ("refused" in verdict) return { server: `${server}: ${verdict.refused}`, ...badRemoteIpAddress(text), span };
    return { server, wrong: `invalid IP address ${quoteText(text)}`, remedy: remoteIpRemedy, span };
  }
  return undefined;
}
