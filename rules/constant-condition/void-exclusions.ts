import {
  areContradictory,
  type Directive,
  indexDirectives,
  keywordArgumentOf,
  type PatternGroup,
  type PatternTest,
  type Project,
  parsePcre,
  type Scope,
  seesPathsBelow,
} from "../../src/lint/api/configuration.js";
import type { Span } from "../../src/lint/api/rule.js";
import { ANY_PATH, isPlaceholder, listPatterns } from "./empty-alternatives.js";

/** A negative lookahead whose text never follows the part of the pattern before it: it excludes nothing. */
export interface VoidExclusion {
  /** As written: `(?!api/)`. */
  readonly exclusion: string;
  /** One that excludes something; undefined if none is found. */
  readonly corrected: string | undefined;
  readonly subject: Subject;
  /** The exclusion, or the argument with it if the offsets differ. */
  readonly span: Span;
  readonly isVerbatim: boolean;
}

/** What httpd compares with a pattern. */
type Subject = "URL path" | "path below the directory" | "file name" | "text";

/** Dot segments, which httpd removes before it compares a path, and repeated slashes. */
const dotSegments: PatternTest = { pattern: String.raw`(?:^|/)\.\.?(?:/|$)`, isNegated: true };
const slashes: PatternTest = { pattern: "//", isNegated: true };

/** What of a server decides which paths httpd compares. */
export interface PathSettings {
  readonly mergesSlashes: boolean;
  /** Whether a forward proxy, or AllowAnyURI, has URLs in place of paths. */
  readonly hasWholeUrls: boolean;
}

/** Reports whether a line turns on a forward proxy, whose paths are whole URLs. */
export function hasForwardProxy(project: Project): boolean {
  return indexDirectives(project)
    .named("proxyrequests")
    .some((line) => keywordArgumentOf(line) === "on");
}

/** Reports whether a line lets the rules of a server see whole URLs in place of paths. */
export function hasAnyUriOption(project: Project): boolean {
  return indexDirectives(project)
    .named("rewriteoptions")
    .some(({ argumentText }) => /\bAllowAnyURI\b/i.test(argumentText));
}

/** Returns tests that each text of a subject passes. */
function testsOf(subject: Subject, { mergesSlashes, hasWholeUrls }: PathSettings): readonly PatternTest[] {
  switch (subject) {
    case "URL path":
      return hasWholeUrls ? [] : [{ pattern: "^/" }, ...(mergesSlashes ? [slashes] : []), dotSegments];
    case "path below the directory":
      return [{ pattern: "^/", isNegated: true }, slashes, dotSegments];
    case "file name":
      return [{ pattern: "/", isNegated: true }];
    case "text":
      return [];
  }
}

/** Finds an exclusion in a pattern of a line that never applies, such as `(?!/api)` in a rule of a directory. */
export function findVoidExclusion(
  directive: Directive,
  scope: Scope,
  settings: PathSettings,
): VoidExclusion | undefined {
  if (!directive.argumentText.includes("(?!")) return undefined;
  for (const { pattern, texts, span, isVerbatim } of listPatterns(directive, scope)) {
    const { branches, error, ignored } = parsePcre(pattern);
    const [branch, ...others] = branches;
    if (branch === undefined || others.length > 0 || error || ignored.length > 0 || isPlaceholder(pattern)) continue;
    const subject = subjectOf(directive, scope, texts);
    for (const node of branch) {
      if (node.kind !== "group" || node.construct !== "a negative lookahead") continue;
      const corrected = findCorrection(pattern, node, testsOf(subject, settings));
      if (corrected === "excludes") continue;
      return {
        exclusion: pattern.slice(node.start, node.end),
        corrected: corrected === undefined ? undefined : `(?!${corrected})`,
        subject,
        span: isVerbatim ? { ...span, start: span.start + node.start, end: span.start + node.end } : span,
        isVerbatim,
      };
    }
  }
  return undefined;
}

function subjectOf({ key, argumentText }: Directive, scope: Scope, texts: string): Subject {
  if (texts === ANY_PATH) return "URL path";
  if (key.startsWith("<files")) return "file name";
  if (key === "rewriterule" && seesPathsBelow(scope)) return "path below the directory";
  return key === "rewritecond" && /^%\{REQUEST_URI\}\s/i.test(argumentText) ? "URL path" : "text";
}

/** Returns `excludes` if an exclusion applies to a text; otherwise its text as it was probably meant. */
function findCorrection(
  pattern: string,
  { start, bodyStart, end }: PatternGroup,
  tests: readonly PatternTest[],
): "excludes" | string | undefined {
  const before = pattern.slice(0, start);
  const body = pattern.slice(bodyStart, end - 1);
  const isPossible = (text: string) => !areContradictory([{ pattern: `${before}(?:${text})` }, ...tests]);
  // Without a text that has the part before it, the whole pattern is what is wrong.
  if (body === "" || isPossible(body) || !isPossible("")) return "excludes";
  const withoutStart = body.replace(/^\^/, "");
  const candidates = [withoutStart, withoutStart.replace(/^\\?\//, ""), `/${withoutStart}`, `.*${withoutStart}`];
  return candidates.find((each) => each !== body && each !== "" && isPossible(each));
}
