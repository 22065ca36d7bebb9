import { isWithin } from "../../config/files/paths.js";
import { type Directive, findSectionAround, isIfSection } from "../../config/model/directive.js";
import { normalizeMethod } from "../../server/access/clients-and-methods.js";
import { answerUnder, type DefiniteAnswer } from "../../server/definite-answer.js";
import type { AnswerClass } from "../../server/model/answer-class.js";
import type { Atom, Observation, RequestModel } from "../../server/model/atoms.js";
import type { ConfigLayer } from "../../server/model/config-layer.js";
import type {
  AddressTest,
  ClientTest,
  HeaderTest,
  MethodTest,
  PeekedTest,
  Predicate,
  SentPathTest,
  UserSource,
} from "../../server/model/dependency-tracker.js";
import type { FileKind, FileTree } from "../../server/model/file-tree.js";
import { Oracle } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import type { AccessCheckOnly, SimulationSetup } from "../../server/model/simulation-setup.js";
import { type UnknownFact, unknownFact } from "../../server/model/unknown-facts.js";
import { fileMethodTest } from "../../server/phases/handler.js";
import { startsFromDefaultOptions } from "../../server/sections/options.js";
import { rewriteNotesOf } from "../../server/trace/request-steps.js";
import { formatAddress, isLocalhost, type Subnet } from "../../text/addresses.js";
import { memoize } from "../../text/memoize.js";
import { mapPair, type Pair } from "../model/server-pairs.js";
import { parseAddressPattern } from "../requests/address-patterns.js";
import { ModelTracker } from "./model-tracker.js";

/** The answer to a request under one model, and all predicates that it depends on. */
export interface ObservedAnswer extends Pick<DefiniteAnswer, "status" | "access" | "decidedBy" | "handlerKind"> {
  readonly observations: readonly Observation[];
  /** The predicates that read single headers, by their fact. */
  readonly headerTests: ReadonlyMap<UnknownFact, HeaderTest>;
  /** Those that read the path as sent. */
  readonly pathTests: ReadonlyMap<UnknownFact, SentPathTest>;
  /** The data outside the configuration that decided about the user. */
  readonly userSources: readonly UserSource[];
  readonly methods: ObservedMethods;
  /** Whether the result depends on the existence of the target. */
  readonly dependsOnPlace: boolean;
  /** The reason why the result may differ; undefined if `observations` contains everything that matters. */
  readonly unprovedReason: UnknownFact | undefined;
  /** Number of characters scanned by patterns and expansions. */
  readonly charactersRead: number;
  /** For an access check of an assumed file: present if the request is mapped to it, and not answered before. */
  readonly checkOfFile?: FileCheck | undefined;
  /** For an access check: whether Options lines, if any, only add to the default or take from it. */
  readonly startsFromDefaultOptions?: boolean;
}

/** An access check of an assumed file. */
export interface FileCheck {
  /** The sections that apply, in order; undefined if the walk to the file ends the request before. */
  readonly layers: readonly ConfigLayer[] | undefined;
}

/** Reports whether clients get another answer on the other side, beyond what the files decide. */
export function isOtherAnswer(before: ObservedAnswer, after: ObservedAnswer): boolean {
  return before.access !== after.access && before.status !== after.status;
}

/**
 * Returns a source that decides about users on one side only. A client whose password is right in one of them may then get
 * another answer on the other side. If a side reads none of the kind, its answer is that to a client without a password or a group.
 */
export function findOtherUserSource(before: ObservedAnswer, after: ObservedAnswer): UserSource | undefined {
  const onlyIn = ({ userSources: some }: ObservedAnswer, { userSources: others }: ObservedAnswer) =>
    some.find(({ kind, id }) => {
      const alike = others.filter((other) => other.kind === kind);
      return alike.length > 0 && !alike.some((other) => other.id === id);
    });
  return onlyIn(after, before) ?? onlyIn(before, after);
}

/** Adds to the results of two sides what the handlers distinguish (see `accessesOfSides`). */
export function compareHandlers(results: Pair<ObservedAnswer>): Pair<ObservedAnswer> {
  if (!hasOtherHandler(results)) return results;
  const accesses = accessesOfSides(results);
  return mapPair(results, (result, side) => ({
    ...result,
    access: accesses[side],
    methods: withTest(result.methods, fileMethodTest),
  }));
}

/** What an answer says about its handler. */
type HandledAnswer = Pick<DefiniteAnswer, "status" | "access" | "handlerKind">;

/**
 * Returns the access to one path on two sides. If one serves a file, and the other has a program or a backend answer, it
 * counts that the handler of files rejects most methods.
 */
export function accessesOfSides(answers: Pair<HandledAnswer>): Pair<AnswerClass> {
  const isOther = hasOtherHandler(answers);
  return mapPair(answers, ({ status, access, handlerKind }) =>
    isOther && handlerKind === "file" && (status === 405 || status === 501) ? "rejected" : access,
  );
}

function hasOtherHandler([one, other]: Pair<HandledAnswer>): boolean {
  const [kind, otherKind] = [one.handlerKind, other.handlerKind];
  return one.access === other.access && kind !== undefined && otherKind !== undefined && kind !== otherKind;
}

function withTest(methods: ObservedMethods, test: MethodTest): ObservedMethods {
  return methods === "all" ? methods : { ...methods, tests: new Map([...methods.tests, [test.key, test]]) };
}

/** The names that the method was compared to, and the tests of it; `all` if the whole method matters. */
export type ObservedMethods =
  | { readonly names: ReadonlySet<string>; readonly tests: ReadonlyMap<string, MethodTest> }
  | "all";

/** A configuration whose answers are observed, over files that a model defines. */
export interface ObservedSide {
  readonly setup: SimulationSetup;
  /** Variables that a client cannot bring along. */
  readonly ownVariables: ReadonlySet<string>;
  readonly files: ModelFiles;
  /** Whether clients are assumed to send paths without unnecessary escapes. */
  readonly readsPlainPaths?: boolean | undefined;
}

/**
 * Runs the simulator for a target under one model, which determines the value of every predicate and unknown fact.
 *
 * @param accessCheck set to end after the access check
 */
export function observe(
  model: RequestModel,
  target: ProbeTarget,
  { setup, files, ownVariables, readsPlainPaths }: ObservedSide,
  accessCheck?: AccessCheckOnly,
): ObservedAnswer {
  const recorder = new ReadRecorder(model, ownVariables, readsPlainPaths);
  files.use(recorder);
  const oracle = new RecordingOracle(recorder);
  const checked = accessCheck ? { ...setup, accessCheck } : setup;
  const answer = answerUnder(checked, { ...concretizeRequest(model, target), tracker: recorder }, oracle);
  const [note] = answer.pass ? rewriteNotesOf(answer.pass) : [];
  const { observations, headerTests, pathTests, methods, userSources } = recorder;
  // After a rule redirects internally, the server does not check again the object that it has walked to.
  const dependsOnPlace = recorder.dependsOnPlace || answer.pass?.next !== undefined;
  // Nothing else of the answer is kept: there are many, and the rest is large.
  return {
    status: answer.status,
    access: answer.access,
    // The line that leaves the answer open, if there is one.
    decidedBy: oracle.undecidableBy ? [oracle.undecidableBy] : answer.decidedBy,
    observations,
    headerTests,
    pathTests,
    userSources,
    methods,
    handlerKind: answer.handlerKind,
    dependsOnPlace,
    unprovedReason: oracle.undecidable ?? (note && unknownFact("rule-of-proof", note.text)) ?? recorder.unprovedReason,
    charactersRead: oracle.charactersRead,
    ...(accessCheck
      ? { checkOfFile: checkOfFileIn(answer, accessCheck), startsFromDefaultOptions: hasDefaultOptions(answer) }
      : {}),
  };
}

/** Reports whether the options of a file start from the default. Sections with a condition do not count: it may be false. */
function hasDefaultOptions({ pass }: DefiniteAnswer): boolean {
  if (pass?.mapping.kind !== "file") return false;
  const layers = pass.state?.layers ?? [];
  return startsFromDefaultOptions(layers.filter(({ section }) => !section || !isConditional(section)));
}

function isConditional(section: Directive): boolean {
  return isIfSection(section) || findSectionAround(section, isIfSection) !== undefined;
}

function checkOfFileIn({ pass }: DefiniteAnswer, { target }: AccessCheckOnly): FileCheck | undefined {
  const isOfFile = target !== undefined && pass?.mapping.kind === "file" && pass.mapping.filename === target;
  return isOfFile ? { layers: pass.state?.layers } : undefined;
}

/** Records the predicates read, each once. */
class ReadRecorder extends ModelTracker {
  readonly headerTests = new Map<UnknownFact, HeaderTest>();
  readonly pathTests = new Map<UnknownFact, SentPathTest>();
  readonly userSources: UserSource[] = [];
  methods: { names: Set<string>; tests: Map<string, MethodTest> } | "all" = { names: new Set(), tests: new Map() };
  dependsOnPlace = false;
  /** The reason why the result may differ. */
  unprovedReason: UnknownFact | undefined;

  override peekTest(fact: UnknownFact, actual: boolean, of?: ClientTest): PeekedTest {
    const test = super.peekTest(fact, actual, of);
    if (of && "addressPattern" in of) return this.peekAtAddress(of, actual, test);
    if (of && "sentPath" in of) this.pathTests.set(fact, of);
    else if (of) this.headerTests.set(fact, of);
    return test;
  }

  /**
   * Returns the predicate of a pattern on the address. Its value for IPv6 addresses may be left open: it is then an
   * opaque predicate for these.
   */
  private peekAtAddress(
    { addressPattern: pattern, ignoreCase, isNegated }: AddressTest,
    actual: boolean,
    open: PeekedTest,
  ): PeekedTest {
    const read = parseAddressPattern(pattern, ignoreCase);
    if (read === undefined) return open;
    const matches = { kind: "address-text", pattern, ignoreCase } as const;
    const predicate: Predicate = isNegated ? not(matches) : matches;
    if (read.ofIpv6 !== undefined) return { predicate, holds: actual };
    const isIpv6 = { kind: "address", subnet: allIpv6 } as const;
    const either: Predicate = { kind: "any", of: [both(not(isIpv6), predicate), both(isIpv6, open.predicate)] };
    return { predicate: either, holds: this.model.address.family === 6 ? open.holds : actual };
  }

  recordMethod(read?: readonly string[] | MethodTest): void {
    if (read === undefined) this.methods = "all";
    else if (this.methods === "all") return;
    else if ("key" in read) this.methods.tests.set(read.key, read);
    else for (const name of read) this.methods.names.add(normalizeMethod(name));
  }

  markUnknown(unprovedReason: UnknownFact): void {
    this.unprovedReason ??= unprovedReason;
  }

  recordFileExistence(): void {
    this.dependsOnPlace = true;
  }

  recordUserSource(source: UserSource): void {
    this.userSources.push(source);
  }

  /** Returns the kind of object at a path. */
  kindOf(path: string): FileKind {
    const kind = this.model.files.get(path);
    const at = (atom: Atom, value: boolean) => {
      this.recordPredicate(atom, value);
      return value;
    };
    if (!at({ kind: "exists", path }, kind !== undefined)) return "missing";
    return at({ kind: "directory", path }, kind === "directory") ? "directory" : "file";
  }
}

const allIpv6: Subnet = { family: 6, network: 0n, mask: 0n };

function not(of: Predicate): Predicate {
  return { kind: "not", of };
}

function both(a: Predicate, b: Predicate): Predicate {
  return not({ kind: "any", of: [not(a), not(b)] });
}

class RecordingOracle extends Oracle {
  constructor(private readonly recorder: ReadRecorder) {
    super(new Map(), true);
  }

  override ask(fact: UnknownFact): boolean {
    return this.recorder.ask(fact);
  }
}

/** A file tree of which some files are known, and others exist as the current model determines. */
export class ModelFiles implements FileTree {
  readonly mayChange = true;
  private recorder: ReadRecorder | undefined;
  private known: FileTree = { kindOf: () => "unknown" };
  private end: string | undefined;

  /**
   * The file tree for lookups outside the walk to a file: it records that the object at the end of the walk matters.
   */
  readonly outsideWalks: FileTree = {
    mayChange: true,
    kindOf: (path, mayBeFile) => {
      if (this.end !== undefined && isWithin(path, this.end)) this.recorder?.recordFileExistence();
      return this.kindOf(path, mayBeFile);
    },
  };

  /**
   * Continues with other known files.
   *
   * @param end where the walk to the requested file ends
   */
  takeFrom(known: FileTree, end?: string): void {
    this.known = known;
    this.end = end;
  }

  use(recorder: ReadRecorder): void {
    this.recorder = recorder;
  }

  kindOf(path: string, mayBeFile?: boolean): FileKind {
    const known = this.known.kindOf(path, mayBeFile);
    return known === "unknown" && this.recorder ? this.recorder.kindOf(path) : known;
  }
}

/** The target of a request, without its client. */
export type ProbeTarget = Pick<Request, "method" | "path" | "scheme" | "host" | "port" | "serverIp" | "query">;

/** Builds a request for a target from a model. A client's headers are not part of a model: tests of them are facts. */
export function concretizeRequest(model: RequestModel, target: ProbeTarget): Request {
  return { ...target, ...senderIn(model) };
}

type Sender = Pick<Request, "clientIp" | "clientHost" | "isUnnamed" | "env" | "user" | "groups" | "dbmGroups">;

const senderIn = memoize(({ address, host, env, user, groups }: RequestModel): Sender => {
  return {
    clientIp: formatAddress(address),
    ...(host === undefined ? (isLocalhost(address) ? { isUnnamed: true } : {}) : { clientHost: host }),
    ...(env.size === 0 ? {} : { env: [...env].sort() }),
    ...(user === undefined ? {} : { user, ...groupsIn(groups) }),
  };
});

function groupsIn(groups: RequestModel["groups"]): Pick<Request, "groups" | "dbmGroups"> {
  const [text, dbm] = [groups.get("text"), groups.get("dbm")];
  return { ...(text ? { groups: [...text].sort() } : {}), ...(dbm ? { dbmGroups: [...dbm].sort() } : {}) };
}
