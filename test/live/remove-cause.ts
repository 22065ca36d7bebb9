import type { Directive } from "../../src/config/model/directive.js";
import type { Project } from "../../src/config/model/project.js";
import { findLimitAround } from "../../src/config/model/scope.js";
import { checkNameOf, type Finding } from "../../src/lint/finding.js";
import { limitsOf } from "../../src/server/access/clients-and-methods.js";
import { isCompatDirective } from "../../src/server/access/compat-rules.js";
import type { Span } from "../../src/text/source.js";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";

/** The contents of the files of a configuration, by path below its root. */
export type Texts = Readonly<Record<string, string>>;

interface Without {
  readonly texts: Texts;
  /** Relation between the responses with the cause and without it, as `allowed` or a status. */
  readonly isAsExpected: (withCause: string, without: string) => boolean;
}

const compat = /^[ \t]*(?:order|allow|deny|satisfy)[ \t].*\n/gim;
const require = /^[ \t]*(?:require[ \t]|<\/?require(?:all|any|none)|authmerging[ \t]).*\n/gim;
const authType = /^[ \t]*authtype[ \t].*\n/gim;

const isAllowed = (answer: string) => answer === "allowed";
const isDenied = (answer: string) => answer === "401" || answer === "403";
const isDifferent = (withCause: string, without: string) => withCause !== without;

/**
 * Returns the configuration without the cause of a finding, and the expected response to its request; undefined if that
 * cannot be derived from the text, as for lines of a macro.
 */
export function removeCause(finding: Finding, texts: Texts, project: Project): Without | undefined {
  const removeLines = (pattern: RegExp): Texts => withoutLines(texts, pattern);
  switch (checkNameOf(finding)) {
    case "compat-precedence": {
      const [inherited] = finding.related;
      const own = directiveAt(finding.span, project);
      const decider = inherited && directiveAt(inherited.span, project);
      // The tree does not contain the lines of a macro at their own position.
      if (own === undefined && decider === undefined) return undefined;
      const isByCompat = decider ? isCompatDirective(decider) : own?.key === "require";
      return { texts: removeLines(isByCompat ? compat : require), isAsExpected: (_, without) => isAllowed(without) };
    }
    case "satisfy-any-inherited":
      return { texts: removeLines(compat), isAsExpected: (_, without) => isDenied(without) };
    case "mixed-access-control":
      return { texts: removeLines(compat), isAsExpected: isDifferent };
    case "authentication-incomplete":
      return { texts: withoutLines(withoutLines(texts, require), authType), isAsExpected: isDifferent };
    case "authtype-without-require":
      return { texts: removeLines(authType), isAsExpected: isDifferent };
    case "satisfy-any-without-require":
      return withExpectation(withoutSatisfy(finding, texts, project), (_, without) => isDenied(without));
    case "compat-reset":
      // With `Satisfy any`, the discarded lines may have no effect even if the section repeats them.
      if (hasOnlySatisfyAny(finding, project))
        return withExpectation(withoutSatisfy(finding, texts, project), (_, without) => isDenied(without));
      return withExpectation(repeatDropped(finding, texts, project), isDifferent);
    case "limit-leaves-methods-open":
      return withExpectation(withoutLimit(finding, texts, project), (_, without) => isDenied(without));
    case "override-missing":
      return { texts: { ...texts, [pathOf(finding.span)]: "" }, isAsExpected: isDifferent };
    default:
      return { texts: applyFix(finding, texts), isAsExpected: (withCause, without) => withCause === without };
  }
}

function withoutLines(texts: Texts, pattern: RegExp): Texts {
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, text.replace(pattern, "")]));
}

function withExpectation(texts: Texts | undefined, isAsExpected: Without["isAsExpected"]): Without | undefined {
  return texts && { texts, isAsExpected };
}

function pathOf({ file }: Span): string {
  return file.path.slice(CASE_ROOT.length + 1);
}

/** Returns whether `Satisfy any` is the only mod_access_compat directive in the section around the finding's line. */
function hasOnlySatisfyAny({ span }: Finding, project: Project): boolean {
  const line = directiveAt(span, project);
  return line !== undefined && scopeOf(line, project).filter(isCompatDirective).every(isSatisfyAny);
}

function isSatisfyAny({ key, argumentText }: Directive): boolean {
  return key === "satisfy" && argumentText.trim().toLowerCase() === "any";
}

/** Returns the section around the finding's line without its Satisfy lines. */
function withoutSatisfy({ span }: Finding, texts: Texts, project: Project): Texts | undefined {
  const line = directiveAt(span, project);
  const lines = line && scopeOf(line, project).filter(({ key }) => key === "satisfy");
  return (
    lines &&
    applyEdits(
      texts,
      lines.map((each) => ({ span: each.span, text: "" })),
    )
  );
}

/** Returns the lines of a Limit section without its tags. */
function withoutLimit({ span }: Finding, texts: Texts, project: Project): Texts | undefined {
  const last = directiveAt(span, project)?.children?.at(-1);
  const text = texts[pathOf(span)];
  if (last === undefined || text === undefined) return undefined;
  const [closing = ""] = /<\/Limit>/i.exec(text.slice(last.span.end)) ?? [];
  const start = text.indexOf(closing, last.span.end);
  return applyEdits(texts, [
    { span, text: "" },
    { span: { ...span, start, end: start + closing.length }, text: "" },
  ]);
}

/** Repeats the dropped lines before those that drop them. */
function repeatDropped({ span, related }: Finding, texts: Texts, project: Project): Texts | undefined {
  const dropped = related.map((each) => directiveAt(each.span, project));
  const line = directiveAt(span, project);
  if (line === undefined || dropped.includes(undefined)) return undefined;
  const place = (findLimitAround(line) ?? line).span;
  const at = place.file.text.lastIndexOf("\n", place.start) + 1;
  const lines = dropped.filter((each) => each !== undefined).map(withLimits);
  return applyEdits(texts, [{ span: { ...place, start: at, end: at }, text: `${lines.join("\n")}\n` }]);
}

function withLimits(directive: Directive): string {
  return limitsOf(directive).reduce((text, { except, methods }) => {
    const name = except ? "LimitExcept" : "Limit";
    return `<${name} ${methods.join(" ")}>\n${text}\n</${name}>`;
  }, `${directive.name} ${directive.argumentText}`);
}

function applyFix({ fix }: Finding, texts: Texts): Texts {
  return applyEdits(texts, fix?.edits ?? []);
}

interface Edit {
  readonly span: Span;
  readonly text: string;
}

function applyEdits(texts: Texts, edits: readonly Edit[]): Texts {
  const changed = { ...texts };
  for (const { span, text } of [...edits].sort((a, b) => b.span.start - a.span.start)) {
    const path = pathOf(span);
    const before = changed[path] ?? "";
    changed[path] = before.slice(0, span.start) + text + before.slice(span.end);
  }
  return changed;
}

function directiveAt({ file, start }: Span, project: Project): Directive | undefined {
  return listAll(project).find(({ span }) => span.file === file && span.start === start);
}

/** Returns the directives in the same section or file. */
function scopeOf(line: Directive, project: Project): readonly Directive[] {
  let { parent } = line;
  while (parent && /^<(limit|require)/.test(parent.key)) parent = parent.parent;
  const file = line.span.file;
  return parent ? listWithin(parent.children ?? []) : listAll(project).filter(({ span }) => span.file === file);
}

function listAll({ directives, htaccess }: Project): readonly Directive[] {
  return [...listWithin(directives), ...htaccess.flatMap((file) => listWithin(file.directives))];
}

function listWithin(directives: readonly Directive[]): readonly Directive[] {
  return directives.flatMap((each) => [each, ...listWithin(each.children ?? [])]);
}
