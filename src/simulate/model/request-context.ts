import type { AccessResult, AccessState } from "../../access/model/access-state.js";
import type { RulesTransform } from "../../access/rules/merge.js";
import type { UrlMapping } from "../../httpd/mapping/url-mapping.js";
import { type ConfigLayer, findSetting } from "../../httpd/model/config-layer.js";
import type { FileTree } from "../../httpd/model/file-tree.js";
import type { Oracle } from "../../httpd/model/oracle.js";
import type { Request } from "../../httpd/model/request.js";
import type { Server } from "../../httpd/model/server.js";
import type { RewriteResult } from "../../httpd/rewrite/rewrite-result.js";
import type { ServerLookup } from "../../httpd/vhost/vhost-lookup.js";
import type { DirectoryWalk, DirectoryWalker } from "../../httpd/walk/directory-walk.js";
import type { RequestWalk } from "../../httpd/walk/request-walk.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import type { ResponseSource } from "../phases/handler.js";
import type { RewriteUser } from "../phases/url-mapping.js";

/** What one configuration decides by; made ready once. */
export interface SimulationSetup {
  readonly project: Project;
  readonly files: FileTree;
  readonly servers: ServerLookup;
  readonly walks: DirectoryWalker;
  /** The step between merging and deciding. */
  readonly read: RulesTransform;
}

/** What stays the same from the URL that is asked for to the answer. */
export interface RequestContext {
  readonly setup: SimulationSetup;
  readonly server: Server;
  readonly questions: Oracle;
  readonly recorder: AccessRecorder | undefined;
}

/**
 * One time that the server goes over a path: the request's own, that of an index file which it asks itself for, or that of
 * a URL which rewriting led to behind access control.
 */
export interface Pass {
  readonly request: Request;
  readonly path: string;
  readonly server: Server;
  readonly mapping: UrlMapping;
  readonly walk: RequestWalk;
  /** The redirect in a section that answers once access is granted. */
  readonly redirect: (UrlMapping & { readonly kind: "answered" }) | undefined;
  /** Undefined where a Redirect or a backend takes the place of a file. */
  readonly walked: DirectoryWalk | undefined;
  /** Undefined where the answer is given before access is checked. */
  readonly state: AccessState | undefined;
  readonly answer: AccessResult | undefined;
  /** The DirectoryIndex lines by which the server asked for index files; undefined where it asked for none. */
  readonly index: readonly Directive[] | undefined;
  /** The index files asked for. */
  readonly inner: readonly Pass[];
  /** What the server's own rules made of the URL, and what those of sections made of the file. */
  readonly rewriting: { readonly url?: RewriteResult | undefined; readonly sections?: RewriteResult | undefined };
  /** Whether no rule of rewriting is looked at any more (`END`). */
  readonly isEnded: boolean;
  /** Whether access was let pass, and who came in by then. */
  readonly isAuthorized: boolean;
  readonly user: RewriteUser;
  /** The pass over the URL that rewriting led to, and the line that did. */
  readonly next?: { readonly by: Directive; readonly pass: Pass };
  /** Whether rules led on to a URL that is refused for what it is, before anybody is asked for. */
  readonly isRefusedUrl?: boolean;
  /** What the server writes into its error log where it gives up. */
  readonly complaints?: readonly string[];
}

/** A pass and all that come out of it, in their order. */
export function passesOf(pass: Pass): readonly Pass[] {
  if (pass.inner.length === 0 && !pass.next) return [pass];
  return [pass, ...pass.inner.flatMap(passesOf), ...(pass.next ? passesOf(pass.next.pass) : [])];
}

/** A pass and those over the URLs that rewriting led to, without index files; the last one first. */
export function mainPassesOf(pass: Pass): readonly Pass[] {
  return [...(pass.next ? mainPassesOf(pass.next.pass) : []), pass];
}

/** The status that rules of rewriting left behind: it stays where all goes well. */
export function rewriteStatusOf({ rewriting: { url, sections } }: Pass): number | undefined {
  return sections?.leftStatus ?? url?.leftStatus;
}

/** What the server answers in one run, with the questions answered in one way. */
export interface RequestOutcome {
  readonly status: number;
  /** What the access log has in its place. */
  readonly loggedStatus?: number | undefined;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
  readonly answeredBy?: ResponseSource | undefined;
  /** The first line of the request that mod_ssl puts in place of one that it cannot take. */
  readonly requestLine?: string;
  /** What was in force when the answer was given. */
  readonly layers: readonly ConfigLayer[];
  /** Undefined where the URL itself is refused. */
  readonly pass?: Pass;
  /** The pass over what is served in the end, where access is granted. */
  readonly served?: Pass;
}

/** What has come of a request so far. */
export interface PassResult extends RequestOutcome {
  readonly pass: Pass;
  /** Another URL that is asked for in place of what was found. */
  readonly internalRedirect?: InternalRedirect | undefined;
}

/** A URL that the rules of a section led to. */
export interface InternalRedirect {
  readonly path: string;
  readonly query: string | undefined;
  readonly by: Directive;
  readonly isEnded: boolean;
  /** What comes before it. */
  readonly from: Pass;
}

/** What a pass comes after: that over the directory of an index file, or that over the URL that was rewritten. */
export interface ParentPass {
  readonly outer?: Pass;
  readonly previous?: Pass;
  /** No rule of rewriting is looked at any more. */
  readonly isEnded?: boolean;
}

/** What a run looked at, noted where somebody asks why a request is answered as it is. */
export class AccessRecorder {
  /** The environment variables that were asked for. */
  readonly variables = new Set<string>();
  /** The client's name was looked up. */
  hostName = false;
  /** Requests whose credentials were asked for. */
  private readonly asked = new WeakSet<Request>();

  /** Whether the credentials of a request as `request` gives it were asked for. */
  hasReadUser(request: Request): boolean {
    return this.asked.has(request);
  }

  /** The same request, which notes what is looked at. */
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
      this.asked.add(watched);
    });
    note("clientHost", () => {
      this.hostName = true;
    });
    return watched;
  }

  /** The same variables, which note what is looked at. */
  watchEnvironment(variables: ReadonlyMap<string, string>): Map<string, string> {
    return new RecordedVariables(variables, this.variables);
  }
}

class RecordedVariables extends Map<string, string> {
  private readonly asked: Set<string> | undefined;

  constructor(variables: ReadonlyMap<string, string>, asked: Set<string>) {
    super(variables);
    this.asked = asked;
  }

  override get(name: string): string | undefined {
    this.asked?.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.asked?.add(name);
    return super.has(name);
  }
}

/** Where LimitInternalRecursion sets no limit, the server goes on until something breaks. */
const MAX_RECURSION = 100;

/** What requests that come out of each other are counted by (server/core.c `ap_is_recursion_limit_exceeded`). */
const recursionKinds = {
  redirects: { code: "AH00124", counted: "internal redirects", position: 0 },
  subrequests: { code: "AH00125", counted: "subrequest nesting levels", position: 1 },
} as const;

export interface RecursionLimit {
  readonly max: number;
  readonly code: "AH00124" | "AH00125";
  /** What the server says where it is exceeded. */
  readonly complaint: string;
}

/** How many requests may come out of each other: one number is for both kinds. */
export function recursionLimitOf({ server }: RequestContext, kind: keyof typeof recursionKinds): RecursionLimit {
  const { code, counted, position } = recursionKinds[kind];
  const words = findSetting(server.layers, "limitinternalrecursion")?.arguments ?? [];
  const limit = Number.parseInt((words[position] ?? words[0])?.value ?? "10", 10);
  const advice =
    "Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.";
  const complaint = `${code}: Request exceeded the limit of ${limit} ${counted} due to probable configuration error. ${advice}`;
  return { max: limit || MAX_RECURSION, code, complaint };
}
