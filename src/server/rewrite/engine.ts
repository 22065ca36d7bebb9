import { nativePath, pathKey } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import { encodePathOfUrl } from "../../text/escaping.js";
import { memoize } from "../../text/memoize.js";
import type { MatchGroups } from "../model/patterns.js";
import { unknownFact, wordsOfFact } from "../model/unknown-facts.js";
import { isUnknown, type UnknownValue } from "../model/unknown-value.js";
import { type FailedConditions, matchText, type TestedCondition, testRewriteConditions } from "./conditions.js";
import { describeConditions } from "./describe-conditions.js";
import { describeRuleFlags, linesNamedIn, possibleEffectOf, quoteRewriteLine } from "./describe-rewrite-rule.js";
import { expandSubstitution, expandText } from "./expansion.js";
import { findEndlessGrowth } from "./growing-rounds.js";
import type { BackReferences, RewriteContext } from "./rewrite-context.js";
import type { RewriteCondition, RewriteRule } from "./rule-parser.js";
import { setRuleVariables } from "./rule-variables.js";
import { applySubstitution, needsOwnName } from "./substitution.js";

/** The result of a rule, for the trace of a rewritten request. */
export interface RewriteStep {
  readonly rule: RewriteRule;
  /** As a clause. */
  readonly effect: string;
  /** The directives that it depends on: its conditions, maps, and the rules that it is chained with. */
  readonly related: readonly Directive[];
  /** Whether the server may behave differently in an unknown way. */
  readonly isNote: boolean;
  /** Why the rule applies, as sentences without an end. */
  readonly details: readonly string[];
  /** What its pattern and its conditions were tested with; none for a symbolic request. */
  readonly match?: RuleMatch | undefined;
}

/** A rule whose pattern fits, and what was tested. */
export interface RuleMatch {
  /** The text that the pattern was matched with. */
  readonly subject: string;
  /** The part that the pattern matched, with its groups; none for a negated pattern. */
  readonly groups: MatchGroups;
  /** The conditions that hold. */
  readonly conditions: readonly TestedValue[];
  /** The condition that fails. */
  readonly failed: TestedValue | undefined;
}

/** A condition, and the text that it tested; conditions with an unknown text are left out. */
export interface TestedValue {
  readonly by: RewriteCondition;
  readonly value: string;
}

/** A rule whose pattern does not fit, for the explanation of a request. */
export interface RewriteMiss {
  readonly rule: RewriteRule;
  /** The text that the pattern was matched with. */
  readonly subject: string;
  /** For rules of a section: the directory that the server removes from the path. */
  readonly directory: string | undefined;
}

/** A message in the server's error log: `AH02596: RewriteRule …`. */
export type RewriteLogMessage = string;

/** Rules that restart again and again, until the server stops. */
export interface RewriteLoop {
  /** The texts that the rules start with in the first rounds. */
  readonly urls: readonly string[];
  readonly rounds: number;
  /** The rules with the flag N that applied. */
  readonly lines: readonly Directive[];
  /** Whether it stops since the URL is too long. */
  readonly isTooLong: boolean;
}

/** The result of a list of rules. The resulting target is in the context. */
export interface RuleListResult {
  readonly result:
    | { readonly kind: "unchanged" | "changed" }
    | {
        readonly kind: "status";
        readonly status: number;
        readonly log: readonly RewriteLogMessage[];
        readonly loop?: RewriteLoop | undefined;
      }
    /** More than the target is unknown: the result is discarded. */
    | { readonly kind: "unfollowed" };
  readonly escapes: boolean;
  readonly passesThrough: boolean;
  /** The rule whose substitution counts, or that responds. */
  readonly by: RewriteRule | undefined;
  readonly ends: boolean;
  /** In the order of the first run of each rule. */
  readonly steps: readonly RewriteStep[];
  /** The rules with other patterns that were tried; none for a symbolic request. */
  readonly misses: readonly RewriteMiss[];
}

/** Applies rules to a context (mod_rewrite.c `apply_rewrite_list`). */
export function applyRewriteRules(rules: readonly RewriteRule[], context: RewriteContext): RuleListResult {
  return new RuleListRun(rules, context).run();
}

/** Limit for rules that keep extending a URL: twice httpd's default LimitRequestLine. */
const MAX_URL_LENGTH = 16_380;

/** The URLs of a loop that a reader needs. */
const MAX_SHOWN_URLS = 4;

/** The round after which it is checked whether the URL grows for ever. */
const GROWING_ROUND = 4;

/** Limit of the total text matched for one request: `[N]` may not terminate. */
const MAX_MATCHED_TEXT = 1_000_000;

/** Limit of the characters that patterns and expansions scan for one request. */
export const MAX_CHARACTERS_PER_REQUEST = 4_000_000;

/** The message for a URL that a rule may not use (mod_rewrite.c `apply_rewrite_rule`). */
export const UNSAFE_URL = "AH10508: Unsafe URL with %3f URL rewritten without UnsafeAllow3F";

/** Reports whether a rule may depend on the query. */
const readsQuery = memoize((rules: readonly RewriteRule[]): boolean =>
  rules.some(({ directive, conditions }) =>
    [directive, ...conditions.map((condition) => condition.directive)].some(({ argumentText }) =>
      /QUERY_STRING|%\{LA-[UF]:|^"?expr\b/i.test(argumentText),
    ),
  ),
);

type RuleEffect =
  | { readonly kind: "passed" }
  | { readonly kind: "applied"; readonly isSubstituted: boolean }
  | { readonly kind: "unfollowed" }
  | { readonly kind: "unsafe" };

class RuleListRun {
  /** The latest result of each rule, since the rules may restart. */
  private readonly steps = new Map<RewriteRule, RewriteStep>();
  private readonly misses = new Map<RewriteRule, RewriteMiss>();
  private readonly applied = new Set<RewriteRule>();
  private isChanged = false;
  private escapes = true;
  private passesThrough = false;
  private ends = false;
  private by: RewriteRule | undefined;
  private round = 1;
  private text = 0;
  /** What rules may change, at the start of an earlier round. */
  private earlier: { readonly state: string; readonly round: number } | undefined;
  /** The characters of the states that were compared. */
  private compared = 0;
  private readonly readBefore: number;
  /** The texts at the start of the first rounds, and that with which the latest pattern was matched. */
  private readonly urls: string[] = [];
  private matched = "";

  constructor(
    private readonly rules: readonly RewriteRule[],
    private readonly context: RewriteContext,
  ) {
    this.readBefore = context.oracle.charactersRead;
    this.urls.push(this.subject());
  }

  run(): RuleListResult {
    for (let i = 0; i < this.rules.length; i++) {
      const rule = this.rules[i];
      if (rule === undefined || this.isIgnored(rule)) continue;
      const effect = this.apply(rule);
      if (effect.kind === "unfollowed") return this.finish({ kind: "unfollowed" });
      if (effect.kind === "passed") {
        i += this.skipChain(i);
        continue;
      }
      const next = this.continueAfter(rule, effect);
      if (next === "stop") break;
      if (typeof next === "object") return this.finish(next);
      if (next === "restart") i = -1;
      else i += next;
    }
    return this.finish({ kind: this.isChanged ? "changed" : "unchanged" });
  }

  /** Skips the rules chained with one that does not apply. */
  private skipChain(from: number): number {
    let end = from;
    while (end < this.rules.length && this.rules[end]?.flags.names.has("chain")) end++;
    const rule = this.rules[from];
    if (rule && end > from) {
      const chained = this.rules.slice(from + 1, end + 1).map(({ directive }) => directive);
      const effect = this.steps.get(rule)?.effect ?? "does not apply";
      this.recordStep(rule, `${effect}; its chained rules do not apply either`, this.steps.get(rule)?.isNote, chained);
    }
    return end - from;
  }

  private finish(result: RuleListResult["result"]): RuleListResult {
    const { escapes, passesThrough, by, ends, steps, misses } = this;
    return { result, escapes, passesThrough, by, ends, steps: [...steps.values()], misses: [...misses.values()] };
  }

  private isIgnored({ flags: { names } }: RewriteRule): boolean {
    return this.context.request.outer !== undefined && (names.has("nosubreq") || names.has("redirect"));
  }

  /**
   * Returns the continuation after a rule that applied: the number of rules to skip, a stop, a restart, or a final
   * result.
   */
  private continueAfter(rule: RewriteRule, effect: RuleEffect): number | "stop" | "restart" | RuleListResult["result"] {
    const { flags } = rule;
    const { names } = flags;
    if (effect.kind === "unsafe") return this.answerWith(rule, 403, [UNSAFE_URL]);
    if (this.context.filename.length > MAX_URL_LENGTH) return this.stopByLength(rule);
    if (flags.answers) return this.answerWith(rule, flags.status, []);
    if (effect.kind === "applied" && effect.isSubstituted) {
      this.isChanged = true;
      this.escapes = !names.has("noescape");
      this.by = rule;
    }
    if (names.has("passthrough")) {
      this.passesThrough = true;
      this.isChanged = true;
      this.by ??= rule;
      return "stop";
    }
    if (names.has("end") && isSince(this.context.project.release, "2.4")) {
      this.ends = true;
      return "stop";
    }
    if (names.has("proxy") || names.has("last")) return "stop";
    if (!names.has("next")) return Math.max(0, flags.skips);
    this.round++;
    const after = this.subject();
    if (this.urls.length < MAX_SHOWN_URLS) this.urls.push(after);
    this.skipRepeatedRounds(flags.rounds);
    if (this.skipGrowingRounds(rule, after) === "too long") return this.stopByLength(rule);
    if (this.round < flags.rounds) return "restart";
    const errorMessage = this.logMessage(rule, `number of rounds (${flags.rounds}) via the [N] flag`);
    return this.answerWith(rule, 500, [`AH02596: ${errorMessage}`], this.loopOf(flags.rounds, false));
  }

  private stopByLength(rule: RewriteRule): RuleListResult["result"] {
    const loop = this.round > 1 ? this.loopOf(this.round, true) : undefined;
    return this.answerWith(rule, 500, [this.logMessage(rule, `length (${MAX_URL_LENGTH})`)], loop);
  }

  private loopOf(rounds: number, isTooLong: boolean): RewriteLoop {
    const restarting = [...this.applied].filter(({ flags }) => flags.names.has("next"));
    return { urls: this.urls, rounds, isTooLong, lines: restarting.map(({ directive }) => directive) };
  }

  /** Counts the rounds of a rule that certainly makes the URL longer in each, until one of the limits. */
  private skipGrowingRounds(rule: RewriteRule, after: string): "too long" | undefined {
    // The first round may come from a URL of another form.
    if (this.round !== GROWING_ROUND || this.context.request.tracker) return undefined;
    const growth = findEndlessGrowth(this.rules, { rule, before: this.matched, after }, this.context);
    if (growth === undefined) return undefined;
    const more = Math.floor((MAX_URL_LENGTH - this.context.filename.length) / growth.bytes) + 1;
    const isTooLong = this.round + more - 1 < rule.flags.rounds;
    this.round = isTooLong ? this.round + more : rule.flags.rounds;
    return isTooLong ? "too long" : undefined;
  }

  /** Counts rounds that start as an earlier one did: those in between then repeat until the limit. */
  private skipRepeatedRounds(limit: number): void {
    const { filename, pathInfo, handler, type, status, env } = this.context;
    // With QSA, the query grows in each round.
    const query = readsQuery(this.rules) ? this.context.query : undefined;
    const state = JSON.stringify([filename, pathInfo, query, handler, type, status, [...env]]);
    this.compared += state.length;
    const { round, earlier } = this;
    if (earlier?.state === state) {
      const length = round - earlier.round;
      this.round += Math.max(0, Math.floor((limit - round) / length)) * length;
    }
    // One state is enough, if it is replaced less and less often (Brent's algorithm).
    if (earlier === undefined || round >= 2 * earlier.round) this.earlier = { state, round };
  }

  private logMessage({ pattern }: RewriteRule, what: string): RewriteLogMessage {
    return `RewriteRule '${pattern}' and URI '${this.context.path}' exceeded maximum ${what}`;
  }

  private answerWith(
    rule: RewriteRule,
    status: number,
    log: readonly RewriteLogMessage[],
    loop?: RewriteLoop,
  ): RuleListResult["result"] {
    this.by = rule;
    return { kind: "status", status, log, loop };
  }

  private apply(rule: RewriteRule): RuleEffect {
    const { context } = this;
    const uri = this.subject();
    this.matched = uri;
    this.text += uri.length;
    const read = context.oracle.charactersRead - this.readBefore;
    if (this.text > MAX_MATCHED_TEXT || Math.max(read, this.compared) > MAX_CHARACTERS_PER_REQUEST)
      return this.abandon(rule, { unknown: unknownFact("rule-rounds") });
    const match = matchText(rule.pattern, uri, rule.flags.names.has("nocase"), context.oracle);
    if (isUnknown(match)) return this.applyIfUnknown(rule, match, undefined);
    if (match.holds === rule.isNegated) {
      const { directory } = context;
      if (!context.request.tracker && !this.misses.has(rule)) this.misses.set(rule, { rule, subject: uri, directory });
      return { kind: "passed" };
    }
    const groups: MatchGroups = match.holds ? match.groups : [];
    const verdict = testRewriteConditions(rule, groups, context);
    if (verdict.kind === "fail") {
      this.recordStep(
        rule,
        `does not apply: ${quoteRewriteLine(verdict.by.directive)} is false${this.valueIn(verdict)}`,
      );
      this.addMatch(rule, { subject: uri, groups, conditions: [], failed: this.valuesOf([verdict])[0] });
      return { kind: "passed" };
    }
    if (verdict.kind === "unknown") return this.applyIfUnknown(rule, verdict.why, groups);
    // Described before the rule changes what they test.
    const details = this.describeWhy(rule, verdict.met);
    const tested = { subject: uri, groups, conditions: this.valuesOf(verdict.met), failed: undefined };
    const followed = this.follow(rule, { rule: groups, condition: verdict.condition });
    this.addDetails(rule, details);
    this.addMatch(rule, tested);
    return followed;
  }

  private addMatch(rule: RewriteRule, match: RuleMatch): void {
    const step = this.steps.get(rule);
    if (step && !this.context.request.tracker) this.steps.set(rule, { ...step, match });
  }

  /** Returns the texts that conditions test, before the rule changes them; none for a symbolic request. */
  private valuesOf(tested: readonly TestedCondition[]): readonly TestedValue[] {
    if (this.context.request.tracker) return [];
    return tested.flatMap(({ by, references }) => {
      const value = expandText(by.input, references, this.context);
      return isUnknown(value) ? [] : [{ by, value }];
    });
  }

  /** Describes why a rule applies: its conditions, or that it has none although the one before it has. */
  private describeWhy(rule: RewriteRule, met: readonly TestedCondition[]): readonly string[] {
    if (this.context.request.tracker) return [];
    if (rule.conditions.length > 0) return describeConditions(rule, met, this.context);
    const before = this.rules[this.rules.indexOf(rule) - 1];
    const isSecond = before !== undefined && before.conditions.length > 0 && !this.isApplied(before);
    return isSecond ? ["it has no condition: the `RewriteCond` lines above are those of another rule"] : [];
  }

  private isApplied(rule: RewriteRule): boolean {
    return this.applied.has(rule);
  }

  private addDetails(rule: RewriteRule, details: readonly string[]): void {
    if (!this.context.request.tracker) this.applied.add(rule);
    const step = this.steps.get(rule);
    if (step && details.length > 0) this.steps.set(rule, { ...step, details });
  }

  /** Returns the value that a false condition tested, as a part of a clause; empty if it is written in the condition. */
  private valueIn({ by: { input }, references }: FailedConditions): string {
    const { context } = this;
    if (context.request.tracker || !/[%$]/.test(input)) return "";
    const value = expandText(input, references, context);
    return isUnknown(value) ? "" : `, since \`${input}\` is \`${value}\``;
  }

  /**
   * Considers both cases for a rule that may or may not apply. Proofs treat it as not applied, and report it.
   *
   * @param groups undefined if unknown
   */
  private applyIfUnknown(rule: RewriteRule, why: UnknownValue, groups: MatchGroups | undefined): RuleEffect {
    const { request, oracle } = this.context;
    const effect = possibleEffectOf(rule);
    if (request.tracker || effect === undefined) return this.skipUnknown(rule, why);
    this.recordStep(rule, `may apply and ${effect}, because ${wordsOfFact(why.unknown)} is unknown`, true);
    const line = quoteRewriteLine(rule.directive);
    if (!oracle.ask(unknownFact("rule-applies", line, why.unknown))) return { kind: "passed" };
    const isGroupRead = (text: string) => /\$(?:\d|\{)/.test(text);
    const { output = "", flags } = rule;
    if (groups === undefined && [output, ...flags.variables, flags.handler ?? "", flags.type ?? ""].some(isGroupRead))
      return this.abandon(rule, why);
    return this.follow(rule, { rule: groups ?? [], condition: why });
  }

  /** Applies a rule that matches. */
  private follow(rule: RewriteRule, references: BackReferences): RuleEffect {
    const { context } = this;
    const { output } = rule;
    const target = output === undefined ? undefined : expandSubstitution(output, references, context, rule.flags);
    if (isUnknown(target) && !(rule.flags.names.has("redirect") && this.isLast(rule)))
      return this.abandon(rule, target);
    if (target && !isUnknown(target) && needsOwnName(rule, target.text, context))
      return this.abandon(rule, { unknown: unknownFact("value-of-variable", "SERVER_NAME") });
    if (target && !isUnknown(target) && target.isUnsafe) {
      this.recordStep(rule, "returns 403: the `?` in its target comes from the request");
      return { kind: "unsafe" };
    }
    this.setVariables(rule, references);
    this.setHandlerAndType(rule, references);
    if (target === undefined) {
      this.recordStep(rule, describeRuleFlags(rule));
      return { kind: "applied", isSubstituted: false };
    }
    applySubstitution(rule, isUnknown(target) ? "/" : target.text, context);
    const { filename } = this.context;
    const url = rule.flags.names.has("noescape") ? filename : encodePathOfUrl(filename);
    this.recordStep(rule, `rewrites to \`${isUnknown(target) ? rule.output : url}\``);
    return { kind: "applied", isSubstituted: true };
  }

  /** Reports whether no other rule reads its result. */
  private isLast(rule: RewriteRule): boolean {
    const { names } = rule.flags;
    return names.has("last") || names.has("end") || rule === this.rules.at(-1);
  }

  /** Returns the text that patterns are matched against: for rules of a section, the path below it. */
  private subject(): string {
    const { filename, pathInfo, directory, isProxied } = this.context;
    if (directory === undefined) return filename;
    const whole = filename + pathInfo;
    return !isProxied && pathKey(whole).startsWith(pathKey(directory))
      ? whole.slice(directory.length)
      : nativePath(whole);
  }

  private recordStep(rule: RewriteRule, effect: string, isNote = false, chained: readonly Directive[] = []): void {
    if (!isNote && this.steps.get(rule)?.isNote === true) return;
    const conditions = rule.conditions.map(({ directive }) => directive);
    const related = [...conditions, ...linesNamedIn([rule.directive, ...conditions], this.context), ...chained];
    this.steps.set(rule, { rule, effect, related, isNote, details: [] });
  }

  /** Treats a rule that may or may not apply as not applied. */
  private skipUnknown(rule: RewriteRule, { unknown }: UnknownValue): RuleEffect {
    const effect = possibleEffectOf(rule);
    if (effect === undefined) return { kind: "passed" };
    const text = `this rule is assumed not to apply because ${wordsOfFact(unknown)} is unknown; it may ${effect}`;
    this.recordStep(rule, text, true);
    return { kind: "passed" };
  }

  private abandon(rule: RewriteRule, { unknown }: UnknownValue): RuleEffect {
    const effect = possibleEffectOf(rule) ?? "rewrite the URL";
    const text = `this rule is not applied because ${wordsOfFact(unknown)} is unknown; it may ${effect}`;
    this.recordStep(rule, text, true);
    const { request, oracle } = this.context;
    if (!request.tracker) oracle.markUndecidable(unknownFact("rule-result", quoteRewriteLine(rule.directive), unknown));
    return { kind: "unfollowed" };
  }

  private setVariables(rule: RewriteRule, references: BackReferences): void {
    const { context } = this;
    for (const { variable, unknown } of setRuleVariables(rule, references, context)) {
      this.recordStep(rule, `sets \`${variable}\` to an unknown value: ${wordsOfFact(unknown)}`, true);
      if (!context.request.tracker)
        context.oracle.markUndecidable(unknownFact("rule-variable", quoteRewriteLine(rule.directive), unknown));
    }
  }

  private setHandlerAndType(rule: RewriteRule, references: BackReferences): void {
    for (const kind of ["handler", "type"] as const) {
      const written = rule.flags[kind];
      if (written === undefined) continue;
      const text = expandText(written, references, this.context);
      if (isUnknown(text)) this.abandon(rule, text);
      else if (text !== "") this.context[kind] = text.toLowerCase();
    }
  }
}
