import { completeAtBase } from "../../config/complete-part.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { walkProject } from "../../config/queries/walker.js";
import { type BehaviourId, behaves, behaviourIds, behaviourOf, type VersionBehaviour } from "../../facts/behaviours.js";
import { isSince, type Release } from "../../facts/release.js";
import { UNLISTED_CLIENT_IP } from "../../proof/requests/sample-clients.js";
import { answerUnder, type DefiniteAnswer } from "../../server/definite-answer.js";
import { enumerateRuns } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import type { SimulationSetup } from "../../server/model/simulation-setup.js";
import { parseRewriteRules } from "../../server/rewrite/rule-parser.js";
import { destinationOf } from "../../server/trace/destination.js";
import { markUnmodelledDirectives } from "../../server/unmodelled-directives.js";
import { getOrCreate } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { enclosingHostOf } from "./access-scopes.js";
import { prepareAssumedServer } from "./inspector.js";
import { findPathWithBlank, requestsForRedirect, requestsForRule } from "./line-requests.js";
import { clientAnywhereOf, type OutsideClient, type OutsideServer } from "./outside-client.js";

/** A request that two versions answer differently, and why. */
export interface VersionDifference {
  /** What differs between the versions and explains it; more than one if one version changed several things. */
  readonly behaviours: readonly VersionBehaviour[];
  readonly request: Request;
  readonly before: DefiniteAnswer;
  readonly after: DefiniteAnswer;
}

/** The answers that differ between two versions, as far as requests were found that show it. */
export interface VersionDifferences {
  /** At most one for each behaviour and server. */
  readonly differences: readonly VersionDifference[];
  /** The behaviours that differ, and that no request showed. */
  readonly unseen: readonly VersionBehaviour[];
  /** The behaviours that may differ, because a distribution may have changed its version. */
  readonly uncertain: readonly VersionBehaviour[];
  /** The number of requests that were answered as both versions. */
  readonly tried: number;
  /** Whether some requests were left out because of their number. */
  readonly isLimited: boolean;
}

/** Limit of the requests. */
const MAX_REQUESTS = 3_000;
/** Limit of the servers to which requests are sent. */
const MAX_SERVERS = 20;
/** The host of requests to a server without a name. */
const ASSUMED_HOST = "www.example.com";
/** Limit of the requests for one rule. */
const MAX_REQUESTS_FOR_RULE = 4;

/** Changes requests so that a behaviour may show. */
type Variation = (request: Request) => readonly Request[];

const withPaths = (request: Request, paths: readonly string[]): readonly Request[] =>
  paths.filter((path) => path !== request.path).map((path) => ({ ...request, path }));

/** Inserts a text before the last character of a path, and at its end. */
const insert =
  (text: string): Variation =>
  (request) =>
    withPaths(request, [`${request.path.slice(0, -1)}${text}${request.path.slice(-1)}`, request.path + text]);

const asIs: Variation = (request) => [request];

const toHost =
  (change: (host: string) => string): Variation =>
  (request) =>
    request.host === undefined ? [] : [{ ...request, host: change(request.host) }];

/** One byte more than the default of LimitRequestBody. */
const LONG_BODY = String(2 ** 30 + 1);

/** The requests that may show a behaviour, made of those that the lines of a configuration were written for. */
const variations: Readonly<Record<BehaviourId, Variation>> = {
  "same-query-unescaped": (request) => [{ ...request, query: "a=%20b" }],
  "handler-expressions": asIs,
  "strict-requests": toHost((host) => `${host}!`),
  "underscores-rejected": toHost((host) => `a_b.${host}`),
  "own-url-below-root": asIs,
  "unregistered-methods-rejected": asIs,
  "comment-in-hosts-rejected": () => [],
  "slashes-merged": (request) =>
    withPaths(request, [
      `/${request.path}`,
      request.path.replace(/(?<=.)\//, "//"),
      request.path.replaceAll("/", "//"),
    ]),
  "dot-matches-line-feed": insert("%0a"),
  "segments-before-escapes": (request) =>
    withPaths(request, [
      `${request.path.replace(/[^/]*$/, "")}.//${/[^/]*$/.exec(request.path)?.[0] ?? ""}`,
      `/..${request.path}`,
    ]),
  "escaped-dots-kept": (request) => withPaths(request, [`${request.path}/.%2e/`]),
  "body-limit": (request) => [
    { ...request, method: "POST", headers: { ...request.headers, "Content-Length": LONG_BODY } },
  ],
  "authentication-expressions": asIs,
  "blank-in-query-rejected": insert("%20"),
  "blank-in-redirect-escaped": insert("%20"),
  "encoded-question-mark-rejected": insert("%3f"),
  "first-folder-of-rule": asIs,
  "relative-rewrites-below-root": asIs,
  "leading-slashes-merged": asIs,
  "own-question-mark-allowed": insert("%3f"),
  "proxy-module-checked-in-sections": asIs,
  "expression-conditions-hold": asIs,
};

/**
 * Answers the requests that the lines of a configuration were written for, and variations of them, as two versions, and
 * returns those that are answered differently, each with the change that explains it. Requested files are assumed to exist.
 *
 * @param before the configuration as the first version reads it
 * @param after the same as the other version reads it
 */
export function findVersionDifferences(before: Project, after: Project): VersionDifferences {
  const ids = behaviourIds.filter((id) => behaves(before.release, id) !== behaves(after.release, id));
  const isCertain = (id: BehaviourId) =>
    behaves(before.release, id) !== "unknown" && behaves(after.release, id) !== "unknown";
  const finder = new DifferenceSearch(completeAtBase(before), completeAtBase(after), ids.filter(isCertain));
  finder.run();
  return {
    differences: [...finder.found.values()].toSorted(compareByVersion),
    unseen: ids.filter((id) => isCertain(id) && !finder.shown.has(id)).map(behaviourOf),
    uncertain: behaviourIds.filter((id) => !isCertain(id)).map(behaviourOf),
    tried: finder.tried,
    isLimited: finder.isLimited,
  };
}

function compareByVersion(a: VersionDifference, b: VersionDifference): number {
  const [first, second] = [a.behaviours[0]?.since ?? "2.4", b.behaviours[0]?.since ?? "2.4"] as const;
  if (first === second) return 0;
  return isSince(first, second) ? 1 : -1;
}

class DifferenceSearch {
  readonly found = new Map<string, VersionDifference>();
  readonly shown = new Set<BehaviourId>();
  tried = 0;
  isLimited = false;
  private readonly variations = new Map<Variation, BehaviourId[]>();
  private readonly sent = new Set<string>();
  private readonly old: SimulationSetup;
  private readonly now: SimulationSetup;
  /** The target as each version in which a behaviour begins or ends, the newest first. */
  private readonly steps: readonly { readonly setup: SimulationSetup; readonly release: Release }[];

  constructor(
    before: Project,
    private readonly after: Project,
    private readonly ids: readonly BehaviourId[],
  ) {
    this.old = prepareAssumedServer(before);
    this.now = prepareAssumedServer(after);
    for (const id of ids) getOrCreate(this.variations, variations[id], () => []).push(id);
    this.steps = listSteps(before.release, after.release, ids).map((release) => ({
      release,
      setup: prepareAssumedServer({ ...after, release }),
    }));
  }

  run(): void {
    if (this.ids.length === 0) return;
    const client = clientAnywhereOf(this.after);
    const all = client.listServers(MAX_SERVERS + 1);
    this.isLimited = all.length > MAX_SERVERS;
    const servers = all.slice(0, MAX_SERVERS);
    for (const server of servers) this.tryVariations(requestTo(server, "/"));
    const scopes = new Set<Scope>();
    const visit = (_: unknown, scope: Scope) => void scopes.add(scope);
    walkProject(this.after, [{ directives: () => visit }], () => 0);
    for (const scope of scopes) {
      const host = enclosingHostOf(scope)?.section;
      const own = host === undefined ? servers : servers.filter(({ section }) => section === host);
      for (const server of own) this.tryScope(client, scope, server);
    }
  }

  /** Sends requests into a scope, and those that its rules were written for. */
  private tryScope(client: OutsideClient, scope: Scope, server: OutsideServer): void {
    const isServer = scope.place === "server" || scope.place === "virtualhost";
    const into = isServer ? "/" : client.findPathInto(scope, server);
    if (into === undefined) return;
    const isDirectory = scope.place === "directory" || scope.place === "htaccess" || scope.place === "unknown";
    const base = isServer ? undefined : isDirectory ? into.replace(/[^/]*$/, "") : into;
    this.tryVariations(requestTo(server, into));
    if (!into.endsWith("/")) this.tryVariations(requestTo(server, `${into}/page`));
    const place = { base, names: [], hosts: server.at.host === undefined ? [] : [server.at.host], leads: [] };
    const toUrl = (path: string) =>
      encodeUrlPath(base === undefined ? `/${path.replace(/^\//, "")}` : base + path.replace(/^\//, ""));
    for (const rule of parseRewriteRules(scope.directives)) {
      for (const { path, isUsual: _, ...rest } of requestsForRule(rule, place).slice(0, MAX_REQUESTS_FOR_RULE))
        this.tryVariations({ ...requestTo(server, toUrl(path)), ...rest });
      const blank = rule.isNegated ? undefined : findPathWithBlank(rule.pattern);
      if (blank !== undefined) this.tryVariations(requestTo(server, toUrl(blank)));
    }
    for (const line of scope.directives)
      if (line.key.startsWith("redirect") || line.key === "aliasmatch")
        for (const { path } of requestsForRedirect(line, base, []).slice(0, MAX_REQUESTS_FOR_RULE))
          this.tryVariations(requestTo(server, encodeUrlPath(path)));
    for (const method of methodsIn(scope)) this.tryVariations({ ...requestTo(server, into), method });
  }

  private tryVariations(request: Request): void {
    for (const [vary, ids] of this.variations) for (const each of vary(request)) this.try(each, ids);
  }

  /** @param ids the behaviours that the request may show */
  private try(request: Request, ids: readonly BehaviourId[]): void {
    const key = JSON.stringify([request, ids]);
    if (this.sent.has(key)) return;
    this.sent.add(key);
    if (this.tried >= MAX_REQUESTS) {
      this.isLimited = true;
      return;
    }
    this.tried++;
    const [before, after] = [ask(this.old, request), ask(this.now, request)];
    if (before === undefined || after === undefined || isSame(before, after)) return;
    const causes = this.causesOf(request, after, ids);
    if (causes.length === 0) return;
    for (const id of causes) this.shown.add(id);
    const shown = `${causes.join(" ")} ${request.host ?? ""} ${request.port ?? ""}`;
    const known = this.found.get(shown);
    const found = { behaviours: causes.map(behaviourOf), request, before, after };
    if (known && !isClearer(found, known)) return;
    this.found.set(shown, found);
  }

  /** Returns the behaviours that the version changed from which on the answer is that of the target. */
  private causesOf(request: Request, answer: DefiniteAnswer, ids: readonly BehaviourId[]): readonly BehaviourId[] {
    let same: Release = this.after.release;
    for (const { setup, release } of this.steps) {
      const earlier = ask(setup, request);
      if (earlier === undefined || !isSame(earlier, answer)) {
        return ids.filter((id) => behaves(release, id) !== behaves(same, id));
      }
      same = release;
    }
    return [];
  }
}

/**
 * Returns the versions between two releases before or after which a behaviour changes, from the later one on, and the first
 * release at last.
 */
function listSteps(before: Release, after: Release, ids: readonly BehaviourId[]): readonly Release[] {
  const edges = ids.flatMap((id) => {
    const { since, until } = behaviourOf(id);
    return until === undefined ? [since] : [since, until];
  });
  const isUp = isSince(after, before);
  const inside = [...new Set(edges)].filter((edge) =>
    isUp ? isSince(edge, before) && isSince(after, edge) : isSince(edge, after) && isSince(before, edge),
  );
  const sorted = inside.toSorted((a, b) => (isSince(a, b) === isUp ? -1 : 1));
  return [...sorted, before];
}

/** Reports whether a difference shows more than another: another status, or a shorter path. */
function isClearer(a: VersionDifference, b: VersionDifference): boolean {
  const [first, second] = [a, b].map(({ before, after }) => before.status !== after.status);
  return first === second ? a.request.path.length < b.request.path.length : first === true;
}

/** Answers a request with the usual facts; undefined if the answer depends on others. */
function ask(setup: SimulationSetup, request: Request): DefiniteAnswer | undefined {
  const runs = enumerateRuns((oracle) => {
    const answer = answerUnder(setup, request, oracle);
    markUnmodelledDirectives(answer);
    return answer;
  });
  const [first] = runs ?? [];
  if (first === undefined) return undefined;
  const isKnown = runs?.every(({ undecidable, result }) => undecidable === undefined && isSame(result, first.result));
  return isKnown ? first.result : undefined;
}

/** Reports whether two answers have the same status and lead to the same place. */
function isSame(a: DefiniteAnswer, b: DefiniteAnswer): boolean {
  return a.status === b.status && placeOf(a) === placeOf(b);
}

function placeOf({ outcome }: DefiniteAnswer): string {
  return JSON.stringify(destinationOf(outcome));
}

function requestTo({ at }: OutsideServer, path: string): Request {
  return { method: "GET", clientIp: UNLISTED_CLIENT_IP, host: ASSUMED_HOST, ...at, path };
}

/** Returns the methods that the sections of a scope name, besides GET. */
function methodsIn({ directives }: Scope): readonly string[] {
  const sections = directives.filter(({ key }) => key === "<limit" || key === "<limitexcept");
  const methods = sections.flatMap(({ arguments: words }) => words.map(({ value }) => value));
  return [...new Set(methods)].filter((method) => method !== "GET" && /^[A-Z]+$/.test(method));
}
