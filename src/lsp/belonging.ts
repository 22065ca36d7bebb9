import { dirname } from "node:path";
import { partsLast } from "../project/main-file-order.js";
import { realPathOf } from "../project/main-files.js";
import { mainOf } from "../settings/servers.js";
import type { OpenDocument } from "./documents.js";
import type { DocumentText, Server, Snapshot } from "./jobs.js";
import type { SettingsBook } from "./settings-book.js";

type Known = Pick<OpenDocument, "uri" | "place">;

/**
 * Documents with the same key are read together: those of a project whose settings name servers, those of one server, and
 * any other on its own.
 */
export function keyOf({ uri, place }: Known, book: SettingsBook): string {
  if (!place.isFile) return uri;
  const project = book.project(place.path);
  if (project && project.servers.length > 0) return project.path;
  // Documents that may belong to several servers have the outermost in common.
  const [main] = [...book.mainsAround(place.path)].sort((a, b) => dirname(a).length - dirname(b).length);
  return main === undefined ? uri : [main, project?.path ?? ""].join("\n");
}

/** Documents that are read together, with the servers that may read them, and how these are read. */
export function snapshotOf(open: readonly OpenDocument[], book: SettingsBook): Snapshot {
  const [first] = open;
  const path = first?.place.path ?? "";
  return {
    servers: first ? serversAround(open, path, book) : [],
    documents: open.map((document) => documentText(document, book)),
    project: book.project(path),
  };
}

function documentText({ snapshot, place }: OpenDocument, book: SettingsBook): DocumentText {
  const main = place.isFile ? book.mainsAround(place.path).at(0) : undefined;
  return { ...snapshot, alone: { main, settings: book.of(place.path, main) } };
}

/** The servers that the settings name, those nearest to a document ahead, and the others that are nearest to one. */
function serversAround(open: readonly OpenDocument[], path: string, book: SettingsBook): readonly Server[] {
  const around = open.flatMap(({ place }) => (place.isFile ? book.mainsAround(place.path) : []));
  const near = partsLast([...new Set(around)]);
  const isFile = open.some(({ place }) => place.isFile);
  const named = isFile ? (book.project(path)?.servers ?? []).map(({ entry }) => mainOf(entry)) : [];
  const isNamed = new Set(named.map(realOrSame));
  const nearAndNamed = near.filter((main) => isNamed.has(realOrSame(main)));
  const far = open.flatMap(({ place }) => (place.isFile ? book.mainsInRepository(place.path) : []));
  const byRealPath = new Map<string, Server>();
  for (const main of [...nearAndNamed, ...named, ...near, ...partsLast([...new Set(far)])])
    if (!byRealPath.has(realOrSame(main))) byRealPath.set(realOrSame(main), { main, settings: book.of(path, main) });
  return [...byRealPath.values()];
}

function realOrSame(path: string): string {
  return realPathOf(path) ?? path;
}
