import type { Condition } from "../../grammar/expression/ast.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { holds } from "../scope/expression-value.js";
import type { FileTree } from "../scope/files.js";
import { type Layer, layerOfSection } from "../scope/layer.js";
import { type Group, PerDirConfig } from "../scope/per-dir-config.js";
import type { Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import type { ServerNames } from "../scope/server-names.js";
import { wordOf } from "../scope/words.js";
import { isForAsked } from "./limits.js";

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
  readonly groups: readonly Group[];
  readonly layers: readonly Layer[];
  readonly questions: Questions;
  /** Where given: takes what providers write into the error log on their own account, in order. */
  readonly remarks?: string[];
}

/** The same with a section laid over all that is in force, as those are which stand for a provider. */
export function within(section: Directive, state: AccessState): AccessState {
  const config = state.config.under("alias", [layerOfSection(section)]);
  return { ...state, config, layers: config.layers };
}

/** The same as it would be without a section. */
export function without(layer: Layer, state: AccessState): AccessState {
  const config = PerDirConfig.of(
    state.config.server,
    state.groups.map(({ kind, layers }) => ({ kind, layers: layers.filter((each) => each !== layer) })),
  );
  return { ...state, config, groups: config.groups, layers: config.layers };
}

/** Notes what a provider writes into the error log. @param code undefined where it says it at a level below the usual */
export function remark({ remarks }: Pick<AccessState, "remarks">, code: string | undefined, text: string): void {
  if (code !== undefined) remarks?.push(`${code}: ${text}`);
}

/** The directive in force of those that each count by themselves: the innermost. */
export function inForce(state: AccessState, key: string): Directive | undefined {
  return state.config.setting(key);
}

/** What the server has noted of how a user came in. */
function authTypeFor(state: AccessState, user: string | undefined): string | undefined {
  if (user !== undefined) return wordOf(inForce(state, "authtype"));
  // One that the server makes itself takes it along.
  const { outer, sent } = state.request;
  return outer || sent ? undefined : "";
}

/** Whether a condition holds for the request, with the user where one is authenticated by then. */
export function holdsFor(condition: Condition, state: AccessState, user: string | undefined): boolean {
  return holds(condition, { ...state, user, authType: authTypeFor(state, user) });
}

/** Whether the methods that a rule is limited to include that of the request; GET covers HEAD. */
export function isForMethod(
  limits: readonly { readonly except: boolean; readonly methods: readonly string[] }[],
  { method, looks }: Request,
): boolean {
  if (limits.length === 0) return true;
  looks?.atMethod(limits.flatMap(({ methods }) => methods));
  return isForAsked(limits, method);
}
