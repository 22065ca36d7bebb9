import type { Directive } from "../../project/directive.js";
import type { Layer } from "../layer.js";
import type { Server } from "../server.js";
import { type Rule, rulesIn } from "./rules.js";

/** The rules that a server has for the URL, before it is mapped. */
export interface ServerRules {
  readonly rules: readonly Rule[];
  /** Words of RewriteOptions in force, in lower case. */
  readonly options: ReadonlySet<string>;
  readonly maps: ReadonlyMap<string, Directive>;
  /** The RewriteOptions lines that say which rules these are. */
  readonly lines: readonly Directive[];
}

const known = new WeakMap<Server, ServerRules | "none">();

/**
 * A server's rules. A virtual host has those of the main server only where RewriteOptions says so, and none at all where it
 * has nothing of mod_rewrite in it (mod_rewrite.c `config_server_merge`, `hook_uri2file`).
 */
export function serverRules(server: Server): ServerRules | undefined {
  const before = known.get(server);
  if (before !== undefined) return before === "none" ? undefined : before;
  const found = isRewriting(server.layer.content) ? merged(server) : undefined;
  known.set(server, found ?? "none");
  return found;
}

function merged({ layer, main }: Server): ServerRules {
  const own = ownRules(layer);
  if (main === undefined) return own;
  const base = ownRules(main.layer);
  const options = layer.has("rewriteoptions") ? own.options : base.options;
  const lines = [...base.lines, ...own.lines];
  const takesDown = !options.has("ignoreinherit");
  if (options.has("inherit") || (base.options.has("inheritdown") && takesDown)) {
    const maps = new Map([...base.maps, ...own.maps]);
    return { rules: [...own.rules, ...base.rules], options, maps, lines };
  }
  if (options.has("inheritbefore") || (base.options.has("inheritdownbefore") && takesDown)) {
    const maps = new Map([...own.maps, ...base.maps]);
    return { rules: [...base.rules, ...own.rules], options, maps, lines };
  }
  return { ...own, options, lines };
}

function ownRules({ content }: Layer): ServerRules {
  const lines = content.filter(({ key }) => key === "rewriteoptions");
  const maps = content.filter(({ key }) => key === "rewritemap");
  return {
    rules: rulesIn(content),
    options: optionsIn(lines),
    maps: new Map(maps.map((map) => [map.arguments[0]?.value ?? "", map])),
    lines,
  };
}

/** The words of RewriteOptions lines, which add up. */
export function optionsIn(lines: readonly Directive[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.arguments.map(({ value }) => value.toLowerCase())));
}

const ofModule = new Set([
  "rewriteengine",
  "rewriteoptions",
  "rewriterule",
  "rewritecond",
  "rewritebase",
  "rewritemap",
]);

function isRewriting(content: readonly Directive[]): boolean {
  return content.some(({ key, children }) => ofModule.has(key) || (children !== undefined && isRewriting(children)));
}
