import { completePart } from "../../config/complete-part.js";
import { pathKey } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { isSince } from "../../facts/release.js";
import { createClients, trackClientReads, UNLISTED_CLIENT_IP } from "../../proof/requests/sample-clients.js";
import type { AccessResult, AccessState } from "../../server/access/access-state.js";
import { compatDirectiveNames } from "../../server/access/compat-rules.js";
import { decide22 } from "../../server/access/decide-22.js";
import { decide24 } from "../../server/access/decide-24.js";
import {
  type EffectiveRules,
  findCompatRules,
  keepMergedRules,
  mergeRequireRules,
  type RulesTransform,
  replacesCompatRules,
  sourceLayersOf,
} from "../../server/access/merge.js";
import { type AccessAnswer, answerUnder, type DefiniteAnswer } from "../../server/definite-answer.js";
import { createPermissiveFileTree, memberFilesOf } from "../../server/file-trees.js";
import { decisionClassOf } from "../../server/model/answer.js";
import { type ConfigLayer, findSetting } from "../../server/model/config-layer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { enumerateRuns, type Oracle } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import type { Server } from "../../server/model/server.js";
import type { SimulationSetup } from "../../server/model/simulation-setup.js";
import { backendOf } from "../../server/phases/handler.js";
import { prepareSimulation } from "../../server/process-request.js";
import { markUndefinedVariables } from "../../server/sections/undecidable-lines.js";
import { findRefusals } from "../../startup/validate.js";
import { memoize } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import type { Witness } from "../finding.js";
import { isDirectoryPattern, isInMissingDirectory } from "./sample-paths.js";
import { createRequestsBelow, createRequestsBeside, createRequestsInto } from "./sample-requests.js";
import { witnessIn } from "./witness-steps.js";

/** A scope, a request that it applies to, and the merged rules for that request. */
export interface ProbeContext extends EffectiveRules {
  readonly scope: Scope;
  /** The scope's own configuration. */
  readonly layer: ConfigLayer;
  /** From an address that no rule should match, without a user. */
  readonly request: Request;
  readonly state: AccessState;
  /** Whether every client takes the same path to access control: no condition before it depends on the client. */
  readonly isSameForAll: boolean;
}

/** What responds to a request that a SetHandler line applies to. */
export type Responder =
  | { readonly kind: "page"; readonly by: Directive }
  /** A rewrite rule of a directory, or a ProxyPass, and the URL path or the backend that it sends the request to. */
  | { readonly kind: "rewritten" | "proxied"; readonly by: Directive; readonly target: string };

/** A denial of a request that a rule of a directory rewrote after access control had allowed it. */
export interface RewrittenDenial {
  readonly answer: DefiniteAnswer;
  readonly rule: Directive;
  /** The URL path that is denied. */
  readonly target: string;
}

function rewrittenDenialIn(answer: DefiniteAnswer): RewrittenDenial | undefined {
  const { pass, status } = answer;
  const next = pass?.next;
  const isDenied = next?.pass.answer !== undefined && !next.pass.isAuthorized && (status === 401 || status === 403);
  if (!pass?.isAuthorized || !isDenied || next.by.key !== "rewriterule") return undefined;
  return { answer, rule: next.by, target: next.pass.path };
}

function responderIn({ answeredBy, served, pass }: DefiniteAnswer, line: Directive): Responder | undefined {
  const next = pass?.next;
  if (next?.by.key === "rewriterule") return { kind: "rewritten", by: next.by, target: next.pass.path };
  const backend = served && backendOf(served);
  if (backend && backend.by !== line) {
    const kind = backend.by.key === "rewriterule" ? "rewritten" : "proxied";
    return { kind, by: backend.by, target: backend.target.slice("proxy:".length) };
  }
  const isPage = answeredBy === "program" && served?.state && served.state.config.setting("sethandler") === line;
  return isPage ? { kind: "page", by: line } : undefined;
}

/** Completes a tree: of the files that it does not know, all exist but one. */
function completeFiles(disk: FileTree | undefined, missing: string | undefined, project: Project): FileTree {
  const assumed = createPermissiveFileTree(project);
  // Any user may be in a password file, as for a probe.
  const memberFiles = memberFilesOf(project);
  const { linkAt, list, textOf } = disk ?? {};
  return {
    ...(linkAt ? { linkAt } : {}),
    ...(list ? { list } : {}),
    ...(textOf ? { textOf } : {}),
    kindOf: (path, mayBeFile) => {
      if (memberFiles.has(pathKey(path))) return "file";
      const kind = disk?.kindOf(path, mayBeFile) ?? "unknown";
      if (kind !== "unknown") return kind;
      return path === missing ? "missing" : assumed.kindOf(path, mayBeFile);
    },
  };
}

/** A violation of AllowOverride in a `.htaccess` file. */
export interface DisallowedLine {
  readonly answer: AccessAnswer;
  /** Undefined for a section that is evaluated while reading, or for the whole file. */
  readonly directive: Directive | undefined;
  readonly span: Span;
  /** The AllowOverride that applies, or else the AllowOverrideList. */
  readonly allowed: Directive | undefined;
}

/** The directives in a `.htaccess` file that are ignored because of Nonfatal. */
export interface SkippedLines {
  readonly directives: ReadonlySet<Directive>;
  /** The AllowOverride that applies. */
  readonly allowed: Directive | undefined;
}

/** How a request fails, whatever the unknown facts are. */
export interface Failure {
  readonly status: number;
  /** The numbers of the messages that httpd logs, such as `AH01262`. */
  readonly codes: readonly string[];
  readonly witness: Witness;
}

const accessNames: ReadonlySet<string> = new Set([
  ...[...compatDirectiveNames, "require", "<requireall", "<requireany", "<requirenone", "authmerging", "authtype"],
  ...["<limit", "<limitexcept"],
]);

/** Maximum number of clients to try if rules distinguish clients. */
const MAX_CLIENTS = 24;

/**
 * Probes a configuration: simulates requests into its sections, also with changed rules. All requested files are
 * assumed to exist.
 */
export class Inspector {
  private readonly project: Project;
  /** Whether the rest of the server is unknown. */
  readonly isPart: boolean;
  private readonly skipped = new Map<HtaccessFile, SkippedLines | undefined>();
  private refused: ReadonlySet<Directive> | undefined;

  constructor(project: Project) {
    this.isPart = project.isPart;
    this.project = completePart(project);
  }

  get htaccess(): readonly HtaccessFile[] {
    return this.project.htaccess;
  }

  private get setup(): SimulationSetup {
    return prepareInspectedServer(this.project);
  }

  /** Returns whether the server rejects any of the rules: their effect can be judged once they are fixed. */
  isRefused({ layer, compat, require }: ProbeContext): boolean {
    if (this.refused === undefined) {
      const { startup, htaccess } = findRefusals(this.project);
      this.refused = new Set([...startup, ...htaccess].map(({ directive }) => directive));
    }
    const { refused } = this;
    const layers = [layer, ...(compat ? [compat.layer] : []), ...(require ? sourceLayersOf(require) : [])];
    return layers.some(({ directives, section, content }) => {
      const lines = directives.filter(({ key }) => accessNames.has(key));
      // Access control is valid only in sections and `.htaccess` files.
      const isOfServer = section?.key === "<virtualhost" || content === this.project.directives;
      return isOfServer ? lines.length > 0 : lines.some((line) => refused.has(line));
    });
  }

  /**
   * Returns a request that the scope applies to, with its merged rules; undefined if none is found. If SSLRequireSSL
   * denies all requests without TLS, it is one with TLS, unless the whole server has none.
   */
  findProbeContext(scope: Scope): ProbeContext | undefined {
    let withoutTls: ProbeContext | undefined;
    for (const request of this.requestsFor(scope)) {
      const found = this.createProbeContext(scope, request);
      if (found && (request.scheme === "https" || !requiresTls(found))) return found;
      const mayUseTls = found !== undefined && this.isPart && request.port !== 80;
      const secure = mayUseTls ? this.createProbeContext(scope, { ...request, scheme: "https" }) : undefined;
      if (secure) return secure;
      withoutTls ??= found;
    }
    return withoutTls;
  }

  /** Returns the rules for another URL path of a scope; undefined if the scope does not apply to it. */
  contextAt({ scope, request }: ProbeContext, path: string): ProbeContext | undefined {
    return this.createProbeContext(scope, { ...request, path });
  }

  private createProbeContext(scope: Scope, request: Request): ProbeContext | undefined {
    const reads = { atClient: false };
    let isSameForAll = false;
    const noteWay: RulesTransform = (rules, { oracle }) => {
      isSameForAll = !reads.atClient && oracle.answered.size === 0;
      return rules;
    };
    const { pass } = this.answer(trackClientReads(request, reads), noteWay);
    const state = pass?.state;
    const layer =
      state?.layers.find(({ section, content }) =>
        scope.section ? section === scope.section : content === scope.content,
      ) ?? layerOfServer(scope, pass?.server);
    const isMissing = isDirectoryPattern(scope) && isInMissingDirectory(state?.filename ?? "", this.project);
    if (!layer || !state || isMissing) return undefined;
    const compat = findCompatRules(state.layers, replacesCompatRules(this.project.release));
    return { scope, layer, request, state, compat, require: mergeRequireRules(state.groups), isSameForAll };
  }

  private *requestsFor(scope: Scope): Generator<Request> {
    yield* createRequestsInto(scope, this.project, UNLISTED_CLIENT_IP);
    if (isDirectoryPattern(scope)) yield* createRequestsBelow(scope, this.project, UNLISTED_CLIENT_IP);
  }

  /** Returns why AllowOverride rejects a `.htaccess` file, with a request that reaches it; undefined if it does not. */
  findDisallowed(file: HtaccessFile): DisallowedLine | undefined {
    for (const request of createRequestsBeside(file, this.project, UNLISTED_CLIENT_IP)) {
      const found = this.refusedBy(file, request);
      if (found) return found;
    }
    return undefined;
  }

  /** Returns the ignored directives of a `.htaccess` file; undefined if there are none. */
  skippedLinesIn(file: HtaccessFile): SkippedLines | undefined {
    if (!this.skipped.has(file)) this.skipped.set(file, this.findSkipped(file));
    return this.skipped.get(file);
  }

  private findSkipped(file: HtaccessFile): SkippedLines | undefined {
    for (const request of createRequestsBeside(file, this.project, UNLISTED_CLIENT_IP)) {
      const walked = this.answer(request).pass?.walked;
      const found = walked?.htaccess.find((each) => each.file === file);
      if (found?.verdict.kind !== "taken") continue;
      const directives = found.verdict.skipped;
      return directives.size === 0
        ? undefined
        : { directives, allowed: findSetting(walked?.layers ?? [], "allowoverride") };
    }
    return undefined;
  }

  private refusedBy(file: HtaccessFile, request: Request): DisallowedLine | undefined {
    const { class: decided, log, decidedBy, pass } = this.answer(request);
    const walked = pass?.walked;
    if (walked?.refused?.file !== file || walked.refused.cause !== "override") return undefined;
    const { directive, span } = walked.refused.refusal;
    const allowed = findSetting(walked.layers, "allowoverride") ?? findSetting(walked.layers, "allowoverridelist");
    return { answer: { request, class: decided, isAuthorized: false, log, decidedBy }, directive, span, allowed };
  }

  /**
   * Returns variants of a request, one for each client that some lines distinguish.
   *
   * @param method method to use instead of the original one
   */
  sampleRequests({ request }: ProbeContext, lines: readonly Directive[], method = request.method): readonly Request[] {
    return createClients(lines, MAX_CLIENTS, request.clientIp).map((client) => ({ ...request, method, ...client }));
  }

  /**
   * Probes a variant of a request. Returns undefined if the answer depends on unknown facts, or if other rules apply to
   * the variant because a condition depends on the client.
   *
   * @param transform changes the rules before the decision
   */
  probe(
    situation: ProbeContext,
    request: Request,
    transform: RulesTransform = keepMergedRules,
  ): AccessAnswer | undefined {
    const isSameMethod = request.method === situation.state.request.method;
    const isSameWay = situation.isSameForAll && isSameMethod && request.env === undefined;
    const decide = isSince(this.project.release, "2.4") ? decide24 : decide22;
    const answers = enumerateRuns((oracle) => {
      if (!isSameWay) return this.answerInContext(situation, request, transform, oracle);
      markUndefinedVariables(situation.state.layers, this.project, oracle);
      return toAccessAnswer(request, decide({ ...situation.state, request, oracle }, transform));
    });
    if (answers?.some(({ undecidable }) => undecidable !== undefined)) return undefined;
    const [first, ...others] = (answers ?? []).map(({ result }) => result);
    if (first === undefined) return undefined;
    const isCertain = others.every(
      (other) =>
        other?.class === first.class && other.isAuthorized === first.isAuthorized && `${other.log}` === `${first.log}`,
    );
    return isCertain ? first : undefined;
  }

  /** Returns the answer of access control; undefined if other rules apply than in a context. */
  private answerInContext(
    { compat, require }: ProbeContext,
    request: Request,
    transform: RulesTransform,
    oracle: Oracle,
  ): AccessAnswer | undefined {
    const answer = answerUnder({ ...this.setup, transform }, request, oracle);
    const { class: decided, log, decidedBy, isAuthorized } = answer;
    const state = answer.pass?.state;
    if (state === undefined) return undefined;
    const isCompatUnchanged =
      findCompatRules(state.layers, replacesCompatRules(this.project.release))?.layer === compat?.layer;
    const here = mergeRequireRules(state.groups);
    const [layers, others] = [require ? sourceLayersOf(require) : [], here ? sourceLayersOf(here) : []];
    const isSame =
      isCompatUnchanged && layers.length === others.length && layers.every((layer, index) => layer === others[index]);
    return isSame
      ? { request, class: decided, isAuthorized: decided === "allowed" && isAuthorized, log, decidedBy }
      : undefined;
  }

  /**
   * Finds what responds to an allowed request in a scope with a SetHandler line. The page of a handler is not a file:
   * unless the disk has one, none exists at its path, so that rewrite rules for missing files apply.
   *
   * @param request as for `probe`
   * @param disk the files of the server; undefined if they are unknown
   * @returns undefined if it depends on unknown facts, or if something else responds
   */
  findResponder(
    line: Directive,
    { state: { filename } }: ProbeContext,
    request: Request,
    disk: FileTree | undefined,
  ): Responder | undefined {
    const setup = prepareSimulation(this.project, completeFiles(disk, filename, this.project));
    const runs = enumerateRuns((oracle) => responderIn(answerUnder(setup, request, oracle), line));
    const found = (runs ?? []).map(({ result, undecidable }) => (undecidable === undefined ? result : undefined));
    const [first] = found;
    return found.every((each) => each?.kind === first?.kind && each?.by === first?.by) ? first : undefined;
  }

  /**
   * Finds the denial of an allowed request after rules of a directory have rewritten it.
   *
   * @param files the files of the server
   * @returns undefined if there is none, or if it depends on unknown facts
   */
  findRewrittenDenial(request: Request, files: FileTree): RewrittenDenial | undefined {
    const setup = prepareSimulation(this.project, completeFiles(files, undefined, this.project));
    const runs = enumerateRuns((oracle) => rewrittenDenialIn(answerUnder(setup, request, oracle))) ?? [];
    const found = runs.map(({ result, undecidable }) => (undecidable === undefined ? result : undefined));
    const [first] = found;
    return found.every((each) => each?.rule === first?.rule && each?.target === first?.target) ? first : undefined;
  }

  /**
   * Answers a request up to its response, and returns how it fails. Undefined if it does not, or if that depends on unknown
   * facts.
   */
  findFailure(request: Request): Failure | undefined {
    const runs = enumerateRuns((oracle) => answerUnder(this.setup, request, oracle)) ?? [];
    const answers = runs.map(({ result, undecidable }) => (undecidable === undefined ? result : undefined));
    const [first] = answers;
    if (first === undefined || first.status < 400) return undefined;
    const isSame = answers.every((each) => each?.status === first.status && `${each.log}` === `${first.log}`);
    const codes = first.log.flatMap((line) => /^AH\d+/.exec(line) ?? []);
    return isSame ? { status: first.status, codes, witness: witnessIn(this.setup, first) } : undefined;
  }

  /** Returns a request for display in a finding, with the steps to its answer. */
  witness(answer: AccessAnswer): Witness {
    return witnessIn(this.setup, answer);
  }

  private answer(request: Request, transform: RulesTransform = keepMergedRules): DefiniteAnswer {
    return answerUnder({ ...this.setup, transform }, request);
  }
}

/** Returns the configuration of a server itself, if a scope is that of the server, or of the main one that it inherits. */
function layerOfServer({ place, section }: Scope, server: Server | undefined): ConfigLayer | undefined {
  if (place !== "server" && place !== "virtualhost") return undefined;
  return [server, server?.main].find((each) => each !== undefined && each.section === section)?.layer;
}

function requiresTls({ state }: ProbeContext): boolean {
  return state.config.setting("sslrequiressl") !== undefined;
}

function toAccessAnswer(request: Request, { status, log, by }: AccessResult): AccessAnswer {
  return { request, class: decisionClassOf(status ?? 200), isAuthorized: status === undefined, log, decidedBy: by };
}

/** Prepares a server in which all requested files exist. */
export const prepareAssumedServer = memoize((project: Project) =>
  prepareSimulation(project, createPermissiveFileTree(project)),
);

const prepareInspectedServer = memoize((project: Project): SimulationSetup => {
  return { ...prepareAssumedServer(project), ignoresRejection: true };
});

/** Returns the inspector of a project; rules share it and its cached results. */
export const inspectorOf = memoize((project: Project) => new Inspector(project));
