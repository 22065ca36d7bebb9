import { fromReadable } from "../text/source.js";

/** A URL or path taken apart, as a client would send it. */
export interface SentUrl {
  readonly scheme?: "http" | "https";
  /** With the port where one is written: the Host header. */
  readonly host?: string;
  readonly port?: number;
  /** Starts with a slash; escapes as written. */
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
}

/** Reads `https://host:8443/path?query` or `/path?query`; what follows a `#` is never sent. Else says what is wrong. */
export function readUrl(text: string): SentUrl | { readonly failed: string } {
  if (/[\p{Cc} ]/u.test(text)) return { failed: "holds a space or a control character; escape it, as `%20`" };
  const [before = ""] = text.split("#");
  if (before.startsWith("/")) return readPath(before);
  const [, scheme, authority, rest] = /^([a-z][\w+.-]*):\/\/([^/?]*)(.*)$/i.exec(before) ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined)
    return { failed: "is neither a URL nor a path that starts with `/`" };
  const name = scheme.toLowerCase();
  if (name !== "http" && name !== "https") return { failed: `asks for \`${scheme}\`, which httpd does not serve` };
  if (authority.includes("@")) return { failed: "holds a user; name it with --user" };
  const port = portIn(authority);
  if (!isHost(authority) || port === "wrong") return { failed: `has \`${authority}\`, which is no host` };
  return {
    ...{ scheme: name, host: authority },
    ...(port === undefined ? {} : { port }),
    ...readPath(rest.startsWith("/") ? rest : `/${rest}`),
  };
}

function readPath(text: string): SentUrl {
  const mark = text.indexOf("?");
  if (mark < 0) return { path: escaped(text) };
  return { path: escaped(text.slice(0, mark)), query: escaped(text.slice(mark + 1)) };
}

/** Letters beyond ASCII as clients send them: their UTF-8 bytes escaped. */
export function escaped(text: string): string {
  return text.replace(/\P{ASCII}+/gu, (letters) =>
    [...fromReadable(letters)].map((byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`).join(""),
  );
}

/** A name or address, with a port or without, as a Host header has it. */
export function isHost(text: string): boolean {
  return /^(?:\.?[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text);
}

function portIn(authority: string): number | "wrong" | undefined {
  const digits = /:(\d+)$/.exec(authority.replace(/^\[.*\]/, ""))?.[1];
  if (digits === undefined) return undefined;
  const port = Number(digits);
  return port >= 1 && port <= 65535 ? port : "wrong";
}
