import { type Comparison, compare } from "./compare/compare.js";
import type { Unproved } from "./compare/doubts.js";
import { type SharedSteps, stepsOfRun, usualBudget } from "./compare/survey-budget.js";
import type { Finding } from "./engine/finding.js";
import { type Fixable, type FixedInPasses, fixInPasses, type Objection, type Texts } from "./engine/fix-passes.js";
import { byPlace, isNew } from "./engine/lint.js";
import type { Linted } from "./linted.js";
import { quoted } from "./project/problems.js";
import type { Project } from "./project/project.js";
import { Once } from "./scope/once.js";
import { requestText } from "./scope/request-text.js";
import { lineAt } from "./text/position.js";

/** Which fixes are wanted. */
export interface FixWishes {
  /** `safe`: those that are proved; `unsafe`: all. */
  readonly safety: "safe" | "unsafe";
  readonly isWanted: (finding: Finding) => boolean;
  readonly mayChange: (path: string) => boolean;
}

/**
 * Applies the fixes of findings, in passes, to configurations that may share files. None brings in a problem or an error, and
 * each has its finding gone. A safe one is proved, too: with it a server answers every request as without. Of a piece of a
 * configuration, or a `.htaccess` file whose server is not known, nothing can be proved: there the rule's word counts.
 */
export function fix(linted: readonly Linted[], wishes: FixWishes): FixedInPasses<Fixed> {
  return fixInPasses(new Fixed(linted, linted, new Map(), wishes, stepsOfRun()));
}

/** Configurations with some fixes applied. */
export class Fixed implements Fixable<Fixed> {
  constructor(
    private readonly before: readonly Linted[],
    readonly linted: readonly Linted[],
    /** The files that differ from those on the disk. */
    readonly texts: Texts,
    private readonly wishes: FixWishes,
    /** For the proofs of all that is tried. */
    private readonly steps: SharedSteps,
  ) {}

  get findings(): readonly Finding[] {
    const all = this.linted.flatMap(({ result }) => result.findings).filter((finding) => this.isWanted(finding));
    return all.sort(byPlace).filter(isNew);
  }

  private isWanted(finding: Finding): boolean {
    const { edits = [], safety } = finding.fix ?? {};
    if (edits.length === 0 || edits.some(({ span }) => "macro" in span.file)) return false;
    return (this.wishes.safety === "unsafe" || safety === "safe") && this.wishes.isWanted(finding);
  }

  with(texts: Texts, applied: readonly Finding[]): Fixed | Objection {
    const [other] = [...texts.keys()].filter((path) => !this.wishes.mayChange(path));
    if (other !== undefined)
      return { why: `it changes \`${other}\`, which was not asked for; name that, too`, concerns: changing(other) };
    const all = new Map([...this.texts, ...texts]);
    const linted: Linted[] = [];
    for (const [index, now] of this.linted.entries()) {
      const isOther = [...now.project.files.values()].some(({ source }) => texts.has(source.realPath));
      const tried = isOther ? this.tried(this.before[index] ?? now, now, all, applied) : now;
      if ("why" in tried) return tried;
      linted.push(tried);
    }
    return new Fixed(this.before, linted, all, this.wishes, this.steps);
  }

  private tried(before: Linted, now: Linted, texts: Texts, applied: readonly Finding[]): Linted | Objection {
    const then = now.again(texts);
    if (then === undefined) return { why: "the configuration cannot be read with it" };
    const isProofWanted = this.wishes.safety === "safe" && then.project.kind === "server";
    const why = newProblem(now, then) ?? newError(now, then) ?? leftOver(now, then, applied);
    if (why !== undefined) return { why };
    const unproved = isProofWanted ? notProved(before.project, then.project, this.steps) : undefined;
    if (unproved) return unproved;
    const hidden = this.wishes.safety === "safe" ? hiddenFinding(now, then, applied) : undefined;
    return hidden === undefined ? then : { why: hidden };
  }
}

function changing(path: string): (finding: Finding) => boolean {
  return ({ fix }) => (fix?.edits ?? []).some(({ span }) => span.file.realPath === path);
}

/** What keeps a file from being read as it is meant, and did not before. */
function newProblem(now: Linted, then: Linted): string | undefined {
  const keyOf = ({ kind, wrong }: Project["problems"][number]) => `${kind} ${wrong}`;
  const known = counts(now.project.problems, keyOf);
  const found = firstBeyond(then.project.problems, keyOf, known);
  return found && `with it ${found.wrong}`;
}

/** Errors are counted by rule: their words may tell of how many lines they speak. */
function newError(now: Linted, then: Linted): string | undefined {
  const errorsOf = ({ unproved }: Linted) => unproved.findings.filter(({ severity }) => severity === "error");
  const ruleOf = ({ rule }: Finding) => rule;
  const found = firstBeyond(errorsOf(then), ruleOf, counts(errorsOf(now), ruleOf));
  return found && `with it \`${found.rule}\` would find an error: ${found.message}`;
}

/** Whether what was to be fixed is found again. */
function leftOver(now: Linted, then: Linted, applied: readonly Finding[]): string | undefined {
  const keyOf = ({ rule, span, cause, message }: Finding) => `${rule} ${span.file.realPath} ${cause?.key ?? message}`;
  const known = counts(now.unproved.findings, keyOf);
  const own = now.unproved.findings.filter((finding) => applied.some((each) => byPlace(each, finding) === 0));
  const ownKeys = new Set(own.map(keyOf));
  for (const finding of own) known.set(keyOf(finding), (known.get(keyOf(finding)) ?? 0) - 1);
  const left = then.unproved.findings.filter((finding) => ownKeys.has(keyOf(finding)));
  return firstBeyond(left, keyOf, known) && "with it the same would still be found";
}

/**
 * An error or warning about access that goes away while no decision changes: its cause is still there. Findings are counted
 * by rule and file, since fixes change lines and messages.
 */
function hiddenFinding(now: Linted, then: Linted, applied: readonly Finding[]): string | undefined {
  const keyOf = ({ rule, span }: Finding) => `${rule} ${span.file.realPath}`;
  const isOwn = (finding: Finding) => applied.some((each) => byPlace(each, finding) === 0);
  const ofAccess = (linted: Linted) =>
    linted.result.findings.filter(({ rule, severity }) => severity !== "info" && linted.accessRules.has(rule));
  const hidden = firstBeyond(
    ofAccess(now).filter((finding) => !isOwn(finding)),
    keyOf,
    counts(ofAccess(then), keyOf),
  );
  return hidden && `with it \`${hidden.rule}\` would no longer be found, though every request is answered as before`;
}

function counts<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, number> {
  const counted = new Map<string, number>();
  for (const each of all) counted.set(keyOf(each), (counted.get(keyOf(each)) ?? 0) + 1);
  return counted;
}

/** The first of which there are more than were counted. */
function firstBeyond<T>(
  all: readonly T[],
  keyOf: (each: T) => string,
  known: ReadonlyMap<string, number>,
): T | undefined {
  const left = new Map(known);
  return all.find((each) => {
    const count = left.get(keyOf(each)) ?? 0;
    left.set(keyOf(each), count - 1);
    return count <= 0;
  });
}

/** Why it is not proved that a server answers every request as before. */
function notProved(before: Project, then: Project, steps: SharedSteps): Objection | undefined {
  const { verdict, differences, unproved: doubts } = compared(before, then, steps);
  if (verdict === "equivalent") return undefined;
  const [difference] = differences;
  if (difference)
    return {
      why: `with it ${requestText(difference.request)} would get ${difference.after.class} in place of ${difference.before.class}`,
    };
  // What more is tried could not be proved either.
  if (steps.isUsedUp)
    return {
      why: `it is not proved that nobody gains or loses access by it: ${doubtText(doubts)}`,
      concerns: () => true,
    };
  const own = withItself.of(before);
  if (own.verdict === "equivalent")
    return { why: `it is not proved that nobody gains or loses access by it: ${doubtText(doubts)}` };
  const files = new Set([...before.files.values()].map(({ source }) => source.realPath));
  return {
    why: `nothing is proved of what this server answers, with it or without: ${doubtText(own.unproved)}`,
    concerns: ({ fix }) => (fix?.edits ?? []).some(({ span }) => files.has(span.file.realPath)),
  };
}

function compared(before: Project, then: Project, steps?: SharedSteps): Comparison {
  return compare({ project: before, reading: "server" }, { project: then, reading: "server" }, usualBudget, steps);
}

/** Where a server is not even proved to answer as it answers itself, no fix is. */
const withItself = new Once((project: Project) => compared(project, project));

function doubtText([first]: readonly Unproved[]): string {
  if (first === undefined) return "it is more than can be gone through";
  const { reason, directive } = first;
  if (directive === undefined) return reason;
  const { file, start } = directive.span;
  return `${quoted(file.path)} line ${lineAt(file, start)}: ${reason}`;
}
