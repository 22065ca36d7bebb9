import type { Project } from "../../config/model/project.js";
import { StepAllowance } from "../../regex/budget.js";
import { SimulatedServer } from "../../server/answer.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import type { Answer, Semantics } from "../../server/model/answer.js";
import { findSetting } from "../../server/model/config-layer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import type { Request } from "../../server/model/request.js";
import { leavesDestination } from "../../server/model/unknown-facts.js";
import { hostSubnetOf, parseAddress } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { applyEdits, type Edit } from "../../text/edits.js";
import type { SourceFile } from "../../text/source.js";
import { compare } from "../compare/compare.js";
import { budgetFor, MAX_FIX_STEPS, type SharedSteps } from "../model/budget.js";
import type { ConfigComparison, DifferenceRegion } from "../model/comparison.js";
import { type ProposedChange, proposeChanges } from "./proposals.js";

/** Contents that replace files, by real path; binary strings. */
type Texts = ReadonlyMap<string, string>;

/** A configuration that answers requests, as installed. */
export interface AnsweringConfig {
  readonly project: Project;
  readonly files: FileTree;
  /** Number of errors that prevent the server from starting. */
  readonly errors: number;
}

/** A configuration, which can be read again with changed contents. */
export interface AllowSource extends AnsweringConfig {
  readonly semantics: Semantics;
  /** Returns undefined if it cannot be read. */
  readonly again: (texts: Texts) => AnsweringConfig | undefined;
}

/** A file with its new contents. */
export interface AllowedFile {
  /** Its real path. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A change that allows a request, with its proof. */
export interface AllowingChange {
  readonly files: readonly AllowedFile[];
  /** The clients that the change may allow at most. */
  readonly reach: ProposedChange["reach"];
  /** Whether the section asks for a login, which the request does not have. */
  readonly skipsLogin: boolean;
  /** The answer to the request with the change. */
  readonly answer: Answer;
  /** What the change does to all requests. */
  readonly comparison: ConfigComparison;
}

/**
 * Why no change is proposed: access is granted already, the answer is unknown, no change that is tried allows the request, or
 * each one also changes the answers to other requests.
 */
export type NoChange = "allowed" | "unknown" | "none" | "wider";

/** Limits of the search: changes tried one after another, and all changes that are tried. */
const MAX_DEPTH = 3;
const MAX_TRIES = 40;
/** Limit of the changes that are compared for all requests. */
const MAX_PROOFS = 8;

/**
 * Returns the smallest change found that allows a request of one client. Each is proved: the changed configuration answers
 * the request, and for a change that names the client or the user, all other requests are answered as before.
 */
export function findAllowingChange(source: AllowSource, request: Request): AllowingChange | NoChange {
  const { class: decided } = new SimulatedServer(source.project, source.files, source.semantics).answer(request);
  return decided === "allowed" || decided === "unknown" ? decided : new Search(source, request).run();
}

/** A configuration with some changes. */
interface State {
  readonly config: AnsweringConfig;
  readonly texts: Texts;
  readonly reach: ProposedChange["reach"];
  readonly depth: number;
}

const reaches = ["client", "user", "everyone"] as const;

class Search {
  private tries = 0;
  private proofs = 0;
  private isWider = false;
  /** An answer is wanted within seconds: beyond these steps, the list of other changed requests is incomplete. */
  private readonly steps: SharedSteps = new StepAllowance(MAX_FIX_STEPS);

  constructor(
    private readonly source: AllowSource,
    private readonly request: Request,
  ) {}

  /** Tries single changes first, then changes on top of those that lead to another error. */
  run(): AllowingChange | NoChange {
    let states: readonly State[] = [{ config: this.source, texts: new Map(), reach: "client", depth: 0 }];
    while (states.length > 0) {
      const next: State[] = [];
      for (const state of states) {
        const found = this.tryFrom(state, next);
        if (found) return found;
      }
      states = next;
    }
    return this.isWider ? "wider" : "none";
  }

  /** @param next receives the states with another error */
  private tryFrom(state: State, next: State[]): AllowingChange | undefined {
    const run = this.runOf(state.config);
    if (run === undefined) return undefined;
    const before = errorOf(run);
    for (const { edits, reach } of proposeChanges(run)) {
      if (this.tries++ >= MAX_TRIES) return undefined;
      const texts = withEdits(state.texts, edits);
      const config = this.source.again(texts);
      if (config === undefined || config.errors > this.source.errors) continue;
      const made = { config, texts, reach: widerOf(state.reach, reach), depth: state.depth + 1 };
      const answer = new SimulatedServer(config.project, config.files, this.source.semantics).answer(this.request);
      if (answer.class === "allowed" || isGrantedHere(answer)) {
        const proved = this.prove(made, answer);
        if (proved) return proved;
        continue;
      }
      const after = this.runOf(config);
      if (after && errorOf(after) !== before && made.depth < MAX_DEPTH) next.push(made);
    }
    return undefined;
  }

  private runOf({ project, files }: AnsweringConfig): DefiniteAnswer | undefined {
    return new SimulatedServer(project, files, this.source.semantics).usualRun(this.request);
  }

  /** Compares all requests. Returns undefined if others than intended are answered differently. */
  private prove({ config, texts, reach }: State, answer: Answer): AllowingChange | undefined {
    if (this.proofs++ >= MAX_PROOFS) return undefined;
    const { project, semantics } = this.source;
    const budget = budgetFor([project]);
    const comparison = compare({ project, semantics }, { project: config.project, semantics }, budget, {
      steps: this.steps,
    });
    const isNarrow = comparison.differences.every(
      ({ change, regions }) => change !== "loss" && regions.every((region) => isWithin(region, reach, this.request)),
    );
    if (!isNarrow) {
      this.isWider = true;
      return undefined;
    }
    const sources = new Map(listSources(project).map(({ realPath, text }) => [realPath, text]));
    const files = [...texts].map(([path, after]) => ({ path, before: sources.get(path) ?? "", after }));
    const { layers = [] } = this.runOf(config)?.outcome.pass?.state ?? {};
    const skipsLogin = this.request.user === undefined && findSetting(layers, "authtype") !== undefined;
    return { files, reach, skipsLogin, answer, comparison };
  }
}

/** Reports whether the lines of a part of a server allow a request, so that only the access rules of other files may still deny it. */
function isGrantedHere({ class: decided, cases: [usual] }: Answer): boolean {
  return (
    decided === "unknown" && usual?.class === "allowed" && usual.open !== undefined && leavesDestination(usual.open)
  );
}

function listSources({ files, htaccess }: Project) {
  return [...files.values(), ...htaccess.map(({ tree }) => tree)].map(({ source }) => source);
}

/** Applies edits to the contents of files. The spans are those of the contents as they are read. */
function withEdits(texts: Texts, edits: readonly Edit[]): Texts {
  const byFile = new Map<SourceFile, Edit[]>();
  for (const edit of edits) getOrCreate(byFile, edit.span.file, () => []).push(edit);
  const changed = [...byFile].map(([{ realPath, text }, own]) => [realPath, applyEdits(text, own)] as const);
  return new Map([...texts, ...changed]);
}

function widerOf(one: ProposedChange["reach"], other: ProposedChange["reach"]): ProposedChange["reach"] {
  return reaches[Math.max(reaches.indexOf(one), reaches.indexOf(other))] ?? "everyone";
}

/** Returns a key for an error: equal for the same status by the same lines. */
function errorOf({ status, log, decidedBy }: DefiniteAnswer): string {
  return JSON.stringify([status, log, decidedBy.map(({ name, argumentText }) => `${name} ${argumentText}`)]);
}

/** Reports whether a region has no requests but those of the client or of the user. */
function isWithin({ symbols, when }: DifferenceRegion, reach: ProposedChange["reach"], request: Request): boolean {
  if (reach === "everyone") return true;
  const address = parseAddress(request.clientIp);
  const user = symbols.atoms.find((atom) => atom.kind === "user" && atom.name === request.user);
  const allowed = [
    ...(address ? [symbols.formulaOf({ kind: "address", subnet: hostSubnetOf(address) })] : []),
    ...(reach === "user" && user ? [symbols.formulaOf(user)] : []),
  ];
  const { diagrams } = symbols;
  const others = diagrams.without(diagrams.and(when, symbols.possible), diagrams.or(...allowed));
  return others !== "too large" && diagrams.isFalse(others);
}
