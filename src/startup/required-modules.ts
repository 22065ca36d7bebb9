import type { Directive } from "../config/model/directive.js";
import { methodModule } from "../facts/balancer-methods.js";
import { moduleOfProvider } from "../server/access/providers.js";
import { parseRequireLine } from "../server/access/require-rules.js";
import { DEFAULT_METHOD_MODULE } from "./balancer-methods.js";
import { authnProviderModule } from "./directives/authn-providers.js";
import { sessionCacheModule } from "./directives/ssl.js";

type ModuleRequirement = (directive: Directive) => readonly (string | undefined)[];

const authnProviders: ModuleRequirement = (directive) =>
  directive.arguments.map(({ value }) => authnProviderModule(value));
const firstAuthnProvider: ModuleRequirement = ({ arguments: [provider] }) => [
  authnProviderModule(provider?.value ?? ""),
];
const cache: ModuleRequirement = ({ arguments: [word] }) => [sessionCacheModule(word?.value ?? "")];
const methodRequirements: ModuleRequirement = (directive) =>
  directive.arguments
    .map(({ value }) => /^lbmethod=(\w+)$/i.exec(value)?.[1])
    .map((name) => name && methodModule(name));
/** A balancer whose section does not set another method uses this one. */
const balancerMember: ModuleRequirement = ({ parent }) => {
  const proxySets = parent?.children?.filter(({ key }) => key === "proxyset") ?? [];
  const setters = parent === undefined ? [] : [parent, ...proxySets];
  const hasMethod = setters.flatMap(methodRequirements).some((module) => module !== undefined);
  return ["proxy_balancer_module", hasMethod ? undefined : DEFAULT_METHOD_MODULE];
};
const toBalancer: ModuleRequirement = (directive) =>
  /(?:^|[\s"'])balancer:\/\//i.test(directive.argumentText)
    ? ["proxy_balancer_module", ...methodRequirements(directive)]
    : methodRequirements(directive);

/** By lower-case name, sections with their `<`. */
const requirementsByName: ReadonlyMap<string, ModuleRequirement> = new Map([
  ["authbasicprovider", authnProviders],
  ["authdigestprovider", authnProviders],
  ["balancermember", balancerMember],
  ["proxypass", toBalancer],
  ["proxypassmatch", toBalancer],
  ["proxyset", methodRequirements],
  ["require", (directive: Directive) => [moduleOfProvider(parseRequireLine(directive).provider.toLowerCase())]],
  ["rewriterule", toBalancer],
  ["sslsessioncache", cache],
  ["sslstaplingcache", cache],
  ["<authnprovideralias", firstAuthnProvider],
  ["<proxy", toBalancer],
]);

/**
 * Returns the modules that 2.4 needs for the arguments of directives of a name, by identifier, in addition to the
 * module that defines them. Undefined if such arguments need none.
 */
export function findRequiredModules(key: string): ((directive: Directive) => readonly string[]) | undefined {
  const needs = requirementsByName.get(key);
  return needs && ((directive) => needs(directive).filter((module) => module !== undefined));
}
