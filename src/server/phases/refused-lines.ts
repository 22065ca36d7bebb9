import type { ConfigTree } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { mayBeThirdParty } from "../../config/model/modules.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import { findUndefinedVariable, findUnresolvedVariable } from "../../config/model/variables.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { expressionsOf, findExpressionErrors, spanInExpression } from "../../config/queries/expressions.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { type Span, toReadable } from "../../text/source.js";
import { isRequireContainer } from "../access/require-rules.js";
import type { Oracle } from "../model/oracle.js";
import { markIfUndefined } from "../sections/undecidable-lines.js";
import type { DirectoryWalk, FoundHtaccess } from "../walk/directory-walk.js";
import type { HtaccessFault } from "../walk/htaccess-check.js";

/**
 * Returns the reasons why the server rejects a `.htaccess` file regardless of AllowOverride, in the order in which it
 * finds them.
 */
export function createFaultFinder(project: Project): (file: HtaccessFile) => readonly HtaccessFault[] {
  const faults = fileFaults(project);
  const own = new Set(project.htaccess);
  // The file may have been read again.
  return (file) => (own.has(file) ? faults : fileFaults({ ...project, htaccess: [file] })).get(file) ?? [];
}

/**
 * Marks the outcome undecidable if `.htaccess` files have lines with undefined variables: the environment of the server may
 * have values that it rejects, or that it accepts in place of the name (server/core.c `ap_resolve_env`).
 *
 * @param isProof whether only lines count that the server rejects as they are: both sides of a proof have the others
 */
export function markUndecidableFiles(
  found: readonly FoundHtaccess[],
  project: Project,
  oracle: Oracle,
  isProof: boolean,
): void {
  for (const { file, verdict } of found) {
    const line =
      verdict.kind === "taken"
        ? undefinedLineIn(file, project, isProof)
        : verdict.kind === "refused" && isNamedByVariable(verdict.directive)
          ? verdict.directive
          : undefined;
    if (line) markIfUndefined(line, oracle);
  }
}

function undefinedLineIn(file: HtaccessFile, project: Project, isProof: boolean): Directive | undefined {
  if (!mayHaveUndefined(file)) return undefined;
  const line = isProof ? undefined : findLineWithVariable(file);
  if (line) return line;
  const { files, lines } = findUndefinedVariableUses(project);
  // The file may have been read again.
  return (files.has(file) ? lines : findUndefinedLines({ ...project, htaccess: [file] })).get(file.tree);
}

/** Reports whether a value of the server's environment may be the name of a directive. */
function isNamedByVariable(line: Directive | undefined): boolean {
  return line !== undefined && findUnresolvedVariable(line.name) !== undefined;
}

/** Returns the first line of a file with a variable that is not defined. */
const findLineWithVariable = memoize(({ directives }: HtaccessFile) =>
  [...iterateDescendants(directives)].find(
    ({ name, argumentText }) => findUnresolvedVariable(`${name} ${argumentText}`) !== undefined,
  ),
);

const mayHaveUndefined = memoize(({ tree }: HtaccessFile) => findUndefinedVariable(tree.source.text) !== undefined);

const findUndefinedVariableUses = memoize((project: Project) => ({
  files: new Set(project.htaccess),
  lines: findUndefinedLines(project),
}));

/** Returns the first such line of each file. */
function findUndefinedLines(project: Project): ReadonlyMap<ConfigTree, Directive> {
  const lines = project.htaccess.length === 0 ? [] : project.findRefusals(project).open;
  return new Map(lines.map((line) => [line.reading.tree, line] as const).reverse());
}

function fileFaults(project: Project): ReadonlyMap<HtaccessFile, readonly HtaccessFault[]> {
  if (project.htaccess.length === 0) return new Map();
  const byTree = new Map<ConfigTree, HtaccessFault[]>();
  const faultsOf = (tree: ConfigTree) => getOrCreate(byTree, tree, () => []);
  // The server reads the whole file before it checks its lines.
  for (const { kind, span, problem, server, atEnd } of project.problems) {
    const tree = kind === "syntax" || kind === "refused" ? project.files.get(span.file.path) : undefined;
    if (tree)
      faultsOf(tree).push({ message: problem, server, directive: undefined, span, ...(atEnd ? { atEnd } : {}) });
  }
  for (const { directive, problem, server, span } of project.findRefusals(project).htaccess)
    faultsOf(directive.reading.tree).push({ message: problem, server, directive, span });
  for (const file of project.htaccess)
    for (const fault of findUnreadableConditions(file.directives, project)) addInOrder(fault, faultsOf(file.tree));
  const faults = new Map<HtaccessFile, readonly HtaccessFault[]>();
  for (const file of project.htaccess) {
    const found = byTree.get(file.tree);
    if (found !== undefined) faults.set(file, found);
  }
  return faults;
}

/** Yields each condition in a file that the server cannot parse. The error message depends on the parser's state. */
function* findUnreadableConditions(
  directives: readonly Directive[],
  project: Project,
): Generator<HtaccessFault & { directive: Directive }> {
  const { modules, modulesAreKnown, release } = project;
  if (release !== "2.4") return;
  const hasModule = modulesAreKnown ? (identifier: string) => modules.has(identifier) : undefined;
  for (const directive of directives) {
    for (const expression of expressionsOf(directive)) {
      const [error] = findExpressionErrors(expression, hasModule, true, new Set());
      if (error === undefined) continue;
      const message = `invalid expression: ${error.message}`;
      yield { message, server: undefined, directive, span: spanInExpression(expression, error) };
    }
    yield* findUnreadableConditions(directive.children ?? [], project);
  }
}

function addInOrder(fault: HtaccessFault & { directive: Directive }, faults: HtaccessFault[]): void {
  const index = faults.findIndex((each) => each.directive && isFoundFirst(fault.directive, each.directive));
  if (faults.every((each) => each.directive !== fault.directive))
    faults.splice(index < 0 ? faults.length : index, 0, fault);
}

type RefusedFile = NonNullable<DirectoryWalk["refused"]>;

/** The first error that the server finds in a rejected `.htaccess` file. */
export interface HtaccessRefusal {
  /** Undefined if the error is in the text, not in a directive. */
  readonly directive: Directive | undefined;
  readonly span: Span;
  /** As a clause. */
  readonly why: string;
  /** The server's message, if known. */
  readonly server: string | undefined;
}

/**
 * Returns why a `.htaccess` file is rejected. The server first reads the whole file and evaluates conditional sections
 * and Define. Then it checks the directives in order (server/config.c `ap_build_config`, `ap_walk_config`).
 */
export function explainHtaccessRefusal(
  { file, directive, why, option, fault }: RefusedFile,
  { project }: RefusalContext,
): HtaccessRefusal {
  if (fault && (directive === undefined || isFoundFirst(fault.directive, directive)))
    return { directive: fault.directive, span: fault.span, why: fault.message, server: fault.server };
  if (directive)
    return { directive, span: directive.span, why, server: describeNotAllowed(directive, project, option) };
  return { directive, span: { file: file.tree.source, start: 0, end: 0 }, why, server: undefined };
}

interface RefusalContext {
  readonly project: Project;
}

function describeNotAllowed(directive: Directive, project: Project, option: string | undefined): string {
  const { name, known, parent } = directive;
  const { modules, release } = project;
  if (option !== undefined) return `Option ${option.replace(/^[+-]/, "")} not allowed here`;
  const isKnown = known.facts.some((facts) => !facts.manualOnly && modules.provides(facts));
  if (isKnown || mayBeThirdParty(directive, project))
    return `${name} not allowed ${parent && release === "2.4" ? `in ${parent.name}> context` : "here"}`;
  return `Invalid command '${toReadable(name)}', perhaps misspelled or defined by a module not included in the server configuration`;
}

/**
 * Returns whether a fault precedes a line that is not allowed. The fault of a Require container is found after its
 * contents.
 */
function isFoundFirst(fault: Directive | undefined, { span }: Directive): boolean {
  if (fault === undefined) return true;
  const isAround = isRequireContainer(fault) && fault.children !== undefined && fault.span.end >= span.end;
  return fault.span.start < span.start && !isAround;
}
