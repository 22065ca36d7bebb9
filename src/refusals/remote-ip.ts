import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import { readSubnet } from "../text/addresses.js";
import { addressAdvice } from "./old-rules.js";
import type { Fault } from "./refusal.js";
import { filled } from "./values.js";

const remedy = "write an address, or a network as `10.0.0.0/8`";

function badAddress(text: string): Pick<Fault, "wrong" | "remedy"> {
  return { wrong: addressAdvice(text).wrong, remedy };
}

/** What no name of a host has in it. */
const inNoName = /[^A-Za-z0-9._-]/;

/**
 * What mod_remoteip refuses about RemoteIPTrustedProxy and RemoteIPInternalProxy (`proxies_set`). Names of hosts are
 * looked up when the server starts: only what is none for sure is told of.
 */
export function trustedProxyFault(directive: Directive): Fault | undefined {
  for (const word of filled(directive.arguments)) {
    const text = word.value;
    const verdict = readSubnet(text);
    if ("subnet" in verdict) continue;
    const span = directive.spanOf(word);
    const said = (why: string) => `RemoteIP: Error parsing IP ${text} ${why} for ${directive.name}`;
    if ("refused" in verdict) return { server: said(`(${verdict.refused} error)`), ...badAddress(text), span };
    const [name = "", mask] = text.split(/\/([\s\S]*)/);
    if (mask !== undefined) {
      return {
        server: said(`the subnet /${mask} is invalid`),
        wrong: `${quoted(text)} has a slash but no address before it`,
        remedy: "write a network as `10.0.0.0/8`, or a name without a slash",
        span,
      };
    }
    if (!inNoName.test(name)) continue;
    return {
      server: said("(Name or service not known error)"),
      wrong: `${quoted(text)} is neither an address nor the name of a host`,
      remedy: text.includes(",") ? "put spaces in place of the commas" : "write an address, a network or a name",
      span,
    };
  }
  return undefined;
}

/** What it refuses about RemoteIPProxyProtocolExceptions, which takes no names (`remoteip_disable_networks`). */
export function proxyProtocolExceptionsFault(directive: Directive): Fault | undefined {
  for (const word of directive.arguments) {
    const text = word.value;
    const verdict = readSubnet(text);
    if ("subnet" in verdict) continue;
    const span = directive.spanOf(word);
    const server = `ip address '${text.replace(/\/[\s\S]*/, "")}' appears to be invalid`;
    if ("refused" in verdict) return { server: `${server}: ${verdict.refused}`, ...badAddress(text), span };
    return { server, wrong: `${quoted(text)} is no address`, remedy, span };
  }
  return undefined;
}
