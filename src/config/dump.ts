import { fromReadable, lineAt } from "../text/source.js";
import { nativePath } from "./files/paths.js";
import type { Directive } from "./model/directive.js";

/**
 * Renders the resolved configuration in the layout of `httpd -t -DDUMP_CONFIG` (modules/generators/mod_info.c): each
 * directive under a comment with its file and the number of its last physical line. Like the server, it omits
 * everything that takes effect while reading: Define, Include, LoadModule, ServerRoot, conditional sections and macros.
 *
 * @returns a binary string, since arguments may contain any bytes
 */
export function dumpConfig(directives: readonly Directive[]): string {
  const lines: string[] = [];
  let file = "";

  function heading(directive: Directive): void {
    const { path } = directive.reading.tree.source;
    if (path !== file) lines.push(`# In file: ${fromReadable(nativePath(path))}\n`);
    file = path;
  }

  function show(directive: Directive, indent: string): void {
    heading(directive);
    const { source } = directive.reading.tree;
    const number = lineAt(source, directive.line.end - 1)
      .toString()
      .padStart(4);
    lines.push(`${indent}#${number}:\n${indent}${directive.name} ${directive.argumentText}\n`);
    if (!directive.children || directive.children.length === 0) return;
    for (const child of directive.children) show(child, `${indent}  `);
    heading(directive);
    lines.push(`${indent}</${directive.name.slice(1)}>\n`);
  }

  for (const directive of directives) show(directive, "");
  return lines.join("");
}
