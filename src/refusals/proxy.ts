import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import { hasPath, type Look } from "./look.js";
import { patternFault } from "./patterns.js";
import type { Fault } from "./refusal.js";

const noRegex = "Regular expression could not be compiled.";

/** What the server refuses about ProxyPass and ProxyPassMatch (modules/proxy/mod_proxy.c `add_pass`). */
export function proxyPassFault(directive: Directive, look: Look): Fault | undefined {
  const isMatch = directive.key === "proxypassmatch";
  const inSection = hasPath(look);
  if (inSection === undefined) return undefined;
  const words = directive.arguments;
  if (isMatch && !inSection && words[0]?.value === "~") return tildeFault(directive, words[0]);
  const hasTilde = !inSection && !isMatch && words[0]?.value === "~";
  const given = hasTilde ? words.slice(1) : words;
  const [path, target, ...parameters]: readonly (Argument | undefined)[] = inSection ? [undefined, ...given] : given;
  const strange = parameters.find(
    (word) => word !== undefined && !word.value.includes("=") && !/^(?:nocanon|interpolate|noquery)$/i.test(word.value),
  );
  if (strange) {
    const isPath = inSection && target?.value.startsWith("/");
    return {
      server: isPath
        ? "ProxyPass|ProxyPassMatch can not have a path when defined in a location."
        : "Invalid ProxyPass|ProxyPassMatch parameter. Parameter must be in the form 'key=value'.",
      wrong: isPath
        ? `${quoted(target?.value ?? "")} is a path, and the section says already which one is meant`
        : `${quoted(strange.value)} is no parameter of \`${directive.name}\``,
      remedy: isPath ? "take it out" : "write parameters as `key=value`, and take out the rest",
      span: directive.spanOf(isPath && target ? target : strange),
    };
  }
  if (target === undefined) {
    return {
      server: "ProxyPass|ProxyPassMatch needs a path when not defined in a location",
      wrong: `\`${directive.name}\` does not say which path goes where`,
      remedy: inSection ? "add the URL" : "write the path and behind it the URL",
      span: directive.span,
    };
  }
  const fault = (isMatch || hasTilde) && path ? patternFault(directive, path, noRegex) : undefined;
  return fault ?? relativeFault(directive, target);
}

/** A target without scheme and host; what cannot be read at all is said with other words. */
function relativeFault(directive: Directive, target: Argument): Fault | undefined {
  const { value } = target;
  if (value.includes("://") || /^(?:balancer|unix):/i.test(value)) return undefined;
  const isAddress = /^\d[\d.]*:/.test(value);
  if (!isAddress && !/^(?:\/|[A-Za-z][A-Za-z0-9+.-]*:|[A-Za-z.][^:]*$)/.test(value)) return undefined;
  return {
    server: `ProxyPass ${isAddress ? "Unable to parse URL: " : "URL must be absolute!: "}${value}`,
    wrong: `${quoted(value)} is no URL with a scheme and a host`,
    remedy: "write one, such as `http://localhost:8080/`",
    span: directive.spanOf(target),
  };
}

/** What the server refuses about ProxyPassReverse by where it stands (`add_pass_reverse`). */
export function proxyPassReverseFault(directive: Directive, look: Look): Fault | undefined {
  const [, second] = directive.arguments;
  const path = hasPath(look);
  const isPair = second !== undefined && second.value.toLowerCase() !== "interpolate";
  if (path === undefined || path !== isPair) return undefined;
  if (path) {
    return {
      server: "ProxyPassReverse can not have a path when defined in a location",
      wrong: "inside a section the path is known, and `ProxyPassReverse` takes a URL alone",
      remedy: "take the first word out",
      span: directive.span,
    };
  }
  return {
    server: "ProxyPassReverse needs a path when not defined in a location",
    wrong: "`ProxyPassReverse` does not say which path is meant",
    remedy: "write the path and behind it the URL",
    span: directive.span,
  };
}

function tildeFault(directive: Directive, word: Argument): Fault {
  return {
    server: "ProxyPassMatch invalid syntax ('~' usage).",
    wrong: "`ProxyPassMatch` takes a pattern without `~` before it",
    remedy: "take the `~` out",
    span: directive.spanOf(word),
  };
}

/** What the server refuses about ProxyRemoteMatch's pattern. */
export function proxyRemoteMatchFault(directive: Directive): Fault | undefined {
  const [pattern, remote] = directive.arguments;
  // Other things about the second word are looked at first.
  if (pattern === undefined || !/^[a-z]+:\/\/[a-z0-9.-]+(?::\d{1,4})?$/i.test(remote?.value ?? "")) return undefined;
  return patternFault(directive, pattern, "Regular expression for ProxyRemoteMatch could not be compiled.");
}
