import type { Project, Refusal } from "../../src/lint/api/configuration.js";

/** Returns whether files of the server are missing here: a fragment, or a copy that has only some of the files. */
export function isPartOfServer(project: Project): boolean {
  const { kind, isCopy = false, problems } = project;
  return (
    kind === "fragment" ||
    isCopy ||
    isCopyWithoutIncludes(project) ||
    problems.some((problem) => problem.kind === "server-root") ||
    problems.some(
      (problem) =>
        problem.kind === "include" &&
        isMissing(problem) &&
        (isBelowAssumedRoot(project, problem) ||
          isPackaged(project, problem) ||
          isOfOtherSystem(project, problem) ||
          isOutsideCopy(project, problem)),
    )
  );
}

/**
 * Returns whether this is a copy of a main file, under another name or outside of the ServerRoot that it names, without any
 * of the files that it includes.
 */
function isCopyWithoutIncludes(project: Project): boolean {
  const { entry, includes, files: read } = project;
  return (
    (!/(?:^|\/)(?:httpd|apache2)\.conf$/i.test(entry) || isOutsideRoot(project)) &&
    !includes.some(({ files }) => files.some((path) => read.has(path)))
  );
}

/** Returns whether a main file that no package installs is not below the ServerRoot that it names. */
function isOutsideRoot(project: Project): boolean {
  const root = namedRootOf(project);
  return root !== undefined && !isInstalled(project.entry) && !project.entry.startsWith(`${root}/`);
}

function namedRootOf({ entry, installedAt, serverRoot, files }: Project): string | undefined {
  const isNamed = /^[ \t]*ServerRoot[ \t]/im.test(files.get(entry)?.source.text ?? "");
  return installedAt ?? (isNamed ? serverRoot : undefined);
}

/** Returns whether an Include is relative to a ServerRoot that nobody names, and the main file is a copy elsewhere. */
function isBelowAssumedRoot({ entry, serverRootIsAssumed }: Project, problem: Refusal): boolean {
  const isRelative = !/^\S+[\t-\r ]+["']?\//.test(writtenLineOf(problem));
  return serverRootIsAssumed === true && isRelative && !isInstalled(entry);
}

/** The files that the packages of Debian and Red Hat install next to a main file. */
const packagedFiles =
  /(?:[\t-\r "]|\/)(?:ports\.conf|httpd\.conf|(?:(?:mods|conf|sites)-enabled|conf\.d|conf\.modules\.d)\/[^/\s]*)$/;

/**
 * Returns whether an Include names a file that a package installs, and the main file is a copy elsewhere: often only
 * the changed files of a server are kept.
 */
function isPackaged({ entry }: Project, problem: Refusal): boolean {
  return !entry.startsWith("/etc/") && packagedFiles.test(writtenLineOf(problem));
}

/** The directories of macOS, and the drives of Windows. */
const otherSystems = /(?:^|[\t-\r "'])\/?(?:(?:private|Volumes|System|Users|Applications)|[A-Za-z]:)[/\\]/;

/** Returns whether an Include names a file on another operating system than the one with the main file. */
function isOfOtherSystem({ entry }: Project, problem: Refusal): boolean {
  return otherSystems.test(writtenLineOf(problem)) && !otherSystems.test(entry);
}

/** Returns whether an Include names a file on a drive of Windows. */
export function isOfWindows(problem: Refusal): boolean {
  return /^\S+[\t-\r ]+["']?[A-Za-z]:[/\\]/.test(writtenLineOf(problem));
}

/**
 * Returns whether an Include names a file outside of the server's own directory, and the main file is a copy: it is not
 * below the ServerRoot that it names, or not where packages install it.
 */
function isOutsideCopy(project: Project, problem: Refusal): boolean {
  const { entry } = project;
  const [, path] = /^[^\t-\r ]+[\t-\r ]+["']?(\/[^"'\t-\r ]*)/.exec(writtenLineOf(problem)) ?? [];
  if (path === undefined || isInstalled(entry)) return false;
  const root = namedRootOf(project);
  const isCopy = root === undefined || !entry.startsWith(`${root}/`);
  const own = [entry.replace(/[^/]*$/, ""), ...(root === undefined ? [] : [`${root}/`])];
  return isCopy && !own.some((folder) => path.startsWith(folder));
}

/** Returns whether a file is in the place where packages install a server. */
function isInstalled(path: string): boolean {
  return /^\/(?:etc|usr|opt)\//.test(path);
}

/**
 * Returns whether a module that httpd does not contain is missing on this machine, and the main file is a copy: only
 * the server's machine has such modules.
 */
export function isModuleElsewhere({ entry, isCopy = false }: Project, { code }: Refusal): boolean {
  return code === "missing-module-file" && (isCopy || !isInstalled(entry));
}

/** Returns whether httpd rejects an Include because its files are missing, rather than because it cannot read them. */
export function isMissing(problem: Refusal): boolean {
  return problem.server !== undefined && problem.isMissing === true;
}

/** Returns the line of a problem, as written. */
export function writtenLineOf({ span }: Refusal): string {
  return span.file.text.slice(span.start, span.end).trimEnd();
}
