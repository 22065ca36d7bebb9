import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { decodeUrl, encodeUrlPath } from "../../text/escaping.js";
import { bytesOf, toBinaryString } from "../../text/source.js";
import { argumentValuesOf } from "../model/config-layer.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { UnknownValue } from "../model/unknown-value.js";
import type { RewriteContext } from "./rewrite-context.js";

/**
 * Looks up a key in a RewriteMap (mod_rewrite.c `lookup_map`). Undefined if the map does not have it. The results of
 * programs and databases are unknown.
 */
export function lookUpInMap(map: Directive, key: string, context: RewriteContext): string | UnknownValue | undefined {
  const [name = "", source = ""] = argumentValuesOf(map);
  const call = mapFunctions.get(source);
  if (call) return call(key);
  const unknown: UnknownValue = { unknown: unknownFact("map-result", name) };
  const [, kind, path = ""] = /^(?:(txt|rnd):)?(\/.*|(?![a-z]+[:=]).*)$/s.exec(source) ?? [];
  // Proofs do not distinguish keys.
  if (path === "" || context.request.tracker) return unknown;
  const text = context.files.textOf?.(resolvePath(context.project.serverRoot, path));
  if (text === undefined) return unknown;
  context.oracle.countCharacters(key.length);
  const value = tableOf(map, text).get(key);
  // Of several alternatives, the server chooses one at random.
  return kind === "rnd" && value?.includes("|") ? unknown : value;
}

const mapFunctions: ReadonlyMap<string, (key: string) => string> = new Map([
  ["int:tolower", (key: string) => key.toLowerCase()],
  ["int:toupper", (key: string) => key.toUpperCase()],
  ["int:escape", (key: string) => encodeUrlPath(toBinaryString(bytesOf(key)))],
  ["int:unescape", unescapeKey],
]);

/** Decodes the valid escapes of a key, up to the first NUL (server/util.c `ap_unescape_url`). */
function unescapeKey(key: string): string {
  return decodeUrl(key).replace(/\0[\s\S]*/, "");
}

interface MapTable {
  readonly text: string;
  readonly values: ReadonlyMap<string, string>;
}

const tables = new WeakMap<Directive, MapTable>();

/** Returns the values of a map file; parsed once for each text. */
function tableOf(map: Directive, text: string): ReadonlyMap<string, string> {
  const before = tables.get(map);
  if (before?.text === text) return before.values;
  const values = parseMapFile(text);
  tables.set(map, { text, values });
  return values;
}

/** A longer line continues as the next one (`REWRITE_MAX_TXT_MAP_LINE`). */
const MAX_MAP_LINE = 1024;

/**
 * Parses a map file: a key, blanks and a value of one word. The first line with a key counts; one without a value, with a
 * blank at its start or with `#` does not (mod_rewrite.c `lookup_map_txtfile`).
 */
function parseMapFile(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    for (let start = 0; start === 0 || start < line.length; start += MAX_MAP_LINE) {
      const [, key, value] =
        /^([^#\t-\r ][^\t-\r ]*)[\t-\r ]+([^\t-\r ]+)/.exec(line.slice(start, start + MAX_MAP_LINE)) ?? [];
      if (key !== undefined && value !== undefined && !values.has(key)) values.set(key, value);
    }
  }
  return values;
}
