import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { isSince, type Release } from "../../facts/release.js";
import { type ConfigLayer, firstArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import type { Server } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";

/** The facts about a request that mod_vhost_alias inserts into paths. */
export interface VirtualNames {
  /** Undefined if only the resolver knows it. */
  readonly serverName: string | undefined;
  readonly serverPort: number;
  /** The server's own address. */
  readonly serverIp: string;
}

/** A path below a root with inserted names. */
export interface VirtualTarget {
  readonly kind: "file";
  readonly filename: string;
  readonly by: Directive;
  /** Replaces the server's DocumentRoot for rules in sections (`ap_set_document_root`). */
  readonly documentRoot?: string;
}

const rootNames: ReadonlySet<string> = new Set(["virtualdocumentroot", "virtualdocumentrootip"]);
const scriptNames: ReadonlySet<string> = new Set(["virtualscriptalias", "virtualscriptaliasip"]);

/** The path of the programs that VirtualScriptAlias maps. */
export const VIRTUAL_SCRIPTS = "/cgi-bin/";

/** Reports whether a directive maps the path of programs. */
export function isVirtualScriptAlias({ key }: Directive): boolean {
  return scriptNames.has(key);
}

/** Reports whether a directive maps paths to roots with inserted names. */
export function isVirtualRoot({ key }: Directive): boolean {
  return rootNames.has(key) || scriptNames.has(key);
}

/**
 * Maps a path as mod_vhost_alias does (modules/mappers/mod_vhost_alias.c `mva_translate`). Undefined if no such
 * directive applies.
 *
 * @param names undefined if they differ between the requests with this path
 */
export function mapToVirtualRoot(
  path: string,
  server: Server,
  release: Release,
  names: VirtualNames | undefined,
  oracle: Oracle,
): VirtualTarget | undefined {
  const scripts = /^\/+cgi-bin\//.test(path) ? rootLineOf(server, scriptNames) : undefined;
  const by = scripts ?? rootLineOf(server, rootNames);
  const template = firstArgumentOf(by);
  if (by === undefined || template === undefined) return undefined;
  const rest = scripts ? path.replace(/^\/+cgi-bin/, "") : path;
  const name = by.key.endsWith("ip") ? names?.serverIp : names?.serverName;
  if (names === undefined || name === undefined) {
    oracle.markUndecidable(unknownFact("target", `${by.name} ${by.argumentText}`), by);
    return { kind: "file", filename: template + rest, by };
  }
  const root = interpolateRoot(template, name, names.serverPort).replace(/\/$/, "");
  const target = { kind: "file", filename: resolvePath("/", root + rest), by } as const;
  return isSince(release, "2.4") ? { ...target, documentRoot: root } : target;
}

/** Returns the line that applies: the last one of a server, by name or by address. `none` disables the main server's. */
function rootLineOf(server: Server, names: ReadonlySet<string>): Directive | undefined {
  const lineIn = (layer: ConfigLayer) => layer.pick(names).at(-1);
  const line = lineIn(server.layer) ?? (server.main && lineIn(server.main.layer));
  return firstArgumentOf(line)?.toLowerCase() === "none" ? undefined : line;
}

const specifier = /%(?:(%)|(p)|(-?)(\d)(\+?)(?:\.(-?)(\d)(\+?))?)/g;

/** Number of dots that separate parts of a name; the last part has the others. */
const MAX_DOTS = 18;

/** Inserts a name and a port into a path (`vhost_alias_interpolate`). */
export function interpolateRoot(template: string, name: string, port: number): string {
  const parts = name.split(".");
  const words = parts.length > MAX_DOTS ? [...parts.slice(0, MAX_DOTS), parts.slice(MAX_DOTS).join(".")] : parts;
  return template.replace(
    specifier,
    (_, percent, isPort, dash, part, plus, innerDash = "", character = "0", innerPlus = "") => {
      if (percent !== undefined) return "%";
      if (isPort !== undefined) return String(port);
      const word = pick(words, Number(part), dash !== "", plus !== "").join(".");
      return pick([...word], Number(character), innerDash !== "", innerPlus !== "")
        .join("")
        .toLowerCase();
    },
  );
}

/** Returns one item, or it and those beyond it. Items are counted from 1, and from the end with a dash; 0 means all. */
function pick(items: readonly string[], number: number, fromEnd: boolean, takesRest: boolean): readonly string[] {
  if (number === 0) return items;
  if (number > items.length) return ["_"];
  if (fromEnd) return items.slice(takesRest ? 0 : items.length - number, items.length - number + 1);
  return items.slice(number - 1, takesRest ? undefined : number);
}
