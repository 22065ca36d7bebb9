import type { Release } from "../../directives/directives.js";
import { fromReadable } from "../../text/source.js";
import { type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";

export type NormalizedPath =
  | {
      readonly path: string;
      /** As it is before escapes are resolved; on 2.4 sections by URL are looked at with this, too, for what their patterns match. */
      readonly escaped: string;
    }
  /** The server answers at once: the URL is not acceptable. */
  | { readonly status: 400 | 404 };

/** What a server makes of slashes: AllowEncodedSlashes and, on 2.4, MergeSlashes. */
export interface SlashRules {
  readonly encoded: "refused" | "resolved" | "kept";
  readonly merges: boolean;
}

const defaultSlashRules: SlashRules = { encoded: "refused", merges: true };

/**
 * The rules for slashes at the level of a server. A virtual host takes AllowEncodedSlashes from the main server only where
 * it holds nothing at all of the core's (server/core.c `merge_core_dir_configs`).
 *
 * @param layers its own, behind that of the main server
 */
export function slashRulesOf(layers: readonly ConfigLayer[]): SlashRules {
  const own = layers.at(-1);
  const known = own && slashRules.get(own);
  if (known) return known;
  const rules = readSlashRules(layers, own);
  if (own) slashRules.set(own, rules);
  return rules;
}

const slashRules = new WeakMap<ConfigLayer, SlashRules>();

function readSlashRules(layers: readonly ConfigLayer[], own: ConfigLayer | undefined): SlashRules {
  const isOfCore = own?.content.some(({ known }) => known.facts.some(({ module }) => module === "core"));
  const encoded = keywordArgumentOf(
    (isOfCore ? own : layers.findLast((layer) => layer.has("allowencodedslashes")))?.setting("allowencodedslashes"),
  );
  return {
    encoded: encoded === "on" ? "resolved" : encoded === "nodecode" ? "kept" : "refused",
    merges: keywordArgumentOf(findSetting(layers, "mergeslashes")) !== "off",
  };
}

/**
 * The path of a URL as the server goes on with it: escapes resolved, `.` and `..` gone; 2.4 makes one slash of several
 * (server/util.c `ap_normalize_path`, `ap_unescape_url`, `ap_getparents`).
 */
export function normalizePath(sent: string, release: Release, rules: SlashRules = defaultSlashRules): NormalizedPath {
  if (!sent.startsWith("/")) return { status: 400 };
  // Most paths are as they should be.
  if (!unusual.test(sent)) return { path: sent, escaped: sent };
  const path = collapseLeadingSlashes(sent);
  return release === "2.4" ? normalizePath24(path, rules) : normalizePath22(path, rules);
}

/** An escape, a doubled slash, or a segment that begins with a dot. */
const unusual = /%|\/[/.]/;

/** One slash for several at the beginning, which is how any path is taken from the first line (`ap_parse_uri`). */
export function collapseLeadingSlashes(sent: string): string {
  return sent.startsWith("//") ? sent.replace(/^\/+/, "/") : sent;
}

function normalizePath24(sent: string, rules: SlashRules): NormalizedPath {
  // Characters that need no escape are resolved before the segments are looked at, others after.
  const plain = sent.replace(/%([0-9a-f]{2})/gi, (written, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : written;
  });
  const escaped = removeDotSegments(mergeSlashes(plain, rules));
  const resolved = escaped === undefined ? { status: 400 as const } : unescapePath(escaped, rules);
  if ("status" in resolved || rules.encoded !== "resolved") return resolved;
  // Slashes that came out of escapes may have made new segments; one that leads above the root is left at that.
  const path = removeDotSegments(mergeSlashes(resolved.path, rules), true) ?? "/";
  return { ...resolved, path };
}

function mergeSlashes(path: string, { merges }: SlashRules): string {
  return merges ? collapseSlashes(path) : path;
}

function normalizePath22(sent: string, rules: SlashRules): NormalizedPath {
  const plain = unescapePath(sent, rules);
  if ("status" in plain) return plain;
  const resolved = removeDotSegments(plain.path);
  return resolved === undefined ? { status: 400 } : { path: resolved, escaped: sent };
}

/** Escapes resolved; one for a slash or a NUL is not found, a broken one is bad. */
function unescapePath(path: string, { encoded }: SlashRules): NormalizedPath {
  if (/%(?![0-9a-f]{2})/i.test(path)) return { status: 400 };
  if (/%00/i.test(path) || (encoded === "refused" && /%2f/i.test(path))) return { status: 404 };
  const plain = path.replace(/%([0-9a-f]{2})/gi, (written, hex: string) =>
    encoded === "kept" && /2f/i.test(hex) ? written : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return { path: plain, escaped: path };
}

/** Undefined where the path leads above the root. @param staysAtRoot whether what leads above it is passed over */
function removeDotSegments(path: string, staysAtRoot = false): string | undefined {
  const out: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === "..") {
      if (out.length === 0 && !staysAtRoot) return undefined;
      out.pop();
    } else if (segment !== ".") {
      out.push(segment);
      continue;
    }
    if (isLast) out.push("");
  }
  return `/${out.join("/")}`;
}

/** One slash for several, as 2.2 does where it compares with plain text. */
export function collapseSlashes(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/** What 2.4 says of a URL that it cannot normalize (server/request.c). */
export function formatInvalidPath(path: string, query: string | undefined): string {
  return `AH10244: invalid URI path (${fromReadable(path)}${query === undefined ? "" : `?${fromReadable(query)}`})`;
}
