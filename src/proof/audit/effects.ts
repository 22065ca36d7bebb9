import type { Directive } from "../../config/model/directive.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import { keywordArgumentOf } from "../../server/model/config-layer.js";
import { davLineOf } from "../../server/phases/dav.js";
import type { OutsideEffect } from "./outside-model.js";

/** An answer with its effect; undefined if the server does nothing for the client, as with a redirect. */
export interface EffectiveAnswer
  extends Pick<DefiniteAnswer, "request" | "status" | "decidedBy" | "answeredBy" | "isAuthorized"> {
  readonly effect: OutsideEffect | undefined;
}

/** Adds the effect to an answer, and to its deciding lines those that make the server answer in this way. */
export function withEffect(answer: DefiniteAnswer): EffectiveAnswer {
  const { request, status, answeredBy, isAuthorized } = answer;
  const effect = effectOf(answer);
  const lines = effect === undefined ? [] : listEffectLines(answer, effect);
  const decidedBy = [...new Set([...answer.decidedBy, ...lines])];
  return { request, status, decidedBy, answeredBy, isAuthorized, effect };
}

const writingMethods: ReadonlySet<string> = new Set(["PUT", "DELETE"]);

function effectOf({ request: { method }, status, answeredBy }: DefiniteAnswer): OutsideEffect | undefined {
  if (status < 200 || status > 299) return undefined;
  if (answeredBy === "backend") return "fetch";
  if (answeredBy === "program") return "run";
  return writingMethods.has(method) ? "write" : "read";
}

/** Returns the lines that make the server answer with an effect. */
function listEffectLines({ served, backend }: DefiniteAnswer, effect: OutsideEffect): readonly Directive[] {
  if (served === undefined) return [];
  const { state, mapping } = served;
  const mapped = mapping.kind === "file" && mapping.by ? [mapping.by] : [];
  switch (effect) {
    case "fetch":
      return [backend?.by ?? []].flat();
    case "write":
      return [(state && davLineOf(state)) ?? []].flat();
    case "run": {
      const line = state?.config.setting("sethandler");
      return line && keywordArgumentOf(line) !== "none" ? [line] : mapped;
    }
    case "read":
      return mapped;
  }
}
