import type { Directive } from "../../config/model/directive.js";
import { behaves } from "../../facts/behaviours.js";
import { isSince, nameRelease, type Release } from "../../facts/release.js";
import { decodeUrl } from "../../text/escaping.js";
import { fromReadable } from "../../text/source.js";
import { asksBehaviour } from "../model/behaviour.js";
import { type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { unknownFact } from "../model/unknown-facts.js";

export type NormalizedPath =
  | {
      readonly path: string;
      /**
       * The path before escapes are resolved; on 2.4 sections by URL are also matched against this, for the groups of
       * their patterns.
       */
      readonly escaped: string;
    }
  /** The server responds immediately: the URL is not acceptable. */
  | { readonly status: 400 | 404 };

/** The server's treatment of slashes: AllowEncodedSlashes and, on 2.4, MergeSlashes. */
export interface SlashRules {
  readonly encoded: "refused" | "resolved" | "kept";
  readonly merges: boolean;
}

const defaultSlashRules: SlashRules = { encoded: "refused", merges: true };

/**
 * Returns the rules for slashes at the level of a server. A virtual host inherits AllowEncodedSlashes from the main
 * server only if it has no core directives (server/core.c `merge_core_dir_configs`).
 *
 * @param layers its own, after that of the main server
 */
export function slashRulesOf(layers: readonly ConfigLayer[]): SlashRules {
  const own = layers.at(-1);
  const known = own && slashRules.get(own);
  if (known) return known;
  const rules = readSlashRules(layers);
  if (own) slashRules.set(own, rules);
  return rules;
}

const slashRules = new WeakMap<ConfigLayer, SlashRules>();

function readSlashRules(layers: readonly ConfigLayer[]): SlashRules {
  const encoded = keywordArgumentOf(findEncodedSlashLine(layers).applied);
  return {
    encoded: encoded === "on" ? "resolved" : encoded === "nodecode" ? "kept" : "refused",
    merges: keywordArgumentOf(findSetting(layers, "mergeslashes")) !== "off",
  };
}

/**
 * Returns the AllowEncodedSlashes line that applies, and that of the main server, if a virtual host does not inherit it.
 *
 * @param layers as for `slashRulesOf`
 */
export function findEncodedSlashLine(layers: readonly ConfigLayer[]): {
  readonly applied: Directive | undefined;
  readonly notInherited: Directive | undefined;
} {
  const own = layers.at(-1);
  const last = findSetting(layers, "allowencodedslashes");
  if (!own || !hasCoreLine(own)) return { applied: last, notInherited: undefined };
  const applied = own.setting("allowencodedslashes");
  return { applied, notInherited: applied ? undefined : last };
}

/** Reports whether a server has a configuration of the core of its own, so that it inherits no AllowEncodedSlashes. */
export function hasCoreLine({ content }: ConfigLayer): boolean {
  return content.some(({ known }) => known.facts.some(({ module }) => module === "core"));
}

/**
 * Normalizes the path of a URL as the server does: escapes are resolved, and `.` and `..` are removed. 2.4 also merges
 * repeated slashes (server/util.c `ap_normalize_path`, `ap_unescape_url`, `ap_getparents`).
 *
 * @param oracle answers what is not known of the release
 */
export function normalizePath(
  sent: string,
  release: Release,
  rules: SlashRules = defaultSlashRules,
  oracle = new Oracle(new Map()),
): NormalizedPath {
  if (!sent.startsWith("/")) return { status: 400 };
  // Most paths are already normalized.
  if (!unusual.test(sent)) return { path: sent, escaped: sent };
  const path = collapseLeadingSlashes(sent);
  if (mayKeepDots.test(path) && behaves(release, "escaped-dots-kept") !== false)
    oracle.markUndecidable(unknownFact("escaped-dots", nameRelease(release)));
  const merges = rules.merges && mayDoubleSlash.test(path) && asksBehaviour(release, "slashes-merged", oracle);
  const applied = { ...rules, merges };
  if (behaves(release, "segments-before-escapes")) return normalizePath24(path, applied);
  const normal = normalizePath22(path, applied);
  // Sections by URL are matched once, against the path without escapes.
  return "status" in normal || !isSince(release, "2.4") ? normal : { path: normal.path, escaped: normal.path };
}

/** What a version reads as a segment `..` only after it removed such segments. */
const mayKeepDots = /%2e|%(?![\da-f]{2})/i;

const mayDoubleSlash = /\/(?:\/|%2f)|%2f(?:\/|%2f)|\/\.\//i;

/** An escape, a doubled slash, or a segment that begins with a dot. */
const unusual = /%|\/[/.]/;

/** Merges slashes at the beginning, as in any path of a request line (`ap_parse_uri`). */
export function collapseLeadingSlashes(sent: string): string {
  return sent.startsWith("//") ? sent.replace(/^\/+/, "/") : sent;
}

function normalizePath24(sent: string, rules: SlashRules): NormalizedPath {
  // Characters that need no escape are resolved before the segments are checked, others after.
  const plain = decodeUrl(sent, (character) => /[\w.~-]/.test(character));
  const escaped = removeDotSegments(mergeSlashes(plain, rules));
  const resolved = escaped === undefined ? { status: 400 as const } : unescapePath(escaped, rules);
  if ("status" in resolved || rules.encoded !== "resolved") return resolved;
  // Slashes from escapes may have created new segments; one that leads above the root stays there.
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
  return resolved === undefined ? { status: 400 } : { path: mergeSlashes(resolved, rules), escaped: sent };
}

/** Resolves escapes; one for a slash or a NUL is not found, an invalid one is a bad request. */
function unescapePath(path: string, { encoded }: SlashRules): NormalizedPath {
  if (isBadEscape.test(path)) return { status: 400 };
  if (/%00/i.test(path) || (encoded === "refused" && /%2f/i.test(path))) return { status: 404 };
  const plain = decodeUrl(path, (character) => encoded !== "kept" || character !== "/");
  return { path: plain, escaped: path };
}

/** Returns undefined if the path leads above the root. @param staysAtRoot whether such segments are ignored */
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

/** Merges repeated slashes, as 2.2 does for comparisons with plain text. */
export function collapseSlashes(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

/**
 * Returns the 2.4 message about a URL that cannot be normalized (server/request.c, before 2.4.49 server/core.c
 * `ap_core_translate`); none on 2.2.
 *
 * @param requestLine of the request that the client sent
 */
export function listMessagesOfInvalidPath(target: string, requestLine: string, release: Release): readonly string[] {
  if (!isSince(release, "2.4")) return [];
  if (behaves(release, "segments-before-escapes")) return [`AH10244: invalid URI path (${fromReadable(target)})`];
  const [path = ""] = target.split("?", 1);
  return isBadEscape.test(path) ? [] : [`AH00126: Invalid URI in request ${requestLine}`];
}

const isBadEscape = /%(?![\da-f]{2})/i;
