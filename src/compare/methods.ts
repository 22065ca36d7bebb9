import { Automata } from "../logic/automata.js";
import { classifierOf, sideBySide, stateBehind } from "../logic/classifier.js";
import type { Regular } from "../logic/regular.js";
import { shortestTexts } from "../logic/texts.js";
import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { methodTestsOf } from "./method-tests.js";

/** The usual ones; any that is named nowhere stands for all others. */
const usual = ["GET", "POST", "PUT", "DELETE", "PATCH"];

const limiting: ReadonlySet<string> = new Set(["<limit", "<limitexcept", "allowmethods"]);

/** Automata of what is asked of a method stay small. */
const MOST_STATES = 2_000;
const automata = new Automata(MOST_STATES);

/** What a method may be made of (RFC 9110), the most usual first. */
const tokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-0123456789!#$%&'*+.^_`|~";

/** Methods to ask with, and what they leave out. */
export interface Methods {
  /**
   * Those that stand for all there are: each that some configuration names, one for each of what its patterns tell apart, and
   * as the last one a method that nothing is said of.
   */
  readonly all: readonly string[];
  /** Lines by which there may be more to tell apart. */
  readonly unread: readonly Directive[];
}

export function methodsOf(projects: readonly Project[]): Methods {
  const named = new Set<string>();
  const asked: Regular[] = [];
  const unread: Directive[] = [];
  for (const project of projects)
    for (const directive of allDirectives(project)) {
      for (const method of methodsIn(directive)) named.add(method);
      const { texts, isRead } = methodTestsOf(directive);
      asked.push(...texts);
      if (!isRead) unread.push(directive);
    }
  for (const method of ["GET", "HEAD"]) named.delete(method);
  const other = usual.find((method) => method !== "GET" && !named.has(method)) ?? "OTHER";
  const known = ["GET", "HEAD", ...[...named].sort()];
  return { all: [...known, ...toldApart(asked, [...known, other]), other], unread };
}

/** Methods in words. @param methods all that were asked with: the last of them stands for others */
export function methodWords(asked: readonly string[], methods: readonly string[]): readonly string[] {
  const told = asked.filter((method) => method !== "HEAD" || !asked.includes("GET"));
  return told.map((method) => (method === methods.at(-1) ? "any other method" : method));
}

function methodsIn({ key, argumentText, arguments: words }: Directive): readonly string[] {
  if (key === "traceenable") return ["TRACE"];
  if (limiting.has(key)) return words.map(({ value }) => value).filter((word) => word.toLowerCase() !== "reset");
  if (key === "require" && /^(?:not\s+)?method\s/i.test(argumentText)) return argumentText.match(/[A-Z]+/g) ?? [];
  // A condition on the method: its words in capitals.
  return /request_method|the_request/i.test(argumentText) ? (argumentText.match(/\b[A-Z]{3,}\b(?!_)/g) ?? []) : [];
}

/** A method for each combination of what holds of methods, where it is not that of one that is known. */
function toldApart(asked: readonly Regular[], methods: readonly string[]): readonly string[] {
  const told = asked.flatMap((texts) => {
    const automaton = automata.of(texts);
    return automaton === "too large" ? [] : [classifierOf(automaton)];
  });
  if (told.length === 0) return [];
  const classifier = sideBySide(told);
  const outputOf = (method: string) => classifier.output(stateBehind(classifier, method), 0);
  const known = new Set(methods.map(outputOf));
  return shortestTexts(classifier, tokens, MOST_STATES).filter((method) => !known.has(outputOf(method)));
}
