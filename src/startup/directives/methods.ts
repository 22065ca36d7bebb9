import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { behaves } from "../../facts/behaviours.js";
import { isSince, type Release } from "../../facts/release.js";
import { limitsOf, type MethodLimit, normalizeMethod } from "../../server/access/clients-and-methods.js";
import type { MethodRegistry } from "../../server/request/method-registry.js";
import { takeUntilEmpty } from "./values.js";

/** Checks the methods of a Limit or LimitExcept section as the server does (server/core.c `ap_limit_section`). */
export function checkLimit(
  directive: Directive,
  release: Release,
  known: MethodRegistry,
  inHtaccess: boolean,
): Refusal | undefined {
  const methods = directive.arguments;
  const trace = directive.key === "<limit" ? methods.find((word) => word.value === "TRACE") : undefined;
  if (trace) {
    return { ...wordingOf("trace-in-limit"), span: directive.spanOf(trace) };
  }
  if (!isSince(release, "2.4")) return undefined;
  const isChecked = inHtaccess && behaves(release, "unregistered-methods-rejected") === true;
  const unknown = isChecked ? methods.find((word) => !known.has(word.value)) : undefined;
  if (unknown) {
    const upper = unknown.value.toUpperCase();
    return {
      ...wordingOf("unknown-limit-method", unknown.value, directive.name, known.has(upper), upper),
      span: directive.spanOf(unknown),
    };
  }
  const outer = intersectLimits(limitsOf(directive));
  const inner = intersectLimits([
    ...limitsOf(directive),
    { except: directive.key === "<limitexcept", methods: methods.map((word) => word.value) },
  ]);
  const { span } = directive;
  if (!inner.except && inner.methods.size === 0) {
    return { ...wordingOf("limit-without-methods", directive.name), span };
  }
  if (inner.except !== outer.except || inner.methods.size !== outer.methods.size) return undefined;
  return { ...wordingOf("redundant-limit", directive.name), span };
}

/** Combines nested limits into one set of methods, or the complement of a set. */
function intersectLimits(limits: readonly MethodLimit[]): { except: boolean; methods: ReadonlySet<string> } {
  let except = true;
  let methods: readonly string[] = [];
  for (const limit of limits) {
    const named = limit.methods.map(normalizeMethod);
    const before = methods;
    if (limit.except) methods = except ? [...before, ...named] : before.filter((method) => !named.includes(method));
    else methods = named.filter((method) => before.includes(method) !== except);
    except &&= limit.except;
  }
  return { except, methods: new Set(methods) };
}

/** Checks AllowMethods as mod_allowmethods does (`am_allowmethods`). */
export function validateAllowMethods(directive: Directive, known: MethodRegistry): Refusal | undefined {
  const words = takeUntilEmpty(directive.arguments);
  if (words.length === 0) {
    return { ...wordingOf("missing-allowed-method"), span: directive.span };
  }
  if (words.length === 1 && words[0]?.value.toLowerCase() === "reset") return undefined;
  const unknown = words.find((word) => !known.has(word.value));
  if (unknown === undefined) return undefined;
  const upper = unknown.value.toUpperCase();
  return {
    ...wordingOf("unknown-allowed-method", unknown.value, known.has(upper), upper),
    span: directive.spanOf(unknown),
  };
}
