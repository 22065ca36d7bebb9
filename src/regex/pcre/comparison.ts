import { getOrCreate } from "../../text/collections.js";
import { memoizeByText } from "../../text/memoize.js";
import { type Automaton, isEmptyLanguage } from "../automata/automaton.js";
import { AutomatonAlgebra, type AutomatonResult } from "../automata/operations.js";
import { findShortestText } from "../automata/shortest-texts.js";
import type { PcreProgram } from "./instruction.js";
import { parsePattern } from "./language.js";
import { searchPcre } from "./matcher.js";
import { compilePcre } from "./program.js";

/** The most states of an automaton. */
const MAX_STATES = 2000;

export type PatternComparison = "all" | "none" | "unknown";

const MAX_KNOWN = 1000;
const known = new Map<string, PatternComparison>();

/**
 * Reports how many of the texts that one pattern matches as a whole are matched by another; "unknown" also for "some of
 * them", and if a pattern is not regular or too complex.
 *
 * @param ignoreCase of the other pattern
 */
export function comparePatterns(texts: string, pattern: string, ignoreCase: boolean): PatternComparison {
  if (known.size >= MAX_KNOWN) known.clear();
  return getOrCreate(known, `${ignoreCase} ${texts}\n${pattern}`, () => computeComparison(texts, pattern, ignoreCase));
}

function computeComparison(texts: string, pattern: string, ignoreCase: boolean): PatternComparison {
  if (matchesOnlySome(texts, pattern, ignoreCase)) return "unknown";
  const all = textsMatching(`^(?:${texts})$`, false);
  const passing = textsMatching(pattern, ignoreCase);
  if (all === undefined || passing === undefined) return "unknown";
  const algebra = new AutomatonAlgebra(MAX_STATES);
  const matching = algebra.and(all, passing);
  if (matching === "too large") return "unknown";
  if (isEmptyLanguage(matching)) return "none";
  return algebra.isWithin(all, matching) === true ? "all" : "unknown";
}

/** A test of a text: whether a pattern is found in it. */
export interface PatternTest {
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  readonly isNegated?: boolean;
}

/** Reports whether it is proved that no text passes all tests. Tests that are not regular are left out. */
export function areContradictory(tests: readonly PatternTest[]): boolean {
  const passing = textsPassing(tests);
  return passing !== undefined && isEmptyLanguage(passing);
}

/** Returns a short text that passes all tests that are regular; undefined if none is found. */
export function findPassingText(tests: readonly PatternTest[]): string | undefined {
  const passing = textsPassing(tests);
  return passing && findShortestText(passing);
}

const knownTexts = new Map<string, { readonly passing: Automaton | undefined }>();

/** Returns the texts that pass all tests that are regular; undefined if there are no such tests, or too many states. */
export function textsPassing(tests: readonly PatternTest[]): Automaton | undefined {
  if (knownTexts.size >= MAX_KNOWN) knownTexts.clear();
  return getOrCreate(knownTexts, JSON.stringify(tests), () => ({ passing: computeTextsPassing(tests) })).passing;
}

/** The most entries of automata that are kept: they are small for most patterns. */
const MAX_ENTRIES = 1_000_000;
const automata = new Map<string, AutomatonResult | undefined>();
let entries = 0;

/**
 * Returns the texts that a pattern matches; undefined if it is not regular. Rules compare each pattern with many others, so
 * its automaton is kept.
 */
function textsMatching(pattern: string, ignoreCase: boolean): AutomatonResult | undefined {
  const key = `${ignoreCase} ${pattern}`;
  if (automata.has(key)) return automata.get(key);
  const parsed = parsePattern(pattern, { ignoreCase });
  const found = parsed.kind === "regular" ? new AutomatonAlgebra(MAX_STATES).of(parsed.texts) : undefined;
  const size = found === undefined || found === "too large" ? 1 : found.next.length;
  if (automata.size >= MAX_KNOWN || entries + size > MAX_ENTRIES) {
    automata.clear();
    entries = 0;
  }
  automata.set(key, found);
  entries += size;
  return found;
}

function computeTextsPassing(tests: readonly PatternTest[]): Automaton | undefined {
  const algebra = new AutomatonAlgebra(MAX_STATES);
  const [first, ...others] = tests.flatMap(({ pattern, ignoreCase = false, isNegated = false }) => {
    const passing = textsMatching(pattern, ignoreCase);
    if (passing === undefined) return [];
    return [isNegated ? algebra.not(passing) : passing];
  });
  const all = first && algebra.and(first, ...others);
  return all === "too large" ? undefined : all;
}

/** A plain text, with an optional group before it and anything after it. */
const plainPattern = /^\^?(?:\((?:\?:)?(?:[\w-]|\\\.)+\)\?)?((?:[\w/ :=-]|\\\.)+)(\(?\.[*+]\)?)?\$?$/;

/** Texts to try: the values of common variables, and paths. */
const examples = [
  "",
  "/",
  "x",
  "/x",
  "0",
  "1",
  "on",
  "off",
  "http",
  "https",
  "true",
  "GET",
  "POST",
  "GET /",
  "HTTP/1.1",
];

const MAX_STEPS = 10_000;

/**
 * Returns whether examples show that a pattern matches some of the texts, but not all. Most patterns are plain, and a
 * server may have thousands: an automaton for each would dominate the run time.
 */
function matchesOnlySome(texts: string, pattern: string, ignoreCase: boolean): boolean {
  const [, written, tail] = plainPattern.exec(pattern) ?? [];
  if (written === undefined) return false;
  const program = compileTexts(texts);
  if (program === undefined) return false;
  const isText = (text: string) => searchPcre(program, text, MAX_STEPS).groups !== undefined;
  const plain = written.replaceAll("\\", "");
  const sample = tail === undefined ? plain : `${plain}x`;
  if (!isText(sample) && (pattern.startsWith("^") || !isText(`/${sample}`))) return false;
  const [folded, fold] = ignoreCase
    ? [plain.toLowerCase(), (text: string) => text.toLowerCase()]
    : [plain, (text: string) => text];
  return examples.some((text) => !fold(text).includes(folded) && isText(text));
}

/** The texts of rules are a few constants; others are not kept for long. */
const compileTexts = memoizeByText((texts): PcreProgram | undefined => {
  const compiled = compilePcre(`^(?:${texts})$`);
  return compiled.kind === "program" ? compiled.program : undefined;
}, MAX_KNOWN);

/** Returns a pattern that matches only a text. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
