import { keepMergedRules, type RulesTransform } from "../access/rules/merge.js";
import { applyEarlyHeaders } from "../httpd/environment/early-headers.js";
import { applyRemoteIp } from "../httpd/environment/remote-ip.js";
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
import type { Note } from "./model/trace-step.js";
import { answerRequest } from "./phases/internal-redirect.js";

/** Processes a request as the server does, from the Host header and the URL to the status. */
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
  // A symbolic request already has its headers in the form that later steps see.
  const { project } = setup;
  const known = request.tracker ? request : applyRemoteIp(request, server, project, questions);
  const asked = request.tracker ? request : applyEarlyHeaders(known, layers, project, questions);
  markProgramsUndecidable(layers, setup.project, questions);
  markUndefinedVariables(layers, setup.project, questions, true);
  const outcome = answerRequest({ setup, server, questions, recorder: watch }, asked, url);
  // 2.2 messages do not have numbers.
  return release === "2.2" && outcome.log.length > 0 ? { ...outcome, log: [] } : outcome;
}

/** Prepares whatever does not depend on the request. @param read the step between merging and deciding */
export function prepareSimulation(
  project: Project,
  files: FileTree,
  read: RulesTransform = keepMergedRules,
): SimulationSetup {
  const walks = new DirectoryWalker(project, files, createFaultFinder(project));
  return { project, files, servers: new ServerLookup(project.directives, project.release), walks, read };
}

/** Returns the request as the server knows it before it reads the Host header. */
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

/** Finds the TLS engine: that of the first virtual host at the address, because names are not compared yet. */
function tlsEngineAt({ servers }: SimulationSetup, request: Request, questions: Oracle): TlsEngine {
  const { layers, section } = servers.serverOf(omitHost(request), questions);
  const line = findSetting(layers, "sslengine");
  return { layers, line, word: keywordArgumentOf(line), section };
}

/**
 * Returns the response to a request without TLS where SSLEngine is on: mod_ssl substitutes its own request
 * (modules/ssl/ssl_engine_io.c `HTTP_ON_HTTPS_PORT`). A request counts as plain only if its scheme is given as `http`.
 */
function answerPlainOnTls(setup: SimulationSetup, request: Request, questions: Oracle): RequestOutcome | undefined {
  const { modules, release } = setup.project;
  if (request.scheme !== "http" || !modules.has("ssl_module")) return undefined;
  const { layers, line, word } = tlsEngineAt(setup, request, questions);
  if (line === undefined || word !== "on") return undefined;
  const path = release === "2.2" ? "/mod_ssl:error:HTTP-request" : "/";
  return { status: 400, log: [], by: [line], layers, requestLine: `GET ${path} HTTP/1.0` };
}

/** Returns a note if a request uses `https` and SSLEngine is not on: the server never receives it. */
export function findTlsNotes(setup: SimulationSetup, request: Request, questions: Oracle): Note[] {
  const { modules, modulesAreKnown } = setup.project;
  if (request.scheme !== "https" || !modulesAreKnown || modules.unknown.length > 0) return [];
  const { line, word, section } = tlsEngineAt(setup, request, questions);
  const directive = line ?? section;
  if (directive === undefined || (word !== undefined && word !== "off")) return [];
  return [{ directive, text: "does not enable TLS; this result assumes that httpd accepts `https` here" }];
}
