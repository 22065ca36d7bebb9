import type { Argument } from "../../../grammar/ast.js";
import { parseOrdering } from "../../access/rules/compat-rules.js";
import type { Release } from "../../directives/directives.js";
import type { Directive } from "../../project/model/directive.js";
import { quoteText } from "../../project/model/problems.js";
import { readSubnet } from "../../text/addresses.js";
import { findClosestWord } from "../../text/closest-word.js";
import { type CheckFailure, trailingComment } from "../refusal.js";

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
    wrong: `${quoteText(word.value)} is no order`,
    remedy: near ? `write \`Order ${near}\`` : "write `deny,allow`, `allow,deny` or `mutual-failure`",
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
        wrong: `${quoteText(from.value)} stands where \`from\` is expected`,
        remedy: `write \`${directive.key === "allow" ? "Allow" : "Deny"} from\` and then who is meant`,
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
      wrong: `${quoteText(text)} has a slash but no address before it`,
      remedy: "write a network as `10.0.0.0/8`, or a name without a slash",
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
        wrong: `${quoteText(text)} puts a network length behind only a part of an address`,
        remedy: "write all four numbers of the address, or the part without the slash",
      };
    }
    const most = verdict.subnet.family === 4 ? 32 : 128;
    return {
      wrong: `${quoteText(text)} has no network length from 1 to ${most} behind the slash`,
      remedy: "correct it; for everybody there is `all`",
    };
  }
  if (/^::ffff:/i.test(address)) {
    return { wrong: `${quoteText(text)} is an IPv4 address in IPv6 form`, remedy: "write the IPv4 address by itself" };
  }
  if (address.includes(":")) {
    return {
      wrong: `${quoteText(text)} is no IPv6 address`,
      remedy: "correct it; a port or `[…]` does not belong here",
    };
  }
  return {
    wrong: `${quoteText(text)} is no address`,
    remedy: "write one to four numbers from 0 to 255 with dots between",
  };
}

/** Returns advice for words joined by commas or semicolons, which are one word to the server. */
export function adviseOnSeparators(text: string): Pick<CheckFailure, "wrong" | "remedy"> | undefined {
  const signs = text.includes(",") ? "commas" : text.includes(";") ? "semicolons" : undefined;
  return signs && { wrong: `${signs} do not part words here`, remedy: "put spaces in their place" };
}
