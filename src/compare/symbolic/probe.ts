import { normalizeMethod } from "../../access/model/clients-and-methods.js";
import type {
  AddressTest,
  DependencyTracker,
  HeaderTest,
  PeekedTest,
  Predicate,
} from "../../httpd/model/dependency-tracker.js";
import type { FileKind, FileTree } from "../../httpd/model/file-tree.js";
import { Oracle } from "../../httpd/model/oracle.js";
import type { Request } from "../../httpd/model/request.js";
import { parseAddressPattern } from "../../logic/symbolic/address-patterns.js";
import type { Atom, Observation, RequestModel } from "../../logic/symbolic/atoms.js";
import type { Directive } from "../../project/model/directive.js";
import { decisionClassOf, type KnownDecisionClass } from "../../simulate/model/decision.js";
import type { SimulationSetup } from "../../simulate/model/request-context.js";
import { processRequest } from "../../simulate/process-request.js";
import { rewriteNotesOf } from "../../simulate/trace/request-steps.js";
import { formatAddress, type Subnet } from "../../text/addresses.js";

/** What a request in some situation comes to, and all that it hangs on. */
export interface ProbeResult {
  readonly class: KnownDecisionClass;
  /** The lines that decide, or the one that leaves it open. */
  readonly by: readonly Directive[];
  readonly seen: readonly Observation[];
  /** The tests of single headers among them, by their words. */
  readonly sent: ReadonlyMap<string, HeaderTest>;
  /** What the method was held against. */
  readonly methods: ObservedMethods;
  /** Whether it matters if a file or nothing is where the path leads. */
  readonly dependsOnPlace: boolean;
  /** Why it may come to something else; undefined where all that matters is in `seen`. */
  readonly unprovedReason: string | undefined;
}

/** Names of methods, or `all` where the whole method matters. */
export type ObservedMethods = ReadonlySet<string> | "all";

/** A configuration that is asked, over files that a situation tells of. */
export interface ProbedSide {
  readonly setup: SimulationSetup;
  /** Variables that nobody brings along. */
  readonly ownVariables: ReadonlySet<string>;
  readonly files: ModelFiles;
}

/** Asks the simulator about a target in one situation, in which every test and question has its answer. */
export function probe(
  situation: RequestModel,
  target: ProbeTarget,
  { setup, files, ownVariables }: ProbedSide,
): ProbeResult {
  const notes = new ProbeRecorder(situation, ownVariables);
  files.use(notes);
  const questions = new RecordingOracle(notes);
  const outcome = processRequest(setup, { ...concretizeRequest(situation, target), looks: notes }, questions);
  const [note] = outcome.pass ? rewriteNotesOf(outcome.pass) : [];
  const { seen, sent, methods, isPlaceSeen } = notes;
  // Behind a rule that leads on, the server does not look anew at what it has walked to.
  const atPlace = isPlaceSeen || outcome.pass?.next !== undefined;
  // No more is kept of the outcome: there are many, and all else in it is large.
  const { status } = outcome;
  const by = questions.undecidableBy ? [questions.undecidableBy] : outcome.by;
  return {
    class: decisionClassOf(status),
    by,
    seen,
    sent,
    methods,
    dependsOnPlace: atPlace,
    unprovedReason: questions.undecidable ?? note?.text ?? notes.reason,
  };
}

/** Takes note of what is looked at, each thing once. */
class ProbeRecorder implements DependencyTracker {
  readonly seen: Observation[] = [];
  readonly sent = new Map<string, HeaderTest>();
  methods: Set<string> | "all" = new Set();
  isPlaceSeen = false;
  /** Why it may come to something else. */
  reason: string | undefined;

  constructor(
    readonly situation: RequestModel,
    readonly ownVariables: ReadonlySet<string>,
  ) {}

  recordPredicate(look: Predicate, value: boolean): void {
    this.seen.push({ look, value });
  }

  recordTest(text: string, actual: boolean, of?: HeaderTest | AddressTest): boolean {
    const { predicate, holds } = this.peekTest(text, actual, of);
    this.recordPredicate(predicate, holds);
    return holds;
  }

  peekTest(text: string, actual: boolean, of?: HeaderTest | AddressTest): PeekedTest {
    const term = { predicate: { kind: "term", text }, holds: this.situation.terms.has(text) } as const;
    if (of && "addressPattern" in of) return this.peekAtAddress(of, actual, term);
    if (of) this.sent.set(text, of);
    return term;
  }

  /** What a pattern tells of IPv6 addresses may be left open: then it is a test like any other for these. */
  private peekAtAddress(
    { addressPattern: pattern, ignoreCase, isNegated }: AddressTest,
    actual: boolean,
    open: PeekedTest,
  ): PeekedTest {
    const read = parseAddressPattern(pattern, ignoreCase);
    if (read === undefined) return open;
    const matches = { kind: "address-text", pattern, ignoreCase } as const;
    const look: Predicate = isNegated ? not(matches) : matches;
    if (read.ofSix !== undefined) return { predicate: look, holds: actual };
    const isSix = { kind: "address", subnet: allIpv6 } as const;
    const either: Predicate = { kind: "any", of: [both(not(isSix), look), both(isSix, open.predicate)] };
    return { predicate: either, holds: this.situation.address.family === 6 ? open.holds : actual };
  }

  recordMethod(names?: readonly string[]): void {
    if (names === undefined) this.methods = "all";
    else if (this.methods !== "all") for (const name of names) this.methods.add(normalizeMethod(name));
  }

  markUnknown(reason: string): void {
    this.reason ??= reason;
  }

  recordFileExistence(): void {
    this.isPlaceSeen = true;
  }

  term(text: string): boolean {
    const value = this.situation.terms.has(text);
    this.recordPredicate({ kind: "term", text }, value);
    return value;
  }

  /** What is at a path. */
  kindOf(path: string): FileKind {
    const kind = this.situation.files.get(path);
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
  constructor(private readonly notes: ProbeRecorder) {
    super(new Map());
  }

  override ask(question: string): boolean {
    return this.notes.term(question);
  }
}

/** Files of which some are known, and others are there or not as the situation says that is asked about. */
export class ModelFiles implements FileTree {
  readonly mayChange = true;
  private notes: ProbeRecorder | undefined;
  private known: FileTree = { kindOf: () => "unknown" };
  private end: string | undefined;

  /** The same for whoever looks at them beside the walk to a file: that what is at the end of the walk matters is noted. */
  readonly besideWalks: FileTree = {
    mayChange: true,
    kindOf: (path, mayBeFile) => {
      if (this.end !== undefined && `${path}/`.startsWith(`${this.end}/`)) this.notes?.recordFileExistence();
      return this.kindOf(path, mayBeFile);
    },
  };

  /**
   * Goes on with other files that are known.
   *
   * @param end where the walk to what is asked for ends
   */
  takeFrom(known: FileTree, end?: string): void {
    this.known = known;
    this.end = end;
  }

  use(notes: ProbeRecorder): void {
    this.notes = notes;
  }

  kindOf(path: string, mayBeFile?: boolean): FileKind {
    const known = this.known.kindOf(path, mayBeFile);
    return known === "unknown" && this.notes ? this.notes.kindOf(path) : known;
  }
}

/** What a request asks for, whoever sends it. */
export type ProbeTarget = Pick<Request, "method" | "path" | "scheme" | "host" | "port" | "serverIp" | "query">;

/** A request for a target by somebody. What a client sends in headers is not part of a situation: tests of it are terms. */
export function concretizeRequest(situation: RequestModel, target: ProbeTarget): Request {
  return { ...target, ...senderIn(situation) };
}

type Sender = Pick<Request, "clientIp" | "clientHost" | "env" | "user" | "groups" | "dbmGroups">;

const senders = new WeakMap<RequestModel, Sender>();

function senderIn(situation: RequestModel): Sender {
  const known = senders.get(situation) ?? buildSender(situation);
  senders.set(situation, known);
  return known;
}

function buildSender({ address, host, env, user, groups }: RequestModel): Sender {
  return {
    clientIp: formatAddress(address),
    ...(host === undefined ? {} : { clientHost: host }),
    ...(env.size === 0 ? {} : { env: [...env].sort() }),
    ...(user === undefined ? {} : { user, ...groupsIn(groups) }),
  };
}

function groupsIn(groups: RequestModel["groups"]): Pick<Request, "groups" | "dbmGroups"> {
  const [text, dbm] = [groups.get("text"), groups.get("dbm")];
  return { ...(text ? { groups: [...text].sort() } : {}), ...(dbm ? { dbmGroups: [...dbm].sort() } : {}) };
}
