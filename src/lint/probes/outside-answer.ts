import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { ConfigLayer } from "../../server/model/config-layer.js";
import { decisionClassOf, type KnownDecisionClass } from "../../server/model/decision.js";
import type { ReadonlyEnvironment } from "../../server/model/environment.js";
import type { Pass } from "../../server/model/pass.js";
import type { Request } from "../../server/model/request.js";
import type { RequestOutcome } from "../../server/model/request-outcome.js";
import { backendOf } from "../../server/phases/handler.js";
import { handlerOf } from "../../server/phases/handler-lookup.js";
import { mergeOptions } from "../../server/sections/options.js";
import { mergeOverrides, type Overrides } from "../../server/walk/overrides.js";
import type { Witness } from "../finding.js";

/** A backend with the line that names it. */
interface Backend {
  readonly url: string;
  readonly by: Directive;
}

/** A definite answer of the server. */
export interface OutsideAnswer {
  readonly request: Request;
  readonly status: number;
  /** The status of the error document if there is one; otherwise that of the answer. */
  readonly loggedStatus: number;
  readonly class: KnownDecisionClass;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
  /** The per-directory configurations that apply, in merge order. */
  readonly layers: readonly ConfigLayer[];
  /** The handler that answers instead of a file. */
  readonly answeredBy: RequestOutcome["answeredBy"];
  /** The file or directory that the request is mapped to; undefined if another server answers. */
  readonly file: string | undefined;
  /** The backend, if one answers. */
  readonly backend: Backend | undefined;
  /** The handler of the file, in lower case; undefined for the default one. */
  readonly handler: string | undefined;
  /** The environment variables at the access check. */
  readonly env: ReadonlyEnvironment;
  readonly witness: Witness;
}

export type UnexplainedAnswer = Omit<OutsideAnswer, "witness">;

/** Returns the parts of an outcome that rules read. */
export function readAnswer(request: Request, outcome: RequestOutcome): UnexplainedAnswer {
  const { status, accessStatus = status, loggedStatus = status, log, by, layers, answeredBy, served, pass } = outcome;
  const shown = served ?? pass;
  const backend = shown && backendOf(shown);
  const file = backend === undefined && shown?.mapping.kind === "file" ? shown.walked?.filename : undefined;
  return {
    request,
    status,
    loggedStatus,
    class: decisionClassOf(accessStatus),
    log,
    by: [...new Set(by)],
    layers,
    answeredBy,
    file,
    backend: backend && { url: backend.target.slice("proxy:".length), by: backend.by },
    handler: shown && handlerOfPass(shown),
    env: shown?.state?.env ?? noVariables,
  };
}

const noVariables: ReadonlyEnvironment = new Map();

function handlerOfPass({ state, mapping, walked }: Pass): string | undefined {
  return state && walked && handlerOf(state, mapping, walked);
}

/** Reports whether two answers differ only in their reasons. */
export function isSameAnswer(a: UnexplainedAnswer, b: UnexplainedAnswer): boolean {
  return (
    a.status === b.status &&
    a.class === b.class &&
    a.answeredBy === b.answeredBy &&
    a.file === b.file &&
    a.backend?.url === b.backend?.url
  );
}

/** Returns the Options that apply to an answer, in lower case. */
export function optionsOf({ layers }: OutsideAnswer): ReadonlySet<string> {
  return mergeOptions(layers);
}

/** Returns the classes of directives that a `.htaccess` file in the directory of an answer may contain. */
export function overrideClassesOf({ layers }: OutsideAnswer, project: Project): Overrides["classes"] {
  return mergeOverrides(layers, project).classes;
}
