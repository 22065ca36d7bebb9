import type { ConfigTree } from "../../grammar/ast.js";
import { isRequireContainer } from "../access/new-rules.js";
import { type DirectiveFacts, directiveFacts } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import { expressionErrors, heldExpression, placeInExpression } from "../project/expressions.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { findRefusals } from "../refusals/refusals.js";
import type { Layer } from "../scope/layer.js";
import { allows, type FileFault, type Overrides, overridesIn } from "../scope/overrides.js";
import type { DirectoryWalk } from "../scope/walk.js";
import { type Span, toReadable } from "../text/source.js";

/** Why the server refuses `.htaccess` files whatever is allowed in them, in the order in which it comes to that. */
export function fileFaults(project: Project): ReadonlyMap<HtaccessFile, readonly FileFault[]> {
  if (project.htaccess.length === 0) return new Map();
  const byTree = new Map<ConfigTree, FileFault[]>();
  const faultsOf = (tree: ConfigTree) => {
    const faults = byTree.get(tree) ?? [];
    byTree.set(tree, faults);
    return faults;
  };
  // A file is read as a whole before its lines are looked at.
  for (const { kind, span, message, server, atEnd } of project.problems) {
    const tree = kind === "syntax" || kind === "refused" ? project.files.get(span.file.path) : undefined;
    if (tree) faultsOf(tree).push({ message, server, directive: undefined, span, ...(atEnd ? { atEnd } : {}) });
  }
  for (const { directive, message, server, span } of findRefusals(project).htaccess)
    faultsOf(directive.reading.tree).push({ message, server, directive, span });
  for (const file of project.htaccess)
    for (const fault of unreadable(file.directives, project)) addInOrder(fault, faultsOf(file.tree));
  const faults = new Map<HtaccessFile, readonly FileFault[]>();
  for (const file of project.htaccess) {
    const found = byTree.get(file.tree);
    if (found !== undefined) faults.set(file, found);
  }
  return faults;
}

/** Tells of each condition in a file that the server cannot read; what it says of it depends on how its parser came to that. */
function* unreadable(
  directives: readonly Directive[],
  project: Project,
): Generator<FileFault & { directive: Directive }> {
  const { modules, modulesAreKnown, release } = project;
  if (release !== "2.4") return;
  const hasModule = modulesAreKnown ? (identifier: string) => modules.has(identifier) : undefined;
  for (const directive of directives) {
    const held = heldExpression(directive);
    const [error] = held ? expressionErrors(held, hasModule, true, new Set()) : [];
    if (held && error) {
      const message = `the expression cannot be read: ${error.message}`;
      yield { message, server: undefined, directive, span: placeInExpression(held, error) };
    }
    yield* unreadable(directive.children ?? [], project);
  }
}

function addInOrder(fault: FileFault & { directive: Directive }, faults: FileFault[]): void {
  const behind = faults.findIndex((each) => each.directive && isStumbledOver(fault.directive, each.directive));
  if (faults.every((each) => each.directive !== fault.directive))
    faults.splice(behind < 0 ? faults.length : behind, 0, fault);
}

type RefusedFile = NonNullable<DirectoryWalk["refused"]>;

/** What the server stumbles over first in a `.htaccess` file that it refuses. */
export interface FileRefusal {
  /** Undefined where no directive is at fault, but the text. */
  readonly directive: Directive | undefined;
  readonly span: Span;
  /** As a clause. */
  readonly why: string;
  /** The server's own words, where they are known. */
  readonly server: string | undefined;
}

/**
 * Why a `.htaccess` file is refused. The server reads it as a whole first, carrying out guards and Define as it goes, then
 * looks at the directives one after the other (server/config.c `ap_build_config`, `ap_walk_config`).
 *
 * @param layers those laid before the file
 */
export function refusalOf(refused: RefusedFile, layers: readonly Layer[], { project }: Readings): FileRefusal {
  const { file, directive, why, option, fault } = refused;
  const overrides = overridesIn(layers, project);
  const lines = linesIn(file.tree, project);
  const guard = lines.find((line) => isInTheWay(line, overrides));
  if (guard && fault && isReadAhead(fault, guard))
    return { directive: undefined, span: fault.span, why: fault.message, server: fault.server };
  if (guard) return guardRefusal(guard, lines, overrides);
  if (fault && (directive === undefined || isStumbledOver(fault.directive, directive)))
    return { directive: fault.directive, span: fault.span, why: fault.message, server: fault.server };
  if (directive) return { directive, span: directive.span, why, server: notAllowed(directive, project, option) };
  const [first] = lines;
  return first
    ? { directive: undefined, span: first.span, why, server: `${first.name} not allowed here` }
    : { directive, span: { file: file.tree.source, start: 0, end: 0 }, why, server: why };
}

interface Readings {
  readonly project: Project;
}

function notAllowed(
  { name, known, parent }: Directive,
  { modules, release }: Project,
  option: string | undefined,
): string {
  if (option !== undefined) return `Option ${option.replace(/^[+-]/, "")} not allowed here`;
  const isKnown = known.facts.some((facts) => !facts.manualOnly && modules.provides(facts));
  if (isKnown) return `${name} not allowed ${parent && release === "2.4" ? `in ${parent.name}> context` : "here"}`;
  return `Invalid command '${name}', perhaps misspelled or defined by a module not included in the server configuration`;
}

/** Whether a fault comes before a line that is not allowed; that of a Require container is found behind what is in it. */
function isStumbledOver(fault: Directive | undefined, { span }: Directive): boolean {
  if (fault === undefined) return true;
  const isAround = isRequireContainer(fault) && fault.children !== undefined && fault.span.end >= span.end;
  return fault.span.start < span.start && !isAround;
}

/** A line that says anything. */
interface SayingLine {
  /** As the server's table has it. */
  readonly name: string;
  /** As it is written. */
  readonly word: string;
  readonly span: Span;
  /** What is known of one that is carried out while the file is read. */
  readonly readTime: DirectiveFacts | undefined;
}

/** Whether a line that is carried out while the file is read may not be: one that is passed over leaves its end behind. */
function isInTheWay({ readTime }: SayingLine, overrides: Overrides): boolean {
  return readTime !== undefined && !allows(overrides, readTime) && (readTime.section || !overrides.skips.override);
}

/** Whether the server, which reads on line by line, tells of a fault before it comes to a guard. */
function isReadAhead({ directive, atEnd, span }: FileFault, guard: SayingLine): boolean {
  return directive === undefined && !atEnd && span.start < guard.span.start;
}

function guardRefusal(guard: SayingLine, lines: readonly SayingLine[], { skips }: Overrides): FileRefusal {
  const { name, span } = guard;
  const why = `\`${name}>\` is not allowed`;
  const at = { directive: undefined, span };
  return skips.override
    ? { ...at, why: `${why} and passed over, its end is not`, server: firstMisplacedEnd(lines) }
    : { ...at, why: `${why} by AllowOverride`, server: `${name} not allowed here` };
}

/** What the server says of the first closing tag that closes nothing, where guards are passed over. */
function firstMisplacedEnd(lines: readonly SayingLine[]): string | undefined {
  const open: string[] = [];
  for (const { name, word, readTime } of lines) {
    if (!name.startsWith("<") || readTime) continue;
    if (!name.startsWith("</")) {
      open.push(name.slice(1));
      continue;
    }
    const section = open.pop();
    const shown = toReadable(word);
    if (section === undefined) return `${shown} without matching <${shown.slice(2)} section`;
    if (!word.endsWith(">")) return `${shown}> directive missing closing '>'`;
    if (word.slice(2, -1).toLowerCase() !== section.toLowerCase()) return `Expected </${section}> but saw ${shown}`;
  }
  return undefined;
}

function linesIn({ source, lines }: ConfigTree, { release, modules }: Project): SayingLine[] {
  return Array.from(lines)
    .filter(({ kind }) => kind !== "blank" && kind !== "comment")
    .map(({ nameStart, nameEnd, restEnd }) => {
      // The name may be all that stands ahead of a continuation.
      const word = source.text.slice(nameStart, nameEnd).replace(/\\$/, "");
      const written = word.replace(/^(<[^/].*)>$/, "$1");
      const facts = directiveFacts(release, written).find((each) => !each.manualOnly && modules.provides(each));
      return {
        name: facts ? `${facts.section ? "<" : ""}${facts.tableName}` : written,
        word,
        span: { file: source, start: nameStart, end: Math.max(nameEnd, restEnd) },
        readTime: facts?.readTime ? facts : undefined,
      };
    });
}
