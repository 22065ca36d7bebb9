import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { type Layer, layerOf, layerOfSection } from "../scope/layer.js";
import type { Context } from "./contexts.js";
import { isOld } from "./old-directives.js";

/** Sections and files with old directives that never come to anything. */
export function unmet(project: Project, contexts: readonly Context[]): readonly Layer[] {
  const met = new Set(contexts.flatMap(({ layers }) => layers.flatMap(({ directives }) => directives)));
  const layers = new Set<Layer>();
  for (const directive of allDirectives(project)) {
    if (!isOld(directive) || met.has(directive)) continue;
    const layer = layerAround(directive, project);
    if (layer) layers.add(layer);
  }
  return [...layers];
}

function layerAround({ parent, reading }: Directive, project: Project): Layer | undefined {
  if (parent === undefined) {
    const file = project.htaccess.find(({ tree }) => tree === reading.tree);
    return file && layerOf(file.directives, undefined);
  }
  if (parent.key === "<virtualhost") return undefined;
  return parent.key === "<limit" || parent.key === "<limitexcept"
    ? layerAround(parent, project)
    : layerOfSection(parent);
}
