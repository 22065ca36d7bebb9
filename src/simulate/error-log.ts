import type { AccessState } from "../access/state.js";
import { inForce } from "../access/state.js";
import { absolutePath } from "../project/paths.js";
import { headerOf, type Request } from "../scope/request.js";
import { fromReadable } from "../text/source.js";
import { refusalOf } from "./broken-files.js";
import { logText } from "./log-text.js";
import { type Outcome, type Pass, passesOf, type Setup } from "./run.js";

/** What a message says, by its number; of modules/aaa and server/request.c. */
const messages: Readonly<Record<string, (state: AccessState, pass: Pass) => string>> = {
  AH00027: ({ path }) => noAuthentication(path),
  AH00028: ({ path }) => noAuthentication(path),
  AH01615: ({ path }) => `need AuthName: ${path}`,
  AH01618: ({ request, path }) => `user ${fromReadable(request.user ?? "")} not found: ${path}`,
  AH01619: () => "AuthUserFile not specified in the configuration",
  AH01620: (state) => `Could not open password file: ${pathIn(state, "authuserfile")}`,
  AH01627: () => "AuthType configured with no corresponding authorization directives",
  AH01629: ({ path }) => `authorization failure (no authenticated user): ${path}`,
  AH01630: denied,
  AH01631: ({ request, path }) => `user ${fromReadable(request.user ?? "")}: authorization failure for "${path}": `,
  AH01780: ({ path }) => `need AuthName: ${path}`,
  AH01796: (state) => `AuthType ${wordIn(state, "authtype")} configured without corresponding module`,
  AH01797: denied,
  AH02219: (_, pass) => `access to ${fileOf(pass)} failed, reason: SSL connection required`,
  AH02229: (_, pass) => `access to ${fileOf(pass)} failed, reason: SSL requirement expression not fulfilled`,
};

function noAuthentication(path: string): string {
  return `No authentication done but request not allowed without authentication for ${path}. Authentication not configured?`;
}

function denied(_: AccessState, pass: Pass): string {
  return `client denied by server configuration: ${fileOf(pass)}`;
}

/** What the server takes for the file: the backend's URL where the request is handed on. */
function fileOf({ walked, mapping }: Pass): string {
  return walked?.filename ?? (mapping.kind === "proxy" ? mapping.target : "");
}

function wordIn(state: AccessState, key: string): string {
  return inForce(state, key)?.arguments[0]?.value ?? "";
}

function pathIn(state: AccessState, key: string): string {
  return absolutePath(state.project.serverRoot, wordIn(state, key));
}

/**
 * What the server writes into its error log about a request at the usual LogLevel: each line from the number of its
 * message on. 2.2 has no numbers, and only what it says to a client that is denied is given.
 */
export function errorLines(outcome: Outcome, request: Request, setup: Setup): string[] {
  const referer = headerOf(request, "Referer");
  const behind = referer === undefined ? "" : `, referer: ${logText(fromReadable(referer), false)}`;
  return said(outcome, request, setup).map((line) => logText(line, false) + behind);
}

function said({ pass, status, log }: Outcome, request: Request, setup: Setup): string[] {
  if (pass === undefined) return status === 400 && setup.project.release === "2.4" ? [invalidPath(request)] : [];
  const lines = passesOf(pass).flatMap((each) => saidOver(each, setup));
  return log.includes("AH01276") ? [...lines, noListing(pass)] : lines;
}

function invalidPath({ path, query }: Request): string {
  return `AH10244: invalid URI path (${fromReadable(path)}${query === undefined ? "" : `?${fromReadable(query)}`})`;
}

function saidOver(pass: Pass, setup: Setup): string[] {
  const { url, sections } = pass.rewriting;
  const ofRules = [url, sections].map((rewriting) => (rewriting?.to?.kind === "answered" ? rewriting.to.log : []));
  const [ofUrl = [], inSections = []] = setup.project.release === "2.4" ? ofRules : [];
  return [...ofUrl, ...saidOnAccess(pass, setup), ...inSections, ...(pass.complaint ? [pass.complaint] : [])];
}

/** The old rules speak first, the decision comes last, and what providers have to say stands between. */
function saidOnAccess(pass: Pass, setup: Setup): string[] {
  const { walked, state, answer } = pass;
  if (walked?.refused) {
    const { path: file } = walked.refused.file.tree.source;
    return [`${file}: ${fromReadable(refusalOf(walked.refused, walked.layers, setup).server)}`];
  }
  if (walked?.unfollowed)
    return setup.project.release === "2.4"
      ? [`${walked.unfollowed}: Symbolic link not allowed or link target not accessible: ${walked.filename}`]
      : [];
  if (state === undefined || answer === undefined) return [];
  if (setup.project.release === "2.2") return answer.status === 403 ? [denied(state, pass)] : [];
  const lineOf = (code: string) => `${code}: ${messages[code]?.(state, pass) ?? ""}`;
  const isOld = (code: string) => code === "AH01797" || code === "AH02219" || code === "AH02229";
  return [
    ...answer.log.filter(isOld).map(lineOf),
    ...(state.remarks ?? []),
    ...answer.log.filter((code) => !isOld(code)).map(lineOf),
  ];
}

/** mod_autoindex, where a directory has no index file and may not be listed. */
function noListing(pass: Pass): string {
  const names = pass.index?.flatMap((line) => line.arguments.map((word) => word.value)) ?? [];
  const sought = names.length > 0 ? names.join(",") : "index.html";
  return `AH01276: Cannot serve directory ${fileOf(pass)}: No matching DirectoryIndex (${sought}) found, and server-generated directory index forbidden by Options directive`;
}
