import { readRequire } from "../access/new-rules.js";
import { moduleOfProvider } from "../access/providers.js";
import type { Directive } from "../project/directive.js";
import { moduleOfAuthnProvider } from "./authn-providers.js";
import { moduleOfCache } from "./ssl.js";

type Needs = (directive: Directive) => readonly (string | undefined)[];

const authnProviders: Needs = (directive) => directive.arguments.map(({ value }) => moduleOfAuthnProvider(value));
const firstAuthnProvider: Needs = ({ arguments: [provider] }) => [moduleOfAuthnProvider(provider?.value ?? "")];
const cache: Needs = ({ arguments: [word] }) => [moduleOfCache(word?.value ?? "")];
const methods: Needs = (directive) =>
  directive.arguments
    .map(({ value }) => /^lbmethod=(\w+)$/i.exec(value)?.[1])
    .map((name) => name && methodModule(name));
/** A balancer whose section says no other goes by this one. */
const member: Needs = ({ parent }) => {
  const beside = parent?.children?.filter(({ key }) => key === "proxyset") ?? [];
  const isSaid = beside.flatMap(methods).some((module) => module !== undefined);
  return ["proxy_balancer_module", isSaid ? undefined : methodModule("byrequests")];
};
const toBalancer: Needs = (directive) =>
  /(?:^|[\s"'])balancer:\/\//i.test(directive.argumentText)
    ? ["proxy_balancer_module", ...methods(directive)]
    : methods(directive);

function methodModule(name: string): string {
  return `lbmethod_${name}_module`;
}

/** By lower-case name, a section's with its `<`. */
const needsByName: ReadonlyMap<string, Needs> = new Map([
  ["authbasicprovider", authnProviders],
  ["authdigestprovider", authnProviders],
  ["balancermember", member],
  ["proxypass", toBalancer],
  ["proxypassmatch", toBalancer],
  ["proxyset", methods],
  ["require", (directive: Directive) => [moduleOfProvider(readRequire(directive).provider.toLowerCase())]],
  ["rewriterule", toBalancer],
  ["sslsessioncache", cache],
  ["sslstaplingcache", cache],
  ["<authnprovideralias", firstAuthnProvider],
  ["<proxy", toBalancer],
]);

/**
 * What a 2.4 server cannot do without because of the words of directives of a name, beside the module that defines them: by
 * identifier. Undefined where the words of such a directive ask for nothing.
 */
export function modulesByWords(key: string): ((directive: Directive) => readonly string[]) | undefined {
  const needs = needsByName.get(key);
  return needs && ((directive) => needs(directive).filter((module) => module !== undefined));
}
