import { findSetting, keywordArgumentOf } from "../../server/model/config-layer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import type { Request } from "../../server/model/request.js";
import type { ObservedSide } from "../clients/observe.js";
import { replayRequest } from "../clients/replay.js";
import { isUnnamed, type ServerPair } from "../model/server-pairs.js";
import { unlistedClientIps } from "../requests/sample-clients.js";
import { type EffectiveAnswer, withEffect } from "./effects.js";
import type { OutsideScope } from "./outside-model.js";

/** A host of the Internet, for requests to a forward proxy. */
const host = "host.example";

/** The requests of a client of a forward proxy, by method: for a URL, and for a connection to a host. */
const targets: readonly (readonly [
  path: string,
  sent: Pick<Request, "path" | "origin">,
  methods: readonly string[],
])[] = [
  [`http://${host}/`, { path: "/", origin: `http://${host}` }, ["GET", "POST", "PUT", "DELETE"]],
  [`${host}:443`, { path: `${host}:443` }, ["CONNECT"]],
];

const noFiles: FileTree = { kindOf: () => "missing" };
const noAssumptions = { files: new Map<string, never>(), facts: new Set<never>() };

/**
 * Returns what a server does for outsiders as a forward proxy: it fetches the URLs of all hosts, or connects to them.
 * Requests for such hosts reach the server for unknown names. Several addresses that no line is meant to match represent
 * all outsiders.
 */
export function findForwardScopes(
  side: ObservedSide,
  { servers: [server], entryPoints }: ServerPair,
): readonly OutsideScope[] {
  const entryPoint = entryPoints.find(isUnnamed);
  const isProxy = keywordArgumentOf(findSetting(server.layers, "proxyrequests")) === "on";
  if (entryPoint === undefined || !isProxy) return [];
  const { host: _, ...place } = entryPoint;
  const answersTo = (method: string, sent: Pick<Request, "path" | "origin">) =>
    [...unlistedClientIps[4], ...unlistedClientIps[6]].map((clientIp) =>
      replayRequest(side, { ...place, host, ...sent, method, clientIp }, noAssumptions, noFiles),
    );
  return targets.flatMap(([path, sent, methods]) => {
    const found = methods.map((method) => ({
      method,
      answers: answersTo(method, sent)
        .filter(({ unknownFacts }) => unknownFacts.length === 0)
        .map(withEffect),
    }));
    const open = found.filter(({ answers }) => answers.length > 0 && answers.every(({ effect }) => effect === "fetch"));
    const denied = found
      .flatMap(({ answers }) => answers)
      .find(({ status, isAuthorized }) => status === 403 && !isAuthorized);
    const [answer] = open[0]?.answers ?? [];
    const openMethods = open.map(({ method }) => method);
    if (answer) return [toScope(path, answer, "fetch", openMethods)];
    return denied ? [toScope(path, denied, "protected", [denied.request.method])] : [];
  });
}

function toScope(
  path: string,
  { request, status, decidedBy }: EffectiveAnswer,
  effect: "fetch" | "protected",
  methods: readonly string[],
): OutsideScope {
  const shared = { sections: [], alternatives: [], access: undefined, isListing: false, isUnsure: false };
  return {
    ...shared,
    effect,
    methods,
    examples: [path],
    place: "elsewhere",
    isForward: true,
    answer: { request, status, decidedBy },
  };
}
