import type { Release } from "../directives/directives.js";

export type NormalPath =
  | { readonly path: string }
  /** The server answers at once: the URL is not acceptable. */
  | { readonly status: 400 | 404 };

/**
 * The path of a URL as the server goes on with it: escapes resolved, `.` and `..` gone; 2.4 makes one slash of several
 * (server/util.c `ap_normalize_path`, `ap_unescape_url`, `ap_getparents`).
 */
export function normalPath(sent: string, release: Release): NormalPath {
  if (!sent.startsWith("/")) return { status: 400 };
  return release === "2.4" ? normalPath24(sent) : normalPath22(sent);
}

function normalPath24(sent: string): NormalPath {
  // Characters that need no escape are resolved before the segments are looked at, others after.
  const plain = sent.replace(/%([0-9a-f]{2})/gi, (written, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : written;
  });
  const resolved = withoutDots(plain.replace(/\/{2,}/g, "/"));
  if (resolved === undefined) return { status: 400 };
  return unescaped(resolved);
}

function normalPath22(sent: string): NormalPath {
  const plain = unescaped(sent);
  if ("status" in plain) return plain;
  const resolved = withoutDots(plain.path);
  return resolved === undefined ? { status: 400 } : { path: resolved };
}

/** Escapes resolved; one for a slash or a NUL is not found, a broken one is bad. */
function unescaped(path: string): NormalPath {
  if (/%(?![0-9a-f]{2})/i.test(path)) return { status: 400 };
  if (/%(2f|00)/i.test(path)) return { status: 404 };
  return { path: path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) };
}

/** Undefined where the path leads above the root. */
function withoutDots(path: string): string | undefined {
  const out: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === "..") {
      if (out.length === 0) return undefined;
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
export function withoutDoubleSlashes(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}
