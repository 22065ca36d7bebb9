import type { Directive } from "../../config/model/directive.js";
import type { DisabledFile, Project } from "../../config/model/project.js";
import { toReadable } from "../../text/source.js";
import type { Miss } from "../model/answer.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { findHandlerLine, handlerOf } from "../phases/handler-lookup.js";
import { findNamingLines } from "../request/server-names.js";
import { isForDefaultHost } from "./host-misses.js";
import { missOf } from "./miss.js";

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
  const isDefault = pass !== undefined && isForDefaultHost(pass.request, servers);
  const isMissing = status === 404 && pass?.mapping.kind === "file";
  if (!isDefault && !isMissing) return [];
  const found = project.findDisabledFiles().flatMap((file): readonly Miss[] => {
    if (file.kind === "sites" ? !isDefault : !isMissing) return [];
    const other = outcomeWith(file);
    const line =
      file.kind === "sites" ? namingLineOf(other, file) : other.status === 404 ? undefined : mappingLineOf(other, file);
    if (line === undefined) return [];
    return [{ ...missOf(line, reasonFor(file), [helpFor(file, project)]), stays: true }];
  });
  return found.slice(0, MAX_FILES);
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

/** The commands of Debian, whose main file is `apache2.conf`. */
const commands = { conf: "a2enconf", sites: "a2ensite", mods: "a2enmod" } as const;

function reasonFor({ kind, name, source: { path } }: DisabledFile): string {
  return kind === "include"
    ? `no \`Include\` line reads \`${path.slice(path.lastIndexOf("/") + 1)}\``
    : `\`${kind}-available/${toReadable(name)}.conf\` is not enabled`;
}

function helpFor({ kind, name }: DisabledFile, { entry }: Project): string {
  if (kind === "include") return `rename the file to \`${toReadable(name)}\`, and reload httpd`;
  const enable = entry.endsWith("/apache2.conf")
    ? `run \`${commands[kind]} ${toReadable(name)}\``
    : `link it into \`${kind}-enabled\``;
  return `${enable}, and ${kind === "mods" ? "restart" : "reload"} httpd`;
}
