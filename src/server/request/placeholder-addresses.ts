import type { Directive } from "../../config/model/directive.js";
import { findPlaceholder } from "../../config/model/placeholders.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import { toReadable } from "../../text/source.js";
import { keywordArgumentOf } from "../model/config-layer.js";
import type { ListenAddress } from "../model/server.js";

/** Reports whether an address of a virtual host has a placeholder, or a variable without a value: `*:{{ port }}`. */
export function hasUnknownWord({ name }: ListenAddress): boolean {
  return name !== undefined && findUnknownWord(toReadable(name)) !== undefined;
}

function findUnknownWord(text: string): string | undefined {
  return findPlaceholder(text) ?? findUndefinedVariable(text);
}

/**
 * Returns the addresses of a virtual host with values for their placeholders: any address, and the usual port of `https` if
 * the host has TLS, else that of `http`. The same list if no address has one.
 */
export function fillInAddresses(addresses: readonly ListenAddress[], host: Directive): readonly ListenAddress[] {
  if (!addresses.some(hasUnknownWord)) return addresses;
  const usualPort = enablesTls(host) ? 443 : 80;
  return addresses.map((each) => (hasUnknownWord(each) ? fillIn(each, usualPort) : each));
}

/** Reports whether a line of a virtual host turns on TLS. */
export function enablesTls({ children = [] }: Directive): boolean {
  return children.some((line) => line.key === "sslengine" && keywordArgumentOf(line) === "on");
}

function fillIn({ text, port }: ListenAddress, usualPort: number): ListenAddress {
  let rest = toReadable(text);
  for (let word = findUnknownWord(rest); word !== undefined; word = findUnknownWord(rest))
    rest = rest.replace(word, "?");
  const hasUnknownPort = /:[^:]*\?[^:]*$/.test(rest);
  return { address: undefined, name: undefined, port: hasUnknownPort ? usualPort : port, text };
}
