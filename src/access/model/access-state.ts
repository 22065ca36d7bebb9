import type { Condition } from "../../../grammar/expression/ast.js";
import { isConditionMet } from "../../httpd/expression/evaluate.js";
import { type ConfigLayer, firstArgumentOf, layerOfSection } from "../../httpd/model/config-layer.js";
import type { FileTree } from "../../httpd/model/file-tree.js";
import type { Oracle } from "../../httpd/model/oracle.js";
import type { Request } from "../../httpd/model/request.js";
import { type MergeGroup, PerDirConfig } from "../../httpd/sections/per-dir-config.js";
import type { ServerNames } from "../../httpd/vhost/server-names.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { limitsInclude } from "./clients-and-methods.js";

/** All that access control looks at in one request. */
export interface AccessState {
  readonly project: Project;
  readonly files: FileTree;
  readonly request: Request;
  /** As `normalPath` gives it. */
  readonly path: string;
  readonly filename: string | undefined;
  readonly names: ServerNames;
  readonly env: ReadonlyMap<string, string>;
  readonly config: PerDirConfig;
  /** Those of `config`, and their layers. */
  readonly groups: readonly MergeGroup[];
  readonly layers: readonly ConfigLayer[];
  readonly questions: Oracle;
  /** Where given: takes what providers write into the error log on their own account, in order. */
  readonly remarks?: string[];
}

/** The same with a section laid over all that is in force, as those are which stand for a provider. */
export function overlaySection(section: Directive, state: AccessState): AccessState {
  const config = state.config.extend("alias", [layerOfSection(section)]);
  return { ...state, config, layers: config.layers };
}

/** The same as it would be without a section. */
export function omitLayer(layer: ConfigLayer, state: AccessState): AccessState {
  const config = PerDirConfig.fromGroups(
    state.config.server,
    state.groups.map(({ kind, layers }) => ({ kind, layers: layers.filter((each) => each !== layer) })),
  );
  return { ...state, config, groups: config.groups, layers: config.layers };
}

/** Notes what a provider writes into the error log. @param code undefined where it says it at a level below the usual */
export function addRemark({ remarks }: Pick<AccessState, "remarks">, code: string | undefined, text: string): void {
  if (code !== undefined) remarks?.push(`${code}: ${text}`);
}

/** The directive in force of those that each count by themselves: the innermost. */
export function findEffectiveSetting(state: AccessState, key: string): Directive | undefined {
  return state.config.setting(key);
}

/** What the server has noted of how a user came in. */
function authTypeFor(state: AccessState, user: string | undefined): string | undefined {
  if (user !== undefined) return firstArgumentOf(findEffectiveSetting(state, "authtype"));
  // One that the server makes itself takes it along.
  const { outer, sent } = state.request;
  return outer || sent ? undefined : "";
}

/** Whether a condition holds for the request, with the user where one is authenticated by then. */
export function holdsForRequest(condition: Condition, state: AccessState, user: string | undefined): boolean {
  return isConditionMet(condition, { ...state, user, authType: authTypeFor(state, user) });
}

/** Whether the methods that a rule is limited to include that of the request; GET covers HEAD. */
export function includesMethod(
  limits: readonly { readonly except: boolean; readonly methods: readonly string[] }[],
  { method, looks }: Request,
): boolean {
  if (limits.length === 0) return true;
  looks?.recordMethod(limits.flatMap(({ methods }) => methods));
  return limitsInclude(limits, method);
}

/** What access control makes of a request. */
export interface AccessResult {
  /** Undefined where it lets the request pass. */
  readonly status: 401 | 403 | 405 | 426 | 500 | undefined;
  /** The numbers of the messages in the error log that tell of the decision, in their order: `AH01797`. */
  readonly log: readonly string[];
  /** The lines that decide. */
  readonly by: readonly Directive[];
  /** Who was authenticated on the way. */
  readonly user?: string;
}

export const grantedResult: AccessResult = { status: undefined, log: [], by: [] };
