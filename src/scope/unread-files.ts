import { onServer } from "../project/installed.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { fromReadable } from "../text/source.js";
import { ignoresFiles, overridesIn } from "./overrides.js";
import { Questions } from "./questions.js";
import { canonicalPath, SectionIndex } from "./section-index.js";
import { Servers } from "./servers.js";

/**
 * A project less the `.htaccess` files that no server reads, since `AllowOverride None` is in force where they lie: what is
 * wrong in them does no harm.
 */
export function withoutUnreadFiles(project: Project): Project {
  const closed = project.problems.flatMap(({ directory }) => directory ?? []);
  if (project.htaccess.length === 0 && closed.length === 0) return project;
  const { main, hosts } = new Servers(project.directives, project.release);
  const ofMain = new SectionIndex(main.layer.content, project.release);
  const ofHosts = hosts
    .filter(({ layer }) => layer.content.some(({ key }) => key === "<directory"))
    .map(({ layer }) => new SectionIndex(layer.content, project.release));
  const servers = [[ofMain], ...ofHosts.map((own) => [ofMain, own])];
  const isUnread = ({ directory }: Pick<HtaccessFile, "directory">) =>
    servers.every((indexes) => isIgnored(directory, indexes, project));
  const unread = new Set(project.htaccess.filter(isUnread));
  const unasked = new Set(closed.filter((directory) => isUnread({ directory })));
  if (unread.size === 0 && unasked.size === 0) return project;
  const sources = new Set([...unread].map(({ tree }) => tree.source));
  return {
    ...project,
    htaccess: project.htaccess.filter((file) => !unread.has(file)),
    problems: project.problems.filter(
      ({ directory, span }) => !sources.has(span.file) && (directory === undefined || !unasked.has(directory)),
    ),
    guards: project.guards.filter(({ span }) => !sources.has(span.file)),
  };
}

function isIgnored(directory: string, indexes: readonly SectionIndex[], project: Project): boolean {
  const names = (canonicalPath(fromReadable(onServer(project)(directory))) ?? "").split("/").slice(1);
  const questions = new Questions(new Map());
  const layers = [...names.keys(), names.length].flatMap((level) =>
    indexes.flatMap((index) =>
      index.directoriesAt(pathOf(names.slice(0, level)), level, questions).map(({ layer }) => layer),
    ),
  );
  return ignoresFiles(overridesIn(layers, project));
}

function pathOf(names: readonly string[]): string {
  return names.map((name) => `/${name}`).join("");
}
