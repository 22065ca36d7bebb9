import {
  type BinaryTest,
  type Comparison,
  type Condition,
  childrenOf,
  type ExpressionNode,
  type Match,
  type Membership,
  type Word,
} from "../../../grammar/expression/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { hasGroupReference } from "../../config/queries/line-effects.js";
import { ignoreCaseOf, matchLiteral, matchTextsBefore } from "../../regex/automata/regular-language.js";
import { wildcardLanguageOf } from "../../regex/automata/wildcards.js";
import { constantOf } from "../../server/expression/constant-folding.js";
import { conditionOf, parseExpressionCondition } from "../../server/expression/evaluate.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { compileRegexPattern } from "../../server/model/patterns.js";
import { type PlainReasonCode, reasonFor } from "../model/unproved-reasons.js";
import type { PathPredicates, PatternPredicate } from "./path-predicates.js";
import { hasConditionsWithin, isSpellingUnknown, isVariableRead } from "./project-facts.js";
import type { LineLocation } from "./section-predicates.js";
import type { TextPredicates } from "./text-predicates.js";

/** The classes of request texts that depend on its path. */
type PathText = "url" | "file" | "other";

const pathTexts: ReadonlyMap<string, PathText> = new Map([
  ["REQUEST_URI", "url"],
  ["DOCUMENT_URI", "url"],
  ["REQUEST_FILENAME", "file"],
  ["SCRIPT_FILENAME", "file"],
  ["THE_REQUEST", "other"],
]);

/** Environment variables that mod_rewrite and the server itself set from the path. */
const pathVariables = /^(redirect_)*(script_ur[il]|match_.*)$/i;

/** Reads the path predicates in the conditions of a line: If, Require expr, SetEnvIfExpr and SetEnvIf. */
export function addConditionPredicates(
  directive: Directive,
  place: LineLocation,
  project: Project,
  tests: PathPredicates,
): void {
  const { key } = directive;
  if (/^setenvif(nocase)?$/.test(key)) readSetEnvIf(directive, place, project, tests);
  const isExpression = key === "<if" || key === "<elseif" || key === "require" || key === "setenvifexpr";
  const [provider, , text = ""] = key === "<authzprovideralias" ? argumentValuesOf(directive) : [];
  const condition = isExpression
    ? conditionOf(directive)
    : provider === "expr"
      ? parseExpressionCondition(text)
      : undefined;
  if (condition === undefined) return;
  const isAtServer = key === "setenvifexpr" && place.kind === "server";
  const isIf = key.startsWith("<") && hasConditionsWithin(project);
  const reader = new ConditionReader(directive, project, tests, isAtServer ? [true] : isIf ? [false, true] : [false]);
  const keepsGroups = key === "setenvifexpr" && setsReadGroups(argumentValuesOf(directive).slice(1), project);
  reader.read(condition, keepsGroups);
}

/** Reports whether a line reads one of the variables, whose value has groups of a match. */
function setsReadGroups(variables: readonly string[], project: Project): boolean {
  return variables.some((each) => hasGroupReference(each.replace(/^[^=]*/, "")) && isVariableRead(each, project));
}

/** Reads the path predicates in a rewrite condition. */
export function addConditionPredicate(
  condition: Condition,
  directive: Directive,
  project: Project,
  tests: PathPredicates,
): void {
  new ConditionReader(directive, project, tests, [false]).read(condition);
}

/** Directives in the server context read the path as it is sent. */
function readSetEnvIf(directive: Directive, place: LineLocation, project: Project, tests: PathPredicates): void {
  const [attribute = "", pattern = "", ...variables] = argumentValuesOf(directive);
  if (attribute.toLowerCase() !== "request_uri" || !variables.some((each) => isVariableRead(each, project))) return;
  const ignoreCase = directive.key.endsWith("nocase");
  tests.pattern(tests.url, pattern, directive, { ignoreCase, ofSent: place.kind === "server" });
  if (setsReadGroups(variables, project)) tests.inexact.push({ reason: reasonFor("path-in-variable"), directive });
}

class ConditionReader {
  private usesGroups = false;

  constructor(
    private readonly directive: Directive,
    private readonly project: Project,
    private readonly tests: PathPredicates,
    /** Whether the URL path is read as it is sent; both values if it is read both ways. */
    private readonly sent: readonly boolean[],
  ) {}

  /** @param keepsGroups whether other lines use the groups of a match */
  read(condition: Condition, keepsGroups = false): void {
    this.usesGroups = keepsGroups || hasBackReference(condition);
    this.visit(condition);
  }

  private visit(node: Condition): void {
    switch (node.kind) {
      case "constant":
        break;
      case "not":
        this.visit(node.operand);
        break;
      case "and":
      case "or":
        for (const operand of node.operands) this.visit(operand);
        break;
      case "comparison":
        this.comparison(node);
        break;
      case "match":
        this.match(node);
        break;
      case "membership":
        this.membership(node);
        break;
      case "binary":
        this.binary(node);
        break;
      case "unary":
        // These tests are constant for a path, which is never empty; for a text derived from a path they may not be.
        if (dependsOnPath(node.operand) && pathTextOf(node.operand) === undefined)
          this.addPredicate("computes-from-path");
        break;
    }
  }

  /** Returns the text that a word represents directly, if its predicates can be analyzed. */
  private textOf(word: Word): PathText | undefined {
    const text = pathTextOf(word);
    return text === "file" && isSpellingUnknown(this.project) ? "other" : text;
  }

  private addPredicate(code: PlainReasonCode): void {
    this.tests.inexact.push({ reason: reasonFor(code), directive: this.directive });
  }

  private comparison({ operator, left, right }: Comparison): void {
    const sides = [
      { word: left, other: right },
      { word: right, other: left },
    ];
    for (const { word, other } of sides) {
      if (!dependsOnPath(word)) continue;
      const text = this.textOf(word);
      const literalText = constantOf(other);
      // Any path is 0 as a number.
      if (operator.name.startsWith("-") && text) continue;
      if (text === undefined || text === "other" || literalText === undefined) this.addPredicate("compares-computed");
      else this.compare(text, literalText, !/^[!=]=$/.test(operator.name));
    }
  }

  private compare(text: "url" | "file", literalText: string, isOrdered: boolean): void {
    this.regular(text, `is ${literalText}`, () => matchLiteral(literalText));
    if (isOrdered) this.regular(text, `before ${literalText}`, () => matchTextsBefore(literalText));
  }

  private match({ left, regex }: Match): void {
    if (!dependsOnPath(left)) return;
    const text = this.textOf(left);
    const { pattern, ignoreCase } = regex;
    if (text === undefined || text === "other") this.addPredicate("matches-computed");
    else if (this.usesGroups && compileRegexPattern(pattern).hasGroups) this.addPredicate("uses-captured");
    else if (text === "file")
      this.each("file", (of, options) => this.tests.pattern(of, pattern, this.directive, { ...options, ignoreCase }));
    else this.each("url", (of, options) => this.tests.pattern(of, pattern, this.directive, { ...options, ignoreCase }));
  }

  private membership({ left, list }: Membership): void {
    const words = list.kind === "list" ? list.words : [list.argument];
    if (![left, ...words].some(dependsOnPath)) return;
    const text = this.textOf(left);
    const values = words.map(constantOf);
    if (text === undefined || text === "other" || list.kind !== "list" || values.includes(undefined))
      this.addPredicate("looks-up-computed");
    else for (const value of values) if (value !== undefined) this.compare(text, value, false);
  }

  private binary({ operator, left, right }: BinaryTest): void {
    if (![left, right].some(dependsOnPath)) return;
    const text = this.textOf(left);
    const written = constantOf(right);
    const name = operator.name.toLowerCase();
    // A path is not an address.
    if (name === "-ipmatch" && text !== undefined && written !== undefined) return;
    if (text === undefined || text === "other" || written === undefined || !/^-(str|strc|fn)match$/.test(name))
      this.addPredicate("tests-computed");
    else
      this.regular(text, `${name} ${written}`, () =>
        name === "-strcmatch"
          ? ignoreCaseOf(wildcardLanguageOf(written.toLowerCase(), false))
          : wildcardLanguageOf(written, name === "-fnmatch"),
      );
  }

  private regular(text: "url" | "file", key: string, made: Parameters<PathPredicates["regular"]>[2]): void {
    this.each(text, (of, options) => this.tests.regular(of, key, made, options));
  }

  /** Adds tests for a text. For a request to a backend, its URL replaces the file name. */
  private each(text: "url" | "file", add: (of: TextPredicates, options: PatternPredicate) => void): void {
    if (text === "url") for (const ofSent of this.sent) add(this.tests.url, { ofSent });
    else for (const of of [this.tests.file, this.tests.backend]) add(of, {});
  }
}

function hasBackReference(node: ExpressionNode): boolean {
  return node.kind === "backreference" || childrenOf(node).some(hasBackReference);
}

function dependsOnPath(node: ExpressionNode): boolean {
  if (node.kind === "variable") return pathTexts.has(node.name.text.toUpperCase());
  if (node.kind === "call" && node.name.text.toLowerCase() === "reqenv") {
    const name = constantOf(node.argument);
    return name === undefined || pathVariables.test(name);
  }
  return childrenOf(node).some(dependsOnPath);
}

/** Returns the text that a word represents directly; undefined for one derived from it, or from others. */
function pathTextOf(word: Word): PathText | undefined {
  if (word.kind === "variable") return pathTexts.get(word.name.text.toUpperCase());
  const parts = word.kind === "string" || word.kind === "concatenation" ? word.parts : [];
  const [only] = parts;
  if (only === undefined || parts.length > 1 || only.kind === "text") return undefined;
  return pathTextOf(only);
}
