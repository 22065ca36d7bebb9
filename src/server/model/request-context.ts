import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { AccessResult, AccessState } from "../access/access-state.js";
import type { RulesTransform } from "../access/merge.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import type { ServerLookup } from "../request/vhost-lookup.js";
import type { CommonRewriteContext, RewriteResult } from "../rewrite/rewrite-result.js";
import type { DirectoryWalk, DirectoryWalker } from "../walk/directory-walk.js";
import type { RequestWalk } from "../walk/request-walk.js";
import { type ConfigLayer, findSetting } from "./config-layer.js";
import type { ResponseSource } from "./decision.js";
import type { Environment, ReadonlyEnvironment } from "./environment.js";
import type { FileTree } from "./file-tree.js";
import type { Oracle } from "./oracle.js";
import type { Request } from "./request.js";
import type { Server } from "./server.js";
import type { UnknownValue } from "./unknown-value.js";

/** The logged-in user, as far as rules can know it. */
export type RewriteUser = CommonRewriteContext["user"];

/** The prepared inputs for decisions against one configuration. */
export interface SimulationSetup {
  readonly project: Project;
  readonly files: FileTree;
  readonly servers: ServerLookup;
  readonly walks: DirectoryWalker;
  /** The step between merging and deciding. */
  readonly read: RulesTransform;
  /** Set to ignore modules that reject requests by their own rules: only access control matters. */
  readonly ignoresRejection?: true;
  /** Set if each request ends after its access check; absent for the whole answer. */
  readonly accessCheck?: AccessCheckOnly;
}

/** The part of a request up to its access check, for proofs about requests whose target or later steps are unknown. */
export interface AccessCheckOnly {
  /** The file that every URL is mapped to, with path info; undefined if the configuration maps the URL. */
  readonly target: string | undefined;
}

/** The context that stays the same from the requested URL to the response. */
export interface RequestContext {
  readonly setup: SimulationSetup;
  readonly server: Server;
  readonly oracle: Oracle;
  readonly recorder: AccessRecorder | undefined;
}

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
  return walked?.filename ?? (mapping.kind === "proxy" ? mapping.target : "");
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

/** Returns the status that rewrite rules set; it stays if no error occurs. */
export function rewriteStatusOf({ rewriting: { url, sections } }: Pass): number | undefined {
  return sections?.leftStatus ?? url?.leftStatus;
}

/** The server's response in one run, under one set of assumptions. */
export interface RequestOutcome {
  readonly status: number;
  /** Status in the access log, if different. */
  readonly loggedStatus?: number | undefined;
  /** The status of the access decision, if a redirect, an error document or a limit replaces it. */
  readonly accessStatus?: number;
  /** The lines that replace the status. */
  readonly replacedBy?: readonly Directive[];
  /** Error log messages from before the first pass. */
  readonly errorMessages?: readonly string[];
  /** Whether the server may log further messages. */
  readonly hasUnknownLog?: boolean;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
  readonly answeredBy?: ResponseSource | undefined;
  /** The request line that mod_ssl substitutes for an invalid one. */
  readonly requestLine?: string;
  /** The per-directory configurations that applied to the response. */
  readonly layers: readonly ConfigLayer[];
  /** The configurations that applied to the error document, if one is sent. */
  readonly documentLayers?: readonly ConfigLayer[];
  /** Undefined if the URL itself is rejected; then that of a local error document, if there is one. */
  readonly pass?: Pass;
  /** Whether the request is rejected before its URL is mapped. */
  readonly isRejectedEarly?: true;
  /** The pass over what is finally served, if access is granted. */
  readonly served?: Pass;
}

/** The intermediate result for a request. */
export interface PassResult extends RequestOutcome {
  readonly pass: Pass;
  /** Another URL to request instead. */
  readonly internalRedirect?: InternalRedirect | undefined;
}

/** Returns a response with a status that does not depend on access control. */
export function withStatus<T extends RequestOutcome>(answered: T, status: number, by: Directive): T {
  const { status: before, accessStatus = before, replacedBy = [] } = answered;
  return { ...answered, status, accessStatus, loggedStatus: undefined, replacedBy: [...replacedBy, by] };
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

/** A recorder of what a run read, used to explain a response. */
export class AccessRecorder {
  /** The environment variables that were read. */
  readonly variables = new Set<string>();
  /** Whether the client's name was looked up. */
  hostName = false;
  /** The requests whose credentials were checked. */
  private readonly watchedRequests = new WeakSet<Request>();

  /** Returns whether the credentials of a request returned by `request` were checked. */
  hasReadUser(request: Request): boolean {
    return this.watchedRequests.has(request);
  }

  /** The request, with reads recorded. */
  watchRequest(request: Request): Request {
    const watched = { ...request };
    const note = (name: "user" | "clientHost", seen: () => void) => {
      if (request[name] === undefined) return;
      Object.defineProperty(watched, name, {
        get() {
          seen();
          return request[name];
        },
      });
    };
    note("user", () => {
      this.watchedRequests.add(watched);
    });
    note("clientHost", () => {
      this.hostName = true;
    });
    return watched;
  }

  /** Returns the variables with reads recorded. */
  watchEnvironment(variables: ReadonlyEnvironment): Environment {
    return new RecordedVariables(variables, this.variables);
  }
}

class RecordedVariables extends Map<string, string | UnknownValue> {
  private readonly namesRead: Set<string> | undefined;

  constructor(variables: ReadonlyEnvironment, namesRead: Set<string>) {
    super(variables);
    this.namesRead = namesRead;
  }

  override get(name: string): string | UnknownValue | undefined {
    this.namesRead?.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.namesRead?.add(name);
    return super.has(name);
  }
}

/** If LimitInternalRecursion is unlimited, the server continues until it fails. */
const MAX_RECURSION = 100;

/** The kinds of nested requests that are counted (server/core.c `ap_is_recursion_limit_exceeded`). */
const recursionKinds = {
  redirects: { code: "AH00124", counted: "internal redirects", position: 0 },
  subrequests: { code: "AH00125", counted: "subrequest nesting levels", position: 1 },
} as const;

export interface RecursionLimit {
  readonly max: number;
  readonly code: "AH00124" | "AH00125";
  /** The server's message when the limit is exceeded. */
  readonly errorMessage: string;
}

/** Returns the limit for nested requests; a single number applies to both kinds. */
export function recursionLimitOf({ server }: RequestContext, kind: keyof typeof recursionKinds): RecursionLimit {
  const { code, counted, position } = recursionKinds[kind];
  const words = findSetting(server.layers, "limitinternalrecursion")?.arguments ?? [];
  const limit = Number.parseInt((words[position] ?? words[0])?.value ?? "10", 10);
  const advice =
    "Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.";
  const errorMessage = `${code}: Request exceeded the limit of ${limit} ${counted} due to probable configuration error. ${advice}`;
  return { max: limit || MAX_RECURSION, code, errorMessage };
}
