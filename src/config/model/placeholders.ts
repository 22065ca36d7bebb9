import { hiddenUnit } from "../../../grammar/marked-text.js";
import { isTemplateName, parseTemplate } from "../../../grammar/template.js";
import { memoize } from "../../text/memoize.js";
import type { SourceFile, Span } from "../../text/source.js";
import { DEFINE_VARIABLE_REMEDY } from "../refusals/reading-texts.js";

/**
 * The placeholders of common templates: `@@Port@@` (httpd's own build), `@PORT@` and `@port@` (autoconf), `__PORT__` (sed), `##PORT##`, `{{ port }}`
 * (Jinja, Mustache), `<%= port %>` (ERB), `<?= $port ?>` (PHP), `${buildout:directory}` (Buildout), `{port}` and
 * `%port%`. In `%…%`, all letters are upper or all lower case, and at least two: formats such as `%Dus%t` are not
 * placeholders. In a list of paths separated by `;`, it is an environment variable of Windows. Hidden characters are a value
 * that a shell puts into a here-document.
 */
const placeholder =
  /[\ue000-\ue0ff]+|@@\w+@@|@[A-Z][A-Z0-9_]+@|(?<![\w.-])@[a-z][a-z0-9_]+@(?![\w.-])|\b__(?!END__|DATA__)[A-Z][A-Z0-9_]+?__\b|##\w+##|\{\{.{1,200}?\}\}|(?<![\w$%\\{}()\]])\{[a-z][a-z0-9_]*\}(?!\})|<%.{1,200}?%>|<\?(?:php\s|=).{1,200}?\?>|\$\{buildout:[\w-]+\}|(?<!;)%(?:[a-z_]{2}[a-z0-9_]*|[A-Z_]{2}[A-Z0-9_]*)%(?!;)/;

/** Matches a line that begins with a tag of a template, such as `{% if ssl %}`, `<% end %>`, `<?php` or `@INCLUDES@`. */
const tag =
  /^(?:\{[{%#]|<%|<\?(?:php\b|=|\s)|@@\w+@@\s*$|__(?!END__|DATA__)[A-Z][A-Z0-9_]+__\s*$|@[A-Z][A-Z0-9_]+@\s*$|%\w{2,}%\s*$)/;

/** Returns the first placeholder of a template, as written. */
export function findPlaceholder(text: string): string | undefined {
  return placeholder.exec(text)?.[0];
}

/** Reports whether a line begins with the tag of a template: it stands for others, or for none, once it is filled in. */
export function beginsWithTag(line: string): boolean {
  return tag.test(line);
}

/** What to do about a placeholder. */
const PLACEHOLDER_REMEDY = "fill in the template, and analyze the generated file";

/** Returns what to do about a variable without a value, or about a placeholder. */
export function remedyForUnset(written: string): string {
  return findPlaceholder(written) === undefined ? DEFINE_VARIABLE_REMEDY : PLACEHOLDER_REMEDY;
}

/** Returns the template in a file, which is parsed once; undefined if it is none. */
export const templateOf = memoize(({ text }: SourceFile) => parseTemplate(text));

/** The statements of templates for lines that are in another file or block. */
const otherLines =
  /^(?:\{[{%]|<%|<\?)[-~=]?\s*(?:php\s+)?(?:>|(?:include|import|from|extends|inherit|render|partial|template|block|call|macro|yield)\b)/i;

/**
 * Reports whether a tag stands for lines that are not in a file: a statement for another file, or an expression at the beginning
 * of a line.
 */
export function standsForOtherLines(file: SourceFile): boolean {
  const { text } = file;
  const tags = templateOf(file)?.tags;
  if (tags === undefined) return true;
  return tags.some(({ start, end, isExpression }) => {
    if (!isExpression) return otherLines.test(text.slice(start, end));
    const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    return before.replace(/\{[%#].*?[%#]\}|<%(?!=).*?%>/g, "").trim() === "";
  });
}

/** Reports whether a file is a template: it has tags, or an ending that says so. */
function isTemplate(file: SourceFile): boolean {
  return templateOf(file) !== undefined || isTemplateName(file.realPath);
}

/** Reports whether another program fills in a file, such as envsubst, or starts the server with variables that it chooses. */
export function isFilledIn(file: SourceFile): boolean {
  return file.isPart === true || isTemplate(file);
}

/**
 * Reports whether a span is about an expression of a template: it is not about the whole line, and has one, or it begins with
 * a name that has one.
 */
export function isAboutExpression({ file, start, end }: Span): boolean {
  const tags = templateOf(file)?.tags ?? [];
  let lineStart = file.text.lastIndexOf("\n", start - 1) + 1;
  // A line may follow the statements of a template: `{% if tls %}SSLEngine on`.
  for (const tag of tags) if (!tag.isExpression && tag.start >= lineStart && tag.end <= start) lineStart = tag.end;
  const isLine = file.text.slice(lineStart, start).trim() === "";
  const to = isLine ? start + file.text.slice(start, end).search(/[\s>]|$/) : end;
  return (
    hiddenUnit.test(file.text.slice(start, to)) ||
    tags.some((tag) => tag.isExpression && tag.start < to && tag.end > start)
  );
}

/** Reports whether one of the lines of a span has a placeholder or a tag of a template. */
export function isInTemplateLine({ file, start, end }: Span): boolean {
  const from = file.text.lastIndexOf("\n", start - 1) + 1;
  const feed = file.text.indexOf("\n", end);
  const to = feed < 0 ? file.text.length : feed;
  if (findPlaceholder(file.text.slice(from, to)) !== undefined) return true;
  return templateOf(file)?.tags.some((each) => each.start < to && each.end > from) ?? false;
}
