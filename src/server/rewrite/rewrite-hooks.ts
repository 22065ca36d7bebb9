import { isOnDrive, resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { listWithParents } from "../../config/queries/directive-tree.js";
import { behaves } from "../../facts/behaviours.js";
import { isSince } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { leadsAboveRoot } from "../mapping/url-mapping.js";
import { asksBehaviour } from "../model/behaviour.js";
import { type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import { TrackedEnvironment } from "../model/dependency-tracker.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import { defaultPortOf, requestLineOf } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import { mergeOptions } from "../sections/options.js";
import { applyRewriteRules, type RuleListResult } from "./engine.js";
import { type RewriteContext, replacePathPrefix, uriSchemeOf } from "./rewrite-context.js";
import {
  type CommonRewriteContext,
  createRewriteContext,
  findExternalDestination,
  type RewriteDestination,
  type RewriteMessages,
  type RewriteResult,
  readLeftStatus,
} from "./rewrite-result.js";
import { type SectionRewriteRules, type ServerRewriteRules, serverRewriteRulesOf } from "./rule-merging.js";
import type { RewriteRule } from "./rule-parser.js";

const refuseProxy = (code: string) => (target: string) =>
  ({
    status: 403,
    log: [`${code}: attempt to make remote request from mod_rewrite without proxy enabled: ${target}`],
  }) as const;

const urlMessages: RewriteMessages = { brokenQuery: "AH10410", noProxy: refuseProxy("AH00669") };

/**
 * Applies a server's own rules to a URL, before Redirect, ProxyPass and Alias (mod_rewrite.c `hook_uri2file`).
 *
 * @param layers those of the server and of the sections that apply to the URL: RewriteEngine may be in a Location
 * @param subject the text that the first rule matches; by default the path
 */
export function rewriteUrl(
  common: CommonRewriteContext,
  layers: readonly ConfigLayer[],
  subject = common.path,
): RewriteResult | undefined {
  const rules = serverRewriteRulesOf(common.server);
  const engine = rules && findSetting(layers, "rewriteengine");
  if (rules === undefined || engine === undefined) return undefined;
  const { query } = common.request;
  const lines = linesWith(engine)(rules);
  const nothing = { to: undefined, query, ends: false, steps: [], misses: [], lines };
  if (keywordArgumentOf(engine) !== "on") return { ...nothing, disabledBy: engine };
  setScriptUrl(common);
  if (rules.rules.length === 0) return nothing;
  const context = createRewriteContext(common, {
    ...{ directory: undefined, isProxied: false, maps: rules.maps },
    ...{ filename: subject, pathInfo: "" },
  });
  const applied = applyRewriteRules(rules.rules, context);
  const { steps, misses, ends } = applied;
  const { kind } = applied.result;
  const isRewritten = kind === "changed" || kind === "status";
  const destination = isRewritten && applied.by ? destinationOf(applied, applied.by, context, rules) : undefined;
  if (destination === "unfollowed" && applied.by) {
    const effect = `this rule is not applied because the home directories of users are unknown; it may rewrite to \`${context.filename}\``;
    if (!common.request.tracker) common.oracle.markUndecidable(unknownFact("home-directories"));
    const note = { rule: applied.by, effect, related: [], isNote: true, details: [] };
    return { to: undefined, query, ends, steps: [...steps, note], misses, lines };
  }
  const to = destination === "unfollowed" ? undefined : destination;
  return { ...rewritten(context, to, isRewritten ? context.query : query), ends, steps, misses, lines };
}

/** Returns the lines that determine the rules, by the RewriteEngine line and the rules. */
const linesWith = memoize((engine: Directive) =>
  memoize(({ lines }: ServerRewriteRules): readonly Directive[] => [...listWithParents(engine), ...lines]),
);

/** Returns the result of rules for the request, except its target. */
function rewritten(context: RewriteContext, to: RewriteDestination | undefined, query: string | undefined) {
  return { to, query, leftStatus: readLeftStatus(context, to), handler: context.handler, type: context.type };
}

/** Sets SCRIPT_URL to the originally requested path. */
function setScriptUrl({ env, path, request, names }: CommonRewriteContext): void {
  // A copy, since this read for the server does not mean that a directive reads it; proofs do not record it.
  const before = env instanceof TrackedEnvironment ? env : new Map(env);
  const url = before.get("redirect_script_url") ?? (request.outer ? before.get("script_url") : undefined) ?? path;
  const { scheme, serverName, serverPort } = names;
  const port = serverPort === defaultPortOf(scheme) ? "" : `:${serverPort}`;
  env.set("script_url", url);
  env.set("script_uri", `${scheme}://${serverName ?? ""}${port}${url}`);
}

function destinationOf(
  applied: RuleListResult,
  rule: RewriteRule,
  context: RewriteContext,
  rules: ServerRewriteRules,
): RewriteDestination | "unfollowed" {
  const by = rule.directive;
  const away = findExternalDestination(applied, context, by, urlMessages);
  if (away) return away;
  if (applied.passesThrough) return { kind: "passed", path: context.filename, by };
  if (context.filename.startsWith("/~")) return "unfollowed";
  if (isFilePath(rule, context, rules))
    return { kind: "mapped", mapping: { kind: "file", filename: resolvePath("/", context.filename), by } };
  if (leadsAboveRoot(context.filename)) {
    const log = [`AH00127: Cannot map ${requestLineOf(context.request)} to file`];
    return { kind: "answered", status: 403, log, by, replacesError: false };
  }
  const filename = resolvePath("/", `${context.target.documentRoot}/${context.filename}`);
  return { kind: "mapped", mapping: { kind: "file", filename, by } };
}

/**
 * Reports whether a path is a file system path rather than one below the DocumentRoot. Its first component exists and,
 * since 2.4.60, the substitution itself starts with it or the path is in the DocumentRoot (`prefix_stat`).
 */
function isFilePath(
  { output = "", flags }: RewriteRule,
  context: RewriteContext,
  { options }: ServerRewriteRules,
): boolean {
  const { filename, project, files, oracle, isReduced } = context;
  const { documentRoot } = context.target;
  const { release } = project;
  if (isOnDrive(filename)) return true;
  if (isReduced && behaves(release, "own-url-below-root") !== false && !options.has("legacyprefixdocroot"))
    return false;
  const name = filename.replace(/^\/+/, "").split("/")[0] ?? "";
  const first = name === "." || name === ".." ? "/" : `/${name}`;
  if (!fileExists(first, files, oracle)) return false;
  if (options.has("unsafeprefixstat") || flags.names.has("unsafeprefixstat")) return true;
  if (output.startsWith(first) || filename.startsWith(documentRoot)) return true;
  return !asksBehaviour(release, "first-folder-of-rule", oracle);
}

function fileExists(path: string, files: FileTree, oracle: Oracle): boolean {
  const kind = files.kindOf(path === "/" ? "" : path);
  return kind === "unknown" ? oracle.ask(unknownFact("exists", path)) : kind !== "missing";
}

/**
 * Returns what differs for the rules of a section: without mod_proxy, versions before 2.4.63 try to open the target as a
 * file if there is one at the requested path (server/core.c `default_handler`).
 */
function sectionMessagesOf({ project, files, oracle }: CommonRewriteContext, filename: string): RewriteMessages {
  const noProxy = (target: string) => {
    if (asksBehaviour(project.release, "proxy-module-checked-in-sections", oracle))
      return refuseProxy("AH10160")(target);
    if (files.kindOf(filename) === "directory" || !fileExists(filename, files, oracle)) return { status: 404, log: [] };
    return { status: 403, log: [`AH00132: file permissions deny server access: ${target}`] } as const;
  };
  return { brokenQuery: "AH10411", noProxy };
}

const LINKS_FORBIDDEN =
  "Options FollowSymLinks and SymLinksIfOwnerMatch are both off, so the RewriteRule directive is also forbidden due to its similar ability to circumvent directory restrictions ";

/** The file that the server uses after access was granted. */
export interface RewrittenFile {
  readonly filename: string;
  readonly pathInfo: string;
  readonly isProxied: boolean;
}

/**
 * Applies the rules of sections and `.htaccess` files to a request that access control allowed (mod_rewrite.c
 * `hook_fixup`).
 */
export function rewriteInSections(
  common: CommonRewriteContext,
  rules: SectionRewriteRules,
  layers: readonly ConfigLayer[],
  { filename, pathInfo, isProxied }: RewrittenFile,
): RewriteResult | undefined {
  const { directory, options, lines } = rules;
  const { query } = common.request;
  // The redirect that appends the slash comes first.
  if (!isProxied && !options.has("allownoslash") && `${filename}/` === directory) return undefined;
  const linkOptions = mergeOptions(layers, common.project);
  if (!linkOptions.has("followsymlinks") && !linkOptions.has("symlinksifownermatch")) {
    const by = findSetting(layers, "options") ?? findSetting(layers, "rewriteengine");
    const isNumbered = isSince(common.project.release, "2.4");
    const log = isNumbered ? [`AH00670: ${LINKS_FORBIDDEN}: ${filename}`] : [];
    const reason = isNumbered ? undefined : { code: "AH00670" };
    const to: RewriteDestination | undefined = by && {
      ...{ kind: "answered", status: 403, log, reason, by, replacesError: false },
    };
    return { to, query, ends: false, steps: [], misses: [], lines };
  }
  if (rules.rules.length === 0) return undefined;
  const maps = serverRewriteRulesOf(common.server)?.maps ?? new Map();
  const context = createRewriteContext(common, { directory, isProxied, maps, filename, pathInfo });
  const applied = applyRewriteRules(rules.rules, context);
  const { steps, misses, ends, by, result } = applied;
  const isRewritten = (result.kind === "changed" || result.kind === "status") && by !== undefined;
  // The path of a redirect may begin with the directory, which RewriteBase replaces.
  if (rules.base !== undefined && uriSchemeOf(context.filename)) applyBaseToUrl(context, directory, rules.base);
  const to = isRewritten
    ? (findExternalDestination(applied, context, by.directive, sectionMessagesOf(common, filename)) ??
      destinationWithin(context, rules, filename, by.directive))
    : undefined;
  return { ...rewritten(context, to, isRewritten ? context.query : query), ends, steps, misses, lines };
}

/** Replaces a directory at the start of the path of an absolute URL by the RewriteBase (mod_rewrite.c `hook_fixup`). */
function applyBaseToUrl(context: RewriteContext, directory: string, base: string): void {
  const [, host, path] = /^([a-z0-9+]+:\/\/[^/]*)(\/.+)$/is.exec(context.filename) ?? [];
  if (host !== undefined && path !== undefined) context.filename = host + replacePathPrefix(path, directory, base);
}

/**
 * Returns the URL for the internal redirect to a rule's file: that of RewriteBase, below the DocumentRoot, or of an
 * Alias.
 */
function destinationWithin(
  { filename, target: { documentRoot, alias }, project }: RewriteContext,
  { base, directory, options }: SectionRewriteRules,
  before: string,
  by: Directive,
): RewriteDestination | undefined {
  if (!filename.startsWith("/")) return { kind: "answered", status: 400, log: [], by, replacesError: false };
  if (filename === before) return undefined;
  const stripped =
    base !== undefined
      ? replacePathPrefix(filename, directory, base)
      : filename.startsWith(`${documentRoot}/`)
        ? filename.slice(documentRoot.length)
        : filename;
  const usesAlias =
    stripped === filename && alias && isSince(project.release, "2.4") && !options.has("ignorecontextinfo");
  const path = usesAlias ? replacePathPrefix(filename, alias.documentRoot, alias.prefix) : stripped;
  return { kind: "redirected", path, by };
}
