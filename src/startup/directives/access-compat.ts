import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { behaves } from "../../facts/behaviours.js";
import type { Release } from "../../facts/release.js";
import { parseOrdering } from "../../server/access/compat-rules.js";
import { readSubnet } from "../../text/addresses.js";
import { findClosestWord } from "../../text/closest-word.js";

const orderings = ["deny,allow", "allow,deny", "mutual-failure"];

/**
 * Checks an Order, Allow or Deny line with enough arguments as the server does (modules/aaa/mod_access_compat.c; 2.2's
 * mod_authz_host.c is the same except for comments).
 */
export function checkCompatDirective(directive: Directive, release: Release): Refusal | undefined {
  const [first] = directive.arguments;
  if (first === undefined) return undefined;
  return directive.key === "order" ? checkOrder(directive, first) : checkHosts(directive, first, release);
}

function checkOrder(directive: Directive, word: Argument): Refusal | undefined {
  if (parseOrdering(word.value) !== undefined) return undefined;
  const near = findClosestWord(word.value.replaceAll(/[\t-\r ]/g, ""), orderings);
  return { ...wordingOf("unknown-order", word.value, near), span: directive.spanOf(word) };
}

function checkHosts(directive: Directive, from: Argument, release: Release): Refusal | undefined {
  const words = directive.arguments.slice(1);
  // The server checks the words one by one and stops at an empty one, before it checks `from`.
  for (const word of words) {
    if (word.value === "") return undefined;
    if (from.value.toLowerCase() !== "from") {
      return { ...wordingOf("missing-from", from.value, directive.key), span: directive.spanOf(from) };
    }
    const fault = checkHost(directive, word, release);
    if (fault) return fault;
  }
  return undefined;
}

function checkHost(directive: Directive, word: Argument, release: Release): Refusal | undefined {
  const text = word.value;
  if (/^env=/i.test(text) || text.toLowerCase() === "all") return undefined;
  const span = directive.spanOf(word);
  const verdict = readSubnet(text);
  if (verdict.ok) return undefined;
  if (verdict.error !== "not-an-address") return { server: verdict.error, ...adviseOnAddress(text), span };
  if (text.includes("/")) {
    return { ...wordingOf("mask-without-address", text), span };
  }
  if (!text.includes("#") || behaves(release, "comment-in-hosts-rejected") !== true) return undefined;
  return {
    ...wordingOf("comment-after-directive"),
    server: "No comments are allowed here",
    span: { ...span, end: Math.max(span.end, directive.span.end) },
  };
}

/** Returns the problem with an address that the server cannot parse, and the correct notation. */
export function adviseOnAddress(text: string): RefusalText {
  const several = adviseOnSeparators(text);
  if (several) return several;
  const [address = "", mask] = text.split("/", 2);
  const verdict = readSubnet(address);
  if (mask !== undefined && verdict.ok) {
    const isPartial = verdict.value.family === 4 && !/^(\d+\.){3}\d+$/.test(address);
    if (isPartial) {
      return wordingOf("incomplete-address", text);
    }
    const max = verdict.value.family === 4 ? 32 : 128;
    return wordingOf("invalid-prefix-length", text, max);
  }
  if (/^::ffff:/i.test(address)) {
    return wordingOf("mapped-address", text);
  }
  if (address.includes(":")) {
    return wordingOf("invalid-ipv6-address", text);
  }
  return wordingOf("invalid-ip-address", text);
}

/** Returns advice for words joined by commas or semicolons, which are one word to the server. */
export function adviseOnSeparators(text: string): RefusalText | undefined {
  const signs = text.includes(",") ? "commas" : text.includes(";") ? "semicolons" : undefined;
  return signs && wordingOf("invalid-separator", signs);
}
