import { toAbsolutePath } from "../../config/files/paths.js";
import { asksBehaviour } from "../model/behaviour.js";
import { isMethod } from "../model/request.js";
import { qualifyUri, type RewriteContext, reduceUri, splitQuery, uriSchemeOf } from "./rewrite-context.js";
import type { RewriteRule } from "./rule-parser.js";

/**
 * Replaces the subject of the rules with the target of a rule (mod_rewrite.c `apply_rewrite_rule`).
 *
 * @param target the expanded substitution
 */
export function applySubstitution(rule: RewriteRule, target: string, context: RewriteContext): void {
  const { names } = rule.flags;
  const { text, isPrefixed } = addDirectoryPrefix(target, rule, context);
  context.filename = text;
  if (context.directory !== undefined && names.has("discardpath")) context.pathInfo = "";
  splitQuery(context, rule.flags);
  if (names.has("proxy")) {
    qualifyUri(context);
    context.filename = `proxy:${context.filename}`;
    return;
  }
  if (names.has("redirect")) {
    qualifyUri(context);
    context.status = rule.flags.status;
    return;
  }
  reduceUri(context);
  if (uriSchemeOf(context.filename)) context.status = rule.flags.status;
  else if (
    context.filename.startsWith("//") &&
    !names.has("unc") &&
    !isPrefixed &&
    !rule.output?.startsWith("//") &&
    asksBehaviour(context.project.release, "leading-slashes-merged", context.oracle)
  )
    context.filename = context.filename.replace(/^\/+/, "/");
}

/**
 * Reports whether a rule proxies a path to the server itself, whose name only the resolver knows (mod_rewrite.c
 * `fully_qualify_uri`).
 */
export function needsOwnName({ flags }: RewriteRule, target: string, { names, request }: RewriteContext): boolean {
  if (!flags.names.has("proxy") || names.serverName !== undefined) return false;
  return !isMethod(request, "CONNECT") && uriSchemeOf(target) === undefined;
}

/** Resolves a relative path against the folder of the section, or on 2.4 against the root. */
function addDirectoryPrefix(
  target: string,
  { flags: { names } }: RewriteRule,
  { directory, isProxied, project, oracle }: RewriteContext,
) {
  if (isProxied || target.startsWith("/") || uriSchemeOf(target)) return { text: target, isPrefixed: false };
  // A drive is not a scheme (mod_rewrite.c `is_absolute_path`).
  const onDrive = project.pathRules === "windows" ? toAbsolutePath(target) : undefined;
  if (onDrive !== undefined) return { text: onDrive, isPrefixed: false };
  if (directory !== undefined) return { text: directory + target, isPrefixed: true };
  const keepsRelative =
    names.has("proxy") ||
    names.has("redirect") ||
    !asksBehaviour(project.release, "relative-rewrites-below-root", oracle);
  return keepsRelative ? { text: target, isPrefixed: false } : { text: `/${target}`, isPrefixed: true };
}
