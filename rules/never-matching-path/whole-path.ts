import { allUrlRootsOf, matchGroupsOf, samplePattern, urlRootsOf } from "../../src/lint/api/access.js";
import {
  type Directive,
  escapePattern,
  hasWildcard,
  type Project,
  type RewriteRule,
  type Scope,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { isWithin } from "../../src/lint/api/rule.js";

/**
 * A section whose rules compare the whole path of the file: httpd removes only a directory that is the text of the section
 * (mod_rewrite.c `apply_rewrite_rule`).
 */
export interface WholePathSection {
  readonly section: Directive;
  /** A directory whose requests reach the section; ends in a slash. */
  readonly directory: string;
  /** The text that httpd puts before a relative target; undefined if it depends on the request what becomes of it. */
  readonly prefix: string | undefined;
  /** The URL path of a Location, with a slash at the end. */
  readonly location: string | undefined;
}

/** All texts that rules of such a section compare, as a pattern: a path, or the URL of a backend. */
export const wholePaths = "(?:[A-Za-z]:|proxy:[^?]*)?/.*";

/** Returns the section of rules that compare the whole path; undefined if httpd removes a directory, or if it may. */
export function findWholePathSection({ section }: Scope, project: Project): WholePathSection | undefined {
  const [word, other] = section?.arguments ?? [];
  if (section === undefined) return undefined;
  const isPattern = section.key.endsWith("match") || other !== undefined;
  const common = { section, location: undefined };
  switch (section.key) {
    case "<directory":
    case "<directorymatch": {
      const text = (other ?? word)?.value;
      if (text === undefined || (!isPattern && !hasWildcard(text))) return undefined;
      const matches = (path: string) => matchesSection(text, isPattern, path);
      const roots = rootsAround(section, project);
      const directory = roots.map(({ to }) => to).find(matches) ?? sampleDirectory(text, isPattern);
      if (directory === undefined) return undefined;
      return { ...common, directory, prefix: text.replace(/\/*$/, "/") };
    }
    case "<location": {
      const location = word && !isPattern && !hasWildcard(word.value) ? word.value.replace(/\/*$/, "/") : undefined;
      // Of a path below such a directory, httpd removes the directory.
      if (location === "/" || (location && rootsAround(section, project).some(({ to }) => isWithin(to, location))))
        return undefined;
      const directory = `${documentRootAround(section, project)}${(location ?? "/").slice(1)}`;
      return { ...common, directory, prefix: undefined, location };
    }
    case "<locationmatch":
    case "<files":
    case "<filesmatch":
    case "<if":
    case "<elseif":
    case "<else": {
      const prefix = section.key === "<locationmatch" ? undefined : "";
      return { ...common, directory: documentRootAround(section, project), prefix };
    }
    default:
      return undefined;
  }
}

function rootsAround(section: Directive, project: Project) {
  const host = virtualHostAround(section);
  return host ? urlRootsOf(project, host) : allUrlRootsOf(project);
}

function documentRootAround(section: Directive, project: Project): string {
  return rootsAround(section, project).find(({ from }) => from === "/")?.to ?? ASSUMED_ROOT;
}

const ASSUMED_ROOT = "/var/www/html/";

function matchesSection(text: string, isPattern: boolean, path: string): boolean {
  const pattern = isPattern ? text : `^${escapeWildcards(text.replace(/\/*$/, ""))}/?`;
  return Array.isArray(matchGroupsOf(pattern, path, false));
}

function escapeWildcards(text: string): string {
  return escapePattern(text).replace(/\\\*/g, "[^/]*").replace(/\\\?/g, "[^/]");
}

/** Returns a directory that a section applies to. */
function sampleDirectory(text: string, isPattern: boolean): string | undefined {
  const sample = isPattern
    ? samplePattern(text)
    : text
        .replace(/\*+/g, "x")
        .replace(/\?/g, "x")
        .replace(/\[.*?\]/g, "x");
  return sample?.startsWith("/") ? sample.replace(/\/*$/, "/") : undefined;
}

/** What a rule makes of the whole path. */
export interface WholePathFault {
  readonly kind: "location" | "group" | "relative";
  /** The part of the line that does not do what it is written for. */
  readonly text: string;
  /** The path of a URL below the section, and what the rule makes of it. */
  readonly path: string;
  readonly result: string;
}

/** Finds what a rule was written for that it does not do, because it compares the whole path. */
export function findWholePathFault(
  rule: RewriteRule,
  place: WholePathSection,
  hasBase: boolean,
): WholePathFault | undefined {
  const { pattern, isNegated, flags, output, conditions } = rule;
  const { directory, location, prefix } = place;
  const ignoresCase = flags.names.has("nocase");
  const file = `${directory}page`;
  const path = `${location ?? "/"}page`;
  if (!isNegated) {
    const starts =
      location === undefined
        ? undefined
        : new RegExp(`^\\^\\(?(?:/\\??)?${escapePattern(location.slice(1, -1))}(?![\\w-])`);
    if (starts?.test(pattern)) return { kind: "location", text: pattern, path, result: file };
    const groups = output === undefined ? undefined : matchGroupsOf(pattern, file, ignoresCase);
    const isWhole = (digit: string) => groups && (groups[Number(digit)] ?? "").includes(directory.slice(1, -1));
    const isUsed = (text: string) =>
      [...text.matchAll(/.\$(\d)/g)].find(([, digit = ""]) => isWhole(digit))?.[0].slice(1);
    // A target that begins with the whole path is a file, and a redirect to it is an error of another kind.
    const text =
      isUsed(output ?? "") ??
      conditions.map(({ directive }) => isUsed(directive.arguments[0]?.value ?? "")).find(Boolean);
    if (groups && text)
      return {
        kind: "group",
        text,
        path,
        result: (output ?? "").replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? ""),
      };
  }
  const isInternal = !flags.names.has("redirect") && !flags.names.has("proxy");
  const isRelative = output !== undefined && /^[\w.]/.test(output) && !/^[\w+.-]+:/.test(output);
  const keepsBase = hasBase && place.section.key === "<directory" && !place.section.arguments[1];
  if (!isInternal || !isRelative || prefix === undefined || keepsBase) return undefined;
  return { kind: "relative", text: output, path, result: prefix === "" ? output : `${prefix}${output}` };
}
