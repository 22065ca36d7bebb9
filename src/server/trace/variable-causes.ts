import type { Directive } from "../../config/model/directive.js";
import { toReadable } from "../../text/source.js";
import type { AccessState } from "../access/access-state.js";
import { parseRequireLine } from "../access/require-rules.js";
import type { Cause, Miss } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { Pattern } from "../model/patterns.js";
import { earlySetterOf } from "../request/setenvif.js";
import { isGranted } from "./access-causes.js";
import type { ExplainedRun } from "./causes.js";
import { missOf, type SearchedPass } from "./miss.js";
import { findMatch } from "./pattern-parts.js";
import { describeSetVariables } from "./related-lines.js";
import { findSetters } from "./request-steps.js";
import { namesOfVariables, valueOfAttribute, variableLines } from "./rule-causes.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/**
 * A `Require not` line that this request meets, although access is granted: another line of the section is enough, because one line of
 * a `<RequireAny>`, or of a section without a container, is (mod_authz_core.c `authorize_userless`).
 */
export function explainOverruledDenial({ outcome }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, by, status } = outcome;
  const { state, isAuthorized } = served ?? {};
  if (!state || !isAuthorized || status >= 400) return [];
  const granting = by.find((line) => line.key === "require" && !parseRequireLine(line).negated);
  const layer = granting && state.layers.findLast(({ directives }) => directives.includes(outermostOf(granting)));
  if (!granting || !layer) return [];
  const lines = layer.directives.flatMap(requireLinesIn);
  const denying = lines.find((line) => parseRequireLine(line).negated && isGranted(line, state));
  if (denying === undefined || !isOneOfSeveral(granting, denying)) return [];
  const container = commonContainerOf(granting, denying);
  const where = container ? `in ${quoteLine(container)}` : "of this section";
  const text = `${quoteLine(denying)} denies this request, but one line ${where} is enough, and ${quoteLine(granting)} grants it`;
  const [setter] = pass ? findSetters(pass, new Set(namesOfVariables(argumentValuesOf(granting)))) : [];
  if (setter) {
    const help = `to deny it, delete ${quoteLine(setter.directive)}, which ${describeSetVariables(setter.names, setter.directive)}`;
    return [{ text, line: setter.directive, help: [help] }];
  }
  return [{ text, line: granting, help: [`to deny it, delete ${quoteLine(granting)}`] }];
}

/** Returns the line of a section, or the container there, that a Require line is in. */
function outermostOf(line: Directive): Directive {
  const { parent } = line;
  return parent?.key.startsWith("<require") ? outermostOf(parent) : line;
}

function requireLinesIn(line: Directive): readonly Directive[] {
  if (line.key === "require") return [line];
  return line.key.startsWith("<require") ? (line.children ?? []).flatMap(requireLinesIn) : [];
}

/** Reports whether one of two lines is enough. */
function isOneOfSeveral(one: Directive, other: Directive): boolean {
  const container = commonContainerOf(one, other);
  return one !== other && (container === undefined || container.key === "<requireany");
}

function commonContainerOf(one: Directive, other: Directive): Directive | undefined {
  const around = containersOf(other);
  return containersOf(one).find((each) => around.includes(each));
}

/** Returns the Require containers around a line, the inner ones first. */
function containersOf({ parent }: Directive): readonly Directive[] {
  return parent?.key.startsWith("<require") ? [parent, ...containersOf(parent)] : [];
}

/**
 * Lines that would set a variable of an access rule but for the case of letters, or for an anchor
 * (modules/metadata/mod_setenvif.c `match_headers`).
 */
export function findMissedVariables({ pass }: SearchedPass): readonly Miss[] {
  const { state, request } = pass;
  if (state === undefined) return [];
  const used = new Set(
    state.layers.flatMap(({ directives }) =>
      directives.flatMap(accessLinesIn).flatMap((line) => namesOfVariables(argumentValuesOf(line))),
    ),
  );
  const lines = new Set([...pass.server.layers, ...state.layers].flatMap(({ directives }) => directives));
  return [...lines].flatMap((directive): readonly Miss[] => {
    const setter = earlySetterOf(directive);
    if (setter?.header === undefined || !setter.variables.some((word) => isUnset(word, used, state))) return [];
    const value = valueOfAttribute(setter.attribute, request);
    return value === undefined ? [] : missOfSetter(directive, setter.pattern, value);
  });
}

function accessLinesIn(line: Directive): readonly Directive[] {
  return variableLines.has(line.key) ? [line] : (line.children ?? []).flatMap(accessLinesIn);
}

function isUnset(word: string, used: ReadonlySet<string>, { env }: AccessState): boolean {
  const name = (word.split("=")[0] ?? "").toLowerCase();
  return used.has(name) && !env.has(name);
}

function missOfSetter(directive: Directive, { text, ignoreCase }: Pattern, value: string): readonly Miss[] {
  if (text === "" || findMatch(text, value, ignoreCase) !== undefined) return [];
  const reason = `its pattern \`${toReadable(text)}\` does not match \`${toReadable(value)}\``;
  if (!ignoreCase && findMatch(text, value, true) !== undefined) {
    const written = formatWholeLine(directive).replace(/^\S+/, (name) => `${name}NoCase`);
    return [missOf(directive, `${reason}: letters differ in case`, [`use ${quoteWritten(written)}`])];
  }
  const open = text.replace(/^\^/, "");
  if (open === text || open === "" || findMatch(open, value, ignoreCase) === undefined) return [];
  const written = formatWholeLine(
    directive,
    directive.argumentText.replace(text, () => open),
  );
  return [
    missOf(directive, `${reason}: with \`^\`, it matches only at the beginning`, [`use ${quoteWritten(written)}`]),
  ];
}
