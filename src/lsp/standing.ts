import { directiveFacts, type Release } from "../directives/directives.js";
import type { KnownName } from "../project/directive.js";
import { guardKinds } from "../project/guards.js";
import type { EntryKind } from "../project/project.js";
import { type Standing, topStanding } from "../project/standing.js";
import type { OpenDocument } from "./documents.js";
import type { Outline } from "./jobs.js";
import { sectionKey, sectionsAround } from "./lines.js";

const guards = new Set<string>(guardKinds);

/** Where a line of a document stands, by the sections as they are written and by what leads to the document. */
export function standingAt(document: OpenDocument, index: number, outline: Outline | undefined): Standing {
  const release = outline?.release ?? "2.4";
  const top = topStanding(outline?.kind ?? likelyKind(document));
  const inside = sectionsAround(document.tree, index).map((line) => sectionKey(document.tree, line));
  return [...(outline?.around ?? []), ...inside].reduce((outer, key) => within(outer, key, release), top);
}

/** What guards hold stands where they do; a macro may be used anywhere. */
function within(outer: Standing, key: string, release: Release): Standing {
  if (guards.has(key)) return outer;
  return key === "<macro" ? topStanding("fragment") : outer.inside(knownName(key, release));
}

function knownName(key: string, release: Release): KnownName {
  return { key, facts: directiveFacts(release, key) };
}

/** As long as nothing is known of the files around it. */
function likelyKind({ place: { path } }: OpenDocument): EntryKind {
  return /(^|\/)\.ht[^/]*$/.test(path) ? "htaccess" : "fragment";
}
