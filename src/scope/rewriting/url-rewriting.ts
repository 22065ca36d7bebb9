import type { Directive } from "../../project/directive.js";
import { absolutePath } from "../../project/paths.js";
import type { FileTree } from "../files.js";
import { type Layer, settingIn } from "../layer.js";
import type { Questions } from "../questions.js";
import { requestLineOf, usualPort } from "../request.js";
import { keywordOf } from "../words.js";
import type { RewriteContext } from "./context.js";
import { type Applied, applyRules } from "./engine.js";
import { awayFrom, type CommonContext, contextOf, type Destination, leftStatus, type Rewriting } from "./rewriting.js";
import type { Rule } from "./rules.js";
import { type ServerRules, serverRules } from "./server-rules.js";

const messages = { brokenQuery: "AH10410", noProxy: "AH00669" };

/**
 * What a server's own rules make of a URL, ahead of Redirect, ProxyPass and Alias (mod_rewrite.c `hook_uri2file`).
 *
 * @param layers those of the server and what applies to the URL: RewriteEngine may stand in a Location
 */
export function rewriteUrl(common: CommonContext, layers: readonly Layer[]): Rewriting | undefined {
  const rules = serverRules(common.server);
  const engine = rules && settingIn(layers, "rewriteengine");
  if (rules === undefined || engine === undefined) return undefined;
  const { query } = common.request;
  const lines = [...withSections(engine), ...rules.lines];
  const nothing = { to: undefined, query, ends: false, steps: [], lines };
  if (keywordOf(engine) !== "on") return { ...nothing, off: engine };
  setScriptUrl(common);
  if (rules.rules.length === 0) return nothing;
  const context = contextOf(common, {
    ...{ directory: undefined, isProxied: false, maps: rules.maps },
    ...{ filename: common.path, pathInfo: "" },
  });
  const applied = applyRules(rules.rules, context);
  const { steps, ends } = applied;
  const { kind } = applied.result;
  const isLed = kind === "changed" || kind === "status";
  const led = isLed && applied.by ? destinationOf(applied, applied.by, context, rules) : undefined;
  if (led === "unfollowed" && applied.by) {
    const effect = `is not followed, since the home folders of users are not known; it may lead to \`${context.filename}\``;
    const note = { rule: applied.by, effect, beside: [], isNote: true };
    return { to: undefined, query, ends, steps: [...steps, note], lines };
  }
  const to = led === "unfollowed" ? undefined : led;
  return { to, query: isLed ? context.query : query, leftStatus: leftStatus(context, to), ends, steps, lines };
}

/** A line with the sections around it. */
function withSections(directive: Directive): Directive[] {
  return directive.parent ? [directive, ...withSections(directive.parent)] : [directive];
}

/** SCRIPT_URL is the path as it was asked for first. */
function setScriptUrl({ env, path, request, names }: CommonContext): void {
  // A copy, since to look there on the server's behalf is no sign of a line that asks for it.
  const before = new Map(env);
  const url = before.get("redirect_script_url") ?? (request.outer ? before.get("script_url") : undefined) ?? path;
  const { scheme, serverName, serverPort } = names;
  const port = serverPort === usualPort(scheme) ? "" : `:${serverPort}`;
  env.set("script_url", url);
  env.set("script_uri", `${scheme}://${serverName ?? ""}${port}${url}`);
}

function destinationOf(
  applied: Applied,
  rule: Rule,
  context: RewriteContext,
  rules: ServerRules,
): Destination | "unfollowed" {
  const by = rule.directive;
  const away = awayFrom(applied, context, by, messages);
  if (away) return away;
  if (applied.passesOn) return { kind: "passed", path: context.filename, by };
  if (context.filename.startsWith("/~")) return "unfollowed";
  if (isFilePath(rule, context, rules))
    return { kind: "mapped", mapping: { kind: "file", filename: absolutePath("/", context.filename), by } };
  if (leadsAboveRoot(context.filename)) {
    const log = [`AH00127: Cannot map ${requestLineOf(context.request)} to file`];
    return { kind: "answered", status: 403, log, by };
  }
  const filename = absolutePath("/", `${context.documentRoot}/${context.filename}`);
  return { kind: "mapped", mapping: { kind: "file", filename, by } };
}

/**
 * Whether a path is one of the disk and not below the DocumentRoot: its first component is there and, since 2.4.60, the
 * substitution itself starts with it or the path lies in the DocumentRoot (`prefix_stat`).
 */
function isFilePath({ output = "", flags }: Rule, context: RewriteContext, { options }: ServerRules): boolean {
  const { filename, documentRoot, project, files, questions, isReduced } = context;
  const isNew = project.release === "2.4";
  if (isNew && isReduced && !options.has("legacyprefixdocroot")) return false;
  const name = filename.replace(/^\/+/, "").split("/")[0] ?? "";
  const first = name === "." || name === ".." ? "/" : `/${name}`;
  if (!isThere(first, files, questions)) return false;
  if (!isNew || options.has("unsafeprefixstat") || flags.names.has("unsafeprefixstat")) return true;
  return output.startsWith(first) || filename.startsWith(documentRoot);
}

function isThere(path: string, files: FileTree, questions: Questions): boolean {
  const kind = files.kindOf(path === "/" ? "" : path);
  return kind === "unknown" ? questions.ask(`whether \`${path}\` exists`) : kind !== "missing";
}

function leadsAboveRoot(path: string): boolean {
  let depth = 0;
  for (const segment of path.split("/")) {
    if (segment === "..") depth--;
    else if (segment !== "" && segment !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}
