import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, type Project, parsePcre } from "../../src/lint/api/configuration.js";
import { pathKey, type RuleContext, resolvePath, stripTrailingSlash } from "../../src/lint/api/rule.js";

/** An AliasMatch that leads all URLs below a path to one directory. */
export interface FixedDirectory {
  readonly directory: string;
  /** A URL that leads to it. */
  readonly request: string;
  /** The line that was meant; undefined for a pattern that is not plain. */
  readonly corrected: string | undefined;
  /** The number of the group for the rest of the path, and whether the pattern has it. */
  readonly rest: { readonly group: number; readonly isWritten: boolean };
}

/** Directives with which requests for a directory do not lead to the directory itself. */
const otherAnswers: ReadonlySet<string> = new Set(["fallbackresource", "proxypass", "rewriterule", "sethandler"]);

/**
 * Finds an AliasMatch whose target is a directory without a reference to a group: httpd then adds the slash of the directory
 * to each URL below, and to the index that it looks for there (test/live/server-mistakes.live.test.ts).
 */
export function findFixedDirectory(
  { arguments: [pattern, target] }: Directive,
  { project, files }: Pick<RuleContext, "project" | "files">,
): FixedDirectory | undefined {
  if (pattern === undefined || target === undefined || !/^(?:[\w./:\\ -]|\$\d)+$/.test(target.value)) return undefined;
  const sample = samplePattern(pattern.value) ?? "";
  const request = [sample.replace(/[^/]*$/, "page"), `${sample}/page`].find(
    (path) => path.startsWith("/") && leadsBack(pattern.value, target.value, path),
  );
  const fixed = request === undefined ? undefined : expand(pattern.value, target.value, request);
  if (request === undefined || fixed === undefined) return undefined;
  const directory = stripTrailingSlash(resolvePath(project.serverRoot, fixed));
  const { sections, isOff } = directorySectionsOf(project);
  const own = sections.get(pathKey(directory)) ?? [];
  const kind = files?.kindOf(directory);
  if (isOff || kind === "file" || own.some(({ children }) => children?.some(({ key }) => otherAnswers.has(key))))
    return undefined;
  if (kind !== "directory" && own.length === 0 && !target.value.endsWith("/")) return undefined;
  return {
    directory,
    request,
    corrected: correctedLine(pattern.value, target.value, directory),
    rest: restOf(pattern.value),
  };
}

/** Returns the line that was meant: an Alias for a plain path, else the pattern with a group for the rest. */
function correctedLine(pattern: string, target: string, directory: string): string | undefined {
  const path = /^\^?(\/[\w/-]*?)\/?(?:\(?\.[*+]\)?\$?)?$/.exec(pattern)?.[1];
  if (path !== undefined) return path === "" ? undefined : `Alias "${path}/" "${directory}/"`;
  const { groups, error } = parsePcre(pattern);
  const isOpen = pattern.endsWith("/") && target.endsWith("/") && error === undefined;
  return isOpen ? `AliasMatch "${pattern}(.*)$" "${target}$${groups.length + 1}"` : undefined;
}

/** Returns the group for the rest of the path: the last one if the pattern ends in it, or else another. */
function restOf(pattern: string): FixedDirectory["rest"] {
  const count = parsePcre(pattern).groups.length;
  const isWritten = /\(\.[*+]\)\$?$/.test(pattern);
  return { group: isWritten ? count : count + 1, isWritten };
}

/** Reports whether a pattern also matches the URLs that a URL is redirected to, and leads all of them to one path. */
function leadsBack(pattern: string, target: string, path: string): boolean {
  const [own, ...others] = [path, `${path}/`, `${path}/index.html`].map((each) => expand(pattern, target, each));
  return own !== undefined && others.every((each) => each === own);
}

/** Returns the target for a path; undefined if the pattern does not match. */
function expand(pattern: string, target: string, path: string): string | undefined {
  const groups = matchGroupsOf(pattern, path, false);
  return Array.isArray(groups)
    ? target.replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? "")
    : undefined;
}

/** Returns the sections of directories by path, and whether DirectorySlash is off anywhere. */
function directorySectionsOf(project: Project) {
  const index = indexDirectives(project);
  const sections = new Map<string, Directive[]>();
  for (const section of index.named("<directory")) {
    const key = pathKey(stripTrailingSlash(resolvePath(project.serverRoot, section.arguments[0]?.value ?? "")));
    sections.set(key, [...(sections.get(key) ?? []), section]);
  }
  const isOff = index.named("directoryslash").some(({ argumentText }) => /^off$/i.test(argumentText));
  return { sections, isOff };
}
