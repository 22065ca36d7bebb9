import type { Project } from "../project/project.js";
import { withoutDirectives } from "../project/without.js";
import { findMisplaced } from "../refusals/misplaced.js";
import { findRefusals } from "../refusals/refusals.js";
import { Once } from "../scope/once.js";

const taken = new Once((project: Project) => {
  const refused = new Set([
    ...findRefusals(project).startup.map(({ directive }) => directive),
    ...findMisplaced(project),
  ]);
  return refused.size === 0 ? project : withoutDirectives(project, refused);
});

/**
 * A configuration without the lines of its main files at which the server stops for their words, such as a Require that no
 * module knows, or for where they stand, such as Order outside a section: what it would be if they were not there. The same
 * one where it stops at none.
 */
export function withoutRefused(project: Project): Project {
  return taken.of(project);
}
