import { parseFile } from "../../grammar/parser.js";
import { goneModule } from "../directives/modules.js";
import { nearest } from "../text/nearest.js";
import { toReadable } from "../text/source.js";
import type { Directive } from "./directive.js";
import type { LineCursor } from "./line-cursor.js";
import { expandMacro, isInExpansionOf, macroKey, wholeSpanOf } from "./macros.js";
import type { OpenSections } from "./open-sections.js";
import { type Fault, quoted } from "./problems.js";
import type { ConfigReader } from "./reader.js";
import { unsetFault, unsetVariable } from "./unset-variables.js";
import { wordCountFault } from "./word-count.js";

/** Carries out a directive that takes effect where it stands and is gone once it is read. */
export function carryOut(directive: Directive, lines: LineCursor, sections: OpenSections, reader: ConfigReader): void {
  const { modules, release, serverRoot, variables } = reader.state;
  const refuse = (fault: Fault) => reader.problems.add("refused", directive.span, fault);
  const facts = directive.known.facts.find((each) => modules.provides(each));
  const miscounted = facts && wordCountFault(directive, facts, release);
  if (miscounted) {
    refuse(miscounted);
    return;
  }
  const [first, second] = directive.arguments;
  const value = first?.value ?? "";
  switch (directive.key) {
    case "include":
    case "includeoptional":
      reader.include(value, directive.key === "includeoptional", directive.span, sections.into, sections.section);
      break;
    case "define":
      if (value.includes(":")) refuse(colonInName(value));
      else variables.define(value, second?.value);
      break;
    case "undefine":
      if (value.includes(":")) refuse(colonInName(value));
      else variables.undefine(value);
      break;
    case "serverroot":
      reader.changeServerRoot(value, directive.span);
      break;
    case "loadmodule": {
      const absent = reader.sharedObjects.fault(serverRoot, second?.value ?? "");
      // What is loaded already is passed over, wherever it is said to lie, and so is what the user gave otherwise.
      if (absent && !modules.has(value) && modules.takes(value)) refuse(absent);
      // What a release no longer has is refused, and guards on it do not hold where the line is gone.
      if (goneModule(release, value) === undefined) modules.add(value, second?.value);
      reader.wordings.forget();
      const { guard, span } = directive;
      reader.report.loadModules.push({ identifier: value, span, guard, ...(absent ? { isMissing: true } : {}) });
      break;
    }
    case "use":
      useMacro(directive, lines, reader);
      break;
    case "undefmacro":
      if (!reader.state.macros.delete(macroKey(value)) && !reader.refusedMacros.has(macroKey(value)))
        refuse(unknownMacro(value, reader, "UndefMacro"));
      break;
    default:
      // LoadFile and DefaultRuntimeDir change nothing that we model.
      break;
  }
}

function colonInName(name: string): Fault {
  return {
    wrong: `the name ${quoted(name)} has a \`:\` in it`,
    remedy: "give the variable a name without one",
    server: "Variable name must not contain ':'",
  };
}

/** Lays the macro's lines over those that follow the Use. */
function useMacro(directive: Directive, lines: LineCursor, reader: ConfigReader): void {
  const { problems } = reader;
  const [first, ...values] = directive.arguments;
  const name = macroKey(first?.value ?? "");
  const macro = reader.state.macros.get(name);
  if (macro === undefined) {
    if (reader.refusedMacros.has(name)) return;
    const variable = unsetVariable(first?.value ?? "");
    if (variable !== undefined)
      problems.add("passed-over", directive.span, unsetFault(`Use ${directive.argumentText}`, variable));
    else problems.add("refused", directive.span, unknownMacro(first?.value ?? "", reader, "Use"));
    return;
  }
  if (isInExpansionOf(macro, lines.tree.source)) {
    problems.add("refused", directive.span, {
      wrong: `macro ${quoted(name)} uses itself`,
      remedy: "take this Use out of it",
      server: `recursive use of macro '${toReadable(name)}' is invalid`,
    });
    return;
  }
  const expansion = expandMacro(
    macro,
    values.map((word) => word.value),
    wholeSpanOf(directive),
  );
  if ("refused" in expansion) {
    const related = [{ message: "the macro is defined here", span: macro.span }];
    problems.add("refused", directive.span, expansion.refused, related);
    return;
  }
  if (!reader.allowsExpandedBytes(expansion.text.length, directive.span, "use")) return;
  const tree = parseFile(expansion);
  if (reader.allowsExpansion(tree.lines.length, directive.span)) lines.lay({ tree, includedFrom: directive.span });
}

function unknownMacro(name: string, reader: ConfigReader, user: "Use" | "UndefMacro"): Fault {
  const shown = toReadable(macroKey(name));
  const undefinedWords = user === "Use" ? `macro '${shown}' undefined` : `cannot remove undefined macro '${shown}'`;
  const firstWords = name === "" ? "no macro name specified with Use" : undefinedWords;
  const server = reader.hadMacros ? firstWords : `no macro defined before ${user}`;
  if (name === "") return { wrong: `\`${user}\` does not say which macro`, remedy: "name one", server };
  const similar = nearest(name, reader.state.macros.keys());
  return {
    wrong: `there is no macro ${quoted(name)} at this point`,
    remedy: similar === undefined ? "define it further up, with `<Macro>`" : `did you mean ${quoted(similar)}?`,
    server,
  };
}
