import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { isSince } from "../../facts/release.js";
import { findClosestWord } from "../../text/closest-word.js";
import type { CheckContext } from "../refusal.js";
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
export function checkRedirect(directive: Directive, context: CheckContext): Refusal | undefined {
  const [first, second, third] = directive.arguments;
  if (first === undefined) return undefined;
  const kind = redirectKind(first.value);
  if (third && kind === "none") return buildBadStatusFailure(directive, first);
  // In a context with a path, the argument may be an expression in 2.4, and the path is that of the section.
  const isNew = isSince(context.project.release, "2.4");
  const hasOneArgument = isNew && (kind === "away" ? second && !third : !second);
  if (hasOneArgument && hasDirectoryPath(context) !== false) return undefined;
  const [from, to] = kind === "none" ? [first, second] : [second, third];
  const isMatch = directive.key === "redirectmatch";
  const bad = isMatch && from ? checkPattern(directive, from, redirectPatternMessage) : undefined;
  return bad ?? checkRedirectTarget(directive, kind === "nowhere", isMatch, to);
}

function buildBadStatusFailure(directive: Directive, word: Argument): Refusal {
  const near = findClosestWord(word.value, statusWords);
  const isPath = word.value.startsWith("/");
  return {
    ...wordingOf("invalid-redirect-status", word.value, near, isPath),
    span: directive.arguments.some((each) => each.value.startsWith("#")) ? directive.span : directive.spanOf(word),
  };
}

function checkRedirectTarget(
  directive: Directive,
  acceptsNoUrl: boolean,
  isMatch: boolean,
  target: Argument | undefined,
): Refusal | undefined {
  if (acceptsNoUrl) {
    return target && { ...wordingOf("redirect-with-surplus-url", target.value), span: directive.spanOf(target) };
  }
  if (target === undefined) {
    return { ...wordingOf("redirect-without-url", directive.name), span: directive.span };
  }
  if (isMatch || /^(?:\/|[A-Za-z0-9+.-]+:)/.test(target.value)) return undefined;
  return { ...wordingOf("redirect-to-non-url", target.value), span: directive.spanOf(target) };
}

/** Checks the context of Alias and ScriptAlias as the server does. */
export function checkAliasPlacement(directive: Directive, context: CheckContext): Refusal | undefined {
  const [first, second] = directive.arguments;
  const path = hasDirectoryPath(context);
  // An empty argument counts as none (server/config.c `invoke_cmd`, TAKE12).
  const hasOneArgument = !second?.value;
  if (first === undefined || path === undefined || path === hasOneArgument) return undefined;
  if (path) {
    return { ...wordingOf("alias-path-in-section", directive.name), span: directive.span };
  }
  return { ...wordingOf("alias-without-path", directive.name), span: directive.span };
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
