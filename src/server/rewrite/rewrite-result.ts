import type { Directive } from "../../config/model/directive.js";
import { behaves } from "../../facts/behaviours.js";
import { isSince } from "../../facts/release.js";
import { encodeUrlPath } from "../../text/escaping.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import { asksBehaviour } from "../model/behaviour.js";
import type { Request } from "../model/request.js";
import type { RefusalReason } from "../model/request-outcome.js";
import type { Server } from "../model/server.js";
import { matchesHost } from "../request/server-names.js";
import {
  type RewriteLogMessage,
  type RewriteLoop,
  type RewriteMiss,
  type RewriteStep,
  type RuleListResult,
  UNSAFE_URL,
} from "./engine.js";
import { hasInvalidBytes, type RewriteContext, uriSchemeOf } from "./rewrite-context.js";
import { isRedirectStatus } from "./rule-parser.js";

/** The result of rewriting a request at one point: for its URL, or in its sections. */
export interface RewriteResult {
  /** Undefined if the request continues unchanged. */
  readonly to: RewriteDestination | undefined;
  /** The query after rewriting. */
  readonly query: string | undefined;
  /** The status of a redirect that a rule before the last one left: it becomes the status of a file. */
  readonly leftStatus?: number | undefined;
  /** The handler that rules set, in lower case. */
  readonly handler?: string | undefined;
  /** The media type that rules set, in lower case. */
  readonly type?: string | undefined;
  /** Whether no further rules are applied. */
  readonly ends: boolean;
  readonly steps: readonly RewriteStep[];
  readonly misses: readonly RewriteMiss[];
  /** The RewriteEngine line, if it disables the rules. */
  readonly disabledBy?: Directive;
  /** The other directives that determine the applicable rules. */
  readonly lines: readonly Directive[];
}

/** The target of rewriting. */
export type RewriteDestination =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly log: readonly RewriteLogMessage[];
      /** The message, for a release that logs it without a number. */
      readonly reason?: RefusalReason | undefined;
      readonly by: Directive;
      /** The Location header of a redirect; undefined for a symbolic request. */
      readonly location?: string | undefined;
      /** The rounds of rules that restart for ever. */
      readonly loop?: RewriteLoop | undefined;
      /** Whether the server forgets an earlier error, for which it requested a document (`r->status = HTTP_OK`). */
      readonly replacesError: boolean;
    }
  /** A file or backend that replaces the mapping of the URL. */
  | { readonly kind: "mapped"; readonly mapping: UrlMapping & { readonly kind: "file" | "proxy" } }
  /** Another path, to be mapped instead of the URL's. */
  | { readonly kind: "passed"; readonly path: string; readonly by: Directive }
  /** Another URL, for an internal redirect. */
  | { readonly kind: "redirected"; readonly path: string; readonly by: Directive };

/** The part of the context that both kinds of rules share. */
export type CommonRewriteContext = Omit<
  RewriteContext,
  | "directory"
  | "isProxied"
  | "isOwnHost"
  | "filename"
  | "pathInfo"
  | "status"
  | "handler"
  | "type"
  | "isReduced"
  | "maps"
  | "query"
> & { readonly server: Server; readonly request: Request };

/** The part of the context that differs between the two kinds of rules. */
type OwnRewriteContext = Pick<RewriteContext, "directory" | "isProxied" | "filename" | "pathInfo" | "maps">;

/**
 * Returns the initial context of a run. It lists the properties: a proof creates millions of contexts, and spreading takes
 * several times as long.
 */
export function createRewriteContext(
  common: CommonRewriteContext,
  { directory, isProxied, filename, pathInfo, maps }: OwnRewriteContext,
): RewriteContext {
  const { project, files, oracle, request, path, names, target, env, user, server } = common;
  return {
    project,
    files,
    oracle,
    request,
    path,
    names,
    target,
    env,
    user,
    maps,
    directory,
    isProxied,
    isOwnHost: (host, port) => matchesHost(server, host, port),
    filename,
    pathInfo,
    query: request.query,
    status: 200,
    handler: undefined,
    type: undefined,
    isReduced: false,
  };
}

/** Returns the status that rules leave if they finally map to a file. */
export function readLeftStatus({ status }: RewriteContext, to: RewriteDestination | undefined): number | undefined {
  return to?.kind === "answered" || status === 200 ? undefined : status;
}

/**
 * Returns the Location header for an absolute URL that rules lead to: its path is escaped, and its query as well if rules
 * changed it (mod_rewrite.c `hook_uri2file`, `hook_fixup`; test/live/destinations.live.test.ts).
 *
 * @param escapes whether the last rule lacks NE
 */
function locationOf({ filename, query, request, names, project, directory }: RewriteContext, escapes: boolean): string {
  const url = withoutUnknownHost(escapes ? encodeUrlAfterHost(filename) : filename, names);
  if (query === undefined) return url;
  const leavesQuery =
    directory === undefined
      ? behaves(project.release, "same-query-unescaped") !== false
      : isSince(project.release, "2.4");
  const isAsSent = leavesQuery && query === request.query;
  return `${url}?${!escapes || isAsSent ? query : encodeUrlPath(query)}`;
}

/** Escapes the path of an absolute URL, or what follows the scheme of others (`escape_absolute_uri`). */
function encodeUrlAfterHost(url: string): string {
  const [start = ""] = /^[a-z0-9+]+:(?:\/\/[^/]*\/?)?/i.exec(url) ?? [];
  return start + encodeUrlPath(url.slice(start.length));
}

/** Removes the scheme and the port before a path of the server itself if the name between them is not known. */
function withoutUnknownHost(url: string, { serverName, scheme }: RewriteContext["names"]): string {
  return serverName === undefined ? url.replace(new RegExp(`^${scheme}://(?::\\d+)?(?=/)`), "") : url;
}

/** What differs between the two kinds of rules. */
export interface RewriteMessages {
  /** The number of the message about a query with blanks. */
  readonly brokenQuery: string;
  /** The answer to a rule that needs mod_proxy, if that is not loaded. @param target with `proxy:` */
  readonly noProxy: (target: string) => { readonly status: number; readonly log: readonly RewriteLogMessage[] };
}

/**
 * Returns the targets that both kinds of rules treat the same: a status, a backend or another host. Undefined for a
 * path.
 *
 * @param by the directive with the target
 */
export function findExternalDestination(
  applied: RuleListResult,
  context: RewriteContext,
  by: Directive,
  messages: RewriteMessages,
): RewriteDestination | undefined {
  const { filename, query, project, status, oracle } = context;
  const { result, escapes } = applied;
  const answered = (code: number, ...log: readonly RewriteLogMessage[]) =>
    ({
      kind: "answered",
      status: code,
      log: isSince(project.release, "2.4") ? log : [],
      by,
      replacesError: false,
    }) as const;
  const isExternal = uriSchemeOf(filename) !== undefined && !applied.passesThrough;
  const willEscape = isExternal && escapes;
  const { release } = project;
  const isBrokenQuery =
    hasInvalidBytes(query) &&
    !(willEscape && asksBehaviour(release, "blank-in-redirect-escaped", oracle)) &&
    asksBehaviour(release, "blank-in-query-rejected", oracle);
  if (isBrokenQuery)
    return answered(403, `${messages.brokenQuery}: Rewritten query string contains control characters or spaces`);
  if (result.kind === "status")
    return {
      ...answered(result.status, ...result.log),
      loop: result.loop,
      replacesError: !result.log.includes(UNSAFE_URL),
    };
  if (!applied.passesThrough && filename.startsWith("proxy:") && filename.length > "proxy:".length) {
    if (!project.modules.mayHave("proxy_module")) {
      const without = messages.noProxy(filename);
      return answered(without.status, ...without.log);
    }
    const target = !escapes && query !== undefined ? `${filename}?${query}` : filename;
    return { kind: "mapped", mapping: { kind: "proxy", target, isRaw: !escapes, by } };
  }
  if (isExternal) {
    const location = context.request.tracker ? undefined : locationOf(context, escapes);
    return isRedirectStatus(status)
      ? { ...answered(status), replacesError: true, location }
      : { ...answered(302), location };
  }
  return filename.startsWith("/") || applied.passesThrough ? undefined : answered(400);
}
