import type { Directive } from "../../config/model/directive.js";
import { addsHeader, type HeaderLine } from "../../config/queries/response-headers.js";
import { toReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import { formatCount } from "../../text/words.js";
import type { Miss } from "../model/answer.js";
import { argumentValuesOf, type ConfigLayer, keywordArgumentOf, layerOfSection } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import type { Pass } from "../model/pass.js";
import { headerOf } from "../model/request.js";
import { extensionsOf } from "../phases/handler-lookup.js";
import { isConditionKnownToHold, listHeaderLinesIn } from "../phases/response-headers.js";
import { targetOf } from "../sections/section-index.js";
import { destinationOf, responderOf } from "./destination.js";
import { missOf, type SearchedPass } from "./miss.js";
import { exactPatternOf, isForOrigins, namesWord, withOtherOrigin } from "./origins.js";
import { findMatch } from "./pattern-parts.js";
import { contentTypeOf, type HeaderChanges, headerChangesOf, takesDefaultCharset } from "./sent-headers.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";
import { escapeRegex } from "./written-lines.js";

/** A successful response, with what lines do to its headers. */
interface SearchedResponse extends SearchedPass {
  /** The pass over what is served. */
  readonly served: Pass;
  readonly changes: HeaderChanges;
  /** The headers that lines add, in lower case. */
  readonly names: ReadonlySet<string>;
  /** The origin of a script that asks for the response. */
  readonly origin: string | undefined;
}

/** More of them are seldom those that a reader expects. */
const MAX_FOUND = 2;

/**
 * Returns the lines for the headers, the type and the character set of a successful response that come close to applying: in a section
 * for similar names, in another virtual host with the same name, with a condition that does not hold, or deleted by a later line.
 */
export function findMissedHeaders(searched: SearchedPass): readonly Miss[] {
  const { outcome, setup } = searched;
  const { pass, served = pass, status } = outcome;
  if (served?.state === undefined || status >= 300) return [];
  const changes = headerChangesOf(outcome, setup.project);
  const names = new Set(changes.applied.filter(addsHeader).map(({ name }) => name));
  const { request } = served;
  const origin = headerOf(request.sent ?? request, "Origin");
  const response: SearchedResponse = { ...searched, served, changes, names, origin };
  const found = finders.flatMap((find) => find(response));
  return found.slice(0, MAX_FOUND).map((miss) => ({ ...miss, ofResponse: true as const }));
}

const finders: readonly ((response: SearchedResponse) => readonly Miss[])[] = [
  falseConditions,
  deletedHeaders,
  otherSections,
  otherHosts,
  inactiveExpiry,
  charsetOfOtherTypes,
];

/** Lines for the headers, the type and the character set of responses. */
const responseLines: ReadonlySet<string> = new Set([
  ...["header", "addtype", "forcetype", "addcharset", "adddefaultcharset", "expiresdefault", "expiresbytype"],
]);

/** Returns the lines of a configuration that would give a response what it lacks. */
function lackingLines(layer: ConfigLayer, response: SearchedResponse): readonly Directive[] {
  const { served, changes, names, outcome, setup } = response;
  const { state } = served;
  const file =
    served.walked?.kind === "file" && responderOf(outcome) === undefined ? served.walked.filename : undefined;
  const extensions = file === undefined ? [] : extensionsOf(file);
  const isForFile = (line: Directive) =>
    argumentValuesOf(line)
      .slice(1)
      .some((word) => extensions.includes(word.toLowerCase().replace(/^\./, "")));
  const headers = new Set(listHeaderLinesIn([layer]).filter((line) => isLacking(line, response, names)));
  const ofHeaders = new Set([...headers].map(({ directive }) => directive));
  return layer.pick(responseLines).filter((line) => {
    const has = state?.config.setting(line.key) !== undefined;
    switch (line.key) {
      case "header":
        return ofHeaders.has(line);
      case "addtype":
      case "addcharset":
        return isForFile(line);
      case "forcetype":
        return file !== undefined && !has;
      case "adddefaultcharset":
        return file !== undefined && !has && takesDefaultCharset(contentTypeOf(outcome, setup.project)?.value ?? "");
      default:
        return file !== undefined && changes.expires === undefined && !names.has("expires");
    }
  });
}

/** Reports whether a Header line adds a header that a client would use, and that no line gives the response. */
function isLacking(line: HeaderLine, { served: { request } }: SearchedResponse, names: ReadonlySet<string>): boolean {
  // RFC 6797, section 8.1: browsers ignore it over plain HTTP.
  if (line.name === "strict-transport-security" && request.scheme !== "https") return false;
  return addsHeader(line) && !names.has(line.name) && line.condition?.toLowerCase() !== "early";
}

/** Names lines as the subject of "does not apply". */
function describeLines([first, ...more]: readonly Directive[]): string {
  if (first === undefined) return "";
  return more.length === 0
    ? `its ${quoteLine(first)} does not apply`
    : `its ${quoteLine(first)} and ${formatCount(more.length, "more line")} do not apply`;
}

const sections: ReadonlySet<string> = new Set([
  ...["<files", "<filesmatch", "<location", "<locationmatch", "<directory"],
]);

/** Sections for similar names or paths; for a script of another origin, all with lines for it. */
function otherSections(response: SearchedResponse): readonly Miss[] {
  const { served, origin } = response;
  const { state, server, path, walked, mapping } = served;
  const applied = new Set(state?.layers.flatMap(({ section }) => section ?? []));
  const all = new Set([...server.layers, ...(state?.layers ?? [])].flatMap((layer) => layer.pick(sections)));
  const file = mapping.kind !== "file" ? undefined : walked?.kind === "file" ? walked.filename : mapping.filename;
  return [...all].flatMap((section): readonly Miss[] => {
    if (applied.has(section)) return [];
    const lines = lackingLines(layerOfSection(section), response);
    const isForOrigin = origin !== undefined && lines.some(isForOrigins);
    const subject = section.key.startsWith("<location") ? path : file;
    const target = targetOf(section);
    if (lines.length === 0 || subject === undefined || target === undefined) return [];
    const missed =
      section.key.startsWith("<files") || target.isPattern
        ? missOfName(section, subject, isForOrigin)
        : missOfPath(section, target.text, subject, lines, isForOrigin);
    if (missed === undefined) return [];
    const miss = missOf(section, `${missed.reason}, so ${describeLines(lines)}`, missed.help);
    return [missed.stays ? { ...miss, stays: true } : miss];
  });
}

/** Why a section does not apply, as a clause, and what to change. */
interface MissedSection {
  readonly reason: string;
  readonly help: readonly string[];
  readonly stays?: true;
}

/** Extensions of files that are used alike, so that a line for one of them may be meant for the others. */
const similarExtensions: readonly (readonly string[])[] = [
  ["css", "js", "mjs", "map", "json", "wasm"],
  ["woff", "woff2", "ttf", "otf", "eot"],
  ["avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"],
  ["m4v", "mp4", "ogv", "webm"],
  ["m4a", "mp3", "oga", "ogg", "wav"],
  ["htm", "html", "shtml", "xhtml"],
];

/** A section for names, or for paths by a pattern, that is for a file with a similar extension. */
function missOfName(section: Directive, subject: string, isForOrigin: boolean): MissedSection | undefined {
  const target = targetOf(section);
  const name = subject.slice(subject.lastIndexOf("/") + 1);
  const tested = section.key.startsWith("<files") ? name : subject;
  const [extension] = /[^.]*$/.exec(name) ?? [];
  if (!target || extension === undefined || extension === name || extension === "") return undefined;
  const pattern = target.isPattern ? target.text : patternOfName(target.text);
  if (pattern === undefined || findMatch(pattern, tested, true) !== undefined) return undefined;
  const withExtension = (other: string) => tested.slice(0, tested.length - extension.length) + other;
  const shorter = [extension.slice(0, -1), extension.slice(0, -2)].filter((each) => each.length > 1);
  const similar = similarExtensions.find((group) => group.includes(extension.toLowerCase())) ?? [];
  const other = [...shorter, ...similar].find((each) => findMatch(pattern, withExtension(each)) !== undefined);
  if (other === undefined && !isForOrigin) return undefined;
  const what = target.isPattern ? "its pattern does not match" : "it is not for";
  const corrected = withAlternative(pattern, extension);
  const isCorrect = corrected !== undefined && findMatch(corrected, tested) !== undefined;
  const kind = section.key.startsWith("<files") ? "FilesMatch" : `${nameOf(section).replace(/Match$/, "")}Match`;
  const help = isCorrect ? [`use ${quoteWritten(`<${kind} "${toReadable(corrected)}">`)}`] : [];
  return { reason: `${what} \`${toReadable(name)}\``, help };
}

/** Returns the name of a section as it is written. */
function nameOf({ name }: Directive): string {
  return name.replace(/^</, "");
}

/** Returns the pattern for a name with a wildcard before its extension: `*.css`; undefined for other names. */
function patternOfName(text: string): string | undefined {
  const [, extension] = /^\*(\.\w+)$/.exec(text) ?? [];
  return extension === undefined ? undefined : `${escapeRegex(extension)}$`;
}

/** Returns a pattern with one more extension in its last group, or in place of its only one; undefined for other patterns. */
function withAlternative(pattern: string, extension: string): string | undefined {
  const [, before, group] = /^(.*\\\.\((?:\?:)?)([\w?|]+)\)\$?$/s.exec(pattern) ?? [];
  const end = pattern.endsWith("$") ? "$" : "";
  if (before !== undefined && group !== undefined) return `${before}${group}|${escapeRegex(extension)})${end}`;
  const [, start, only] = /^(.*\\\.)([\w?]+)\$?$/s.exec(pattern) ?? [];
  return only === undefined ? undefined : `${start}(?:${only}|${escapeRegex(extension)})${end}`;
}

/** A section for a path that a path only begins with as a text, or that is within the path. */
function missOfPath(
  section: Directive,
  written: string,
  path: string,
  lines: readonly Directive[],
  isForOrigin: boolean,
): MissedSection | undefined {
  const base = written.replace(/\/+$/, "");
  if (!base.startsWith("/") || hasWildcard(base) || /[[\]"]/.test(path)) return undefined;
  const isText = path.startsWith(base) && !path.startsWith(`${base}/`);
  const at = path.indexOf(`${base}/`);
  if (!isText && at <= 0 && !isForOrigin) return undefined;
  const own = isText ? (/^[^/]*/.exec(path.slice(base.length))?.[0] ?? "") : undefined;
  const end = own === undefined ? undefined : base + own;
  const whole = end !== undefined ? end : at > 0 ? path.slice(0, at) + base : path.replace(/\/[^/]*$/, "");
  const isDirectory = path.length > whole.length || path.endsWith("/");
  const text = section.key === "<directory" ? whole : `${whole}${isDirectory && written.endsWith("/") ? "/" : ""}`;
  const added = [
    `<${nameOf(section)} "${toReadable(text === "" ? "/" : text)}">`,
    ...lines.slice(0, 1).map((line) => formatWholeLine(line)),
  ];
  const help = `for this path as well, add ${quoteWritten(...added, `</${nameOf(section)}>`)}`;
  return { reason: `it is not for \`${toReadable(path)}\``, help: [help], stays: true };
}

/** Lines of another virtual host with the name of the request. */
function otherHosts(response: SearchedResponse): readonly Miss[] {
  const { served, setup } = response;
  const { server, request } = served;
  const { section } = server;
  if (section === undefined) return [];
  const hosts = setup.servers.hostsPassedOver(request.sent ?? request, server, new Oracle(new Map()));
  return hosts.flatMap(({ host }) =>
    lackingLines(host.layer, response).map((line) => {
      const reason = `it is in ${quoteLine(host.section)}, and ${quoteLine(section)} answers`;
      const help = [`add ${quoteWritten(formatWholeLine(line))} to ${quoteLine(section)}`];
      return { ...missOf(line, reason, help, section), change: section };
    }),
  );
}

/** Header lines with `env=` and a variable that this request does not set. */
function falseConditions({ served, names, origin, setup: { project } }: SearchedResponse): readonly Miss[] {
  const { state } = served;
  if (!state) return [];
  const lines = listHeaderLinesIn(state.layers);
  return lines.flatMap((line): readonly Miss[] => {
    const [, name] = /^env=([^!].*)$/i.exec(line.condition ?? "") ?? [];
    if (name === undefined || names.has(line.name) || !addsHeader(line)) return [];
    if (isConditionKnownToHold(line, served) !== false) return [];
    const setters = [...new Set([...served.server.layers, ...state.layers])]
      .flatMap(({ directives }) => directives)
      .filter(({ key, argumentText }) => key !== "header" && namesWord(argumentText, name));
    const isForOrigin = isForOrigins(line.directive) && origin !== undefined;
    if (setters.length === 0) {
      // Another file or module may set it.
      const isOpen = project.isPart || !project.modulesAreKnown || project.modules.listThirdParty().length > 0;
      if (isOpen && !isForOrigin) return [];
      const reason = `no line ${isOpen ? "here " : ""}sets the variable \`${toReadable(name)}\``;
      const set = isForOrigin ? `SetEnvIf Origin "${exactPatternOf(origin)}" ${toReadable(name)}=$0` : undefined;
      return [missOf(line.directive, reason, set ? [`add ${quoteWritten(set)}`] : [])];
    }
    // The lines for other clients are for them on purpose.
    return setters.flatMap((setter) => missOfSetter(line, setter, isForOrigin ? origin : undefined));
  });
}

function missOfSetter(line: HeaderLine, setter: Directive, origin: string | undefined): readonly Miss[] {
  const corrected = origin === undefined ? undefined : withOtherOrigin(setter, origin);
  if (origin === undefined || corrected === undefined) return [];
  const reason = `its pattern does not match \`${toReadable(origin)}\`, so ${quoteLine(line.directive)} does not apply`;
  return [missOf(setter, reason, [`to allow this origin, use ${quoteWritten(corrected)}`])];
}

/** Header lines whose header a later line deletes. */
function deletedHeaders({ changes: { overridden }, names }: SearchedResponse): readonly Miss[] {
  return overridden.flatMap(({ line, by }) =>
    by.action === "unset" && addsHeader(line) && !names.has(line.name)
      ? [missOfDeleted(line.directive, by.directive)]
      : [],
  );
}

function missOfDeleted(line: Directive, by: Directive): Miss {
  const reason = `${quoteLine(by)} comes later, and deletes the header`;
  return { ...missOf(line, reason, [`if this response is to have it, delete ${quoteLine(by)}`], by), change: by };
}

const expiryLines: ReadonlySet<string> = new Set(["expiresdefault", "expiresbytype"]);

/** Lines of mod_expires without `ExpiresActive On` (mod_expires.c `expires_insert_filter`). */
function inactiveExpiry({ served: { state }, names, outcome }: SearchedResponse): readonly Miss[] {
  const [line] = (state?.layers ?? []).flatMap((layer) => layer.pick(expiryLines));
  const active = state?.config.setting("expiresactive");
  if (!line || keywordArgumentOf(active) === "on" || names.has("expires") || responderOf(outcome)) return [];
  const written = quoteWritten("ExpiresActive On");
  if (active) return [missOf(line, `${quoteLine(active)} applies`, [`use ${written}`], active)];
  return [{ ...missOf(line, "no `ExpiresActive On` applies", [`add ${written} before it`]), stays: true }];
}

/** Types of texts other than those that get the default character set. */
const textTypes = /^text\/|[/+](?:javascript|json|xml)$/;

/**
 * An AddDefaultCharset line of a virtual host or a directory, which is not for the type of a file (server/protocol.c
 * `ap_make_content_type`).
 */
function charsetOfOtherTypes({ served, outcome, setup }: SearchedResponse): readonly Miss[] {
  const { state, server } = served;
  const line = state?.config.setting("adddefaultcharset");
  const type = contentTypeOf(outcome, setup.project)?.value;
  if (!line || type === undefined || type.includes("charset=") || !textTypes.test(type)) return [];
  if (takesDefaultCharset(type) || keywordArgumentOf(line) === "off") return [];
  // The default of a whole server is for pages.
  if ((server.main ?? server).layer.directives.includes(line)) return [];
  const [extension] = /\.\w+$/.exec(destinationOf(outcome).file ?? "") ?? [];
  const [charset = ""] = argumentValuesOf(line);
  const reason = `it is only for the types \`text/html\` and \`text/plain\`, and this file has \`${toReadable(type)}\``;
  const help =
    extension === undefined || /^on$/i.test(charset)
      ? []
      : [`add ${quoteWritten(`AddCharset ${toReadable(charset)} ${toReadable(extension)}`)}`];
  return [{ ...missOf(line, reason, help), stays: true }];
}
