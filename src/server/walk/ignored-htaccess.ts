import type { HtaccessFile, Project } from "../../config/model/project.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { fromReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import { Oracle } from "../model/oracle.js";
import { ServerLookup } from "../request/vhost-lookup.js";
import { canonicalizePath, SectionIndex, targetOf } from "../sections/section-index.js";
import { ignoresHtaccess, mergeOverrides } from "./overrides.js";

/**
 * Returns a project without the `.htaccess` files that no server reads because `AllowOverride None` applies there:
 * errors in them are harmless.
 */
export function omitUnreadHtaccess(project: Project): Project {
  const closed = project.problems.filter(({ directory }) => directory !== undefined);
  if (project.htaccess.length === 0 && closed.length === 0) return project;
  const { main, hosts } = new ServerLookup(project.directives, project.release);
  const ofMain = new SectionIndex(main.layer.content, project.release);
  const ofHosts = hosts
    .filter(({ layer }) => layer.content.some(({ key }) => key === "<directory"))
    .map(({ layer }) => new SectionIndex(layer.content, project.release));
  const servers = [[ofMain], ...ofHosts.map((own) => [ofMain, own])];
  const isUnread = ({ directory }: Pick<HtaccessFile, "directory">) =>
    servers.every((indexes) => isIgnored(directory, indexes, project));
  const unread = new Set(project.htaccess.filter(isUnread));
  const harmless = new Set(
    closed.filter(
      ({ directory = "", searchedBelow }) =>
        isUnread({ directory }) && !(searchedBelow && mayBeReadBelow(directory, project)),
    ),
  );
  if (unread.size === 0 && harmless.size === 0) return project;
  const sources = new Set([...unread].map(({ tree }) => tree.source));
  return {
    ...project,
    htaccess: project.htaccess.filter((file) => !unread.has(file)),
    problems: project.problems.filter((each) => !sources.has(each.span.file) && !harmless.has(each)),
    guards: project.guards.filter(({ span }) => !sources.has(span.file)),
  };
}

/** Reports whether a section may enable `.htaccess` files in a directory further in. */
function mayBeReadBelow(directory: string, project: Project): boolean {
  const folder = `${canonicalizePath(fromReadable(directory))}/`;
  for (const { key, parent, arguments: words } of iterateDescendants(project.directives)) {
    if ((key !== "allowoverride" && key !== "allowoverridelist") || parent === undefined) continue;
    if (words.every(({ value }) => value.toLowerCase() === "none")) continue;
    const { text, isPattern } = targetOf(parent) ?? { text: "", isPattern: true };
    if (isPattern || hasWildcard(text) || canonicalizePath(text)?.startsWith(folder)) return true;
  }
  return false;
}

function isIgnored(directory: string, indexes: readonly SectionIndex[], project: Project): boolean {
  const names = (canonicalizePath(fromReadable(directory)) ?? "").split("/").slice(1);
  const oracle = new Oracle(new Map());
  const layers = [...names.keys(), names.length].flatMap((level) =>
    indexes.flatMap((index) =>
      index.directoriesAt(pathOf(names.slice(0, level)), level, oracle).map(({ layer }) => layer),
    ),
  );
  return ignoresHtaccess(mergeOverrides(layers, project));
}

function pathOf(names: readonly string[]): string {
  return names.map((name) => `/${name}`).join("");
}
