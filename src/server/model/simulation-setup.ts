import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { RulesTransform } from "../access/merge.js";
import type { ServerLookup } from "../request/vhost-lookup.js";
import type { DirectoryWalker } from "../walk/directory-walk.js";
import type { AccessRecorder } from "./access-recorder.js";
import type { FileTree } from "./file-tree.js";
import type { Oracle } from "./oracle.js";
import type { Server } from "./server.js";

/** The prepared inputs for decisions against one configuration. */
export interface SimulationSetup {
  readonly project: Project;
  readonly files: FileTree;
  readonly servers: ServerLookup;
  readonly walks: DirectoryWalker;
  /** The step between merging and deciding. */
  readonly transform: RulesTransform;
  /** Set to ignore modules that reject requests by their own rules: only access control matters. */
  readonly ignoresRejection?: true;
  /** Set if each request ends after its access check; absent for the whole answer. */
  readonly accessCheck?: AccessCheckOnly;
}

/** The part of a request up to its access check, for proofs about requests whose target or later steps are unknown. */
export interface AccessCheckOnly {
  /** The file that every URL is mapped to, with path info; undefined if the configuration maps the URL. */
  readonly target: string | undefined;
  /** Set if the rules of the server lead to the target, whatever they are: to that file, or to a backend by this rule. */
  readonly afterRules?: { readonly backendBy: Directive | undefined };
  /** Set if a ProxyPass applies, though a variable may turn it off. */
  readonly usesProxies?: true;
  /** The URL of another server that each request is for, if the server is a forward proxy. */
  readonly forwardedUrl?: string;
}

/** The context that stays the same from the requested URL to the response. */
export interface RequestContext {
  readonly setup: SimulationSetup;
  readonly server: Server;
  readonly oracle: Oracle;
  readonly recorder: AccessRecorder | undefined;
}
