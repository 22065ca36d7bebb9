import type { Release } from "../directives/directives.js";
import type { Directive, KnownName } from "../project/directive.js";
import { bracketFault, limitFault, mergingFault, optionsFault } from "./core.js";
import type { Memory } from "./memory.js";
import { oldFault } from "./old-rules.js";
import type { Fault } from "./refusal.js";
import { aliasFault, requireFault } from "./require.js";

/** Looks at the words of a directive whose number is right; undefined where the server takes them. */
export type Check = (directive: Directive, memory: Memory, inHtaccess: boolean) => Fault | undefined;

/** What is looked at in both releases. */
const inBoth: Readonly<Record<string, (release: Release) => Check>> = {
  order: (release) => (directive) => oldFault(directive, release),
  allow: (release) => (directive) => oldFault(directive, release),
  deny: (release) => (directive) => oldFault(directive, release),
  satisfy: (release) => (directive) => oldFault(directive, release),
  options: (release) => (directive) => optionsFault(directive, release),
  "<limit": (release) => (directive, memory, inHtaccess) => limitFault(directive, release, memory.methods, inHtaccess),
  "<limitexcept": (release) => (directive, memory, inHtaccess) =>
    limitFault(directive, release, memory.methods, inHtaccess),
};

/** What is looked at in 2.4 alone: of 2.2 it is not known what it says. */
const in24: Readonly<Record<string, Check>> = {
  require: (directive, { providers, methods }) => requireFault(directive, providers, methods),
  "<authzprovideralias": (directive, { providers, methods }) => aliasFault(directive, providers, methods),
  authmerging: mergingFault,
};

/** What is looked at in the words of directives of a name; undefined where nothing is. */
export function checkOf({ key }: KnownName, release: Release): Check | undefined {
  const check = Object.hasOwn(inBoth, key) ? inBoth[key]?.(release) : undefined;
  if (release === "2.2") return check;
  const newer = check ?? (Object.hasOwn(in24, key) ? in24[key] : undefined);
  if (!key.startsWith("<")) return newer;
  return (directive, memory, inHtaccess) => bracketFault(directive) ?? newer?.(directive, memory, inHtaccess);
}
