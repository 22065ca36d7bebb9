import type { Directive } from "../../config/model/directive.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { balancerMethods, findBalancerMethod, methodModule } from "../../facts/balancer-methods.js";
import { isSince } from "../../facts/release.js";
import { findClosestWord } from "../../text/closest-word.js";
import type { CheckContext } from "../refusal.js";

/** What a parameter accepts: a test of its value, what httpd reports, and what to write instead. */
interface ParameterRule {
  readonly accepts: (value: string) => boolean;
  readonly server: string;
  readonly expected: string;
}

/** Returns the number at the start of a text, as `atoi` does; 0 if there is none. */
function numberIn(value: string): number {
  return Number.parseInt(value, 10) || 0;
}

function numbers(min: number, max: number, server: string, expected: string): ParameterRule {
  return { accepts: (value) => numberIn(value) >= min && numberIn(value) <= max, server, expected };
}

function atLeast(min: number, server: string, expected: string): ParameterRule {
  return numbers(min, Number.POSITIVE_INFINITY, server, expected);
}

function words(list: string, server: string): ParameterRule {
  const known = list.toLowerCase().split(" ");
  return {
    accepts: (value) => known.includes(value.toLowerCase()),
    server,
    expected: known.map((word) => `\`${word}\``).join(" or "),
  };
}

function onOff(name: string): ParameterRule {
  return words("On Off", `${name} must be On|Off`);
}

/** A number with a unit, of at least a millisecond (server/util.c `ap_timeout_parameter_parse`). */
function duration(server: string): ParameterRule {
  return {
    // Numbers in another form have other messages, which differ between versions.
    accepts: (value) => !/^0+(?:ms|s|mi|h)?$/i.test(value),
    server,
    expected: "a positive number",
  };
}

function bufferSize(name: string): ParameterRule {
  return {
    accepts: (value) => numberIn(value) === 0 || numberIn(value) >= 512,
    server: `${name} must be >= 512 bytes, or 0 for system default.`,
    expected: "at least `512`, or `0` for the default",
  };
}

const anyText: ParameterRule = { accepts: () => true, server: "", expected: "" };
const seconds = "a number of seconds that is greater than `0`";

/** The parameters of one backend (modules/proxy/mod_proxy.c `set_worker_param`). */
const workerParameters: Readonly<Record<string, ParameterRule>> = {
  loadfactor: {
    accepts: (value) => {
      const factor = Number.parseFloat(value) || 0;
      return factor >= 1 && factor <= 100;
    },
    server: "LoadFactor must be a number between 1..100",
    expected: "a number from `1` to `100`",
  },
  retry: atLeast(0, "Retry must be a positive value", "`0` or a number of seconds"),
  ttl: atLeast(1, "TTL must be at least one second", seconds),
  min: atLeast(0, "Min must be a positive number", "`0` or a greater number"),
  max: atLeast(0, "Max must be a positive number", "`0` or a greater number"),
  smax: atLeast(0, "Smax must be a positive number", "`0` or a greater number"),
  acquire: duration("Acquire must be at least one millisecond"),
  timeout: atLeast(1, "Timeout must be at least one second", seconds),
  iobuffersize: bufferSize("IOBufferSize"),
  receivebuffersize: bufferSize("ReceiveBufferSize"),
  keepalive: onOff("KeepAlive"),
  disablereuse: onOff("DisableReuse"),
  enablereuse: onOff("EnableReuse"),
  flushpackets: words("on off auto", "flushpackets must be on|off|auto"),
  flushwait: numbers(
    0,
    1000,
    "flushwait must be <= 1000, or 0 for system default of 10 millseconds.",
    "a number from `0` to `1000`",
  ),
  ping: duration("Ping/Pong timeout must be at least one millisecond"),
  lbset: numbers(0, 99, "lbset must be between 0 and 99", "a number from `0` to `99`"),
  connectiontimeout: duration("Connectiontimeout must be at least one millisecond."),
  ...Object.fromEntries(
    "addressttl flusher redirect responsefieldsize route secret status upgrade"
      .split(" ")
      .map((name) => [name, anyText]),
  ),
};

/** The parameters of mod_proxy_hcheck. */
const healthCheckParameters = /^hc(?:interval|passes|fails|uri|method|expr|template)$/;

/** The parameters of a balancer (modules/proxy/mod_proxy.c `set_balancer_param`). */
const balancerParameters: Readonly<Record<string, ParameterRule>> = {
  nofailover: onOff("failover"),
  timeout: atLeast(1, "timeout must be at least one second", seconds),
  maxattempts: atLeast(0, "maximum number of attempts must be a positive number", "`0` or a greater number"),
  scolonpathdelim: onOff("scolonpathdelim"),
  failontimeout: onOff("failontimeout"),
  growth: numbers(1, 100, "growth must be between 1 and 100", "a number from `1` to `100`"),
  forcerecovery: onOff("forcerecovery"),
  ...Object.fromEntries(
    "stickysession stickysessionsep lbmethod failonstatus nonce".split(" ").map((name) => [name, anyText]),
  ),
};

/**
 * Checks the parameters of a backend or balancer as httpd does. Those of a backend that another line defines before are
 * ignored with a warning, whatever they are.
 *
 * @param target the URL of the backend
 */
export function checkProxyParameters(
  directive: Directive,
  name: "ProxyPass" | "BalancerMember",
  target: string,
  { project }: CheckContext,
): Refusal | undefined {
  if (!isSince(project.release, "2.4") || /[${}%<>]/.test(target)) return undefined;
  const isBalancer = name === "ProxyPass" && /^balancer:/i.test(target);
  const table = isBalancer ? balancerParameters : workerParameters;
  const kind = isBalancer ? "Balancer" : "Worker";
  for (const word of directive.arguments) {
    const [, key = "", value] = /^([\w-]+)=(.*)$/s.exec(word.value) ?? [];
    // A variable may be defined elsewhere.
    if (value === undefined || /[${}]/.test(value) || word.value === target) continue;
    const lower = key.toLowerCase();
    if (name === "ProxyPass" && lower === "mapping" && isSince(project.release, "2.4.49")) {
      if (/^(?:encoded|servlet)$/i.test(value)) continue;
      return { ...wordingOf("unknown-proxy-mapping", word.value), span: directive.spanOf(word) };
    }
    if (isBalancer && lower === "lbmethod") {
      const fault = methodFault(value, `${name} unknown lbmethod`, project);
      if (fault && !isShared(directive, target, project)) return { ...fault, span: directive.spanOf(word) };
      continue;
    }
    const rule = Object.hasOwn(table, lower) ? table[lower] : undefined;
    const mayBeOfModule = !isBalancer && healthCheckParameters.test(lower);
    if (rule === undefined && mayBeOfModule && project.modules.mayHave("proxy_hcheck_module")) continue;
    if (rule === undefined && project.modules.has("proxy_hcheck_module")) continue;
    if (rule?.accepts(value)) continue;
    if (isShared(directive, target, project)) return undefined;
    const fault = rule
      ? wordingOf("invalid-proxy-value", name, word.value, rule.server, rule.expected)
      : wordingOf("unknown-proxy-parameter", name, word.value, kind, findClosestWord(lower, Object.keys(table)));
    return { ...fault, span: directive.spanOf(word) };
  }
  return undefined;
}

/** Checks the method that ProxySet or `<Proxy>` sets for a balancer (modules/proxy/mod_proxy.c `set_balancer_param`). */
export function checkBalancerMethod(directive: Directive, { project }: CheckContext): Refusal | undefined {
  if (!isSince(project.release, "2.4")) return undefined;
  const isSection = directive.key === "<proxy";
  const [first] = directive.parent?.key === "<proxy" ? directive.parent.arguments : directive.arguments;
  const word = directive.arguments.find(({ value }) => /^lbmethod=/i.test(value));
  const [, name = ""] = /^lbmethod=(.*)$/is.exec(word?.value ?? "") ?? [];
  const balancer = first?.value ?? "";
  if (word === undefined || !/^balancer:/i.test(balancer) || /[${}]/.test(name)) return undefined;
  const lead = isSection ? "<Proxy" : "ProxySet:";
  const fault = methodFault(name, `${lead} unknown lbmethod ${word.value}; ${balancer}`, project);
  return fault && { ...fault, span: directive.spanOf(word) };
}

/** Returns undefined if httpd knows the method, or if a module or another file may define it. */
function methodFault(name: string, server: string, { modules, modulesAreKnown, kind }: CheckContext["project"]) {
  const module = methodModule(name);
  if (modules.has(module)) return undefined;
  if (balancerMethods.includes(name))
    return modulesAreKnown ? wordingOf("balancer-method-not-loaded", server, name, module) : undefined;
  const method = findBalancerMethod(name) ?? findClosestWord(name, balancerMethods);
  if (method === undefined && (kind !== "server" || !modulesAreKnown || modules.hasAnyThirdParty())) return undefined;
  const needed = method === undefined ? undefined : methodModule(method);
  const isMissing = needed !== undefined && modulesAreKnown && !modules.has(needed);
  return wordingOf("unknown-balancer-method", server, name, method, isMissing ? needed : undefined);
}

/** Reports whether another line may define the backend before: one with a URL that this one starts with, or a section. */
function isShared(directive: Directive, target: string, project: CheckContext["project"]): boolean {
  const index = indexDirectives(project);
  const isStart = (url: string) => target.toLowerCase().startsWith(url.toLowerCase().replace(/\/+$/, ""));
  const urlOf = ({ arguments: each }: Directive) => each.find(({ value }) => /^[\w+.-]+:|[$]/.test(value))?.value;
  const named = ["proxypass", "proxypassmatch", "balancermember"].flatMap((key) => {
    const lines = index.named(key);
    return key === directive.key ? lines.slice(0, Math.max(0, lines.indexOf(directive))) : lines;
  });
  const sections = [...index.named("<proxy"), ...index.named("<proxymatch")].filter(
    (each) => each !== directive.parent,
  );
  const urls = [...named.map(urlOf), ...sections.map(({ arguments: [url] }) => url?.value)];
  return urls.some((url) => url !== undefined && isStart(url));
}
