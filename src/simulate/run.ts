import { leaveToPrograms } from "../scope/deciding-programs.js";
import { withEarlyHeaders } from "../scope/early-headers.js";
import { isMalformedHost } from "../scope/host-header.js";
import type { Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import { leaveToEnvironment } from "../scope/unset-words.js";
import { normalPath, slashRulesIn } from "../scope/url.js";
import { answerRequest } from "./internal-redirect.js";
import type { Outcome, Setup } from "./pass.js";
import { plainOnTls, withoutHost } from "./tls.js";
import type { Watch } from "./watch.js";

/** Answers a request as the server does, from the Host header and the URL to the status. */
export function run(setup: Setup, request: Request, questions: Questions, watch?: Watch): Outcome {
  const { release } = setup.project;
  const plain = plainOnTls(setup, request, questions);
  if (plain) return plain;
  const isMalformed = release === "2.4" && isMalformedHost(request.host);
  const server = setup.servers.serverOf(isMalformed ? withoutHost(request) : request, questions);
  const { layers } = server;
  if (isMalformed) return { status: 400, log: [], by: [], layers };
  const url = normalPath(request.path, release, slashRulesIn(layers));
  if ("status" in url) return { status: url.status, log: [], by: [], layers };
  // Who asks about everybody goes by headers as they come to all else.
  const asked = request.looks ? request : withEarlyHeaders(request, layers, setup.project, questions);
  leaveToPrograms(layers, setup.project, questions);
  leaveToEnvironment(layers, setup.project, questions, true);
  const outcome = answerRequest({ setup, server, questions, watch }, asked, url);
  // The messages of 2.2 have no numbers.
  return release === "2.2" && outcome.log.length > 0 ? { ...outcome, log: [] } : outcome;
}
