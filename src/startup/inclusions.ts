import type { Directive } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import { hasWildcard } from "../text/wildcards.js";

/** An Include or Use line that is at the wrong place, with the directives that it adds there. */
export interface MisplacedInclusion {
  readonly inclusion: Directive;
  readonly added: readonly Directive[];
}

/**
 * Returns the outermost Include or Use line that adds a directive to the section that rejects it, if everything that the
 * line adds can be elsewhere. A wildcard at server level reads the files of the server: one of these is wrong.
 *
 * @param section undefined outside of all sections
 * @param canMove reports whether there is a place that accepts directives
 */
export function findMisplacedInclusion(
  directive: Directive,
  section: Directive | undefined,
  { directives }: Pick<Project, "directives">,
  canMove: (added: readonly Directive[]) => boolean,
): MisplacedInclusion | undefined {
  let found: MisplacedInclusion | undefined;
  for (const inclusion of inclusionsWithin(directive, section)) {
    const added = (inclusion.parent?.children ?? directives).filter((each) => isAddedBy(each, inclusion));
    if (!canMove(added)) break;
    const isOfServer = inclusion.parent === undefined && hasWildcard(inclusion.argumentText);
    if (!isOfServer) found = { inclusion, added };
  }
  return found;
}

/** Yields the Include and Use lines that led to a directive, innermost first, as far as they are inside a section. */
function* inclusionsWithin(directive: Directive, section: Directive | undefined): Generator<Directive> {
  for (let line = directive, next = line.reading.includedFrom; next; line = next, next = line.reading.includedFrom) {
    if (section?.reading === line.reading) return;
    yield next;
  }
}

function isAddedBy({ reading: { includedFrom } }: Directive, inclusion: Directive): boolean {
  return includedFrom !== undefined && (includedFrom === inclusion || isAddedBy(includedFrom, inclusion));
}
