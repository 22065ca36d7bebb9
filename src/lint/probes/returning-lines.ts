import { stripTrailingSlash } from "../../config/files/paths.js";
import { type Directive, virtualHostAround } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { iterateDescendants, iterateDirectives } from "../../config/queries/directive-tree.js";
import { readRedirect } from "../../server/mapping/redirects.js";
import { parseRewriteRules } from "../../server/rewrite/rule-parser.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";

/** What a line does to URL paths, as far as its text shows. */
interface PathStep {
  /** Each path that it applies to begins with this. */
  readonly from: string;
  /** Each path that it leads to begins with this. */
  readonly to: string;
  /** Whether it leads to the same path, on another host or with another scheme. */
  readonly isSame: boolean;
  /** Whether httpd goes on with the path itself for an error or a missing file. */
  readonly isInternal?: boolean;
}

/** A server with more such lines is not examined: each line is compared with all others. */
const MAX_LINES = 1000;

const redirectKeys: ReadonlySet<string> = new Set(["redirect", "redirectmatch", "redirectpermanent", "redirecttemp"]);

/** Other directives that lead to a URL path of the server, and which argument is that path. */
const otherTargets: ReadonlyMap<string, number> = new Map([
  ["action", 1],
  ["errordocument", 1],
  ["fallbackresource", 0],
]);

const anywhere: PathStep = { from: "", to: "", isSame: false };

/** Patterns for every path, with the path as their group. */
const wholePath = /^\^?(?:\/\??)?\(\.[*+]\)\$?$/;

/**
 * Finds lines that may be in a loop, from the fixed texts at the starts of their patterns and targets: a line whose target
 * leads only to paths that it does not apply to cannot. The others have to be tried.
 */
export class ReturningLines {
  private readonly steps = new Map<Directive, PathStep>();
  private readonly byHost = new Map<Directive | undefined, PathStep[]>();

  constructor(project: Project) {
    const isAlone = project.kind === "htaccess";
    const inHtaccess = new Set(project.htaccess.flatMap(({ directives }) => [...iterateDescendants(directives)]));
    // A file on its own is assumed to be in the document root.
    const isAtRoot =
      isAlone &&
      indexDirectives(project)
        .named("rewritebase")
        .every(({ argumentText }) => argumentText === "/");
    for (const line of iterateDirectives(project)) {
      const step = stepOf(line, () =>
        isAlone || inHtaccess.has(line) ? (isAtRoot ? "/" : undefined) : baseOf(line, project),
      );
      if (step === undefined) continue;
      this.steps.set(line, step);
      getOrCreate(this.byHost, virtualHostAround(line), () => []).push(step);
    }
  }

  /** Reports whether another line may apply to the URLs that a line leads to. */
  mayLeadOn(line: Directive): boolean {
    const own = this.steps.get(line);
    const host = virtualHostAround(line);
    // A line outside of virtual hosts may apply in each of them.
    const hosts = host === undefined ? [...this.byHost.keys()] : [undefined, host];
    const others = hosts.flatMap((each) => this.byHost.get(each) ?? []);
    return own !== undefined && others.some((step) => !step.isInternal && step !== own && mayApply(step, own.to));
  }

  /** Reports whether requests that a line applies to may reach it again. */
  mayReturn(line: Directive): boolean {
    const own = this.steps.get(line);
    const host = virtualHostAround(line);
    const outer = this.byHost.get(undefined) ?? [];
    const inner = host === undefined ? [] : (this.byHost.get(host) ?? []);
    // A line outside of virtual hosts may apply in each of them.
    if (own === undefined || own.isSame || outer.length + inner.length > MAX_LINES) return true;
    if (host === undefined && this.byHost.size > 1) return true;
    const waiting = new Set([...outer, ...inner]);
    const starts = [own.to];
    for (let start = starts.pop(); start !== undefined; start = starts.pop()) {
      if (mayApply(own, start)) return true;
      for (const step of waiting) {
        if (!mayApply(step, start)) continue;
        waiting.delete(step);
        if (!step.isSame) starts.push(step.to);
      }
    }
    return false;
  }
}

function mayApply({ from }: PathStep, start: string): boolean {
  return from.startsWith(start) || start.startsWith(from);
}

function stepOf(line: Directive, findBase: () => string | undefined): PathStep | undefined {
  const { key, arguments: words } = line;
  const target = otherTargets.get(key);
  if (target !== undefined) {
    const path = words[target]?.value ?? "";
    return path.startsWith("/") ? { ...anywhere, isInternal: true, to: fixedStartOf(path) } : undefined;
  }
  if (redirectKeys.has(key)) {
    const { from = "", to = "" } = readRedirect(line, false) ?? {};
    const start = key === "redirectmatch" ? startOfPattern(from) : from.startsWith("/") ? from : "";
    return toStep(start, pathOfTarget(to));
  }
  if (key !== "rewriterule") return undefined;
  const [{ output, pattern, isNegated } = { output: undefined, pattern: "", isNegated: false }] = parseRewriteRules([
    line,
  ]);
  const base = findBase();
  if (output === undefined) return undefined;
  if (base === undefined) return anywhere;
  const path = pathOfTarget(output);
  const isSame =
    path.startsWith("%{REQUEST_URI}") || (!isNegated && wholePath.test(pattern) && /^\/?\$[01]$/.test(path));
  const from = isNegated ? "" : startOfPattern(pattern);
  // Outside of directories, httpd puts a slash before a relative target (modules/mappers/mod_rewrite.c `apply_rewrite_rule`).
  const to = path.startsWith("%") || path.startsWith("/") || path === "" ? path : `${base || "/"}${path}`;
  // In a directory, patterns are compared with the rest of the path.
  return { ...toStep(base === "" ? from : `${base}${from.replace(/^\//, "")}`, to), isSame };
}

function toStep(from: string, to: string): PathStep {
  return { from: from.toLowerCase(), to: fixedStartOf(to).toLowerCase(), isSame: false };
}

/** Returns the path in the target of a redirect or rule. */
function pathOfTarget(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/$%]*/i, "");
}

/** Returns the text up to a reference, an escape or the query. */
function fixedStartOf(target: string): string {
  return /^[^$%\\?#]*/.exec(target)?.[0] ?? "";
}

/** Returns a text that each text begins with in which a pattern is found; it may be empty. */
function startOfPattern(pattern: string): string {
  const [, optional = "", fixed = "", next = ""] =
    /^\^(\/\?)?((?:[\w/~ -]|\\[^\w])*)([?*+{])?/.exec(pattern.includes("|") ? "" : pattern) ?? [];
  const text = fixed.replace(/\\(.)/gs, "$1");
  return (optional === "" || fixed.startsWith("/") ? "" : "/") + (next === "" ? text : text.slice(0, -1));
}

/**
 * Returns the URL path of the directory whose rules a line is one of; empty if the pattern is compared with the whole
 * path, undefined if it is not known.
 */
function baseOf(line: Directive, project: Project): string | undefined {
  let section = line.parent;
  while (section && /^<(?:if(?:module|define|version|file)?|else|elseif)$/.test(section.key)) section = section.parent;
  if (section?.key === "<virtualhost") return "";
  // Lines of a part may be in a directory.
  if (section === undefined) return project.isPart ? undefined : "";
  const [path] = section.arguments;
  const root = findRoot(virtualHostAround(line)?.children ?? []) ?? mainRootOf(project);
  const isRoot =
    section.key === "<directory" &&
    root !== undefined &&
    stripTrailingSlash(path?.value ?? "") === stripTrailingSlash(root);
  return isRoot ? "/" : undefined;
}

const mainRootOf = memoize(({ directives }: Project) => findRoot(directives));

function findRoot(lines: readonly Directive[]): string | undefined {
  return lines.find(({ key }) => key === "documentroot")?.arguments[0]?.value;
}
