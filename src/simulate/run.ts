import { isMalformedHost } from "../scope/host-header.js";
import { settingIn } from "../scope/layer.js";
import type { Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import { normalPath, slashRulesIn } from "../scope/url.js";
import { answerRequest } from "./internal-redirect.js";
import type { Outcome, Setup } from "./pass.js";
import type { Watch } from "./watch.js";

/** Answers a request as the server does, from the Host header and the URL to the status. */
export function run(setup: Setup, request: Request, questions: Questions, watch?: Watch): Outcome {
  const { release } = setup.project;
  const plain = plainOnTls(setup, request, questions);
  if (plain) return plain;
  const isMalformed = release === "2.4" && isMalformedHost(request.host);
  const server = setup.servers.serverOf(isMalformed ? withoutHost(request) : request, questions);
  const layers = server.main ? [server.main.layer, server.layer] : [server.layer];
  if (isMalformed) return { status: 400, log: [], by: [], layers };
  const url = normalPath(request.path, release, slashRulesIn(layers));
  if ("status" in url) return { status: url.status, log: [], by: [], layers };
  return answerRequest({ setup, server, questions, watch }, request, url);
}

/**
 * What comes in without TLS where the first virtual host at the address has SSLEngine on: names are not looked at yet, and
 * mod_ssl puts a request of its own in its place (modules/ssl/ssl_engine_io.c `HTTP_ON_HTTPS_PORT`). Where nobody says that
 * it is `http`, it is not taken to be.
 */
function plainOnTls({ project, servers }: Setup, request: Request, questions: Questions): Outcome | undefined {
  if (request.scheme !== "http" || !project.modules.has("ssl_module")) return undefined;
  const server = servers.serverOf(withoutHost(request), questions);
  const layers = server.main ? [server.main.layer, server.layer] : [server.layer];
  const engine = settingIn(layers, "sslengine");
  if (engine?.arguments[0]?.value.toLowerCase() !== "on") return undefined;
  const path = project.release === "2.2" ? "/mod_ssl:error:HTTP-request" : "/";
  return { status: 400, log: [], by: [engine], layers, requestLine: `GET ${path} HTTP/1.0` };
}

function withoutHost({ host: _, ...request }: Request): Request {
  return request;
}
