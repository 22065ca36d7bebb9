import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, type Project } from "../../src/lint/api/configuration.js";
import { pathKey, type RuleContext, resolvePath, stripTrailingSlash } from "../../src/lint/api/rule.js";

/** An AliasMatch that leads all URLs below a path to one directory. */
export interface FixedDirectory {
  readonly directory: string;
  /** A URL that leads to it. */
  readonly request: string;
  /** The line that was meant; undefined for a pattern that is not plain. */
  readonly corrected: string | undefined;
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
  if (pattern === undefined || target === undefined || !/^[\w./:\\ -]+$/.test(target.value)) return undefined;
  const sample = samplePattern(pattern.value) ?? "";
  const request = [sample.replace(/[^/]*$/, "page"), `${sample}/page`].find(
    (path) => path.startsWith("/") && leadsBack(pattern.value, path),
  );
  if (request === undefined) return undefined;
  const directory = stripTrailingSlash(resolvePath(project.serverRoot, target.value));
  const { sections, isOff } = directorySectionsOf(project);
  const own = sections.get(pathKey(directory)) ?? [];
  const kind = files?.kindOf(directory);
  if (isOff || kind === "file" || own.some(({ children }) => children?.some(({ key }) => otherAnswers.has(key))))
    return undefined;
  if (kind !== "directory" && own.length === 0 && !target.value.endsWith("/")) return undefined;
  const path = /^\^?(\/[\w/-]*?)\/?(?:\(?\.[*+]\)?\$?)?$/.exec(pattern.value)?.[1];
  return {
    directory,
    request,
    corrected: path === undefined || path === "" ? undefined : `Alias "${path}/" "${directory}/"`,
  };
}

/** Reports whether a pattern also matches the URLs that a URL is redirected to. */
function leadsBack(pattern: string, path: string): boolean {
  return [path, `${path}/`, `${path}/index.html`].every((each) => Array.isArray(matchGroupsOf(pattern, each, false)));
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
