import type { Directive } from "../../project/model/directive.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import type { Request } from "../model/request.js";
import type { Server } from "../model/server.js";
import { matchesHost } from "../vhost/server-names.js";
import type { RewriteLogMessage, RewriteStep, RuleListResult } from "./engine.js";
import { hasInvalidBytes, type RewriteContext, uriSchemeOf } from "./rewrite-context.js";
import { isRedirectStatus } from "./rule-parser.js";

/** What rewriting made of a request at one place: for its URL, or in its sections. */
export interface RewriteResult {
  /** Undefined where the request goes on as it was. */
  readonly to: RewriteDestination | undefined;
  /** The query from then on. */
  readonly query: string | undefined;
  /** The status of a redirect that a rule ahead of the last one left behind: it stays that of a file. */
  readonly leftStatus?: number | undefined;
  /** No rule is looked at from then on. */
  readonly ends: boolean;
  readonly steps: readonly RewriteStep[];
  /** The RewriteEngine line, where it is what keeps rules from being looked at. */
  readonly disabledBy?: Directive;
  /** The lines that say whether and which rules there are, beside these. */
  readonly lines: readonly Directive[];
}

/** Where rewriting leads. */
export type RewriteDestination =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly log: readonly RewriteLogMessage[];
      readonly by: Directive;
    }
  /** A file or backend in place of what the URL would be mapped to. */
  | { readonly kind: "mapped"; readonly mapping: UrlMapping & { readonly kind: "file" | "proxy" } }
  /** Another path, to be mapped in place of that of the URL. */
  | { readonly kind: "passed"; readonly path: string; readonly by: Directive }
  /** Another URL that the server asks itself for. */
  | { readonly kind: "redirected"; readonly path: string; readonly by: Directive };

/** What both kinds of rules look at. */
export type CommonRewriteContext = Omit<
  RewriteContext,
  "directory" | "isProxied" | "isOwnHost" | "filename" | "pathInfo" | "status" | "isReduced" | "maps" | "query"
> & { readonly server: Server; readonly request: Request };

/** A context for a run, as it starts. */
export function createRewriteContext(
  { server, ...common }: CommonRewriteContext,
  own: Pick<RewriteContext, "directory" | "isProxied" | "filename" | "pathInfo" | "maps">,
): RewriteContext {
  const start = { query: common.request.query, status: 200, isReduced: false };
  return { ...common, ...own, ...start, isOwnHost: (host, port) => matchesHost(server, host, port) };
}

/** The status that rules leave behind where they lead to a file in the end. */
export function readLeftStatus({ status }: RewriteContext, to: RewriteDestination | undefined): number | undefined {
  return to?.kind === "answered" || status === 200 ? undefined : status;
}

/** The numbers of the messages that the two kinds of rules have for the same. */
export interface RewriteMessages {
  readonly brokenQuery: string;
  readonly noProxy: string;
}

/**
 * Where rules led that have the same to say in both places: a status, a backend or another host. Undefined for a path.
 *
 * @param by the line that led there
 */
export function findExternalDestination(
  applied: RuleListResult,
  context: RewriteContext,
  by: Directive,
  messages: RewriteMessages,
): RewriteDestination | undefined {
  const { filename, query, project, status } = context;
  const { result, escapes } = applied;
  const answered = (code: number, ...log: readonly RewriteLogMessage[]): RewriteDestination => ({
    kind: "answered",
    status: code,
    log: project.release === "2.4" ? log : [],
    by,
  });
  const isAway = uriSchemeOf(filename) !== undefined && !applied.passesOn;
  const willEscape = isAway && escapes;
  if (project.release === "2.4" && !willEscape && hasInvalidBytes(query))
    return answered(403, `${messages.brokenQuery}: Rewritten query string contains control characters or spaces`);
  if (result.kind === "status") return answered(result.status, ...result.log);
  if (!applied.passesOn && filename.startsWith("proxy:") && filename.length > "proxy:".length) {
    const complaint = `attempt to make remote request from mod_rewrite without proxy enabled: ${filename}`;
    if (!project.modules.has("proxy_module")) return answered(403, `${messages.noProxy}: ${complaint}`);
    const target = !escapes && query !== undefined ? `${filename}?${query}` : filename;
    return { kind: "mapped", mapping: { kind: "proxy", target, isRaw: !escapes, by } };
  }
  if (isAway) return answered(isRedirectStatus(status) ? status : 302);
  return filename.startsWith("/") || applied.passesOn ? undefined : answered(400);
}
