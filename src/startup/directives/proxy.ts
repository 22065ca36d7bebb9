import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import type { CheckContext } from "../refusal.js";
import { checkPattern } from "./patterns.js";
import { checkProxyParameters } from "./proxy-parameters.js";
import { hasDirectoryPath } from "./redirect.js";

const proxyPatternMessage = "Regular expression could not be compiled.";

/** Checks ProxyPass and ProxyPassMatch as the server does (modules/proxy/mod_proxy.c `add_pass`). */
export function checkProxyPass(directive: Directive, context: CheckContext): Refusal | undefined {
  const isMatch = directive.key === "proxypassmatch";
  const inSection = hasDirectoryPath(context);
  if (inSection === undefined) return undefined;
  const words = directive.arguments;
  if (isMatch && !inSection && words[0]?.value === "~") return checkProxyTilde(directive, words[0]);
  const hasTilde = !inSection && !isMatch && words[0]?.value === "~";
  const given = hasTilde ? words.slice(1) : words;
  const [path, target, ...parameters]: readonly (Argument | undefined)[] = inSection ? [undefined, ...given] : given;
  const invalid = parameters.find(
    (word) => word !== undefined && !word.value.includes("=") && !/^(?:nocanon|interpolate|noquery)$/i.test(word.value),
  );
  if (invalid) {
    if (inSection && target?.value.startsWith("/"))
      return {
        ...wordingOf("proxy-path-in-section", directive.name, target.value),
        span: directive.spanOf(target),
      };
    return {
      ...wordingOf("invalid-proxy-parameter", directive.name, invalid.value, joinedParameterAt(directive, invalid)),
      span: directive.spanOf(invalid),
    };
  }
  if (target === undefined) {
    return { ...wordingOf("proxy-without-url", directive.name, inSection), span: directive.span };
  }
  const fault = (isMatch || hasTilde) && path ? checkPattern(directive, path, proxyPatternMessage) : undefined;
  const isSwapped = path?.value === "!" && /^\^?\//.test(target.value);
  if (isSwapped)
    return {
      ...wordingOf("swapped-proxy-exclusion", directive.name, target.value),
      span: directive.span,
    };
  return (
    fault ??
    checkRelativeTarget(directive, target) ??
    checkAuthority(directive, target, "ProxyPass", isMatch) ??
    (target.value === "!" ? undefined : checkProxyParameters(directive, "ProxyPass", target.value, context))
  );
}

/** Checks only the pattern of ProxyPassMatch, as 2.2 does (`add_pass`). Its other faults are not known. */
export function checkProxyPatternOf22(directive: Directive, context: CheckContext): Refusal | undefined {
  const [path] = directive.arguments;
  return path && hasDirectoryPath(context) === false ? checkPattern(directive, path, proxyPatternMessage) : undefined;
}

/**
 * Returns the fault for a target whose host is empty or whose port is not a number, as `apr_uri_parse` reads it. Of a target
 * with references to groups, httpd reads only the part before them. The name of a balancer does not count as a host.
 */
function checkAuthority(
  directive: Directive,
  word: Argument,
  name: "ProxyPass" | "BalancerMember",
  hasGroups: boolean,
): Refusal | undefined {
  const fixed = hasGroups ? word.value.replace(/\$\d.*/s, "") : word.value;
  const [, socket, scheme, authority] = /^(unix:[^|]*\|)?([a-z][\w+.-]*):\/\/([^/?#]*)/i.exec(fixed) ?? [];
  if (/^unix:[^|]*$/i.test(word.value))
    return { ...wordingOf("incomplete-socket-url", name, word.value), span: directive.spanOf(word) };
  // A variable may be defined elsewhere, and a template have any text here.
  if (scheme === undefined || authority === undefined || /^balancer$/i.test(scheme)) return undefined;
  if (/[^\x20-\x7e]|[{}<>%]/.test(authority)) return undefined;
  const read = splitAuthority(authority.replace(/^.*@/s, ""));
  if (read === undefined || !/^[+-]?\d*$/.test(read.port ?? ""))
    return { ...wordingOf("invalid-proxy-port", name, word.value, read?.port), span: directive.spanOf(word) };
  const isCut = fixed !== word.value && fixed.endsWith(authority);
  const isEmpty = read.host === "" && !isCut && socket === undefined;
  return isEmpty
    ? { ...wordingOf("proxy-url-without-host", name, word.value), span: directive.spanOf(word) }
    : undefined;
}

/** Returns the host and the port of a URL; undefined if a bracket is not closed (apr-util's apr_uri.c `apr_uri_parse`). */
function splitAuthority(text: string): { readonly host: string; readonly port: string | undefined } | undefined {
  if (!text.startsWith("[")) {
    const [host = "", port] = text.split(/:(.*)/s);
    return { host, port };
  }
  const end = text.indexOf("]");
  if (end < 0) return undefined;
  const hasPort = text.charAt(end + 1) === ":";
  return { host: text.slice(1, hasPort ? end : -1), port: hasPort ? text.slice(end + 2) : undefined };
}

/** Returns the fault for a target without scheme and host; an unparsable one gets another message. */
function checkRelativeTarget(directive: Directive, target: Argument): Refusal | undefined {
  const { value } = target;
  if (value.includes("://") || /^(?:balancer|unix):/i.test(value)) return undefined;
  const isAddress = /^\d[\d.]*:/.test(value);
  if (!isAddress && !/^(?:\/|[A-Za-z][A-Za-z0-9+.-]*:|[\w.?-][^:]*(?:$|\/))/.test(value)) return undefined;
  return { ...wordingOf("relative-proxy-url", isAddress, value), span: directive.spanOf(target) };
}

/** Checks the context of ProxyPassReverse as the server does (`add_pass_reverse`). */
export function checkProxyPassReverse(directive: Directive, context: CheckContext): Refusal | undefined {
  const [, second] = directive.arguments;
  const path = hasDirectoryPath(context);
  const isPair = second !== undefined && second.value.toLowerCase() !== "interpolate";
  if (path === undefined || path !== isPair) return undefined;
  if (path) {
    return { ...wordingOf("proxy-reverse-path-in-section"), span: directive.span };
  }
  return { ...wordingOf("proxy-reverse-without-path"), span: directive.span };
}

function checkProxyTilde(directive: Directive, word: Argument): Refusal {
  return { ...wordingOf("tilde-in-proxy-match"), span: directive.spanOf(word) };
}

/** Checks ProxyRemoteMatch's pattern as the server does. */
export function checkProxyRemoteMatch(directive: Directive): Refusal | undefined {
  const [pattern, remote] = directive.arguments;
  // Other errors in the second argument are checked first.
  if (pattern === undefined || !/^[a-z]+:\/\/[a-z0-9.-]+(?::\d{1,4}(?!\d)[^:]*)?$/i.test(remote?.value ?? ""))
    return undefined;
  return checkPattern(directive, pattern, "Regular expression for ProxyRemoteMatch could not be compiled.");
}

/** Checks the context of BalancerMember and parameters of BalancerMember as mod_proxy does (`add_member`). */
export function checkBalancerMember(directive: Directive, context: CheckContext): Refusal | undefined {
  const inSection = hasDirectoryPath(context);
  if (inSection === undefined) return undefined;
  const names = directive.arguments.filter(({ value }) => !value.includes("="));
  const [balancer, member, extra]: readonly (Argument | undefined)[] = inSection ? [undefined, ...names] : names;
  if (extra) return checkExtraWord(directive, extra, inSection);
  const { span } = directive;
  if (!inSection && balancer === undefined) {
    return { ...wordingOf("member-without-balancer"), span };
  }
  if (member === undefined) {
    return { ...wordingOf("member-without-url", inSection), span };
  }
  const fault =
    checkAuthority(directive, member, "BalancerMember", false) ??
    checkProxyParameters(directive, "BalancerMember", member.value, context);
  if (fault) return fault;
  return inSection
    ? checkBalancerSection(directive)
    : balancer && checkBalancerName(balancer.value, directive, directive.spanOf(balancer));
}

/** Returns the parameter that blanks around its `=` divide, without them; undefined if there are none. */
function joinedParameterAt({ arguments: words }: Directive, word: Argument): string | undefined {
  const index = words.indexOf(word);
  const [before = "", own = "", next = "", last = ""] = [-1, 0, 1, 2].map((offset) => words[index + offset]?.value);
  if (/^\w+=$/.test(before)) return before + own;
  if (!/^\w+$/.test(own) || !next.startsWith("=")) return undefined;
  return own + next + (next === "=" ? last : "");
}

function checkExtraWord(directive: Directive, extra: Argument, inSection: boolean): Refusal {
  return {
    ...wordingOf("surplus-member-argument", inSection, extra.value, joinedParameterAt(directive, extra)),
    span: directive.spanOf(extra),
  };
}

/** The path of the enclosing section is used as the balancer's name, whatever it is. */
function checkBalancerSection(directive: Directive): Refusal | undefined {
  const { parent } = directive;
  const path = parent?.arguments[0]?.value ?? "";
  if (parent === undefined || !/^<(?:location|proxy)$/.test(parent.key) || path === "~") return undefined;
  return checkBalancerName(path, directive, directive.span, parent);
}

function checkBalancerName(
  name: string,
  directive: Directive,
  span: Refusal["span"],
  section?: Directive,
): Refusal | undefined {
  if (name.includes("://")) return undefined;
  return {
    ...wordingOf("invalid-balancer-name", name.toLowerCase(), name, section?.name, directive.name),
    span,
    ...(section ? { related: [{ message: "section opened here", span: section.span }] } : {}),
  };
}
