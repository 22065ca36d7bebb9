import { lineAt } from "../text/position.js";
import type { Span } from "../text/source.js";

/**
 * What the server says of sections that the file ends in, in one message (server/config.c `ap_build_config`).
 *
 * @param sections from the outside in, each with its name as the server has it: `<Files`
 */
export function notClosed(sections: readonly { readonly name: string; readonly span: Span }[]): string {
  return sections
    .toReversed()
    .map(({ name, span: { file, end } }) => `${file.path}:${lineAt(file, end)}: ${name}> was not closed.`)
    .join("\n");
}
