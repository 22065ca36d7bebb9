import type { Directive } from "../../config/model/directive.js";
import type { DisabledFile, Project } from "../../config/model/project.js";
import { type Span, toReadable } from "../../text/source.js";
import type { Miss } from "../model/answer.js";
import type { Pass } from "../model/pass.js";
import type { Request } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { findHandlerLine, handlerOf } from "../phases/handler-lookup.js";
import { findNamingLines } from "../request/server-names.js";
import type { ServerLookup } from "../request/vhost-lookup.js";
import { isForDefaultHost } from "./host-misses.js";
import { fileNameOf } from "./htaccess-steps.js";
import { missOf } from "./miss.js";
import { quoteWritten } from "./step.js";
import { quoteWord } from "./written-lines.js";

/** Answers the request as if a file were enabled, under the same facts. */
export type OutcomeWith = (file: DisabledFile) => RequestOutcome;

/** More files explain no more. */
const MAX_FILES = 2;

/**
 * Returns the lines of files that are available, but not enabled (Debian's `a2enconf`, `a2ensite` and `a2enmod`), or that wildcards
 * skip, and that would map a path which leads to nothing, or that have the virtual host with a name which no other one has.
 */
export function missesOfDisabledFiles(
  outcome: RequestOutcome,
  { project, servers }: SimulationSetup,
  outcomeWith: OutcomeWith,
): readonly Miss[] {
  const { pass, status } = outcome;
  const isDefault = pass !== undefined && isForUnnamedHost(pass, servers);
  const isMissing = status === 404 && pass?.mapping.kind === "file";
  if (!isDefault && !isMissing) return [];
  const found = project.findDisabledFiles().flatMap((file): readonly Miss[] => {
    const isNaming = isDefault && file.kind !== "conf" && file.kind !== "mods";
    const isMapping = isMissing && file.kind !== "sites";
    if ((!isNaming && !isMapping) || !mayBeFor(file, pass.request)) return [];
    const other = outcomeWith(file);
    const ofHost = isNaming ? namingLineOf(other, file) : undefined;
    const line = ofHost ?? (isMapping && other.status !== 404 ? mappingLineOf(other, file) : undefined);
    if (line === undefined || !isMeantFor(line, file, other)) return [];
    return [{ ...missOf(line, reasonFor(file), [helpFor(file, project)]), stays: true }];
  });
  return found.slice(0, MAX_FILES);
}

/** Reports whether no virtual host has the name of a request, nor the main server that answers. */
function isForUnnamedHost({ request, server }: Pass, servers: ServerLookup): boolean {
  if (isForDefaultHost(request, servers)) return true;
  return servers.hosts.length === 0 && findNamingLines(server, request).length === 0;
}

/** Reports whether a file has a part of the host or of the path of a request; there may be many that no line reads. */
function mayBeFor({ kind, source: { text } }: DisabledFile, { host, path }: Request): boolean {
  if (kind !== "comment" && kind !== "unread") return true;
  const lower = text.toLowerCase();
  const [, directory = ""] = path.split("/");
  const words = [host?.replace(/:\d+$/, ""), host?.replace(/^[^.]*\.|:\d+$/g, ""), directory];
  return words.some((word) => word !== undefined && word !== "" && lower.includes(word.toLowerCase()));
}

/**
 * Reports whether a line of a file that no line reads names the host or the first part of the path of a request, itself or by a section.
 * One that is for all paths, such as `RewriteRule ^`, would also change what the server has.
 */
function isMeantFor(line: Directive, file: DisabledFile, other: RequestOutcome): boolean {
  if (file.kind !== "comment" && file.kind !== "unread") return true;
  if (namingLineOf(other, file) !== undefined) return true;
  const [, directory = ""] = other.pass?.request.path.toLowerCase().split("/") ?? [];
  const names = (each: Directive): boolean =>
    each.arguments[0]?.value.toLowerCase().includes(directory) === true ||
    (each.parent !== undefined && names(each.parent));
  return directory !== "" && names(line);
}

/** Returns the line with the name of a request, if the file has the virtual host that answers. */
function namingLineOf({ pass }: RequestOutcome, { source }: DisabledFile): Directive | undefined {
  const { server, request } = pass ?? {};
  return server?.section?.span.file === source && request ? findNamingLines(server, request)[0] : undefined;
}

/** Returns the line of a file that maps the URL, redirects it, or sets the handler that answers. */
function mappingLineOf({ pass, served = pass }: RequestOutcome, { source }: DisabledFile): Directive | undefined {
  const { mapping, redirect, state, walked } = served ?? {};
  const handler = state && mapping && walked ? handlerOf(state, mapping, walked) : undefined;
  const ofHandler = state && handler !== undefined ? findHandlerLine(state, handler) : undefined;
  return [mapping?.by, redirect?.by, ofHandler].find((line) => line?.span.file === source);
}

function textOfSpan({ file, start, end }: Span): string {
  return toReadable(file.text.slice(start, end)).replace(/\s+/g, " ");
}

/** The commands of Debian, whose main file is `apache2.conf`. */
const commands = { conf: "a2enconf", sites: "a2ensite", mods: "a2enmod" } as const;

function reasonFor({ kind, name, source, comment }: DisabledFile): string {
  if (comment) return `the line that reads this file is a comment: \`${textOfSpan(comment)}\``;
  return kind === "include" || kind === "unread"
    ? `no \`Include\` line reads \`${kind === "unread" ? toReadable(name) : fileNameOf(source)}\``
    : `\`${kind}-available/${toReadable(name)}.conf\` is not enabled`;
}

function helpFor({ kind, name, comment }: DisabledFile, { entry }: Project): string {
  if (kind === "include") return `rename the file to \`${toReadable(name)}\`, and reload httpd`;
  if (comment)
    return `delete the \`#\` before ${quoteWritten(textOfSpan(comment).replace(/^#+\s*/, ""))} in \`${fileNameOf(comment.file)}\`, and reload httpd`;
  if (kind === "comment" || kind === "unread") {
    const [, folder] = /^(.*-enabled)\/[^/]*\.conf$/.exec(name) ?? [];
    const line =
      folder === undefined ? `Include ${quoteWord(name)}` : `IncludeOptional ${quoteWord(`${folder}/*.conf`)}`;
    return `add ${quoteWritten(toReadable(line))} to \`${entry.slice(entry.lastIndexOf("/") + 1)}\`, and reload httpd`;
  }
  const enable = entry.endsWith("/apache2.conf")
    ? `run \`${commands[kind]} ${toReadable(name)}\``
    : `link it into \`${kind}-enabled\``;
  return `${enable}, and ${kind === "mods" ? "restart" : "reload"} httpd`;
}
