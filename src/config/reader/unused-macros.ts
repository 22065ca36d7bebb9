import type { TreeNode } from "../../../grammar/ast.js";
import { hideText } from "../../../grammar/marked-text.js";
import { parseFile } from "../../../grammar/parser.js";
import { type DirectiveFacts, findDirectiveFacts, isAllowedIn } from "../../facts/directives.js";
import type { SourceFile } from "../../text/source.js";
import type { Directive } from "../model/directive.js";
import { guardKinds } from "../model/guards.js";
import { ASSUMED_PATH } from "../model/project.js";
import type { ConfigReader } from "./config-reader.js";
import { FileReader } from "./file-reader.js";
import { expandMacro, expansionWork, type Macro, macroKeyOf } from "./macros.js";

/** What replaces the path of an assumed section: it is not known. */
const unknownPath = hideText("path");

/**
 * Reads the lines of a macro that no Use line inserts, after all other lines. Each parameter is a word that is not known.
 * Lines that need a directory or a location are read in one.
 */
export function readUnusedMacro(macro: Macro, reader: ConfigReader, into: Directive[]): void {
  if (!reader.allowsExpandedBytes(expansionWork(macro), macro.span, "use")) return;
  const values = macro.parameters.map((name) => hideText(name));
  const expansion = expandMacro(macro, values, macro.span);
  if (!expansion.ok || !reader.allowsExpandedBytes(expansion.value.text.length, macro.span, "use")) return;
  const tree = parseFile(expansion.value);
  if (!reader.allowsExpansion(tree.lines.length, macro.span)) return;
  reader.state.usedMacros.add(macro);
  const section = readSection(findSection(tree.nodes, expansion.value, reader), reader, into);
  const lines: Directive[] = [];
  new FileReader(reader, { tree }, lines, section).read();
  // Directives refer to their section, so it must remain the same object.
  if (section) Object.assign(section, { children: lines });
  // A macro may expand to more lines than a call has arguments.
  else for (const line of lines) into.push(line);
}

/** Reads an empty section for a path that is not known. */
function readSection(name: string | undefined, reader: ConfigReader, into: Directive[]): Directive | undefined {
  if (name === undefined) return undefined;
  const source = { path: ASSUMED_PATH, realPath: ASSUMED_PATH, text: `<${name} "${unknownPath}">\n</${name}>\n` };
  new FileReader(reader, { tree: parseFile(source) }, into, undefined).read();
  return into.at(-1);
}

/** Directives that take a path unless they are in a location. */
const takesLocation = /^proxypass(?:reverse)?$/;

function findSection(nodes: readonly TreeNode[], file: SourceFile, reader: ConfigReader): string | undefined {
  const lines = [...listTopLines(nodes, file, reader, new Set())];
  if (lines.some(({ name, rest }) => takesLocation.test(name) && /^\S+$/.test(rest))) return "Location";
  return needDirectory(lines.map(({ facts }) => facts)) ? "Directory" : undefined;
}

interface TopLine {
  /** Lower case. */
  readonly name: string;
  readonly facts: readonly DirectiveFacts[];
  readonly rest: string;
}

/** Lists the lines outside of sections, also those that other macros insert. */
function* listTopLines(
  nodes: readonly TreeNode[],
  file: SourceFile,
  reader: ConfigReader,
  known: Set<Macro>,
): Generator<TopLine> {
  for (const node of nodes) {
    const line = "open" in node ? node.open : node;
    if (line.kind !== "directive" && line.kind !== "open") continue;
    const written = file.text.slice(line.nameStart, line.nameEnd).replace(/>$/, "");
    const name = written.toLowerCase();
    const rest = file.text.slice(line.restStart, line.restEnd).trim();
    const used = name === "use" ? reader.state.macros.get(macroKeyOf(/^\S*/.exec(rest)?.[0] ?? "")) : undefined;
    if ("open" in node && guardKinds.some((kind) => kind === name)) {
      yield* listTopLines(node.children, file, reader, known);
    } else if (used !== undefined && !known.has(used)) {
      known.add(used);
      const text = used.body.map((each) => `${each.text}\n`).join("");
      const inner = { path: file.path, realPath: file.realPath, text };
      yield* listTopLines(parseFile(inner).nodes, inner, reader, known);
    } else yield { name, facts: findDirectiveFacts(reader.state.release, written), rest };
  }
}

/**
 * Reports whether lines can only be included in a directory: one of them, such as `Require`, is not allowed elsewhere,
 * and all are allowed there.
 *
 * @param lines what is known of each
 */
export function needDirectory(lines: readonly (readonly DirectiveFacts[])[]): boolean {
  const known = lines.filter((facts) => facts.length > 0);
  return (
    known.some((facts) => !facts.some((each) => isAllowedIn(each, "server") || isAllowedIn(each, "virtualhost"))) &&
    known.every((facts) => facts.some((each) => isAllowedIn(each, "directory")))
  );
}
