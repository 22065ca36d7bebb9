import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Project } from "../project/project.js";
import { nearest } from "../text/nearest.js";
import type { Fault } from "./refusal.js";

const functions = ["toupper", "tolower", "escape", "unescape"];

/** What mod_rewrite refuses about RewriteMap (`cmd_rewritemap`); the files that maps are kept in are not looked for. */
export function rewriteMapFault(directive: Directive, { modules, modulesAreKnown }: Project): Fault | undefined {
  const [, source] = directive.arguments;
  if (source === undefined) return undefined;
  const { value } = source;
  const span = directive.spanOf(source);
  if (/^int:/i.test(value) && !functions.includes(value.slice(4))) {
    const name = value.slice(4);
    const near = nearest(name, functions);
    return {
      server: `RewriteMap: internal map not found:${name}`,
      wrong: `mod_rewrite has no function ${quoted(name)}`,
      remedy: near ? `write \`int:${near}\`: case counts` : "write `toupper`, `tolower`, `escape` or `unescape`",
      span,
    };
  }
  if (/^dbm(?!:|=[\s\S]*:)/i.test(value)) {
    return {
      server: `RewriteMap: bad map:${value}`,
      wrong: `${quoted(value)} does not say where the map is`,
      remedy: "write `dbm:` or `dbm=type:` and the path",
      span,
    };
  }
  if (!/^(?:fast)?dbd:/i.test(value) || !modulesAreKnown || modules.has("dbd_module")) return undefined;
  return {
    server: "RewriteMap types dbd and fastdbd require mod_dbd!",
    wrong: `${quoted(value)} needs \`dbd_module\`, which is not loaded`,
    remedy: "load the module",
    missing: "dbd_module",
    span,
  };
}
