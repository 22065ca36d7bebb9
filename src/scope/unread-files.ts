import { withInner } from "../project/all-directives.js";
import { hasWildcard } from "../project/fnmatch.js";
import { onServer } from "../project/installed.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { fromReadable } from "../text/source.js";
import { ignoresFiles, overridesIn } from "./overrides.js";
import { Questions } from "./questions.js";
import { canonicalPath, SectionIndex, targetOf } from "./section-index.js";
import { Servers } from "./servers.js";

/**
 * A project less the `.htaccess` files that no server reads, since `AllowOverride None` is in force where they lie: what is
 * wrong in them does no harm.
 */
export function withoutUnreadFiles(project: Project): Project {
  const closed = project.problems.filter(({ directory }) => directory !== undefined);
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
  const unasked = new Set(
    closed.filter(
      ({ directory = "", andBelow }) => isUnread({ directory }) && !(andBelow && mayBeReadBelow(directory, project)),
    ),
  );
  if (unread.size === 0 && unasked.size === 0) return project;
  const sources = new Set([...unread].map(({ tree }) => tree.source));
  return {
    ...project,
    htaccess: project.htaccess.filter((file) => !unread.has(file)),
    problems: project.problems.filter((each) => !sources.has(each.span.file) && !unasked.has(each)),
    guards: project.guards.filter(({ span }) => !sources.has(span.file)),
  };
}

/** Whether a section may have `.htaccess` files read in some directory further in. */
function mayBeReadBelow(directory: string, project: Project): boolean {
  const folder = `${canonicalPath(fromReadable(onServer(project)(directory)))}/`;
  for (const { key, parent, arguments: words } of withInner(project.directives)) {
    if ((key !== "allowoverride" && key !== "allowoverridelist") || parent === undefined) continue;
    if (words.every(({ value }) => value.toLowerCase() === "none")) continue;
    const { text, isPattern } = targetOf(parent) ?? { text: "", isPattern: true };
    if (isPattern || hasWildcard(text) || canonicalPath(text)?.startsWith(folder)) return true;
  }
  return false;
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
