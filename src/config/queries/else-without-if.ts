import type { Directive } from "../model/directive.js";

/**
 * Returns each Else and ElseIf of a scope without an If before it (server/core.c `ifsection`); other sections may be
 * between them.
 */
export function findElseWithoutIf(directives: readonly Directive[]): readonly Directive[] {
  const found: Directive[] = [];
  let hasIf = false;
  for (const directive of directives) {
    if (directive.key === "<if") hasIf = true;
    else if (directive.key === "<else" || directive.key === "<elseif") {
      if (!hasIf) found.push(directive);
      if (directive.key === "<else") hasIf = false;
    }
  }
  return found;
}
