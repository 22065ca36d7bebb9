import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { AccessResult, AccessState } from "../access/access-state.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import type { RewriteLoop } from "../rewrite/engine.js";
import type { CommonRewriteContext, RewriteResult } from "../rewrite/rewrite-result.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import type { RequestWalk } from "../walk/request-walk.js";
import type { Request } from "./request.js";
import type { Server } from "./server.js";

/** The logged-in user, as far as rules can know it. */
export type RewriteUser = CommonRewriteContext["user"];

/**
 * One pass of the server over a path: for the request itself, for a subrequest (index file), or for a URL rewritten
 * after access control.
 */
export interface Pass {
  readonly request: Request;
  readonly path: string;
  readonly server: Server;
  readonly mapping: UrlMapping;
  readonly walk: RequestWalk;
  /** The redirect in a section that answers once access is granted. */
  readonly redirect: (UrlMapping & { readonly kind: "answered" }) | undefined;
  /** Undefined if a Redirect or a backend replaces the file. */
  readonly walked: DirectoryWalk | undefined;
  /** Undefined if the request is answered before access is checked. */
  readonly state: AccessState | undefined;
  readonly answer: AccessResult | undefined;
  /** The DirectoryIndex lines of the index search; undefined if there was none. */
  readonly index: readonly Directive[] | undefined;
  /** The passes over index files. */
  readonly inner: readonly Pass[];
  /** The results of the server's own rules for the URL, and of section rules for the file. */
  readonly rewriting: { readonly url?: RewriteResult | undefined; readonly sections?: RewriteResult | undefined };
  /** Whether rewriting has ended (`END`). */
  readonly isEnded: boolean;
  /** Whether access was granted, with the user at that point. */
  readonly isAuthorized: boolean;
  readonly user: RewriteUser;
  /** The pass over the file that mod_negotiation chose instead. */
  readonly variant?: Pass;
  /** Whether mod_negotiation answered with an error. */
  readonly isNegotiationFailed?: boolean;
  /**
   * Whether a handler that a rule sets replaces the redirect of another rule to the URL that it leads to: it handles the request, with
   * the redirect as the name of the file (mod_rewrite.c `hook_mimetype`).
   */
  readonly isRedirectReplaced?: boolean;
  /** The pass over the rewritten URL, and the line that rewrote it. */
  readonly next?: { readonly by: Directive; readonly pass: Pass };
  /** Whether rules led to a URL that is rejected before access is checked. */
  readonly isRefusedUrl?: boolean;
  /** Error log messages of the handler, or from when the server gives up. */
  readonly errorMessages?: readonly string[];
  /** Whether the server may log further messages, or these in another order. */
  readonly hasUnknownLog?: boolean;
}

/** Returns the file name that the server uses: the backend's URL if the request is proxied. */
export function fileOf({ walked, mapping }: Pass): string {
  return nativePath(walked?.filename ?? (mapping.kind === "proxy" ? mapping.target : ""));
}

/** Returns a pass and all subsequent passes, in order. */
export function passesOf(pass: Pass): readonly Pass[] {
  if (pass.inner.length === 0 && !pass.next) return [pass];
  return [pass, ...pass.inner.flatMap(passesOf), ...(pass.next ? passesOf(pass.next.pass) : [])];
}

/** Returns a pass and those over rewritten URLs, without index files; the last one first. */
export function mainPassesOf(pass: Pass): readonly Pass[] {
  return [...(pass.next ? mainPassesOf(pass.next.pass) : []), pass];
}

/** Rules with the flag N that restart until the server stops, and the line that restarts them. */
export interface Restarts {
  readonly loop: RewriteLoop;
  readonly by: Directive;
}

/** Returns the rules that restart without an end (mod_rewrite.c `apply_rewrite_list`), in the order of the passes. */
export function restartsOf(pass: Pass | undefined): readonly Restarts[] {
  const results = (pass ? passesOf(pass) : []).flatMap(({ rewriting }) => [rewriting.url?.to, rewriting.sections?.to]);
  return results.flatMap((to) =>
    to?.kind === "answered" && to.loop !== undefined ? { loop: to.loop, by: to.by } : [],
  );
}

/** Returns the status that rewrite rules set; it stays if no error occurs. */
export function rewriteStatusOf({ rewriting: { url, sections } }: Pass): number | undefined {
  return sections?.leftStatus ?? url?.leftStatus;
}

/** A URL that the rules of a section redirect to. */
export interface InternalRedirect {
  readonly path: string;
  readonly query: string | undefined;
  readonly by: Directive;
  readonly isEnded: boolean;
  /** The preceding pass. */
  readonly from: Pass;
  /** The error that it is a document for. */
  readonly errorStatus?: number | undefined;
}

/** The passes that precede a pass: over the directory of an index file, or over the URL before rewriting. */
export interface ParentPass {
  readonly outer?: Pass;
  readonly previous?: Pass;
  /** Whether rewriting has ended. */
  readonly isEnded?: boolean;
  /** The mapping to a server elsewhere, if this is a forward proxy for the request. */
  readonly forward?: ProxyMapping;
  /** The error, if this is a pass over its document. */
  readonly errorStatus?: number | undefined;
}
