import type { Answer } from "../access/answer.js";
import type { ReadRules } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import type { Layer } from "../scope/layer.js";
import type { Mapping } from "../scope/mapping.js";
import type { Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import type { RequestWalk } from "../scope/request-walk.js";
import type { Rewriting } from "../scope/rewriting/rewriting.js";
import type { Server } from "../scope/server.js";
import type { Servers } from "../scope/servers.js";
import type { DirectoryWalk, Walks } from "../scope/walk.js";
import type { RewriteUser } from "./rewriting.js";
import type { Answerer } from "./served.js";
import type { Watch } from "./watch.js";

/** What one configuration decides by; made ready once. */
export interface Setup {
  readonly project: Project;
  readonly files: FileTree;
  readonly servers: Servers;
  readonly walks: Walks;
  /** The step between merging and deciding. */
  readonly read: ReadRules;
}

/** What stays the same from the URL that is asked for to the answer. */
export interface Run {
  readonly setup: Setup;
  readonly server: Server;
  readonly questions: Questions;
  readonly watch: Watch | undefined;
}

/**
 * One time that the server goes over a path: the request's own, that of an index file which it asks itself for, or that of
 * a URL which rewriting led to behind access control.
 */
export interface Pass {
  readonly request: Request;
  readonly path: string;
  readonly server: Server;
  readonly mapping: Mapping;
  readonly walk: RequestWalk;
  /** The redirect in a section that answers once access is granted. */
  readonly redirect: (Mapping & { readonly kind: "answered" }) | undefined;
  /** Undefined where a Redirect or a backend takes the place of a file. */
  readonly walked: DirectoryWalk | undefined;
  /** Undefined where the answer is given before access is checked. */
  readonly state: AccessState | undefined;
  readonly answer: Answer | undefined;
  /** The DirectoryIndex lines by which the server asked for index files; undefined where it asked for none. */
  readonly index: readonly Directive[] | undefined;
  /** The index files asked for. */
  readonly inner: readonly Pass[];
  /** What the server's own rules made of the URL, and what those of sections made of the file. */
  readonly rewriting: { readonly url?: Rewriting | undefined; readonly sections?: Rewriting | undefined };
  /** Whether no rule of rewriting is looked at any more (`END`). */
  readonly isEnded: boolean;
  /** Whether access was let pass, and who came in by then. */
  readonly isLetIn: boolean;
  readonly user: RewriteUser;
  /** The pass over the URL that rewriting led to, and the line that did. */
  readonly next?: { readonly by: Directive; readonly pass: Pass };
  /** Whether rules led on to a URL that is refused for what it is, before anybody is asked for. */
  readonly isLost?: boolean;
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
export function leftStatus({ rewriting: { url, sections } }: Pass): number | undefined {
  return sections?.leftStatus ?? url?.leftStatus;
}

/** What the server answers in one run, with the questions answered in one way. */
export interface Outcome {
  readonly status: number;
  /** What the access log has in its place. */
  readonly loggedStatus?: number | undefined;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
  readonly answeredBy?: Answerer | undefined;
  /** The first line of the request that mod_ssl puts in place of one that it cannot take. */
  readonly requestLine?: string;
  /** What was in force when the answer was given. */
  readonly layers: readonly Layer[];
  /** Undefined where the URL itself is refused. */
  readonly pass?: Pass;
  /** The pass over what is served in the end, where access is granted. */
  readonly served?: Pass;
}

/** What has come of a request so far. */
export interface Checked extends Outcome {
  readonly pass: Pass;
  /** Another URL that is asked for in place of what was found. */
  readonly onward?: Onward | undefined;
}

/** A URL that the rules of a section led to. */
export interface Onward {
  readonly path: string;
  readonly query: string | undefined;
  readonly by: Directive;
  readonly isEnded: boolean;
  /** What comes before it. */
  readonly from: Pass;
}

/** What a pass comes after: that over the directory of an index file, or that over the URL that was rewritten. */
export interface Before {
  readonly outer?: Pass;
  readonly previous?: Pass;
  /** No rule of rewriting is looked at any more. */
  readonly isEnded?: boolean;
}
