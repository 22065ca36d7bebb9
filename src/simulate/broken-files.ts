import type { ConfigTree } from "../../grammar/ast.js";
import { isRequireContainer } from "../access/new-rules.js";
import type { Directive } from "../project/directive.js";
import { expressionErrors, heldExpression, placeInExpression } from "../project/expressions.js";
import { mayBeForeign } from "../project/foreign.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { findRefusals } from "../refusals/refusals.js";
import { Once } from "../scope/once.js";
import type { FileFault } from "../scope/overrides.js";
import type { Questions } from "../scope/questions.js";
import { leaveIfUnset } from "../scope/unset-words.js";
import type { DirectoryWalk, FoundFile } from "../scope/walk.js";
import type { Span } from "../text/source.js";

/** Why the server refuses `.htaccess` files whatever is allowed in them, in the order in which it comes to that. */
export function faultsIn(project: Project): (file: HtaccessFile) => readonly FileFault[] {
  const faults = fileFaults(project);
  const own = new Set(project.htaccess);
  // A file may have been read anew.
  return (file) => (own.has(file) ? faults : fileFaults({ ...project, htaccess: [file] })).get(file) ?? [];
}

/** Leaves open what comes of a request by `.htaccess` files that are read whole only where variables in them have a value. */
export function leaveToFiles(found: readonly FoundFile[], project: Project, questions: Questions): void {
  for (const { file, verdict } of found) {
    const line = verdict.kind === "taken" ? openLineIn(file, project) : undefined;
    if (line) leaveIfUnset(line, questions);
  }
}

function openLineIn(file: HtaccessFile, project: Project): Directive | undefined {
  if (!file.tree.source.text.includes("${")) return undefined;
  const { files, lines } = open.of(project);
  // A file may have been read anew.
  return (files.has(file) ? lines : openLines({ ...project, htaccess: [file] })).get(file.tree);
}

const open = new Once((project: Project) => ({ files: new Set(project.htaccess), lines: openLines(project) }));

/** The first such line of each file. */
function openLines(project: Project): ReadonlyMap<ConfigTree, Directive> {
  const lines = project.htaccess.length === 0 ? [] : findRefusals(project).open;
  return new Map(lines.map((line) => [line.reading.tree, line] as const).reverse());
}

function fileFaults(project: Project): ReadonlyMap<HtaccessFile, readonly FileFault[]> {
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
 */
export function refusalOf({ file, directive, why, option, fault }: RefusedFile, { project }: Readings): FileRefusal {
  if (fault && (directive === undefined || isStumbledOver(fault.directive, directive)))
    return { directive: fault.directive, span: fault.span, why: fault.message, server: fault.server };
  if (directive) return { directive, span: directive.span, why, server: notAllowed(directive, project, option) };
  return { directive, span: { file: file.tree.source, start: 0, end: 0 }, why, server: undefined };
}

interface Readings {
  readonly project: Project;
}

function notAllowed(directive: Directive, project: Project, option: string | undefined): string {
  const { name, known, parent } = directive;
  const { modules, release } = project;
  if (option !== undefined) return `Option ${option.replace(/^[+-]/, "")} not allowed here`;
  const isKnown = known.facts.some((facts) => !facts.manualOnly && modules.provides(facts));
  if (isKnown || mayBeForeign(directive, project))
    return `${name} not allowed ${parent && release === "2.4" ? `in ${parent.name}> context` : "here"}`;
  return `Invalid command '${name}', perhaps misspelled or defined by a module not included in the server configuration`;
}

/** Whether a fault comes before a line that is not allowed; that of a Require container is found behind what is in it. */
function isStumbledOver(fault: Directive | undefined, { span }: Directive): boolean {
  if (fault === undefined) return true;
  const isAround = isRequireContainer(fault) && fault.children !== undefined && fault.span.end >= span.end;
  return fault.span.start < span.start && !isAround;
}
