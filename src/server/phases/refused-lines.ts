import type { ConfigTree } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import { findUndefinedVariable, findUnresolvedVariable } from "../../config/model/variables.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { findElseWithoutIf } from "../../config/queries/else-without-if.js";
import { expressionsOf, findExpressionErrors, spanInExpression } from "../../config/queries/expressions.js";
import { wordingOf } from "../../config/refusals/refusal.js";
import { isSince } from "../../facts/release.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import type { Oracle } from "../model/oracle.js";
import { markIfUndefined } from "../sections/undecidable-lines.js";
import type { FoundHtaccess } from "../walk/directory-walk.js";
import { type HtaccessRefusal, isFoundFirst } from "../walk/htaccess-check.js";

/**
 * Returns the reasons why the server rejects a `.htaccess` file regardless of AllowOverride, in the order in which it
 * finds them.
 */
export function createFaultFinder(project: Project): (file: HtaccessFile) => readonly HtaccessRefusal[] {
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
        : verdict.kind === "refused" && isNamedByVariable(verdict.disallowed)
          ? verdict.disallowed
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

function fileFaults(project: Project): ReadonlyMap<HtaccessFile, readonly HtaccessRefusal[]> {
  if (project.htaccess.length === 0) return new Map();
  const byTree = new Map<ConfigTree, HtaccessRefusal[]>();
  const faultsOf = (tree: ConfigTree) => getOrCreate(byTree, tree, () => []);
  // The server reads the whole file before it checks its lines.
  for (const problem of project.problems) {
    const { kind, span } = problem;
    const tree = kind === "syntax" || kind === "refused" ? project.files.get(span.file.path) : undefined;
    if (tree) faultsOf(tree).push(problem);
  }
  for (const line of project.findRefusals(project).htaccess) faultsOf(line.directive.reading.tree).push(line);
  for (const file of project.htaccess)
    for (const findFaults of [findUnreadableConditions, findLoneElse])
      for (const fault of findFaults(file.directives, project)) addInOrder(fault, faultsOf(file.tree));
  const faults = new Map<HtaccessFile, readonly HtaccessRefusal[]>();
  for (const file of project.htaccess) {
    const found = byTree.get(file.tree);
    if (found !== undefined) faults.set(file, found);
  }
  return faults;
}

type RefusedCondition = HtaccessRefusal & { readonly directive: Directive };

/** Yields each condition in a file that the server cannot parse. The error message depends on the parser's state. */
function* findUnreadableConditions(directives: readonly Directive[], project: Project): Generator<RefusedCondition> {
  const { modules, modulesAreKnown, release } = project;
  if (!isSince(release, "2.4")) return;
  const hasModule = modulesAreKnown ? (identifier: string) => modules.has(identifier) : undefined;
  for (const directive of directives) {
    for (const expression of expressionsOf(directive)) {
      const [error] = findExpressionErrors(expression, hasModule, true, new Set());
      if (error === undefined) continue;
      yield { ...wordingOf("invalid-condition", error.message), directive, span: spanInExpression(expression, error) };
    }
    yield* findUnreadableConditions(directive.children ?? [], project);
  }
}

/** Yields each Else and ElseIf in a file without an If before it. */
function* findLoneElse(directives: readonly Directive[], project: Project): Generator<RefusedCondition> {
  if (!isSince(project.release, "2.4")) return;
  for (const directive of findElseWithoutIf(directives))
    yield { ...wordingOf("else-without-if", directive.name), directive, span: directive.nameSpan };
  for (const { children } of directives) if (children) yield* findLoneElse(children, project);
}

function addInOrder(fault: RefusedCondition, faults: HtaccessRefusal[]): void {
  const index = faults.findIndex((each) => each.directive && isFoundFirst(fault.directive, each.directive));
  if (faults.every((each) => each.directive !== fault.directive))
    faults.splice(index < 0 ? faults.length : index, 0, fault);
}
