import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import {
  areContradictory,
  type Condition,
  conditionOf,
  constantOf,
  type Directive,
  escapePattern,
  hasWildcard,
  type PatternTest,
  valuesOfVariable,
  type Word,
} from "../../src/lint/api/configuration.js";
import { getOrCreate } from "../../src/lint/api/rule.js";

/** A test of the value of a variable. */
interface VariableTest {
  /** In upper case. */
  readonly variable: string;
  readonly test: PatternTest;
}

/** Why no request fulfils a condition, or with `holds` each one. */
export type Contradiction =
  /** The values of a variable, with a fact about them. @property isUsual whether clients can send other values */
  | {
      readonly kind: "values";
      readonly variable: string;
      readonly note: string;
      readonly isUsual: boolean;
      readonly holds: boolean;
    }
  /** The parts of the condition: they exclude each other, or one of them holds for each request. */
  | { readonly kind: "itself"; readonly holds: boolean }
  /** @property section a section around it, which matches other requests */
  | { readonly kind: "outer"; readonly section: Directive }
  /** @property section an earlier section of the chain, which matches all of its requests */
  | { readonly kind: "earlier"; readonly section: Directive };

/** A condition that is known to hold, or not to hold. */
interface Known {
  readonly condition: Condition;
  readonly isNegated: boolean;
}

/** Whether the connections of a virtual host have TLS, if that is certain. */
type TlsOfHost = (host: Directive) => boolean | undefined;

/** Finds out why an `<If>` or `<ElseIf>`, or a section for some methods, never applies. */
export class ContradictionFinder {
  /** Forms of sections without a contradiction. */
  private readonly consistentForms = new Set<string>();

  constructor(private readonly hasTls: TlsOfHost) {}

  /** @param siblings the sections before it in its chain */
  find(section: Directive, siblings: readonly Directive[]): Contradiction | undefined {
    const form = this.formOf(section, siblings);
    if (this.consistentForms.has(form)) return undefined;
    const contradiction = findContradiction(section, siblings, this.hasTls);
    if (contradiction === undefined) this.consistentForms.add(form);
    return contradiction;
  }

  /** Normalizes a section with those before and around it: virtual hosts often differ only in digits. */
  private formOf(section: Directive, siblings: readonly Directive[]): string {
    let text = "";
    for (const each of [section, ...siblings]) text += `${each.key}${each.argumentText}\n`;
    const isAboutTls = /HTTPS/i.test(text);
    for (let around = section.parent; around; around = around.parent)
      if (around.key !== "<virtualhost") text += `${around.key}${around.argumentText}\n`;
      else if (isAboutTls) text += `TLS ${this.hasTls(around)}\n`;
    return meaningfulDigit.test(text) ? text : renameDigits(text);
  }
}

/** A digit that may be more than a character in a pattern: in a class, a repetition, a reference, or after a backslash. */
const meaningfulDigit = /(?:[[{\\]|\(\?)[^\]}\n]*\d/;

/** Replaces digits by their order of appearance: `a31 a3` and `a52 a5` become `a01 a0`, but `a31 a1` does not. */
function renameDigits(text: string): string {
  const digits = new Map<string, number>();
  return text.replace(/\d/g, (digit) => `${getOrCreate(digits, digit, () => digits.size)}`);
}

function findContradiction(
  section: Directive,
  siblings: readonly Directive[],
  hasTls: TlsOfHost,
): Contradiction | undefined {
  if (section.key.startsWith("<limit")) {
    const methods = testOfMethods(section);
    return findOuterContradiction(section, (facts) => isContradictory(methods, facts), hasTls);
  }
  const condition = conditionOf(section);
  if (condition === undefined) return undefined;
  const isImpossible = (facts: readonly VariableTest[]) => cannotHold({ condition, isNegated: false }, facts);
  const isCertain = (facts: readonly VariableTest[]) => cannotHold({ condition, isNegated: true }, facts);
  if (isImpossible([])) return { kind: "itself", holds: false };
  const values = [...listVariables(condition)].flatMap(valuesOf);
  const limiting = values.find((value) => isImpossible([value]));
  if (limiting) return { kind: "values", ...limiting, holds: false };
  // A pattern that matches each value is there for its groups.
  if (hasMatch(condition)) return findAround(section, siblings, isImpossible, hasTls);
  if (isCertain([])) return { kind: "itself", holds: true };
  const certain = values.find((value) => isCertain([value]));
  if (certain) return { kind: "values", ...certain, holds: true };
  return findAround(section, siblings, isImpossible, hasTls);
}

/** Reports whether a condition has a pattern that must match. */
function hasMatch(condition: Condition): boolean {
  if (condition.kind === "and" || condition.kind === "or") return condition.operands.some(hasMatch);
  if (condition.kind === "not") return hasMatch(condition.operand);
  return condition.kind === "match" && condition.operator.name !== "!~";
}

/** Finds a section around or before this one that excludes its condition. */
function findAround(
  section: Directive,
  siblings: readonly Directive[],
  isImpossible: (facts: readonly VariableTest[]) => boolean,
  hasTls: TlsOfHost,
): Contradiction | undefined {
  const outer = findOuterContradiction(section, isImpossible, hasTls);
  if (outer) return outer;
  for (const earlier of siblings) {
    const before = conditionOf(earlier);
    const facts = before ? listTests({ condition: before, isNegated: true }) : [];
    if (facts.length > 0 && isImpossible(facts)) return { kind: "earlier", section: earlier };
  }
  return undefined;
}

/** Finds the innermost section around a section that excludes it, together with those between them. */
function findOuterContradiction(
  section: Directive,
  isImpossible: (facts: readonly VariableTest[]) => boolean,
  hasTls: TlsOfHost,
): Contradiction | undefined {
  const outer: VariableTest[] = [];
  for (let around = section.parent; around; around = around.parent) {
    const facts = factsOf(around, hasTls);
    outer.push(...facts);
    if (facts.length > 0 && isImpossible(outer)) return { kind: "outer", section: around };
  }
  return undefined;
}

/** Lists the variables that a condition tests. */
function listVariables(condition: Condition): ReadonlySet<string> {
  if (condition.kind === "and" || condition.kind === "or")
    return new Set(condition.operands.flatMap((operand) => [...listVariables(operand)]));
  if (condition.kind === "not") return listVariables(condition.operand);
  return new Set(listTests({ condition, isNegated: false }).map(({ variable }) => variable));
}

function valuesOf(variable: string): readonly (VariableTest & { readonly note: string; readonly isUsual: boolean })[] {
  const known = valuesOfVariable(variable);
  if (known === undefined) return [];
  const { texts, note, isUsual = false } = known;
  return [{ variable, note, isUsual, test: { pattern: `^(?:${texts})$` } }];
}

/** Reports whether it is proved that a condition does not hold, if the tests pass. */
function cannotHold({ condition, isNegated }: Known, facts: readonly VariableTest[]): boolean {
  switch (condition.kind) {
    case "constant":
      // `false` is there to turn the section off.
      return false;
    case "not":
      return cannotHold({ condition: condition.operand, isNegated: !isNegated }, facts);
    case "and":
    case "or": {
      const operands = condition.operands.map((operand) => ({ condition: operand, isNegated }));
      if ((condition.kind === "or") !== isNegated) return operands.every((operand) => cannotHold(operand, facts));
      const all = [...facts, ...operands.flatMap(listTests)];
      return operands.some((operand) => cannotHold(operand, all));
    }
    default:
      return listTests({ condition, isNegated }).some((test) => isContradictory(test, facts));
  }
}

function isContradictory({ variable, test }: VariableTest, facts: readonly VariableTest[]): boolean {
  const tests = [test, ...facts.filter((fact) => fact.variable === variable).map((fact) => fact.test)];
  return tests.length > 1 && !hasExample(tests) && areContradictory(tests);
}

/** Reports whether a sample of a pattern passes all tests, which takes less time than a proof that none does. */
function hasExample(tests: readonly PatternTest[]): boolean {
  const passes = (text: string) =>
    tests.every(({ pattern, ignoreCase = false, isNegated = false }) => {
      const found = matchGroupsOf(pattern, text, ignoreCase);
      return found !== undefined && (found === false) === isNegated;
    });
  return tests.some(({ pattern, isNegated }) => {
    const sample = isNegated ? undefined : samplePattern(pattern);
    return sample !== undefined && passes(sample);
  });
}

/** Lists tests that pass whenever a condition holds. */
function listTests({ condition, isNegated }: Known): readonly VariableTest[] {
  switch (condition.kind) {
    case "not":
      return listTests({ condition: condition.operand, isNegated: !isNegated });
    case "and":
    case "or":
      if ((condition.kind === "or") !== isNegated) return [];
      return condition.operands.flatMap((operand) => listTests({ condition: operand, isNegated }));
    case "match": {
      const { pattern, ignoreCase } = condition.regex;
      return testOf(condition.left, pattern, isNegated !== (condition.operator.name === "!~"), ignoreCase);
    }
    case "comparison": {
      const { left, right, operator } = condition;
      if (operator.name !== "==" && operator.name !== "!=") return [];
      const [word, text] = constantOf(right) === undefined ? [right, constantOf(left)] : [left, constantOf(right)];
      if (text === undefined) return [];
      return testOf(word, `^${escapePattern(text)}$`, isNegated !== (operator.name === "!="));
    }
    case "membership": {
      const texts = condition.list.kind === "list" ? condition.list.words.map(constantOf) : [undefined];
      const patterns = texts.flatMap((text) => (text === undefined ? [] : [escapePattern(text)]));
      return patterns.length < texts.length ? [] : testOf(condition.left, `^(?:${patterns.join("|")})$`, isNegated);
    }
    default:
      return [];
  }
}

/** Names with the same value (util_expr_eval.c `request_var_fn`). */
const synonyms: Readonly<Record<string, string>> = { DOCUMENT_URI: "REQUEST_URI", SCRIPT_FILENAME: "REQUEST_FILENAME" };

function testOf(word: Word, pattern: string, isNegated: boolean, ignoreCase = false): readonly VariableTest[] {
  const [only, ...others] = word.kind === "string" ? word.parts : [word];
  if (only?.kind !== "variable" || others.length > 0) return [];
  const name = only.name.text.toUpperCase();
  return [{ variable: synonyms[name] ?? name, test: { pattern, ignoreCase, isNegated } }];
}

/** Returns tests that pass for each request in a section. */
function factsOf(section: Directive, hasTls: TlsOfHost): readonly VariableTest[] {
  switch (section.key) {
    case "<if":
    case "<elseif": {
      const condition = conditionOf(section);
      return condition ? listTests({ condition, isNegated: false }) : [];
    }
    case "<virtualhost": {
      const isOn = hasTls(section);
      return isOn === undefined ? [] : [{ variable: "HTTPS", test: { pattern: isOn ? "^on$" : "^off$" } }];
    }
    default: {
      const [variable, pattern] = patternOfSection(section) ?? [];
      return variable === undefined || pattern === undefined ? [] : [{ variable, test: { pattern } }];
    }
  }
}

/** Returns a variable, and a pattern that its value contains for each request in a section for paths or names. */
function patternOfSection({
  key,
  arguments: words,
}: Directive): readonly [variable: string, pattern: string] | undefined {
  const [first, second] = words;
  const isPattern = key.endsWith("match") || first?.value === "~";
  const name = (first?.value === "~" ? second : first)?.value;
  if (name === undefined || name.includes("${") || (!isPattern && hasWildcard(name))) return undefined;
  switch (key) {
    case "<location":
    case "<locationmatch":
      if (isPattern) return ["REQUEST_URI", name];
      return name.startsWith("/") ? ["REQUEST_URI", patternBelow(name)] : undefined;
    case "<directory":
      // httpd compares `/srv//www` and `/srv/./www` as `/srv/www` (server/core.c `dirsection`).
      return !isPattern && name.startsWith("/") && !/\/(?:\/|\.\.?(?:\/|$))/.test(name)
        ? ["REQUEST_FILENAME", patternBelow(name.replace(/\/+$/, ""))]
        : undefined;
    case "<files":
    case "<filesmatch":
      if (!isPattern) return ["REQUEST_FILENAME", `(?:^|/)${escapePattern(name)}$`];
      // The pattern is compared with the last part of the path only.
      return /[|^]|\\A|\(\?/.test(name.replace(/^\^/, ""))
        ? undefined
        : ["REQUEST_FILENAME", name.replace(/^\^/, "(?:^|/)")];
    default:
      return undefined;
  }
}

/** Returns a pattern for a path and the paths below it. */
function patternBelow(path: string): string {
  return `^${escapePattern(path)}${path.endsWith("/") ? "" : "(?:/|$)"}`;
}

/** A `<Limit>` for GET is also for HEAD. */
function testOfMethods({ key, arguments: words }: Directive): VariableTest {
  const methods = words.flatMap(({ value }) => (value === "GET" ? ["GET", "HEAD"] : [value])).map(escapePattern);
  const test = { pattern: `^(?:${methods.join("|")})$`, isNegated: key === "<limitexcept" };
  return { variable: "REQUEST_METHOD", test };
}
