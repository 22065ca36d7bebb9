import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { quoteText } from "../../text/words.js";
import type { CheckContext, CheckFailure } from "../refusal.js";
import { checkPattern } from "./patterns.js";
import { hasDirectoryPath } from "./redirect.js";

const proxyPatternMessage = "Regular expression could not be compiled.";

/** Checks ProxyPass and ProxyPassMatch as the server does (modules/proxy/mod_proxy.c `add_pass`). */
export function checkProxyPass(directive: Directive, context: CheckContext): CheckFailure | undefined {
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
    const isPath = inSection && target?.value.startsWith("/");
    return {
      server: isPath
        ? "ProxyPass|ProxyPassMatch can not have a path when defined in a location."
        : "Invalid ProxyPass|ProxyPassMatch parameter. Parameter must be in the form 'key=value'.",
      wrong: isPath
        ? `\`${directive.name}\` does not accept the path ${quoteText(target?.value ?? "")} in a section`
        : `invalid parameter ${quoteText(invalid.value)} for \`${directive.name}\``,
      remedy: isPath
        ? "delete the path: the section sets it"
        : "use parameters of the form `key=value`, and delete the rest",
      span: directive.spanOf(isPath && target ? target : invalid),
    };
  }
  if (target === undefined) {
    return {
      server: "ProxyPass|ProxyPassMatch needs a path when not defined in a location",
      wrong: `\`${directive.name}\` needs ${inSection ? "a URL" : "a path and a URL"}`,
      remedy: inSection ? "add the URL" : "add the path, followed by the URL",
      span: directive.span,
    };
  }
  const fault = (isMatch || hasTilde) && path ? checkPattern(directive, path, proxyPatternMessage) : undefined;
  return fault ?? checkRelativeTarget(directive, target);
}

/** Returns the fault for a target without scheme and host; an unparsable one gets another message. */
function checkRelativeTarget(directive: Directive, target: Argument): CheckFailure | undefined {
  const { value } = target;
  if (value.includes("://") || /^(?:balancer|unix):/i.test(value)) return undefined;
  const isAddress = /^\d[\d.]*:/.test(value);
  if (!isAddress && !/^(?:\/|[A-Za-z][A-Za-z0-9+.-]*:|[A-Za-z.][^:]*$)/.test(value)) return undefined;
  return {
    server: `ProxyPass ${isAddress ? "Unable to parse URL: " : "URL must be absolute!: "}${value}`,
    wrong: `${quoteText(value)} is not a URL with a scheme and a host`,
    remedy: "use a URL such as `http://localhost:8080/`",
    span: directive.spanOf(target),
  };
}

/** Checks the context of ProxyPassReverse as the server does (`add_pass_reverse`). */
export function checkProxyPassReverse(directive: Directive, context: CheckContext): CheckFailure | undefined {
  const [, second] = directive.arguments;
  const path = hasDirectoryPath(context);
  const isPair = second !== undefined && second.value.toLowerCase() !== "interpolate";
  if (path === undefined || path !== isPair) return undefined;
  if (path) {
    return {
      server: "ProxyPassReverse can not have a path when defined in a location",
      wrong: "`ProxyPassReverse` does not accept a path in a section",
      remedy: "delete the first argument: the section sets the path",
      span: directive.span,
    };
  }
  return {
    server: "ProxyPassReverse needs a path when not defined in a location",
    wrong: "`ProxyPassReverse` needs a path and a URL",
    remedy: "add the path, followed by the URL",
    span: directive.span,
  };
}

function checkProxyTilde(directive: Directive, word: Argument): CheckFailure {
  return {
    server: "ProxyPassMatch invalid syntax ('~' usage).",
    wrong: "`ProxyPassMatch` does not accept `~` before the pattern",
    remedy: "delete the `~`",
    span: directive.spanOf(word),
  };
}

/** Checks ProxyRemoteMatch's pattern as the server does. */
export function checkProxyRemoteMatch(directive: Directive): CheckFailure | undefined {
  const [pattern, remote] = directive.arguments;
  // Other errors in the second argument are checked first.
  if (pattern === undefined || !/^[a-z]+:\/\/[a-z0-9.-]+(?::\d{1,4})?$/i.test(remote?.value ?? "")) return undefined;
  return checkPattern(directive, pattern, "Regular expression for ProxyRemoteMatch could not be compiled.");
}

/** Checks the context of BalancerMember as mod_proxy does (`add_member`); parameters are not checked. */
export function checkBalancerMember(directive: Directive, context: CheckContext): CheckFailure | undefined {
  const inSection = hasDirectoryPath(context);
  if (inSection === undefined) return undefined;
  const names = directive.arguments.filter(({ value }) => !value.includes("="));
  const [balancer, member, extra]: readonly (Argument | undefined)[] = inSection ? [undefined, ...names] : names;
  if (extra) return checkExtraWord(directive, extra, inSection);
  const { span } = directive;
  if (!inSection && balancer === undefined) {
    return {
      server: "BalancerMember must define balancer name when outside <Proxy > section",
      wrong: "`BalancerMember` needs a balancer and a URL",
      remedy: "move it into `<Proxy balancer://name>` and add the member's URL",
      span,
    };
  }
  if (member === undefined) {
    return {
      server: "BalancerMember must define remote proxy server",
      wrong: inSection
        ? "`BalancerMember` needs a URL"
        : "`BalancerMember` needs a balancer and a URL outside of a section",
      remedy: inSection
        ? "add the member's URL"
        : "move it into `<Proxy balancer://name>`, or add the balancer before the URL",
      span,
    };
  }
  return inSection
    ? checkBalancerSection(directive)
    : balancer && checkBalancerName(balancer.value, directive, directive.spanOf(balancer));
}

function checkExtraWord(directive: Directive, extra: Argument, inSection: boolean): CheckFailure {
  return {
    server: inSection
      ? "BalancerMember can not have a balancer name when defined in a location"
      : "Invalid BalancerMember parameter. Parameter must be in the form 'key=value'",
    wrong: inSection
      ? `unexpected argument ${quoteText(extra.value)}: the section sets the balancer`
      : `invalid parameter ${quoteText(extra.value)} for \`BalancerMember\``,
    remedy: "delete it, and use parameters of the form `key=value`",
    span: directive.spanOf(extra),
  };
}

/** The path of the enclosing section is used as the balancer's name, whatever it is. */
function checkBalancerSection(directive: Directive): CheckFailure | undefined {
  const { parent } = directive;
  const path = parent?.arguments[0]?.value;
  if (parent === undefined || path === undefined || !/^<(?:location|proxy)$/.test(parent.key) || path === "~")
    return undefined;
  return checkBalancerName(path, directive, directive.span, parent);
}

function checkBalancerName(
  name: string,
  directive: Directive,
  span: CheckFailure["span"],
  section?: Directive,
): CheckFailure | undefined {
  if (name.includes("://")) return undefined;
  return {
    server: `BalancerMember Bad syntax for a balancer name (${name.toLowerCase()})`,
    wrong: section
      ? `invalid balancer name ${quoteText(name)}, set by \`${section.name}>\``
      : `invalid balancer name ${quoteText(name)}`,
    remedy: section
      ? "move the line into `<Proxy balancer://name>`"
      : `move ${quoteText(directive.name)} into \`<Proxy balancer://name>\`, or use the full name \`balancer://${name}\``,
    span,
    ...(section ? { related: [{ message: "section opened here", span: section.span }] } : {}),
  };
}
