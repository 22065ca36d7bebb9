import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Release } from "../../facts/directives.js";
import { parseOrdering } from "../../server/access/compat-rules.js";
import { readSubnet } from "../../text/addresses.js";
import { findClosestWord } from "../../text/closest-word.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
import { trailingComment } from "./values.js";

const orderings = ["deny,allow", "allow,deny", "mutual-failure"];

/**
 * Checks an Order, Allow or Deny line with enough arguments as the server does (modules/aaa/mod_access_compat.c; 2.2's
 * mod_authz_host.c is the same except for comments).
 */
export function checkCompatDirective(directive: Directive, release: Release): CheckFailure | undefined {
  const [first] = directive.arguments;
  if (first === undefined) return undefined;
  switch (directive.key) {
    case "order":
      return checkOrder(directive, first);
    case "allow":
    case "deny":
      return checkHosts(directive, first, release);
    default:
      return undefined;
  }
}

function checkOrder(directive: Directive, word: Argument): CheckFailure | undefined {
  if (parseOrdering(word.value) !== undefined) return undefined;
  const near = findClosestWord(word.value.replaceAll(/[\t-\r ]/g, ""), orderings);
  return {
    server: "unknown order",
    wrong: `unknown order ${quoteText(word.value)}`,
    remedy: near ? `use \`Order ${near}\`` : "use `deny,allow`, `allow,deny` or `mutual-failure`",
    span: directive.spanOf(word),
  };
}

function checkHosts(directive: Directive, from: Argument, release: Release): CheckFailure | undefined {
  const words = directive.arguments.slice(1);
  // The server checks the words one by one and stops at an empty one, before it checks `from`.
  for (const word of words) {
    if (word.value === "") return undefined;
    if (from.value.toLowerCase() !== "from") {
      return {
        server: "allow and deny must be followed by 'from'",
        wrong: `expected \`from\`, found ${quoteText(from.value)}`,
        remedy: `use \`${directive.key === "allow" ? "Allow" : "Deny"} from\`, followed by the clients`,
        span: directive.spanOf(from),
      };
    }
    const fault = checkHost(directive, word, release);
    if (fault) return fault;
  }
  return undefined;
}

function checkHost(directive: Directive, word: Argument, release: Release): CheckFailure | undefined {
  const text = word.value;
  if (/^env=/i.test(text) || text.toLowerCase() === "all") return undefined;
  const span = directive.spanOf(word);
  const verdict = readSubnet(text);
  if ("subnet" in verdict) return undefined;
  if ("refused" in verdict) return { server: verdict.refused, ...adviseOnAddress(text), span };
  if (text.includes("/")) {
    return {
      server: "An IP address was expected",
      wrong: `no address before the slash in ${quoteText(text)}`,
      remedy: "use a network such as `10.0.0.0/8`, or a name without a slash",
      span,
    };
  }
  if (release !== "2.4" || !text.includes("#")) return undefined;
  return {
    server: "No comments are allowed here",
    ...trailingComment,
    span: { ...span, end: Math.max(span.end, directive.span.end) },
  };
}

/** Returns the problem with an address that the server cannot parse, and the correct notation. */
export function adviseOnAddress(text: string): Pick<CheckFailure, "wrong" | "remedy"> {
  const several = adviseOnSeparators(text);
  if (several) return several;
  const [address = "", mask] = text.split("/", 2);
  const verdict = readSubnet(address);
  if (mask !== undefined && "subnet" in verdict) {
    const isPartial = verdict.subnet.family === 4 && !/^(\d+\.){3}\d+$/.test(address);
    if (isPartial) {
      return {
        wrong: `prefix length after an incomplete address in ${quoteText(text)}`,
        remedy: "use all four numbers of the address, or delete the prefix length",
      };
    }
    const max = verdict.subnet.family === 4 ? 32 : 128;
    return {
      wrong: `invalid prefix length in ${quoteText(text)}: expected 1 to ${max}`,
      remedy: "correct the prefix length, or use `all` for every client",
    };
  }
  if (/^::ffff:/i.test(address)) {
    return { wrong: `${quoteText(text)} is an IPv4 address in IPv6 notation`, remedy: "use the IPv4 address" };
  }
  if (address.includes(":")) {
    return {
      wrong: `invalid IPv6 address ${quoteText(text)}`,
      remedy: "correct the address, without a port or brackets",
    };
  }
  return {
    wrong: `invalid IP address ${quoteText(text)}`,
    remedy: "use one to four numbers from 0 to 255, separated by dots",
  };
}

/** Returns advice for words joined by commas or semicolons, which are one word to the server. */
export function adviseOnSeparators(text: string): Pick<CheckFailure, "wrong" | "remedy"> | undefined {
  const signs = text.includes(",") ? "commas" : text.includes(";") ? "semicolons" : undefined;
  return (
    signs && {
      wrong: `invalid separator: ${signs} do not separate arguments here`,
      remedy: `use spaces instead of ${signs}`,
    }
  );
}
