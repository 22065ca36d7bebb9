import { type Directive, dedupeByLine, lineKeyOf } from "../../config/model/directive.js";
import { formatCheckLine, identifiesElsewhere, nameModuleOf } from "../../server/access/other-modules.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import type { RequestModel } from "../../server/model/atoms.js";
import type { Request } from "../../server/model/request.js";
import { unknownFact } from "../../server/model/unknown-facts.js";
import { compareTexts, getOrCreate } from "../../text/collections.js";
import { concretizeRequest, type ObservedSide } from "../clients/observe.js";
import { accessOfOutsiders, isLoopbackEntryPoint, type OutsideAccess } from "../clients/outsiders.js";
import type { ClientPolicy } from "../clients/policy.js";
import { findDecidingSections, placeKindOf } from "../clients/policy-access.js";
import { findCandidateHeaders, replayRequest } from "../clients/replay.js";
import { AccessMapBuilder, describeOpenPath } from "../compare/access-map.js";
import { exploreRequests } from "../compare/compare.js";
import { type Exploration, startExploration } from "../compare/exploration.js";
import type { RequestClass, RequestClassPolicy } from "../compare/explored-requests.js";
import { prepareSide, type Side } from "../compare/observed-sides.js";
import { PathGroupBuilder, representGroups } from "../compare/path-groups.js";
import { defaultBudget, type ExplorationBudget } from "../model/budget.js";
import type { PathClass } from "../model/path-class.js";
import type { ServerPair } from "../model/server-pairs.js";
import { reasonFor, type UnprovedReason } from "../model/unproved-reasons.js";
import { type EffectiveAnswer, withEffect } from "./effects.js";
import { findForwardScopes } from "./forward-proxy.js";
import { findHandledExtensions, withFile } from "./handled-extensions.js";
import {
  type OutsideScope,
  type OutsideView,
  type OutsideViewServer,
  type ScopeEffect,
  scopeEffects,
} from "./outside-model.js";

/**
 * Computes what outsiders can read, run, write or have fetched: the access map, restricted to clients with a public
 * address and without credentials. Any file may exist, as in the map. For each path class and method:
 *
 * 1. Decide whether the policy allows every outsider (`accessOfOutsiders`).
 * 2. Make a request of one of them, and have the simulator answer it (`replayRequest`).
 * 3. Group the path classes with the same effect that the same sections decide (`addScope`).
 */
export function viewFromOutside(side: Side, budget: ExplorationBudget = defaultBudget): OutsideView {
  const plain = { ...side, readsPlainPaths: true };
  const exploration = startExploration(plain, plain, budget);
  const map = new AccessMapBuilder(exploration);
  const builder = new OutsideViewBuilder(exploration);
  exploreRequests(exploration, [map, builder]);
  const view = builder.build();
  const whole = { ...view, unknown: [...map.build().unknown, ...view.unknown] };
  return side.project.isPart ? withoutUndecided(whole) : whole;
}

/** Moves the paths that no line of a part of a server decides to the unknown ones. */
function withoutUndecided({ servers, unknown, ...view }: OutsideView): OutsideView {
  const isDecided = ({ sections, isForward }: OutsideScope) => sections.length > 0 || isForward === true;
  const openIn = ({ scopes }: OutsideViewServer) =>
    scopes.flatMap((scope) => (isDecided(scope) ? [] : scope.examples.slice(0, 1)));
  const [example] = servers.flatMap(openIn);
  return {
    ...view,
    servers: servers.map((server) => ({
      ...server,
      scopes: server.scopes.filter(isDecided),
      unknownPaths: [...new Set([...server.unknownPaths, ...openIn(server)])],
    })),
    unknown: example === undefined ? unknown : [...unknown, describeOpenPath(example)],
  };
}

/** The methods of the requests: the server runs programs and sends requests to backends for all of them. */
const methods = ["GET", "POST", "PUT", "DELETE"] as const;

interface ScopeGroup extends Omit<OutsideScope, "examples" | "methods" | "place" | "answer"> {
  readonly methods: Set<string>;
  /** The answer to the first method of each path. */
  readonly paths: Map<string, { readonly place: number; readonly answer: OutsideScope["answer"] }>;
}

/** Builds the outside view from an exploration. */
class OutsideViewBuilder extends PathGroupBuilder<ScopeGroup> {
  private readonly unknownPaths = new Map<ServerPair | undefined, Set<string>>();
  /** For answering concrete requests: this side records nothing. */
  private readonly side: ObservedSide;
  private readonly extensions: ReturnType<typeof findHandledExtensions>;

  constructor({ sides: [side] }: Exploration) {
    super();
    this.side = prepareSide(side, new Set());
    this.extensions = findHandledExtensions(side.project);
  }

  build(): OutsideView {
    const isReachable = ({ entryPoints }: ServerPair) => !entryPoints.every(isLoopbackEntryPoint);
    return {
      servers: this.pairs
        .filter(({ pair }) => isReachable(pair))
        .map(({ pair, alike, groups }) => ({
          entryPoints: pair.entryPoints.filter((each) => !isLoopbackEntryPoint(each)),
          alike,
          scopes: listScopes([...groups.values()], findForwardScopes(this.side, pair)),
          unknownPaths: [...(this.unknownPaths.get(pair) ?? [])],
        })),
      unreachable: this.pairs.map(({ pair }) => pair).filter((pair) => !isReachable(pair)),
      unknown: this.unproved.all,
    };
  }

  visitPathClass(pathClass: PathClass, policies: readonly RequestClassPolicy[]): void {
    for (const method of methods) {
      // The last method represents all that no line names.
      const found = policies.find(({ requests }) => requests.target.method === method) ?? policies.at(-1);
      if (found === undefined || found.policy === "too large") continue;
      const access = accessOfOutsiders(found.policy);
      const other = isConditional(access) ? findOtherLogin(found.policy) : undefined;
      if (other)
        this.addUnknown(
          reasonFor("is-unknown", unknownFact("identifies", nameModuleOf(other), formatCheckLine({ line: other }))),
          found.requests,
          other,
        );
      else if (access.kind === "open") this.addOpen(pathClass, method, found.requests, found.policy, access);
      else if ((access.kind === "closed" || access.kind === "failing") && method === "GET")
        this.addClosed(pathClass, found.requests, found.policy, access);
      else if (access.kind === "too complex") this.addUnknown(reasonFor("too-many-clients"), found.requests);
    }
  }

  private addOpen(
    pathClass: PathClass,
    method: string,
    requests: RequestClass,
    policy: ClientPolicy,
    { model, alternatives }: OutsideAccess & { readonly kind: "open" },
  ): void {
    const answer = this.answer(requests, { ...concretizeRequest(model, requests.target), method }, policy, model);
    if (answer === undefined) return;
    const shared = { alternatives, access: undefined };
    this.addScope(pathClass, policy, this.withHandlerLine(answer), shared);
    const [walk] = pathClass.walks;
    if (method === "GET" && walk?.kind === "directory" && !isListing(answer)) {
      // Without index files.
      const { facts } = model;
      const listed = replayRequest(this.side, answer.request, { files: new Map(), facts }, requests.knownFiles[0]);
      if (listed.unknownFacts.length === 0 && isListing(listed))
        this.addScope(pathClass, policy, withEffect(listed), shared);
    }
    if (answer.effect !== "read" || walk?.kind !== "file" || walk.walked < pathClass.path.length) return;
    for (const { extension, line } of this.extensions) {
      const request = { ...answer.request, path: `${answer.request.path}.${extension}` };
      const known = withFile(requests.knownFiles[0], `${walk.filename}.${extension}`);
      const handled = replayRequest(this.side, request, model, known);
      const effective = withEffect(handled);
      if (handled.unknownFacts.length > 0 || effective.effect !== "run") continue;
      const decidedBy = dedupeByLine([...effective.decidedBy, line]);
      this.addScope(pathClass, policy, { ...effective, decidedBy }, shared);
    }
  }

  /** Adds the line that gives a program its handler by its extension. */
  private withHandlerLine(answer: EffectiveAnswer): EffectiveAnswer {
    const { effect, decidedBy, request } = answer;
    if (effect !== "run" || decidedBy.some(({ key }) => key === "sethandler" || key.startsWith("scriptalias")))
      return answer;
    const used = new Set(request.path.toLowerCase().split(/[./]/));
    const handled = this.extensions.find(({ extension }) => used.has(extension));
    return handled ? { ...answer, decidedBy: dedupeByLine([...decidedBy, handled.line]) } : answer;
  }

  private addClosed(
    pathClass: PathClass,
    requests: RequestClass,
    policy: ClientPolicy,
    { kind, model }: OutsideAccess & { readonly kind: "closed" | "failing" },
  ): void {
    const request = concretizeRequest(model, requests.target);
    const answer = this.knownAnswer(replayRequest(this.side, request, model, requests.knownFiles[0]), requests);
    // Only access control protects: a directory without an index file is 403 once access is granted.
    if (answer === undefined || answer.isAuthorized) return;
    const [access] = this.access.describe(policy).who;
    const effect = kind === "failing" ? "error" : "protected";
    this.addScope(pathClass, policy, { ...answer, effect }, { alternatives: [], access });
  }

  /** Returns the answer to an allowed request, with headers that the policy asks for. */
  private answer(
    requests: RequestClass,
    request: Request,
    { blocks }: ClientPolicy,
    model: RequestModel,
  ): EffectiveAnswer | undefined {
    const tests = new Map(blocks.flatMap(({ results }) => results.flatMap(({ headerTests }) => [...headerTests])));
    let first: DefiniteAnswer | undefined;
    for (const headers of findCandidateHeaders(tests, model.facts)) {
      const sent = Object.keys(headers).length === 0 ? request : { ...request, headers };
      const answer = replayRequest(this.side, sent, model, requests.knownFiles[0]);
      first ??= answer;
      if (answer.unknownFacts.length === 0 && answer.status !== 401 && answer.status !== 403) return withEffect(answer);
    }
    return first && this.knownAnswer(first, requests);
  }

  /** Returns an answer with its effect. If something unknown decides, that is noted instead. */
  private knownAnswer(answer: DefiniteAnswer, requests: RequestClass): EffectiveAnswer | undefined {
    const [unknown] = answer.unknownFacts;
    if (unknown === undefined) return withEffect(answer);
    this.addUnknown(reasonFor("answer-depends", unknown), requests, answer.oracle.undecidableBy);
    return undefined;
  }

  private addUnknown(
    reason: UnprovedReason,
    { pathClass, target }: RequestClass,
    directive = pathClass.sections.flat().at(-1),
  ): void {
    this.unproved.add({ reason, directive, example: target.path });
    getOrCreate(this.unknownPaths, this.pairs.at(-1)?.pair, () => new Set()).add(target.path);
  }

  private addScope(
    pathClass: PathClass,
    policy: ClientPolicy,
    answer: Omit<EffectiveAnswer, "effect"> & { readonly effect: ScopeEffect | undefined },
    { alternatives, access }: Pick<OutsideScope, "alternatives" | "access">,
  ): void {
    const { effect, request, status, decidedBy } = answer;
    if (effect === undefined) return;
    const sections = dedupeByLine(findDecidingSections(policy, pathClass));
    const isUnsure = policy.blocks.some(({ results: [own] }) => own?.unprovedReason !== undefined);
    const shared = { effect, sections, alternatives, access, isListing: isListing(answer), isUnsure };
    const key = [{ ...shared, sections: sections.map(lineKeyOf) }, decidedBy.map(lineKeyOf)];
    const group = this.groupFor(key, () => ({ ...shared, methods: new Set(), paths: new Map() }));
    group.methods.add(request.method);
    const { path } = request;
    const place = placeKindOf(pathClass);
    if (!group.paths.has(path)) group.paths.set(path, { place, answer: { request, status, decidedBy } });
  }
}

function isListing({ answeredBy }: Pick<DefiniteAnswer, "answeredBy">): boolean {
  return answeredBy === "listing";
}

/** Reports whether not all requests of outsiders have the same result. */
function isConditional(access: OutsideAccess): boolean {
  return access.kind === "failing" || (access.kind === "open" && access.alternatives.length > 0);
}

/** Returns the line of a third-party module that decides about some clients, if there is one. */
function findOtherLogin({ blocks }: ClientPolicy): Directive | undefined {
  return blocks.flatMap(({ results }) => results.flatMap(({ decidedBy }) => decidedBy)).find(identifiesElsewhere);
}

/** Returns the scopes of the groups with others, by effect and path. */
function listScopes(groups: readonly ScopeGroup[], others: readonly OutsideScope[]): readonly OutsideScope[] {
  const keyOf = ({ effect, paths, isListing }: ScopeGroup) =>
    // The lines are those of each path.
    JSON.stringify([effect, [...paths.values()][0]?.answer.decidedBy.map(lineKeyOf), isListing]);
  const scopes = representGroups(groups, keyOf).flatMap(({ group, examples, place }): readonly OutsideScope[] => {
    const { paths, methods: used, ...shared } = group;
    const answer = paths.get(examples[0] ?? "")?.answer;
    return answer === undefined ? [] : [{ ...shared, answer, examples, place, methods: [...used] }];
  });
  return [...scopes, ...others].toSorted(
    (a, b) =>
      scopeEffects.indexOf(a.effect) - scopeEffects.indexOf(b.effect) ||
      compareTexts(a.examples[0] ?? "", b.examples[0] ?? ""),
  );
}
