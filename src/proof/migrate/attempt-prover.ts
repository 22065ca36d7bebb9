import type { Project } from "../../config/model/project.js";
import { findNewerDirective } from "../../facts/versions.js";
import type { Semantics } from "../../server/model/answer.js";
import { findRefusals } from "../../startup/validate.js";
import { compare } from "../compare/compare.js";
import type { DefaultOf22 } from "../compare/defaults-of-22.js";
import type { ExplorationBudget, SharedSteps } from "../model/budget.js";
import type { ConfigComparison, Difference, Unproved } from "../model/comparison.js";
import type { ProgressListener } from "../model/progress.js";
import { helpForUserFiles } from "../model/unproved-reasons.js";
import {
  type Acceptance,
  describeUnaccepted,
  describeUnknownId,
  findUnaccepted,
  isFaultId,
  type NamedDifference,
  nameDifferences,
} from "./acceptance.js";
import type { Attempt } from "./attempts.js";
import type {
  MigratedFile,
  MigrateSource,
  Migration,
  MigrationExceptions,
  NotMigrated,
  ProvedMigration,
} from "./migration.js";
import { findRefusedLines } from "./obstacles.js";
import { placeInOriginals } from "./original-lines.js";
import type { AccessGoals } from "./plan/access-goals.js";
import { countAccessLines } from "./plan/access-lines.js";
import { type Inexpressible, uniqueByDirective } from "./plan/inexpressible.js";
import { separateHarmlessDifferences } from "./set-aside.js";

/** An exact rewrite may have this many times the access lines of the configuration; a longer one is not readable. */
const MAX_GROWTH = 1.5;

/** A rewrite and its comparison with the current configuration. */
interface ComparedAttempt {
  readonly attempt: Attempt;
  readonly after: Project;
  readonly assumesStartFixes: boolean;
  readonly comparison: ConfigComparison;
  readonly exceptions: MigrationExceptions;
  readonly differences: readonly NamedDifference[];
}

/** Compares attempts with the current configuration, and keeps the closest one. */
export class AttemptProver {
  private closest: NotMigrated | undefined;
  private proposed: ComparedAttempt | undefined;
  /** The defaults of 2.2 that attempts have to keep, as one has shown. */
  private kept: readonly DefaultOf22[] = [];
  /** The reasons why the last attempt that could not be made was not. */
  private lastRefused: readonly Inexpressible[] = [];

  constructor(
    private readonly source: MigrateSource,
    private readonly semantics: Semantics,
    private readonly goals: AccessGoals,
    private readonly budget: ExplorationBudget,
    private readonly steps: SharedSteps,
    private readonly onProgress?: ProgressListener,
  ) {}

  /** Returns the first attempt that keeps all access. */
  findProved(attempts: Iterable<Attempt>): ProvedMigration | undefined {
    for (const made of attempts) {
      const plain = this.compare(this.kept.length === 0 ? made : made.keeping(this.kept));
      if (plain === undefined) continue;
      const compared = this.keepDefaults(plain);
      const { comparison } = compared;
      if (comparison.verdict === "equivalent") return this.prove(compared, []);
      if (isProposable(compared)) {
        if (isCloser(compared, this.proposed)) this.proposed = compared;
      } else if (this.closest?.comparison === undefined)
        this.closest = { refused: [], comparison: placeInOriginals(comparison, this.source.before) };
    }
    return undefined;
  }

  /** Returns the closest simple attempt if all its differences are accepted. */
  accept(accept: Acceptance): ProvedMigration | undefined {
    if (this.proposed === undefined) return undefined;
    const { differences } = this.proposed;
    const isAccepted = findUnaccepted(differences, accept).length + this.findUnknown(accept).length === 0;
    return isAccepted ? this.prove(this.proposed, differences) : undefined;
  }

  /** @param triedVariables whether attempts with variables failed, too */
  refuse(accept: Acceptance, triedVariables: boolean): Migration {
    if (this.proposed === undefined) {
      const { refused = [], comparison } = this.closest ?? {};
      const advised = comparison && adviseOnUserFiles(comparison, this.source.before);
      return { verdict: "refused", refused, comparison: advised };
    }
    const { attempt, after, differences, exceptions } = this.proposed;
    const files = this.changedFiles(attempt, after);
    const refused = [
      ...this.findUnknown(accept).map(describeUnknownId),
      describeUnaccepted(differences, accept, triedVariables),
      ...(triedVariables ? this.lastRefused : []),
    ];
    const proposal = { files, differences, methods: exceptions.methods };
    return { verdict: "refused", refused, comparison: undefined, proposal };
  }

  /** Returns the accepted IDs that no difference has. */
  private findUnknown({ ids }: Acceptance): readonly string[] {
    return [...ids].filter(
      (id) => !isFaultId(id) && this.proposed?.differences.every((each) => each.id !== id) === true,
    );
  }

  private prove(
    { attempt, after, exceptions, assumesStartFixes }: ComparedAttempt,
    accepted: readonly NamedDifference[],
  ): ProvedMigration {
    const files = this.changedFiles(attempt, after);
    const proved = { files, after, exceptions: { ...exceptions, accepted }, assumesStartFixes };
    return { verdict: "proved", ...proved, ineffective: [] };
  }

  /** Compares an attempt; undefined if it was not made, 2.4 does not read it, or it is not readable. */
  private compare(attempt: Attempt): ComparedAttempt | undefined {
    const { source, semantics, goals, budget, steps } = this;
    if (attempt.refused.length > 0) {
      this.lastRefused = uniqueByDirective(attempt.refused);
      this.closest ??= { refused: this.lastRefused, comparison: undefined };
      return undefined;
    }
    const after = source.after(attempt.texts);
    const unread = findRefusedLines(after);
    if (unread.length > 0) {
      this.closest ??= { refused: unread, comparison: undefined };
      return undefined;
    }
    const isLong = countAccessLines(after) > MAX_GROWTH * countAccessLines(source.before);
    if (attempt.kind === "exact" && isLong) return undefined;
    const before = { project: source.before, semantics, ownVariables: attempt.variables };
    const compareWith = (project: Project) => {
      // With one release, equal access checks are enough: no request differs by release.
      const startsWithChecks = project.release === source.before.release;
      const options = { steps, followsUnknownPhases: true, startsWithChecks, onProgress: this.onProgress };
      const compared = compare(before, { project, semantics: "server" }, budget, options);
      return separateHarmlessDifferences(compared, goals.pages);
    };
    const plain = compareWith(after);
    // Without a line that 2.4 rejects, such as Options, requests may have other results.
    // Without steps for another comparison, the first one has the reasons.
    const isOpen = plain.comparison.verdict !== "equivalent" && !steps.isUsedUp;
    const isCut = isOpen && findRefusals(after).startup.length > 0;
    const started = isCut ? source.withStartFixes?.(attempt.texts) : undefined;
    const { comparison, byRelease, samePage } = started ? compareWith(started) : plain;
    const { methods } = comparison;
    const differences = nameDifferences(comparison.differences, methods);
    const exceptions = { methods, byRelease, samePage, accepted: [], restored: [], faults: [] };
    return { attempt, after, comparison, differences, exceptions, assumesStartFixes: started !== undefined };
  }

  /** Returns an attempt with the defaults of 2.2 that have to be kept, as far as the target has lines for them. */
  private keepDefaults(compared: ComparedAttempt): ComparedAttempt {
    const { attempt, after, comparison } = compared;
    if (comparison.verdict === "equivalent") return compared;
    const { differences, unproved } = comparison;
    const lost = attempt.lost.filter(({ directive }) => findNewerDirective(directive, after.release) === undefined);
    const single = lost.filter(({ mayRemove }) => differences.some(mayRemove)).map((each) => [each]);
    // What is not analyzed counts as alike only if the defaults that may matter there are kept.
    const needed = lost.filter(({ isUsedAfter }) => isUsedAfter === undefined);
    const together = unproved.length > 0 ? [needed, lost].filter((each) => each.length > 0) : [];
    const tried = [...single, ...together];
    for (const more of tried) {
      if (this.steps.isUsedUp) break;
      const other = this.compare(attempt.keeping(more));
      if (other === undefined || !isImproved(other.comparison, comparison)) continue;
      this.kept = [...this.kept, ...more];
      return this.keepDefaults(other);
    }
    return compared;
  }

  /** Returns the files whose content differs, including those that differ only because they were read again. */
  private changedFiles({ texts }: Attempt, after: Project): readonly MigratedFile[] {
    const originals = textsByPath(this.source.before);
    const made = [...textsByPath(after)].filter(([path, text]) => originals.has(path) && originals.get(path) !== text);
    return [...new Map([...texts, ...made])]
      .map(([path, text]) => ({ path, before: originals.get(path) ?? "", after: text }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** Reports whether a comparison has fewer differences than another, or proves what that leaves open. */
function isImproved({ differences, unproved }: ConfigComparison, than: ConfigComparison): boolean {
  return differences.length < than.differences.length || (than.unproved.length > 0 && unproved.length === 0);
}

/** Reports whether a user may accept the differences of an attempt: all are known, and no request fails. */
function isProposable({ attempt, comparison: { differences, unproved } }: ComparedAttempt): boolean {
  return attempt.kind === "simple" && unproved.length === 0 && !differences.some(breaksRequests);
}

/**
 * Adds advice to what is not proved of the directories of users: with equal checks of access, only their `.htaccess` files may
 * decide, unless the user says that none does.
 */
function adviseOnUserFiles(comparison: ConfigComparison, { assumptions }: Project): ConfigComparison {
  if (assumptions.some(({ code }) => code === "no-userdir-htaccess")) return comparison;
  const advised = (part: Unproved): Unproved =>
    part.directive?.key === "userdir" && part.help === undefined ? { ...part, help: helpForUserFiles } : part;
  return { ...comparison, unproved: comparison.unproved.map(advised) };
}

/** Reports whether requests fail that were answered before, which is never acceptable. */
function breaksRequests({ after }: Difference): boolean {
  return after.access === "error";
}

/** Reports whether an attempt is preferred to another: fewer gains of access, then fewer differences. */
function isCloser({ differences }: ComparedAttempt, than: ComparedAttempt | undefined): boolean {
  if (than === undefined) return true;
  const [gains, otherGains] = [differences, than.differences].map(
    (each) => each.filter(({ isStricter }) => !isStricter).length,
  );
  return gains === otherGains ? differences.length < than.differences.length : (gains ?? 0) < (otherGains ?? 0);
}

/** Returns the contents of all files of a configuration, by real path. */
export function textsByPath({ files, htaccess }: Project): ReadonlyMap<string, string> {
  const trees = [...htaccess.map(({ tree }) => tree), ...files.values()];
  return new Map(trees.map(({ source }) => [source.realPath, source.text]));
}
