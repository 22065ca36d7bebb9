import { onServer } from "../project/installed.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { fromReadable } from "../text/source.js";
import { overridesIn } from "./overrides.js";
import { Questions } from "./questions.js";
import { canonicalPath, SectionIndex } from "./section-index.js";
import { Servers } from "./servers.js";

/**
 * A project less the `.htaccess` files that no server reads, since `AllowOverride None` is in force where they lie: what is
 * wrong in them does no harm.
 */
export function withoutUnreadFiles(project: Project): Project {
  if (project.htaccess.length === 0) return project;
  const { main, hosts } = new Servers(project.directives, project.release);
  const ofMain = new SectionIndex(main.layer.content, project.release);
  const ofHosts = hosts
    .filter(({ layer }) => layer.content.some(({ key }) => key === "<directory"))
    .map(({ layer }) => new SectionIndex(layer.content, project.release));
  const servers = [[ofMain], ...ofHosts.map((own) => [ofMain, own])];
  const isUnread = (file: HtaccessFile) => servers.every((indexes) => isIgnored(file, indexes, project));
  const unread = new Set(project.htaccess.filter(isUnread));
  if (unread.size === 0) return project;
  const sources = new Set([...unread].map(({ tree }) => tree.source));
  return {
    ...project,
    htaccess: project.htaccess.filter((file) => !unread.has(file)),
    problems: project.problems.filter(({ span }) => !sources.has(span.file)),
    guards: project.guards.filter(({ span }) => !sources.has(span.file)),
  };
}

function isIgnored(file: HtaccessFile, indexes: readonly SectionIndex[], project: Project): boolean {
  const names = (canonicalPath(fromReadable(onServer(project)(file.directory))) ?? "").split("/").slice(1);
  const questions = new Questions(new Map());
  const layers = [...names.keys(), names.length].flatMap((level) =>
    indexes.flatMap((index) =>
      index.directoriesAt(pathOf(names.slice(0, level)), level, questions).map(({ layer }) => layer),
    ),
  );
  const { isSet, classes, names: listed, skips } = overridesIn(layers, project);
  return isSet && classes.size === 0 && listed.size === 0 && !skips.override && !skips.unknown;
}

function pathOf(names: readonly string[]): string {
  return names.map((name) => `/${name}`).join("");
}
