import { type DefiniteAnswer, type ExposedLine, type OutsideClient, sampleNameFor } from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, isInSection, type Project } from "../../src/lint/api/configuration.js";
import { isWithin, memoize, type RuleContext, resolvePath, stripTrailingSlash } from "../../src/lint/api/rule.js";

/** A request that a section for files allows, and that the directory of the file denies to every client. */
export interface OpenedFile {
  readonly answer: DefiniteAnswer;
  /** The line that denies access to the directory. */
  readonly denial: Directive;
}

/** Limit of the closed directories that are tried for a section. */
const MAX_DIRECTORIES = 12;

/**
 * Finds a closed directory in which a section for files of a directory above, or of the server, allows every client: httpd merges
 * `<Files>` after all directories and `.htaccess` files (server/request.c `ap_file_walk`).
 */
export function findOpenedFile({ line, scope, context }: ExposedLine, client: OutsideClient): OpenedFile | undefined {
  const { section, parent } = scope;
  const sample = section && sampleFileFor(section);
  if (sample === undefined || section === undefined) return undefined;
  const exact = exactNamesOf(section);
  const names = exact.length === 0 && siteFiles.test(sample) ? [sample] : exact;
  for (const { directory, denial, content } of closedDirectoriesOf(context.project).slice(0, MAX_DIRECTORIES)) {
    // A section in the closed directory itself is an exemption.
    if (content.includes(section) || isInSection(section, denial.parent ?? section)) continue;
    if (parent !== undefined && content === parent.directives) continue;
    const name = names.length === 0 ? sample : findName(names, directory, context.files);
    if (name === undefined) continue;
    for (const { server, path } of client.urlsOf(`${directory}/${name}`)) {
      const answer = client.ask(server, { path });
      if (answer?.status === 200 && answer.decidedBy.includes(line) && isWithin(answer.file ?? "", directory))
        return { answer, denial };
    }
  }
  return undefined;
}

/** A directory whose own lines deny access to every client. */
interface ClosedDirectory {
  readonly directory: string;
  readonly denial: Directive;
  readonly content: readonly Directive[];
}

/** Returns the directories that a section or a `.htaccess` file closes, without those that all others are below. */
const closedDirectoriesOf = memoize((project: Project): readonly ClosedDirectory[] => {
  const ofSections = indexDirectives(project)
    .named("<directory")
    .flatMap((section) => {
      const [word, ...more] = section.arguments;
      const path = stripTrailingSlash(resolvePath(project.serverRoot, word?.value ?? ""));
      return more.length > 0 || path === "" || /[*?[$]/.test(path) ? [] : closedBy(path, section.children ?? []);
    });
  const ofFiles = project.htaccess.flatMap(({ directory, directives }) =>
    closedBy(stripTrailingSlash(directory), directives),
  );
  return [...ofSections, ...ofFiles];
});

function closedBy(directory: string, content: readonly Directive[]): readonly ClosedDirectory[] {
  const lines = content.filter(({ key }) => key === "require" || key === "deny" || key === "allow");
  const [denial] = lines;
  const isClosed =
    lines.length === 1 && denial !== undefined && /^(?:from\s+all|all\s+denied)$/i.test(denial.argumentText);
  return isClosed && denial.key !== "allow" ? [{ directory, denial, content }] : [];
}

/** Files that a whole site has once, and that clients ask for in its root. */
const siteFiles =
  /^(?:favicon\.(?:ico|png|svg)|(?:robots|humans|ads|security)\.txt|sitemap\.xml|apple-touch-icon.*|browserconfig\.xml|crossdomain\.xml|manifest\.json|.*\.webmanifest)$/i;

/** Returns the name of a file that a directory has, or may have if it is not on this disk. */
function findName(names: readonly string[], directory: string, files: RuleContext["files"]): string | undefined {
  if (files?.kindOf(directory) === "directory")
    return names.find((each) => files.kindOf(`${directory}/${each}`) === "file");
  return names.find((each) => !siteFiles.test(each));
}

/** Returns the names that a section is for; none for a pattern of more. */
function exactNamesOf({ key, arguments: words }: Directive): readonly string[] {
  const isPattern = key === "<filesmatch" || words.length > 1;
  const value = words.at(-1)?.value ?? "";
  if (!isPattern) return /^[\w.-]+$/.test(value) ? [value] : [];
  const [, start = "", group = "", end = ""] = /^\^([^()|]*)(?:\((?:\?:)?([^()]*)\))?([^()|]*)\$$/.exec(value) ?? [];
  const names = group.split("|").map((each) => `${start}${each}${end}`.replace(/\\([.-])/g, "$1"));
  return names.every((each) => /^[\w.-]+$/.test(each)) ? names : [];
}

/** Returns the name of a file that a section is for. */
function sampleFileFor({ key, arguments: words }: Directive): string | undefined {
  const isPattern = key === "<filesmatch" || words.length > 1;
  const value = words.at(-1)?.value ?? "";
  const sample = isPattern ? sampleNameFor(value) : value.replaceAll("*", "x").replaceAll("?", "x");
  return sample !== undefined && /^[\w-][\w.-]*$/.test(sample) ? sample : undefined;
}
