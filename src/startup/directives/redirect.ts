import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { findClosestWord } from "../../text/closest-word.js";
import { quoteText } from "../../text/words.js";
import type { CheckContext, CheckFailure } from "../refusal.js";
import { checkPattern } from "./patterns.js";
import { parseLeadingNumber } from "./values.js";

const redirectPatternMessage = "Regular expression could not be compiled.";

const statusWords = ["permanent", "temp", "seeother", "gone"];

/** Returns the kind of a redirect's first argument: a status with a target, one without, or not a status. */
function redirectKind(word: string): "away" | "nowhere" | "none" {
  if (/^(permanent|temp|seeother)$/i.test(word)) return "away";
  if (word.toLowerCase() === "gone") return "nowhere";
  if (!/^\d/.test(word)) return "none";
  const status = parseLeadingNumber(word) ?? 0;
  return status >= 300 && status < 400 ? "away" : "nowhere";
}

/**
 * Checks Redirect, RedirectTemp, RedirectPermanent and RedirectMatch as the server does (modules/mappers/mod_alias.c
 * `add_redirect_internal`).
 */
export function checkRedirect(directive: Directive, context: CheckContext): CheckFailure | undefined {
  const [first, second, third] = directive.arguments;
  if (first === undefined) return undefined;
  const kind = redirectKind(first.value);
  if (third && kind === "none") return buildBadStatusFailure(directive, first);
  // In a context with a path, the argument may be an expression, and the path is that of the section.
  const hasOneArgument = kind === "away" ? second && !third : kind === "none" ? !second : !second;
  if (hasOneArgument && hasDirectoryPath(context) !== false) return undefined;
  const [from, to] = kind === "none" ? [first, second] : [second, third];
  const isMatch = directive.key === "redirectmatch";
  const bad = isMatch && from ? checkPattern(directive, from, redirectPatternMessage) : undefined;
  return bad ?? checkRedirectTarget(directive, kind === "nowhere", isMatch, to);
}

function buildBadStatusFailure(directive: Directive, word: Argument): CheckFailure {
  const near = findClosestWord(word.value, statusWords);
  const isPath = word.value.startsWith("/");
  const statuses = "use a number such as `301`, or `permanent`, `temp`, `seeother` or `gone`";
  return {
    server: "Redirect: invalid first argument (of three)",
    wrong: `invalid redirect status ${quoteText(word.value)}`,
    remedy: near ? `use \`${near}\`` : isPath ? "delete the last argument, or add a status before the path" : statuses,
    span: directive.arguments.some((each) => each.value.startsWith("#")) ? directive.span : directive.spanOf(word),
  };
}

function checkRedirectTarget(
  directive: Directive,
  acceptsNoUrl: boolean,
  isMatch: boolean,
  target: Argument | undefined,
): CheckFailure | undefined {
  if (acceptsNoUrl) {
    return (
      target && {
        server: "Redirect URL not valid for this status",
        wrong: `a redirect with this status does not accept the URL ${quoteText(target.value)}`,
        remedy: "delete the URL, or use a status from 300 to 399",
        span: directive.spanOf(target),
      }
    );
  }
  if (target === undefined) {
    return {
      server: "URL to redirect to is missing",
      wrong: `\`${directive.name}\` needs a target`,
      remedy: "add the path, followed by the target URL",
      span: directive.span,
    };
  }
  if (isMatch || /^(?:\/|[A-Za-z0-9+.-]+:)/.test(target.value)) return undefined;
  return {
    server: "Redirect to non-URL",
    wrong: `redirect target ${quoteText(target.value)} is not a URL or a path`,
    remedy: "start it with `/`, or with `https://` and a host",
    span: directive.spanOf(target),
  };
}

/** Checks AliasMatch and ScriptAliasMatch as the server does. */
export function checkAliasMatch(directive: Directive): CheckFailure | undefined {
  const [pattern] = directive.arguments;
  return pattern && checkPattern(directive, pattern, redirectPatternMessage);
}

/** Checks the context of Alias and ScriptAlias as the server does. */
export function checkAliasPlacement(directive: Directive, context: CheckContext): CheckFailure | undefined {
  const [first, second] = directive.arguments;
  const path = hasDirectoryPath(context);
  if (first === undefined || path === undefined || path === (second === undefined)) return undefined;
  if (path) {
    return {
      server: `${directive.name} cannot occur within directory context`,
      wrong: `\`${directive.name}\` takes 1 argument in a section, but 2 were given`,
      remedy: "delete the first argument, which the section sets, or move the line out of the section",
      span: directive.span,
    };
  }
  return {
    server: "Alias must have two arguments when used globally",
    wrong: `\`${directive.name}\` needs a URL path and a file path`,
    remedy: "add the URL path, followed by the file path",
    span: directive.span,
  };
}

/**
 * Reports whether a directive's context has a path: in a section other than VirtualHost, and in `.htaccess` files.
 * Undefined at the top of a fragment, which may be in any of these.
 */
export function hasDirectoryPath({ sectionContext }: CheckContext): boolean | undefined {
  if (sectionContext.inHtaccess) return true;
  if (sectionContext.place === "unknown") return undefined;
  return sectionContext.place !== "server" && sectionContext.place !== "virtualhost";
}
