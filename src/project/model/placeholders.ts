/**
 * The placeholders of common templates: `@@Port@@` (httpd's own build), `@PORT@` (autoconf), `##PORT##`, `{{ port }}`
 * (Jinja, Mustache), `<%= port %>` (ERB) and `%port%`. In `%…%` all letters are upper or all lower case, and at least
 * two: formats such as `%Dus%t` are not placeholders.
 */
const placeholder =
  /@@\w+@@|@[A-Z][A-Z0-9_]+@|##\w+##|\{\{.{1,200}?\}\}|<%.{1,200}?%>|%(?:[a-z_]{2}[a-z0-9_]*|[A-Z_]{2}[A-Z0-9_]*)%/;

/** Matches a line that is a tag of a template, such as `{% if ssl %}`, `<% end %>` or `@INCLUDES@`, by its beginning. */
const tag = /^(?:\{[{%#]|<%|@@\w+@@\s*$|@[A-Z][A-Z0-9_]+@\s*$|%\w{2,}%\s*$)/;

/** Returns the first placeholder of a template, as written. */
export function findPlaceholder(text: string): string | undefined {
  return placeholder.exec(text)?.[0];
}

/** Reports whether a line stands for others, or for none, once its template is filled in. */
export function isTemplateTag(line: string): boolean {
  return tag.test(line);
}
