import { parseArguments } from "../../../grammar/arguments.js";
import { parseFile } from "../../../grammar/parser.js";
import { findArgumentCountError } from "../../facts/argument-count.js";
import type { DirectiveFacts } from "../../facts/directives.js";
import { findRemovedModule } from "../../facts/modules.js";
import type { Release } from "../../facts/release.js";
import { findClosestWord } from "../../text/closest-word.js";
import { toReadable } from "../../text/source.js";
import { pluralize } from "../../text/words.js";
import { findAccessFailure, notFoundHereFailure } from "../files/file-access.js";
import type { Directive } from "../model/directive.js";
import { decideGuard, type Guard, type GuardFacts, type GuardKind, guardKinds } from "../model/guards.js";
import { findUndefinedVariable } from "../model/variables.js";
import { type RefusalText, wordingOf } from "../refusals/refusal.js";
import type { ConfigReader } from "./config-reader.js";
import type { LineCursor } from "./line-cursor.js";
import {
  describeUnendedMacro,
  expandMacro,
  expansionWork,
  isInExpansionOf,
  macroKeyOf,
  readMacroBody,
  readMacroHead,
  wholeSpanOf,
} from "./macros.js";
import { locatePath } from "./reading-state.js";
import type { SectionStack } from "./section-stack.js";
import { skipProgram, skipRefused, skipSection, skipTooDeep } from "./skipped-sections.js";

/** Executes a directive that takes effect while reading and is not part of the result. */
export function executeReadTimeDirective(
  directive: Directive,
  lines: LineCursor,
  sections: SectionStack,
  reader: ConfigReader,
): void {
  const { modules, release, serverRoot, variables } = reader.state;
  const refuse = (fault: RefusalText) => reader.problems.add(directive.span, fault);
  const facts = directive.known.facts.find((each) => modules.provides(each));
  const miscounted = facts && checkArgumentCount(directive, facts, release);
  if (miscounted) {
    refuse(miscounted);
    return;
  }
  const [first, second] = directive.arguments;
  const value = first?.value ?? "";
  switch (directive.key) {
    case "include":
    case "includeoptional":
      reader.include(value, directive.key === "includeoptional", directive, sections.into, sections.section);
      break;
    case "define":
      if (value.includes(":")) refuse(wordingOf("colon-in-variable-name", value));
      else variables.define(value, second?.value);
      break;
    case "undefine":
      if (value.includes(":")) refuse(wordingOf("colon-in-variable-name", value));
      else variables.undefine(value);
      break;
    case "serverroot":
      reader.changeServerRoot(value, directive.span);
      break;
    case "loadmodule": {
      const absent = reader.sharedObjects.describeMissingFile(serverRoot, second?.value ?? "");
      // A module that is already loaded is skipped, whichever file is named, and so is one that the user overrides.
      if (absent && !modules.has(value) && modules.accepts(value)) refuse(absent);
      // A module that the release has removed is rejected; conditional sections on it do not apply once the line is
      // deleted.
      if (findRemovedModule(release, value) === undefined) modules.add(value, second?.value);
      reader.lineCache.forget();
      const { guard, reading, span } = directive;
      const { includedFrom } = reading;
      reader.report.loadModules.push({
        identifier: value,
        span,
        guard,
        includedFrom,
        ...(absent ? { isMissing: true } : {}),
      });
      break;
    }
    case "use":
      useMacro(directive, lines, reader);
      break;
    case "undefmacro":
      if (!reader.state.macros.delete(macroKeyOf(value)) && !reader.refusedMacros.has(macroKeyOf(value)))
        refuse(describeUnknownMacro(value, reader, "UndefMacro"));
      break;
    default:
      reader.report.executedLines.push(directive);
      break;
  }
}

/** Inserts the macro's lines after the Use. */
function useMacro(directive: Directive, lines: LineCursor, reader: ConfigReader): void {
  const { problems } = reader;
  const [first, ...values] = directive.arguments;
  const name = macroKeyOf(first?.value ?? "");
  const macro = reader.state.macros.get(name);
  if (macro === undefined) {
    if (reader.refusedMacros.has(name)) return;
    const variable = findUndefinedVariable(first?.value ?? "");
    if (variable !== undefined)
      problems.add(directive.span, wordingOf("depends-on-variable", `Use ${directive.argumentText}`, variable));
    else problems.add(directive.span, describeUnknownMacro(first?.value ?? "", reader, "Use"));
    return;
  }
  if (isInExpansionOf(macro, lines.tree.source)) {
    problems.add(directive.span, wordingOf("recursive-macro", name));
    return;
  }
  reader.state.usedMacros.add(macro);
  if (!reader.allowsExpandedBytes(expansionWork(macro), directive.span, "use")) return;
  const expansion = expandMacro(
    macro,
    values.map((word) => word.value),
    wholeSpanOf(directive),
  );
  if (!expansion.ok) {
    const related = [{ message: "the macro is defined here", span: macro.span }];
    problems.add(directive.span, expansion.error, related);
    return;
  }
  if (!reader.allowsExpandedBytes(expansion.value.text.length, directive.span, "use")) return;
  const tree = parseFile(expansion.value);
  if (reader.allowsExpansion(tree.lines.length, directive.span)) lines.overlay({ tree, includedFrom: directive });
}

function describeUnknownMacro(name: string, reader: ConfigReader, user: "Use" | "UndefMacro"): RefusalText {
  if (!reader.hadMacros) return wordingOf("use-without-macros", user, name);
  if (name === "") return wordingOf("missing-macro-name", user);
  const similar = findClosestWord(name, reader.state.macros.keys());
  const key = macroKeyOf(name);
  if (user === "UndefMacro") return wordingOf("undefined-macro-to-remove", name, key, similar);
  return similar === undefined
    ? wordingOf("undefined-macro", name, key)
    : wordingOf("misspelled-macro", name, key, similar);
}

/** Returns the fault in the number of a directive's arguments, by the facts of a module; undefined if it is correct. */
function checkArgumentCount(directive: Directive, facts: DirectiveFacts, release: Release): RefusalText | undefined {
  const words = directive.arguments;
  const server = findArgumentCountError(facts, words, release);
  return server === undefined ? undefined : { ...adviceOn(words, facts, release), server: toReadable(server) };
}

function adviceOn(words: Directive["arguments"], facts: DirectiveFacts, release: Release): RefusalText {
  const [first] = words;
  if (words.some((word) => word.value.startsWith("#"))) return wordingOf("comment-after-directive");
  if (facts.argumentKind === "FLAG") return wordingOf("not-on-or-off", facts.name, first?.value);
  const filled = words.map(() => ({ value: "filled" }));
  if (findArgumentCountError(facts, filled, release) === undefined) return wordingOf("empty-argument", facts.name);
  return wordingOf(
    "argument-count-not-accepted",
    facts.name,
    words.length,
    pluralize("argument", words.length),
    facts.syntax,
  );
}

/**
 * Executes a section that takes effect while reading. The content of a conditional section is read or skipped, a macro
 * collects its lines, and a program is skipped.
 *
 * @returns whether the section is part of the result: a program runs for each request
 */
export function startReadTimeSection(
  directive: Directive,
  lines: LineCursor,
  sections: SectionStack,
  reader: ConfigReader,
): boolean {
  const kind = guardKinds.find((each) => each === directive.key);
  if (kind) startGuard(kind, directive, lines, sections, reader);
  else if (directive.key === "<macro") defineMacro(directive, lines, reader);
  else {
    skipProgram(directive, lines, reader.problems);
    return true;
  }
  return false;
}

/** Whether a section applies is not known then; anything else is an error. */
const undecidedCodes: ReadonlySet<RefusalText["code"]> = new Set([
  ...(["condition-depends-on-variable", "condition-depends-on-placeholder"] as const),
]);

function startGuard(
  kind: GuardKind,
  directive: Directive,
  lines: LineCursor,
  sections: SectionStack,
  reader: ConfigReader,
): void {
  const verdict = decideGuard(kind, directive.argumentText, guardFacts(reader));
  if (!verdict.ok) reader.problems.add(directive.span, verdict.error);
  const isUndecided = !verdict.ok && undecidedCodes.has(verdict.error.code);
  const file = verdict.ok ? undefined : verdict.file;
  if (!verdict.ok && !isUndecided && file === undefined) {
    skipRefused(directive, lines);
    return;
  }
  const undecided = { argument: directive.argumentText, negated: false, isUndecided: true } as const;
  const guard: Guard = {
    kind,
    ...(verdict.ok
      ? verdict.value
      : file
        ? { ...file, holds: false, isUndecided: true, dependsOnFile: true as const }
        : { ...undecided, holds: reader.state.appliesUndecided === true }),
    span: directive.span,
    parent: sections.guard,
    section: sections.section,
  };
  reader.report.guards.push(guard);
  if (!guard.holds) skipSection(directive, lines, reader.problems);
  else if (sections.isFull) skipTooDeep(directive, lines, reader.problems);
  else sections.openGuard(directive, guard);
}

function guardFacts(reader: ConfigReader): GuardFacts {
  const { release, version, modules, variables, access } = reader.state;
  return {
    release,
    version,
    isModuleLoaded: (name) => modules.matchesGuard(name),
    isDefined: (name) => variables.isDefined(name),
    undecidedBy(kind, name) {
      if (kind === "<ifdefine") return variables.undecidedBy(name);
      return kind === "<ifmodule" ? modules.undecidedBy(name) : undefined;
    },
    fileExists(path) {
      const assumed = reader.state.assumedFiles?.get(path);
      if (assumed !== undefined) return { ok: true, value: assumed };
      const at = locatePath(path, reader.state);
      const exists = access.exists(at);
      const failure = findAccessFailure(at, access) ?? (exists || !access.isPartial ? undefined : notFoundHereFailure);
      return failure === undefined ? { ok: true, value: exists } : { ok: false, error: failure };
    },
    directiveExists: (name) => reader.lookUp(name).known.facts.some((facts) => modules.provides(facts)),
  };
}

function defineMacro(directive: Directive, lines: LineCursor, reader: ConfigReader): void {
  const head = readMacroHead(directive.argumentText, wholeSpanOf(directive));
  const body = readMacroBody(lines);
  if (!head.ok || !body.ok) {
    const [name] = parseArguments(directive.argumentText.replace(/>[^>]*$/, ""));
    if (name?.value) reader.refusedMacros.add(macroKeyOf(name.value));
  }
  if (!head.ok) reader.problems.add(directive.span, head.error);
  else if (!body.ok) {
    const unended = body.error;
    const related = unended === "never closed" ? [] : [{ message: "the line is here", span: unended }];
    reader.problems.add(directive.span, describeUnendedMacro(head.value, unended), related);
  } else reader.defineMacro({ ...head.value, body: body.value });
}
