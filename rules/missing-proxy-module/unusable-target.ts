import { type Argument, findBackendModules, uriSchemeOf } from "../../src/lint/api/configuration.js";
import { quoteShort, quoteText, toReadable } from "../../src/lint/api/rule.js";

const shown = (target: string) => quoteShort(target, 40);
const starts = "httpd starts without a warning";

export const targetMessages = {
  sent: (target: string, remedy: string) => ({
    message: `${shown(target)} is not a backend: httpd sends the files themselves`,
    notes: [starts, "clients get files as they are, such as the source of scripts"],
    help: [remedy],
  }),
  toItself: (target: string, remedy: string) => ({
    message: `${shown(target)} has no scheme: the request goes to this server`,
    notes: [`httpd takes it for a path: the backend is ${shown(`http://SERVERNAME/${target}`)}`],
    help: [remedy],
  }),
  noHandler: (target: string) => ({
    message: `no module of mod_proxy is for the scheme of ${shown(target)}`,
    notes: [starts, "requests for the backend return 500 (AH01144)"],
    help: ["use a scheme such as `http://` or `fcgi://`"],
  }),
  malformed: (target: string, status: number, code: string, remedy: string) => ({
    message: `requests for ${shown(target)} return ${status}`,
    notes: [starts, `it cannot use the URL as a backend (${code})`],
    help: [remedy],
  }),
};

/** Returns the message for a target that httpd cannot use. */
export function messageForTarget(unusable: UnusableTarget) {
  const { kind, target, remedy } = unusable;
  const corrected = describeRemedy(remedy ?? { handler: "proxy:fcgi://HOST:PORT" });
  switch (kind) {
    case "sent":
      return targetMessages.sent(target, corrected);
    case "to itself":
      return targetMessages.toItself(target, corrected);
    case "no handler":
      return targetMessages.noHandler(target);
    case "malformed":
      return targetMessages.malformed(target, unusable.status, unusable.code, corrected);
  }
}

/** What to write: a handler, a URL, or what to change, in words. */
type Remedy = { readonly handler: string } | { readonly url: string } | { readonly advice: string };

function describeRemedy(remedy: Remedy): string {
  if ("advice" in remedy) return remedy.advice;
  return `use ${"url" in remedy ? quoteText(remedy.url) : `\`SetHandler "${toReadable(remedy.handler)}"\``}`;
}

/** Why httpd cannot pass requests to a target (test/live/proxy-targets.live.test.ts). */
export type UnusableTarget = { readonly target: string; readonly remedy: Remedy | undefined } & (
  | { readonly kind: "sent" | "to itself" | "no handler" }
  | { readonly kind: "malformed"; readonly status: 400 | 500; readonly code: string }
);

/** The directive that names a target: each reads it in its own way. */
export type TargetReader = "handler" | "pass" | "rule";

/** Largest port. */
const MAX_PORT = 65_535;

/** A scheme, and what follows. */
const withScheme = /^([a-z][a-z\d+.-]*):(\/\/)?(.*)$/is;

/** Finds what is wrong with a target, from what its text shows; variables and templates may be anything. */
export function findUnusableTarget({ value }: Argument, reader: TargetReader): UnusableTarget | undefined {
  if (/[^\x20-\x7e]/.test(value)) return undefined;
  switch (reader) {
    case "handler":
      return checkHandler(value);
    case "pass":
      return checkUrl(value, value, reader);
    case "rule":
      return checkRule(value);
  }
}

/** Finds a handler that is a target without the word `proxy:` before it. */
export function findBareTarget({ value }: Argument): UnusableTarget | undefined {
  const [, scheme = ""] = /^(?:unix:[^|]+\|)?([a-z\d]+):\/\//i.exec(value) ?? [];
  const isTarget = findBackendModules(scheme.toLowerCase()) !== undefined;
  // httpd adds the path of the file to the URL (mod_proxy.c `proxy_handler`).
  const bare = value.replace(/^((?:unix:[^|]+\|)?fcgi:\/\/[^/]*)\/.*$/i, "$1");
  return isTarget ? { kind: "sent", target: value, remedy: { handler: `proxy:${bare}` } } : undefined;
}

/** Checks a handler after `proxy:` (mod_proxy.c `proxy_handler`; proxy_util.c `fix_uds_filename`). */
function checkHandler(target: string): UnusableTarget | undefined {
  const [, socket, rest = ""] = /^(?:unix:([^|]*)\|)?(.*)$/s.exec(target) ?? [];
  if (/^[%$]/.test(rest)) return undefined;
  const [, scheme = "", slashes] = withScheme.exec(rest) ?? [];
  const isKnown = scheme !== "unix" && findBackendModules(scheme.toLowerCase()) !== undefined;
  // With a socket, the path of the file may follow the colon.
  const hasPath = rest === `${scheme}:` || rest.startsWith(`${scheme}:/`);
  if (isKnown && (slashes !== undefined || (socket !== undefined && hasPath))) return checkUrl(target, rest, "handler");
  const handler = remedyOf(target, socket, rest);
  const remedy = handler === undefined ? undefined : { handler };
  if (isKnown || (socket !== undefined && scheme === ""))
    return { kind: "malformed", target, remedy, status: 400, code: isKnown ? "AH01059" : "AH10292" };
  return { kind: "sent", target, remedy };
}

/** Checks a target of a rule with the flag P: without a scheme, it is a path of the server itself. */
function checkRule(target: string): UnusableTarget | undefined {
  if (/^[-/%$]|^$/.test(target)) return undefined;
  if (uriSchemeOf(target)) return checkUrl(target, target, "rule");
  const host = /^(?:(?:\d{1,3}\.){3}\d{1,3}|localhost|[\w.-]+:\d+)(?=[:/$%]|$)/i.test(target);
  const url = withColon(target) ?? (host ? `http://${target}` : undefined);
  return url === undefined ? undefined : { kind: "to itself", target, remedy: { url } };
}

/** Checks the scheme and the port of a URL. */
function checkUrl(target: string, url: string, reader: TargetReader): UnusableTarget | undefined {
  const [, scheme = "", slashes, rest = ""] = withScheme.exec(url) ?? [];
  if (slashes === undefined) return undefined;
  if (reader === "pass" && findBackendModules(scheme.toLowerCase()) === undefined)
    return { kind: "no handler", target, remedy: undefined };
  const [authority = ""] = rest.split(/[/?#]/);
  const port = /^[^$%]*:([^:\]$%]*)$/.exec(authority)?.[1];
  if (port === undefined || port === "") return undefined;
  // Other characters are those of templates.
  if (!/^[\w-]+$/.test(port)) return undefined;
  if (!/^\d+$/.test(port))
    // The port of a socket is not used, and at start httpd refuses that of ProxyPass.
    return reader === "pass" || url !== target
      ? undefined
      : { kind: "malformed", target, remedy: { advice: "use the number of the port" }, status: 500, code: "AH00898" };
  if (Number(port) <= MAX_PORT) return undefined;
  const code = /^(?:https?|wss?)$/i.test(scheme) ? "AH01083" : "AH01059";
  return { kind: "malformed", target, remedy: { advice: `use a port up to ${MAX_PORT}` }, status: 400, code };
}

/** Returns the handler that was meant. */
function remedyOf(target: string, socket: string | undefined, rest: string): string | undefined {
  const colon = withColon(rest);
  if (socket !== undefined) return `proxy:unix:${socket}|${colon ?? "fcgi://localhost"}`;
  const path = /^(?:unix:|[a-z]+:)?(?:\/\/)?(\/[^|:]*)(?:\|(.*))?$/i.exec(target);
  if (path) return `proxy:unix:${path[1]}|${path[2] ?? "fcgi://localhost"}`;
  if (colon !== undefined) return `proxy:${colon}`;
  return /^[\w.-]+:\d+\/?$/.test(target) ? `proxy:fcgi://${target}` : undefined;
}

/** Returns a URL whose scheme lacks its colon, or a slash, as it was meant; undefined for any other text. */
function withColon(url: string): string | undefined {
  const [, scheme = "", rest = ""] =
    /^(https?|wss?|fcgi|scgi|uwsgi|ajp|h2c?)(?::\/?|\/\/)(?!\/)(.*)$/is.exec(url) ?? [];
  return scheme === "" || rest === "" ? undefined : `${scheme}://${rest}`;
}
