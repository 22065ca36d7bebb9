import type { Answer } from "../access/answer.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import {
  asMerged,
  layersOf,
  oldInForce,
  type ReadRules,
  type RulesInForce,
  replacesOld,
  requireInForce,
} from "../access/merged.js";
import { oldNames } from "../access/old-rules.js";
import { type AccessState, inForce } from "../access/state.js";
import type { Witness } from "../engine/finding.js";
import { isAssumed } from "../project/assumed-lines.js";
import { assumeServer } from "../project/assumed-server.js";
import type { Directive } from "../project/directive.js";
import { asInstalled } from "../project/installed.js";
import type { HtaccessFile, Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import { findRefusals } from "../refusals/refusals.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { explore, Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import { leaveToEnvironment } from "../scope/unset-words.js";
import { refusalOf } from "../simulate/broken-files.js";
import { classOf, type SettledClass } from "../simulate/decision.js";
import { obligingFiles } from "../simulate/file-trees.js";
import type { Outcome, Setup } from "../simulate/pass.js";
import { run } from "../simulate/run.js";
import { setUp } from "../simulate/setup.js";
import { traceOf } from "../simulate/trace.js";
import { Watch } from "../simulate/watch.js";
import { quotedLine } from "../simulate/written.js";
import type { Span } from "../text/source.js";
import { clientsFor, STRANGER } from "./clients.js";
import { isForSomeDirectories, isMissing } from "./paths.js";
import { requestsBelow, requestsBeside, requestsInto } from "./server-request.js";
import { watchedRequest } from "./watched-request.js";

/** A scope, a request that it applies to, and what merging leaves in force for that. */
export interface Situation extends RulesInForce {
  readonly scope: Scope;
  /** What the scope itself says. */
  readonly layer: Layer;
  /** From nobody's address, without a user. */
  readonly request: Request;
  readonly state: AccessState;
  /** Whether the way to access control is the same for every client: no condition on it looks at one. */
  readonly isSameForAll: boolean;
}

/** What somebody gets. */
export interface Seen {
  readonly request: Request;
  readonly class: SettledClass;
  /** Whether access control lets the request pass: of other statuses than its own not all do, such as 405 by AllowMethods. */
  readonly isLetIn: boolean;
  /** The numbers of the server's messages that tell of it. */
  readonly log: readonly string[];
  readonly by: readonly Directive[];
}

/** What is in the way in a `.htaccess` file. */
export interface NotAllowed {
  readonly seen: Seen;
  /** Undefined where it is a section that is carried out while reading, or the file as a whole. */
  readonly directive: Directive | undefined;
  readonly span: Span;
  /** The AllowOverride in force, or else the AllowOverrideList. */
  readonly allowed: Directive | undefined;
}

/** What Nonfatal has the server pass over in a `.htaccess` file. */
export interface Skipped {
  readonly directives: ReadonlySet<Directive>;
  /** The AllowOverride in force. */
  readonly allowed: Directive | undefined;
}

const ofAccess: ReadonlySet<string> = new Set([
  ...[...oldNames, "require", "<requireall", "<requireany", "<requirenone", "authmerging", "authtype"],
  ...["<limit", "<limitexcept"],
]);

/** So many clients are tried where rules tell some apart. */
const MOST_CLIENTS = 24;

/**
 * Looks at what a configuration makes of requests into its sections, and at what it would with other rules in force. What is
 * asked for is taken to be there.
 */
export class Inspector {
  private madeReady: Setup | undefined;

  private readonly project: Project;
  private readonly skipped = new Map<HtaccessFile, Skipped | undefined>();
  private refused: ReadonlySet<Directive> | undefined;

  constructor(project: Project) {
    this.project = asInstalled(assumeServer(project));
  }

  get htaccess(): readonly HtaccessFile[] {
    return this.project.htaccess;
  }

  private get setup(): Setup {
    this.madeReady ??= setUp(this.project, obligingFiles(this.project));
    return this.madeReady;
  }

  /** Whether the server refuses some of what is in force: what that comes to is seen when it is mended. */
  isRefused({ layer, old, require }: Situation): boolean {
    if (this.refused === undefined) {
      const { startup, htaccess } = findRefusals(this.project);
      this.refused = new Set([...startup, ...htaccess].map(({ directive }) => directive));
    }
    const { refused } = this;
    const layers = [layer, ...(old ? [old.layer] : []), ...(require ? layersOf(require) : [])];
    return layers.some(
      ({ directives, section, content }) =>
        // Access control stands in sections and `.htaccess` files alone.
        section?.key === "<virtualhost" ||
        content === this.project.directives ||
        directives.some((directive) => ofAccess.has(directive.key) && refused.has(directive)),
    );
  }

  /** Undefined where no request is found that the scope applies to. */
  situationOf(scope: Scope): Situation | undefined {
    const isByPattern = isForSomeDirectories(scope);
    for (const request of this.requestsFor(scope)) {
      const looks = { atClient: false };
      let isSameForAll = false;
      const noteWay: ReadRules = (rules, { questions }) => {
        isSameForAll = !looks.atClient && questions.asked.size === 0;
        return rules;
      };
      const { pass } = this.once(watchedRequest(request, looks), noteWay);
      const state = pass?.state;
      const layer = state?.layers.find(({ section, content }) =>
        scope.section ? section === scope.section : content === scope.content,
      );
      if (!layer || !state || (isByPattern && isMissing(state.filename ?? "", this.project))) continue;
      const old = oldInForce(state.layers, replacesOld(this.project.release));
      return { scope, layer, request, state, old, require: requireInForce(state.groups), isSameForAll };
    }
    return undefined;
  }

  private *requestsFor(scope: Scope): Generator<Request> {
    yield* requestsInto(scope, this.project, STRANGER);
    if (isForSomeDirectories(scope)) yield* requestsBelow(scope, this.project, STRANGER);
  }

  /** Why a `.htaccess` file is refused for what is not allowed in it, with a request that meets it; undefined where it is not. */
  notAllowedIn(file: HtaccessFile): NotAllowed | undefined {
    for (const request of requestsBeside(file, this.project, STRANGER)) {
      const found = this.refusedBy(file, request);
      if (found) return found;
    }
    return undefined;
  }

  /** What is passed over in a `.htaccess` file; undefined where nothing is. */
  skippedIn(file: HtaccessFile): Skipped | undefined {
    if (!this.skipped.has(file)) this.skipped.set(file, this.findSkipped(file));
    return this.skipped.get(file);
  }

  private findSkipped(file: HtaccessFile): Skipped | undefined {
    for (const request of requestsBeside(file, this.project, STRANGER)) {
      const walked = this.once(request).pass?.walked;
      const found = walked?.htaccess.find((each) => each.file === file);
      if (found?.verdict.kind !== "taken") continue;
      const directives = found.verdict.skipped;
      return directives.size === 0
        ? undefined
        : { directives, allowed: settingIn(walked?.layers ?? [], "allowoverride") };
    }
    return undefined;
  }

  private refusedBy(file: HtaccessFile, request: Request): NotAllowed | undefined {
    const { status, log, by, pass } = this.once(request);
    const walked = pass?.walked;
    if (walked?.refused?.file !== file || walked.refused.cause !== "override") return undefined;
    const { directive, span } = refusalOf(walked.refused, this.setup);
    const seen: Seen = { request, class: classOf(status), isLetIn: false, log, by };
    const allowed = settingIn(walked.layers, "allowoverride") ?? settingIn(walked.layers, "allowoverridelist");
    return { seen, directive, span, allowed };
  }

  /**
   * Requests like that of a situation, from each client that some lines tell apart.
   *
   * @param method where it is to be another than the situation's
   */
  requestsOf({ request }: Situation, lines: readonly Directive[], method = request.method): readonly Request[] {
    return clientsFor(lines, MOST_CLIENTS, request.clientIp).map((client) => ({ ...request, method, ...client }));
  }

  /**
   * What a request like that of a situation gets; undefined where that hangs on what nobody here can know, and where other
   * rules are in force for it: a condition may look at the client.
   *
   * @param read as somebody reads the rules
   */
  see(situation: Situation, request: Request, read: ReadRules = asMerged): Seen | undefined {
    const isSameMethod = request.method === situation.state.request.method;
    const isSameWay = situation.isSameForAll && isSameMethod && request.env === undefined;
    const decide = this.project.release === "2.4" ? decide24 : decide22;
    const answers = explore((questions) => {
      if (!isSameWay) return this.inSituation(situation, request, read, questions);
      leaveToEnvironment(situation.state.layers, this.project, questions);
      return asAnswered(decide({ ...situation.state, request, questions }, read));
    });
    if (answers?.some(({ unsettled }) => unsettled !== undefined)) return undefined;
    const [first, ...others] = (answers ?? []).map(({ result }) => result);
    if (first === undefined) return undefined;
    const decided = classOf(first.status ?? 200);
    const isCertain = others.every(
      (other) =>
        other &&
        classOf(other.status ?? 200) === decided &&
        other.isLetIn === first.isLetIn &&
        `${other.log}` === `${first.log}`,
    );
    return isCertain ? { request, class: decided, isLetIn: first.isLetIn, log: first.log, by: first.by } : undefined;
  }

  private inSituation({ old, require }: Situation, request: Request, read: ReadRules, questions: Questions) {
    const { status, log, by, pass } = run({ ...this.setup, read }, request, questions);
    const state = pass?.state;
    if (state === undefined) return undefined;
    const isOld = oldInForce(state.layers, replacesOld(this.project.release))?.layer === old?.layer;
    const here = requireInForce(state.groups);
    const [layers, others] = [require ? layersOf(require) : [], here ? layersOf(here) : []];
    const isSame = isOld && layers.length === others.length && layers.every((layer, index) => layer === others[index]);
    return isSame ? { status, log, by, isLetIn: classOf(status) === "allowed" && pass?.isLetIn === true } : undefined;
  }

  /** Whether a SetHandler line names what answers a request, and no backend, other handler or file does. */
  isAnsweredBy(line: Directive, request: Request): boolean {
    const { answeredBy, served } = this.once(request);
    return answeredBy === "program" && served?.state !== undefined && inForce(served.state, "sethandler") === line;
  }

  /** A request as a finding shows it, with the way to its answer. */
  witness({ request, class: decided, log, by: [decider] }: Seen): Witness {
    const { setup } = this;
    return {
      request,
      get steps() {
        const watch = new Watch();
        const outcome = run(setup, request, new Questions(new Map()), watch);
        const steps = traceOf(outcome, watch, setup)
          .filter(({ span }) => !isAssumed(span))
          .map(({ section, effect, span }) => ({ message: `\`${section}\` ${effect}`, span }));
        const answer = [decided, ...log].join(" ");
        return decider
          ? [...steps, { message: `${quotedLine(decider)} decides: ${answer}`, span: decider.span }]
          : steps;
      },
    };
  }

  private once(request: Request, read: ReadRules = asMerged): Outcome {
    return run({ ...this.setup, read }, request, new Questions(new Map()));
  }
}

/** What access control alone makes of a request. */
function asAnswered({ status, log, by }: Answer) {
  return { status, log, by, isLetIn: status === undefined };
}

const inspectors = new WeakMap<Project, Inspector>();

/** The one of a project: what a rule has looked at serves the next. */
export function inspectorOf(project: Project): Inspector {
  const known = inspectors.get(project) ?? new Inspector(project);
  inspectors.set(project, known);
  return known;
}
