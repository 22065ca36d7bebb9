import { isAllowedIn } from "../facts/directives.js";
import { memoize } from "../text/memoize.js";
import { memoryAccess } from "./files/file-access.js";
import type { Directive } from "./model/directive.js";
import { ASSUMED_PATH, type Project } from "./model/project.js";
import { readProject } from "./read-project.js";

/**
 * Returns the server that a configuration is analyzed in. A main file is its own server. A fragment is analyzed as if an
 * otherwise empty server included it: at its top, or in `<Directory "/">` if its directives need a directory. A
 * `.htaccess` file is analyzed below a document root that AllowOverride opens, with the files of that name above it, and
 * with those below it if they were read.
 *
 * @returns a project of kind `server`; the same object for the same project
 */
export const assumeServer = memoize((project: Project): Project => {
  if (project.kind === "server") return project;
  return project.kind === "htaccess" ? serveHtaccess(project) : serveFragment(project);
});

function serveFragment(project: Project): Project {
  const { directives } = project;
  if (needsDirectory(directives)) {
    const assumed = readAssumed(project, ['DocumentRoot "/"', '<Directory "/">', "</Directory>"]);
    const placed = assumed.map((each) => (each.children ? each.withChildren(directives) : each));
    return { ...project, kind: "server", directives: placed };
  }
  const hasRoot = directives.some(({ key }) => key === "documentroot");
  const assumed = hasRoot ? [] : readAssumed(project, ['DocumentRoot "/"']);
  return { ...project, kind: "server", directives: [...assumed, ...directives] };
}

function serveHtaccess(project: Project): Project {
  const { htaccessEntry } = project;
  if (htaccessEntry === undefined) return { ...project, kind: "server" };
  const htaccess = [...htaccessEntry.above(), htaccessEntry.file, ...htaccessEntry.below()];
  const [outermost = htaccessEntry.file] = htaccess;
  const root = outermost.directory.replace(/["\\]/g, "\\$&");
  const lines = [`DocumentRoot "${root}"`, '<Directory "/">', "AllowOverride All", "</Directory>"];
  return { ...project, kind: "server", directives: readAssumed(project, lines), htaccess };
}

function readAssumed({ release }: Project, lines: readonly string[]): readonly Directive[] {
  const access = memoryAccess({ [ASSUMED_PATH]: `${lines.join("\n")}\n` });
  const read = readProject(ASSUMED_PATH, { release, access, kind: "server", htaccess: false });
  return "project" in read ? read.project.directives : [];
}

/**
 * Reports whether lines can only be included in a directory: one of them, such as `Require`, is not allowed elsewhere,
 * and all are allowed there.
 */
export function needsDirectory(directives: readonly Directive[]): boolean {
  const known = directives.map(({ known: { facts } }) => facts).filter((facts) => facts.length > 0);
  return (
    known.some((facts) => !facts.some((each) => isAllowedIn(each, "server") || isAllowedIn(each, "virtualhost"))) &&
    known.every((facts) => facts.some((each) => isAllowedIn(each, "directory")))
  );
}

/** Joins clauses to follow `assuming that`. */
export function joinClauses(clauses: readonly string[]): string {
  return clauses.join(", and that ");
}

/** Returns the assumptions of an analysis about the rest of the server, as clauses; empty for a whole server. */
export function assumptionsOf(project: Project): readonly string[] {
  if (project.kind === "server") return [];
  const always = "no other file of the server sets access for these paths";
  if (project.kind === "htaccess") {
    const [outermost] = assumeServer(project).htaccess;
    return [
      always,
      ...(outermost ? [`the document root is \`${outermost.directory}\`, with \`AllowOverride All\``] : []),
    ];
  }
  if (needsDirectory(project.directives)) return [always, "a section for the requested directory includes the file"];
  const hasHosts = project.directives.some(({ key }) => key === "<virtualhost");
  return hasHosts ? [always, "its first virtual host answers requests without a Host header"] : [always];
}
