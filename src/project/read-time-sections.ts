import { parseArguments } from "../../grammar/arguments.js";
import type { Directive } from "./directive.js";
import { closedAt, notFoundHere } from "./files.js";
import { decideGuard, type Guard, type GuardFacts, type GuardKind, guardKinds } from "./guards.js";
import type { LineCursor } from "./line-cursor.js";
import { macroKey, readMacroBody, readMacroHead, unendedFault, wholeSpanOf } from "./macros.js";
import type { OpenSections } from "./open-sections.js";
import { absolutePath } from "./paths.js";
import type { ConfigReader } from "./reader.js";
import { skipProgram, skipRefused, skipSection, skipTooDeep } from "./skipped-sections.js";

/**
 * Carries out a section that is gone once it is read: a guard opens or passes over what it holds, a macro takes its
 * lines, a program is passed over.
 */
export function startReadTimeSection(
  directive: Directive,
  lines: LineCursor,
  sections: OpenSections,
  reader: ConfigReader,
): void {
  const kind = guardKinds.find((each) => each === directive.key);
  if (kind) startGuard(kind, directive, lines, sections, reader);
  else if (directive.key === "<macro") defineMacro(directive, lines, reader);
  else skipProgram(directive, lines, reader.problems);
}

function startGuard(
  kind: GuardKind,
  directive: Directive,
  lines: LineCursor,
  sections: OpenSections,
  reader: ConfigReader,
): void {
  const verdict = decideGuard(kind, directive.argumentText, guardFacts(reader));
  if ("refused" in verdict) {
    // What we cannot decide the server may.
    reader.problems.add(verdict.refused.so === undefined ? "refused" : "limit", directive.span, verdict.refused);
    skipRefused(directive, lines);
    return;
  }
  const guard: Guard = { kind, ...verdict, span: directive.span, parent: sections.guard };
  reader.report.guards.push(guard);
  if (!guard.holds) skipSection(directive, lines, reader.problems);
  else if (sections.isFull) skipTooDeep(directive, lines, reader.problems);
  else sections.openGuard(directive, guard);
}

function guardFacts(reader: ConfigReader): GuardFacts {
  const { release, version, modules, variables, access, serverRoot } = reader.state;
  return {
    release,
    version,
    isModuleLoaded: (name) => modules.matchesGuard(name),
    isDefined: (name) => variables.isDefined(name),
    hangsOn(kind, name) {
      if (kind === "<ifdefine") return variables.hangsOn(name);
      return kind === "<ifmodule" ? modules.hangsOn(name) : undefined;
    },
    fileExists(path) {
      const at = absolutePath(serverRoot, path);
      const exists = access.exists(at);
      return closedAt(at, access) ?? (exists || !access.isPartial ? exists : notFoundHere);
    },
    directiveExists: (name) => reader.lookUp(name).known.facts.some((facts) => modules.provides(facts)),
  };
}

function defineMacro(directive: Directive, lines: LineCursor, reader: ConfigReader): void {
  const head = readMacroHead(directive.argumentText, wholeSpanOf(directive));
  const body = readMacroBody(lines);
  if ("refused" in head || "unended" in body) {
    const [name] = parseArguments(directive.argumentText.replace(/>[^>]*$/, ""));
    if (name?.value) reader.refusedMacros.add(macroKey(name.value));
  }
  if ("refused" in head) reader.problems.add("refused", directive.span, head.refused);
  else if ("unended" in body) {
    const { unended } = body;
    const related = unended === "never closed" ? [] : [{ message: "the line stands here", span: unended }];
    reader.problems.add("syntax", directive.span, unendedFault(head, unended), related);
  } else reader.defineMacro({ ...head, body });
}
