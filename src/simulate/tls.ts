import type { Directive } from "../project/directive.js";
import { type Layer, settingIn } from "../scope/layer.js";
import type { Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import { keywordOf } from "../scope/words.js";
import type { Outcome, Setup } from "./pass.js";
import type { Note } from "./step.js";

/** The request as the server knows it before it has read the Host header. */
export function withoutHost({ host: _, ...request }: Request): Request {
  return request;
}

interface Engine {
  readonly layers: readonly Layer[];
  readonly line: Directive | undefined;
  /** Lower case. */
  readonly word: string | undefined;
  /** The VirtualHost; undefined for the main server. */
  readonly section: Directive | undefined;
}

/** What speaks TLS or not: the first virtual host at the address, since names are not looked at yet. */
function engineAt({ servers }: Setup, request: Request, questions: Questions): Engine {
  const { layers, section } = servers.serverOf(withoutHost(request), questions);
  const line = settingIn(layers, "sslengine");
  return { layers, line, word: keywordOf(line), section };
}

/**
 * What comes in without TLS where SSLEngine is on: mod_ssl puts a request of its own in its place
 * (modules/ssl/ssl_engine_io.c `HTTP_ON_HTTPS_PORT`). Where nobody says that it is `http`, it is not taken to be.
 */
export function plainOnTls(setup: Setup, request: Request, questions: Questions): Outcome | undefined {
  const { modules, release } = setup.project;
  if (request.scheme !== "http" || !modules.has("ssl_module")) return undefined;
  const { layers, line, word } = engineAt(setup, request, questions);
  if (line === undefined || word !== "on") return undefined;
  const path = release === "2.2" ? "/mod_ssl:error:HTTP-request" : "/";
  return { status: 400, log: [], by: [line], layers, requestLine: `GET ${path} HTTP/1.0` };
}

/** That `https` is asked for where SSLEngine is not on: no such request comes in. */
export function notesOnTls(setup: Setup, request: Request, questions: Questions): Note[] {
  const { modules, modulesAreKnown } = setup.project;
  if (request.scheme !== "https" || !modulesAreKnown || modules.unknown.length > 0) return [];
  const { line, word, section } = engineAt(setup, request, questions);
  const directive = line ?? section;
  if (directive === undefined || (word !== undefined && word !== "off")) return [];
  return [{ directive, text: "does not switch TLS on; `https` is taken to come in there all the same" }];
}
