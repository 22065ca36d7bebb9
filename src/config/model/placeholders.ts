import { DEFINE_VARIABLE_REMEDY } from "../refusals/reading-texts.js";

/**
 * The placeholders of common templates: `@@Port@@` (httpd's own build), `@PORT@` (autoconf), `##PORT##`, `{{ port }}`
 * (Jinja, Mustache), `<%= port %>` (ERB), `<?= $port ?>` (PHP), `${buildout:directory}` (Buildout), `{port}` and
 * `%port%`. In `%…%`, all letters are upper or all lower case, and at least two: formats such as `%Dus%t` are not
 * placeholders. In a list of paths separated by `;`, it is an environment variable of Windows.
 */
const placeholder =
  /@@\w+@@|@[A-Z][A-Z0-9_]+@|##\w+##|\{\{.{1,200}?\}\}|(?<![\w$%\\{}()\]])\{[a-z][a-z0-9_]*\}(?!\})|<%.{1,200}?%>|<\?(?:php\s|=).{1,200}?\?>|\$\{buildout:[\w-]+\}|(?<!;)%(?:[a-z_]{2}[a-z0-9_]*|[A-Z_]{2}[A-Z0-9_]*)%(?!;)/;

/** Matches a line that begins with a tag of a template, such as `{% if ssl %}`, `<% end %>`, `<?php` or `@INCLUDES@`. */
const tag = /^(?:\{[{%#]|<%|<\?(?:php\b|=|\s)|@@\w+@@\s*$|@[A-Z][A-Z0-9_]+@\s*$|%\w{2,}%\s*$)/;

/** Matches the beginning of a tag that may extend over several lines. */
const opening = /\{[{%#]|<[%?]/g;

/**
 * The beginning of each such tag, and what ends the search for its end: the end, or the next tag of the same kind. PHP
 * runs to the end of the file if it is not closed.
 */
const delimiters = [
  { opening: "{{", delimiter: /\{\{|\}\}/g },
  { opening: "{%", delimiter: /\{%|%\}/g },
  { opening: "{#", delimiter: /\{#|#\}/g },
  { opening: "<%", delimiter: /<%|%>/g },
  { opening: "<?", delimiter: /\?>/g, mayBeOpen: true },
];

/** Returns the first placeholder of a template, as written. */
export function findPlaceholder(text: string): string | undefined {
  return placeholder.exec(text)?.[0];
}

/** What to do about a placeholder. */
const PLACEHOLDER_REMEDY = "fill in the template, and analyze the generated file";

/** Returns what to do about a variable without a value, or about a placeholder. */
export function remedyForUnset(written: string): string {
  return findPlaceholder(written) === undefined ? DEFINE_VARIABLE_REMEDY : PLACEHOLDER_REMEDY;
}

/**
 * Finds the end of a line that begins with a tag: such lines stand for others, or for none, once the template is filled
 * in. The tag may end on a later line.
 *
 * @returns the offset after the line, or after the tag if that is later; undefined if the line does not begin with a tag
 */
export function findTagEnd(text: string, start: number, lineEnd: number): number | undefined {
  const line = text.slice(start, lineEnd);
  if (!tag.test(line)) return undefined;
  let end = start;
  for (const { index } of line.matchAll(opening)) {
    if (start + index >= end) end = findEndOf(text, start + index) ?? end;
  }
  return Math.max(end, lineEnd);
}

/** Returns the end of the tag at an offset; undefined if it is not closed. */
function findEndOf(text: string, at: number): number | undefined {
  const kind = delimiters.find((each) => text.startsWith(each.opening, at));
  if (kind === undefined) return undefined;
  kind.delimiter.lastIndex = at + kind.opening.length;
  const next = kind.delimiter.exec(text);
  if (next === null) return kind.mayBeOpen ? text.length : undefined;
  return next[0] === kind.opening ? undefined : next.index + next[0].length;
}
