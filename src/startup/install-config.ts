import { closePart, completeForPath, completePart } from "../config/complete-part.js";
import type { Directive } from "../config/model/directive.js";
import { standsForOtherLines } from "../config/model/placeholders.js";
import type { Assumption, Project, ReadConfig } from "../config/model/project.js";
import { placeOnServer } from "../config/place-on-server.js";
import { removeDirectives } from "../config/queries/directive-tree.js";
import { findMissingParts } from "../config/refusals/refusal.js";
import { addressReaderOf } from "../server/model/server.js";
import { enablesTls, hasUnknownWord } from "../server/request/placeholder-addresses.js";
import { listAbsentHtaccess } from "../server/walk/ignored-htaccess.js";
import { listUserHtaccess } from "../server/walk/user-htaccess.js";
import { memoize } from "../text/memoize.js";
import { findMisplaced } from "./misplaced.js";
import { findRefusals } from "./validate.js";

/** What is assumed of a configuration besides its place. */
export interface InstallOptions {
  /**
   * How a part of a server is completed: `open` if the rest of the server may decide what no line of the part decides,
   * `closed` if it is like a whole server. If absent, the part stays as it is, as for the rules.
   */
  readonly part?: "open" | "closed";
  /**
   * The path of the URL to answer, which may show where a `.htaccess` file on its own is in its site. A template that is a
   * part is then filled in.
   */
  readonly requestPath?: string | undefined;
  /** Whether files that Include names, and that are missing, are assumed to be empty, and tags of templates as well. */
  readonly omitsMissingParts?: boolean;
}

/**
 * Installs a configuration that was read. These are the steps from files to what the rules, the simulator and the proofs
 * take; each records what it assumes:
 *
 * 1. Read the files (`readConfig`). If the server answers no request, `loadServer` reads them again with the missing
 *    modules.
 * 2. Place it on its server (`placeOnServer`).
 * 3. Complete a part of a server (`completePart`). The simulator and the proofs complete a part that is still as it was read.
 * 4. Omit the missing parts.
 * 5. Omit the refused lines of the main files (`omitRefusedLines`). Only proofs do: the rules report these lines.
 *
 * @returns the same object for the same configuration and options, and for options that change nothing
 */
export function installConfig(
  read: ReadConfig,
  { part, requestPath, omitsMissingParts = false }: InstallOptions = {},
): Project {
  const placed = placeAsRead(read);
  const complete = requestPath === undefined ? completePart : (each: Project) => completeForPath(each, requestPath);
  const completed = part === undefined ? placed : complete(placed);
  const server = part === "closed" ? closePart(completed) : completed;
  const filled = requestPath === undefined ? server : fillInPart(server);
  return omitsMissingParts ? omitMissingParts(filled) : filled;
}

const placeAsRead = memoize((read: ReadConfig): Project => {
  const placed = placeOnServer(read, findRefusals);
  const { suppliedModules: modules } = read;
  const lines = read.assumesNoUserHtaccess ? listUserHtaccess(placed).map(({ by }) => by) : [];
  const folders = listAbsentHtaccess(placed);
  return assume(
    placed,
    ...(modules.length === 0 ? [] : [{ code: "modules-loaded", modules } as const]),
    ...(lines.length === 0 ? [] : [{ code: "no-userdir-htaccess", lines } as const]),
    ...(folders.length === 0 ? [] : [{ code: "absent-folders-without-htaccess", folders } as const]),
  );
});

/**
 * Takes the values of a template that a request for one URL depends on, and states that: requests reach the hosts whose
 * addresses are not known, and the branches that were read are all lines that the tags stand for. A server whose other files are
 * known, or with other hosts for the same requests, stays as it is.
 */
const fillInPart = memoize((server: Project): Project => {
  if (!server.isPart) return server;
  const hosts = server.directives.filter(({ key }) => key === "<virtualhost");
  const addressesIn = addressReaderOf(server.directives);
  const isUnknown = (host: Directive) => addressesIn(host).some(hasUnknownWord);
  const withAddresses =
    hosts.some(isUnknown) && areApart(hosts)
      ? assume({ ...server, fillsInAddresses: true }, { code: "placeholder-addresses", hosts: hosts.filter(isUnknown) })
      : server;
  const { problems, read } = server;
  const known = problems.filter(({ kind, span }) => kind !== "template" || standsForOtherLines(span.file));
  if (known.length === problems.length) return withAddresses;
  const tags = read.templateBranches.flatMap(({ applies, file, tag: { start, end } }) =>
    applies ? [{ file, start, end }] : [],
  );
  return assume({ ...withAddresses, problems: known }, { code: "template-branches", tags });
});

/** Reports whether no two virtual hosts may be meant for the same requests: at most one has TLS, and one has not. */
function areApart(hosts: readonly Directive[]): boolean {
  const withTls = hosts.filter(enablesTls).length;
  return withTls <= 1 && hosts.length - withTls <= 1;
}

const omitMissingParts = memoize((config: Project): Project => {
  const missing = findMissingParts(config);
  if (missing.length === 0) return config;
  const files = missing.filter(({ kind }) => kind !== "template");
  const tags = missing.filter(({ kind }) => kind === "template");
  const problems = config.problems.filter((each) => !missing.includes(each));
  return assume(
    { ...config, problems },
    ...(files.length === 0 ? [] : [{ code: "missing-files-empty", problems: files } as const]),
    ...(tags.length === 0 ? [] : [{ code: "template-tags-empty", problems: tags } as const]),
  );
});

/**
 * Removes the lines of the main files that stop the server: because of their arguments, as an unknown Require provider,
 * or because of their context, as Order outside a section. Returns the configuration unchanged if there are none.
 */
export const omitRefusedLines = memoize((config: Project): Project => {
  const lines = new Set([...findRefusals(config).startup.map(({ directive }) => directive), ...findMisplaced(config)]);
  return lines.size === 0 ? config : assume(removeDirectives(config, lines), { code: "refused-lines-omitted", lines });
});

function assume(config: Project, ...more: readonly Assumption[]): Project {
  return more.length === 0 ? config : { ...config, assumptions: [...config.assumptions, ...more] };
}
