import type { Condition } from "../../../grammar/expression/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isConditionMet } from "../expression/evaluate.js";
import type { UrlTarget } from "../expression/variables.js";
import { type ConfigLayer, firstArgumentOf, layerOfSection } from "../model/config-layer.js";
import type { ReadonlyEnvironment } from "../model/environment.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { Request } from "../model/request.js";
import type { ServerNames } from "../request/server-names.js";
import { type MergeGroup, PerDirConfig } from "../sections/per-dir-config.js";
import { limitsInclude } from "./clients-and-methods.js";

/** The inputs of access control for one request. */
export interface AccessState {
  readonly project: Project;
  readonly files: FileTree;
  readonly request: Request;
  /** As returned by `normalizePath`. */
  readonly path: string;
  readonly filename: string | undefined;
  readonly names: ServerNames;
  readonly target: UrlTarget;
  readonly env: ReadonlyEnvironment;
  readonly config: PerDirConfig;
  /** The groups of `config`, and their per-directory configurations. */
  readonly groups: readonly MergeGroup[];
  readonly layers: readonly ConfigLayer[];
  readonly oracle: Oracle;
  /** The handler that rewrite rules set (`H`), in lower case. */
  readonly forcedHandler?: string | undefined;
  /** The media type that rewrite rules set (`T`), in lower case. */
  readonly forcedType?: string | undefined;
  /** If given, collects the messages that providers write to the error log themselves, in order. */
  readonly remarks?: string[];
}

/** Returns the state with a section merged over it, such as the section that defines a provider alias. */
export function overlaySection(section: Directive, state: AccessState): AccessState {
  const config = state.config.extend("alias", [layerOfSection(section)]);
  return { ...state, config, layers: config.layers };
}

/** Returns the state without a per-directory configuration. */
export function omitLayer(layer: ConfigLayer, state: AccessState): AccessState {
  const config = PerDirConfig.fromGroups(
    state.config.server,
    state.groups.map(({ kind, layers }) => ({ kind, layers: layers.filter((each) => each !== layer) })),
  );
  return { ...state, config, groups: config.groups, layers: config.layers };
}

/**
 * Records a message that a provider writes to the error log. @param code undefined if the provider logs it below the
 * usual level
 */
export function addRemark({ remarks }: Pick<AccessState, "remarks">, code: string | undefined, text: string): void {
  if (code !== undefined) remarks?.push(`${code}: ${text}`);
}

/** Returns the authentication type that the server has recorded for a user. */
function authTypeFor(state: AccessState, user: string | undefined): string | undefined {
  if (user !== undefined) return firstArgumentOf(state.config.setting("authtype"));
  // A request that the server makes itself inherits it.
  const { outer, sent } = state.request;
  return outer || sent ? undefined : "";
}

/** Reports whether a condition holds for the request, with the authenticated user, if any. */
export function holdsForRequest(condition: Condition, state: AccessState, user: string | undefined): boolean {
  return isConditionMet(condition, { ...state, user, authType: authTypeFor(state, user) });
}

/** Reports whether a rule's method limits include the request's method; GET covers HEAD. */
export function includesMethod(
  limits: readonly { readonly except: boolean; readonly methods: readonly string[] }[],
  { method, tracker }: Request,
): boolean {
  if (limits.length === 0) return true;
  tracker?.recordMethod(limits.flatMap(({ methods }) => methods));
  return limitsInclude(limits, method);
}

/** The access control decision for a request. */
export interface AccessResult {
  /** Undefined if the request is allowed. */
  readonly status: number | undefined;
  /** Error log message numbers of the decision, in order: `AH01797`. */
  readonly log: readonly string[];
  /** The deciding directives. */
  readonly by: readonly Directive[];
  /** The authenticated user, if any. */
  readonly user?: string;
}

export const grantedResult: AccessResult = { status: undefined, log: [], by: [] };
