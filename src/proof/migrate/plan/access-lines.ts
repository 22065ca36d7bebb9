import type { TreeNode } from "../../../../grammar/ast.js";
import { type Directive, lineKeyOf } from "../../../config/model/directive.js";
import type { Guard } from "../../../config/model/guards.js";
import type { Project } from "../../../config/model/project.js";
import { iterateDirectives } from "../../../config/queries/directive-tree.js";
import { isAccessLine, isLegacyDirectiveName, isLineOf24 } from "../../../server/access/lines-of-24.js";
import { isRequireContainer } from "../../../server/access/require-rules.js";
import { getOrCreate } from "../../../text/collections.js";
import type { SourceFile, Span } from "../../../text/source.js";

/** Returns the number of lines that control access; those of a macro count once. */
export function countAccessLines(project: Project): number {
  const lines = new Map<string, number>();
  // The closing tag of a container is a line, too.
  for (const directive of iterateDirectives(project))
    if (isAccessLine(directive)) lines.set(lineKeyOf(directive), isRequireContainer(directive) ? 2 : 1);
  return [...lines.values()].reduce((sum, count) => sum + count, 0);
}

const compat = new Set(["mod_access_compat.c", "access_compat_module"]);

/** Reports whether a section tag, without its `>`, is an `<IfModule>` for mod_access_compat. */
function isCompatGuard(tag: string): boolean {
  const [name, module] = tag.split(/[\s">]+/);
  return name?.toLowerCase() === "<ifmodule" && compat.has(module ?? "");
}

/** Returns the outermost conditional section around a directive that applies only if mod_access_compat is loaded. */
export function findCompatGuard({ guard }: Directive): Guard | undefined {
  let found: Guard | undefined;
  for (let each = guard; each; each = each.parent)
    if (each.kind === "<ifmodule" && !each.negated && compat.has(each.argument)) found = each;
  return found;
}

/** Returns active access directives that only 2.4 knows: the files have already been migrated, at least in part. */
export function findNewerLines(project: Project): readonly Directive[] {
  return [...iterateDirectives(project)].filter(isLineOf24);
}

/** Returns the first IncludeOptional, which 2.2 rejects: it does not read the files. */
export function findNewerInclude(project: Project): Directive | undefined {
  return [...iterateDirectives(project)].find(({ key }) => key === "includeoptional");
}

/** mod_access_compat directives in a conditional section that does not apply. */
export interface InactiveLines {
  readonly guard: Guard;
  /** In file order. */
  readonly lines: readonly Span[];
}

/**
 * Returns the inactive mod_access_compat directives, by the conditional section that excludes them. They stay
 * unchanged, and with another `-D` or module they need mod_access_compat. Sections conditional on only that module are
 * correct as they are.
 */
export function findInactiveLines(project: Project): readonly InactiveLines[] {
  const loaded = new Set([...iterateDirectives(project)].map(({ span }) => guardKey(span)));
  const closed = new Map(project.guards.filter(({ holds }) => !holds).map((guard) => [guardKey(guard.span), guard]));
  const found = new Map<Guard, Span[]>();
  const visit = (nodes: readonly TreeNode[], file: SourceFile, outer: Guard | undefined) => {
    for (const node of nodes) {
      const { kind, nameStart: start, nameEnd: end } = "open" in node ? node.open : node;
      const span = { file, start, end };
      const guard = outer ?? closed.get(guardKey(span));
      if ("open" in node) {
        if (!isCompatGuard(file.text.slice(start, node.open.restEnd))) visit(node.children, file, guard);
      } else if (
        guard &&
        kind === "directive" &&
        isLegacyDirectiveName(file.text.slice(start, end)) &&
        !loaded.has(guardKey(span))
      )
        getOrCreate(found, guard, () => []).push(span);
    }
  };
  for (const tree of project.files.values()) visit(tree.nodes, tree.source, undefined);
  return [...found].map(([guard, lines]) => ({ guard, lines }));
}

function guardKey({ file, start }: Span): string {
  return `${start} ${file.realPath}`;
}
