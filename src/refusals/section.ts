import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import type { Standing } from "../project/standing.js";
import type { ConfigurationVisitor } from "../project/walk.js";
import { RefusalFinder } from "./refusals.js";

const ofAccess = new Set(["order", "allow", "deny", "satisfy", "require"]);
const aroundAccess = new Set(["<limit", "<limitexcept", "<requireall", "<requireany", "<requirenone"]);

/** Tells of single sections whether the server refuses what they say about access. */
export class SectionRefusals {
  /** What lines elsewhere have to do with it: to be shown the configuration beside the rule that asks. */
  readonly directives: ConfigurationVisitor["directives"] & object;
  private found = 0;
  private readonly visitor: ConfigurationVisitor;

  constructor(project: Project) {
    this.visitor = new RefusalFinder(project, () => this.found++).visitor;
    this.directives = this.visitor.directives ?? {};
  }

  /** Whether one of the scope's own lines of access control, or a section around some of them, is refused. */
  holdsRefused(scope: Scope): boolean {
    const before = this.found;
    this.look(scope.content, scope.standing, scope);
    this.visitor.scope?.visit(scope);
    return this.found > before;
  }

  private look(directives: readonly Directive[], standing: Standing, scope: Scope): void {
    for (const directive of directives) {
      const isAround = aroundAccess.has(directive.key);
      if (isAround || ofAccess.has(directive.key))
        this.visitor.byWords?.(directive.known, standing)?.(directive, scope);
      if (isAround && directive.children) this.look(directive.children, standing.inside(directive.known), scope);
    }
  }
}
