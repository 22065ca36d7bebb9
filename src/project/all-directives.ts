import type { Directive } from "./directive.js";
import type { Project } from "./project.js";

/** Every directive and section of a configuration and of its `.htaccess` files, a section before what is in it. */
export function* allDirectives({
  directives,
  htaccess,
}: Pick<Project, "directives" | "htaccess">): Generator<Directive> {
  yield* withInner(directives);
  for (const file of htaccess) yield* withInner(file.directives);
}

/** Directives with all that is in them, a section before what is in it. */
export function* withInner(directives: readonly Directive[]): Generator<Directive> {
  for (const directive of directives) {
    yield directive;
    if (directive.children) yield* withInner(directive.children);
  }
}
