import { keepMergedRules, type RulesTransform } from "../access/rules/merge.js";
import { applyEarlyHeaders } from "../httpd/environment/early-headers.js";
import { type ConfigLayer, findSetting, keywordArgumentOf } from "../httpd/model/config-layer.js";
import type { FileTree } from "../httpd/model/file-tree.js";
import type { Oracle } from "../httpd/model/oracle.js";
import type { Request } from "../httpd/model/request.js";
import { isMalformedHost } from "../httpd/request/request-parser.js";
import { normalizePath, slashRulesOf } from "../httpd/request/url-normalization.js";
import { markProgramsUndecidable, markUndefinedVariables } from "../httpd/sections/undecidable-lines.js";
import { ServerLookup } from "../httpd/vhost/vhost-lookup.js";
import { DirectoryWalker } from "../httpd/walk/directory-walk.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import { createFaultFinder } from "./inputs/refused-lines.js";
import type { AccessRecorder, RequestOutcome, SimulationSetup } from "./model/request-context.js";
import { answerRequest } from "./phases/internal-redirect.js";
import type { Note } from "./trace/step.js";

/** Answers a request as the server does, from the Host header and the URL to the status. */
export function processRequest(
  setup: SimulationSetup,
  request: Request,
  questions: Oracle,
  watch?: AccessRecorder,
): RequestOutcome {
  const { release } = setup.project;
  const plain = answerPlainOnTls(setup, request, questions);
  if (plain) return plain;
  const isMalformed = release === "2.4" && isMalformedHost(request.host);
  const server = setup.servers.serverOf(isMalformed ? omitHost(request) : request, questions);
  const { layers } = server;
  if (isMalformed) return { status: 400, log: [], by: [], layers };
  const url = normalizePath(request.path, release, slashRulesOf(layers));
  if ("status" in url) return { status: url.status, log: [], by: [], layers };
  // Who asks about everybody goes by headers as they come to all else.
  const asked = request.looks ? request : applyEarlyHeaders(request, layers, setup.project, questions);
  markProgramsUndecidable(layers, setup.project, questions);
  markUndefinedVariables(layers, setup.project, questions, true);
  const outcome = answerRequest({ setup, server, questions, recorder: watch }, asked, url);
  // The messages of 2.2 have no numbers.
  return release === "2.2" && outcome.log.length > 0 ? { ...outcome, log: [] } : outcome;
}

/** Makes ready once what does not depend on the request. @param read the step between merging and deciding */
export function prepareSimulation(
  project: Project,
  files: FileTree,
  read: RulesTransform = keepMergedRules,
): SimulationSetup {
  const walks = new DirectoryWalker(project, files, createFaultFinder(project));
  return { project, files, servers: new ServerLookup(project.directives, project.release), walks, read };
}

/** The request as the server knows it before it has read the Host header. */
function omitHost({ host: _, ...request }: Request): Request {
  return request;
}

interface TlsEngine {
  readonly layers: readonly ConfigLayer[];
  readonly line: Directive | undefined;
  /** Lower case. */
  readonly word: string | undefined;
  /** The VirtualHost; undefined for the main server. */
  readonly section: Directive | undefined;
}

/** What speaks TLS or not: the first virtual host at the address, since names are not looked at yet. */
function tlsEngineAt({ servers }: SimulationSetup, request: Request, questions: Oracle): TlsEngine {
  const { layers, section } = servers.serverOf(omitHost(request), questions);
  const line = findSetting(layers, "sslengine");
  return { layers, line, word: keywordArgumentOf(line), section };
}

/**
 * What comes in without TLS where SSLEngine is on: mod_ssl puts a request of its own in its place
 * (modules/ssl/ssl_engine_io.c `HTTP_ON_HTTPS_PORT`). Where nobody says that it is `http`, it is not taken to be.
 */
function answerPlainOnTls(setup: SimulationSetup, request: Request, questions: Oracle): RequestOutcome | undefined {
  const { modules, release } = setup.project;
  if (request.scheme !== "http" || !modules.has("ssl_module")) return undefined;
  const { layers, line, word } = tlsEngineAt(setup, request, questions);
  if (line === undefined || word !== "on") return undefined;
  const path = release === "2.2" ? "/mod_ssl:error:HTTP-request" : "/";
  return { status: 400, log: [], by: [line], layers, requestLine: `GET ${path} HTTP/1.0` };
}

/** That `https` is asked for where SSLEngine is not on: no such request comes in. */
export function findTlsNotes(setup: SimulationSetup, request: Request, questions: Oracle): Note[] {
  const { modules, modulesAreKnown } = setup.project;
  if (request.scheme !== "https" || !modulesAreKnown || modules.unknown.length > 0) return [];
  const { line, word, section } = tlsEngineAt(setup, request, questions);
  const directive = line ?? section;
  if (directive === undefined || (word !== undefined && word !== "off")) return [];
  return [{ directive, text: "does not switch TLS on; `https` is taken to come in there all the same" }];
}
