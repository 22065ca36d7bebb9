import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import { type Classifier, stateAfter } from "../../regex/automata/classifier.js";
import {
  anyText,
  type ByteSet,
  byteRange,
  byteSetOf,
  concatenate,
  matchAnywhere,
  matchBytes,
  matchLiteral,
  singleByte,
} from "../../regex/automata/regular-language.js";
import { parseExpressionCondition } from "../../server/expression/evaluate.js";
import { layerOfSection } from "../../server/model/config-layer.js";
import { directoryOfSection } from "../../server/rewrite/rule-merging.js";
import { parseRewriteRules, type RewriteCondition, type RewriteRule } from "../../server/rewrite/rule-parser.js";
import { reasonFor, type UnprovedReason } from "../model/unproved-reasons.js";
import { findTargetBytes, pathVariable } from "./captured-bytes.js";
import { addConditionPredicate } from "./condition-predicates.js";
import type { InexactPredicate, PathPredicates, PatternPredicate } from "./path-predicates.js";
import { inheritsRules, isSpellingUnknown, isVariableRead, mayRewrite } from "./project-facts.js";
import type { LineLocation } from "./section-predicates.js";
import type { TextPredicates } from "./text-predicates.js";

/**
 * Reads the path predicates of rewrite rules: on the URL for those of a server, on the file name for those of sections.
 */
export function addRewritePredicates(
  directives: readonly Directive[],
  place: LineLocation,
  project: Project,
  tests: PathPredicates,
): void {
  if (!mayRewrite(project)) return;
  const known = tests.inexact.length;
  const reader = new RuleReader(directives, place, project, tests);
  const rules = parseRewriteRules(directives);
  // After a rule that redirects internally, later rules may read another path.
  let readsPath = !inheritsRules(project);
  for (const [index, rule] of rules.entries()) {
    reader.read(rule, { isLast: index === rules.length - 1, readsPath });
    if (rule.output !== undefined && !stoppingFlags.some((name) => rule.flags.names.has(name))) readsPath = false;
  }
  const isPassed = rules.some(({ flags }) => flags.names.has("passthrough"));
  const found = tests.inexact.splice(known);
  // The rules of sections run as a fixup (modules/mappers/mod_rewrite.c `hook_fixup`). Those of a server keep the URL path
  // that sections match, unless they pass the target on as a URL (`hook_uri2file`).
  for (const each of found)
    tests.inexact.push(reader.isOfServer ? { ...each, isOfRules: !isPassed } : { ...each, isAfterAccess: true });
}

const backReferences = /[$%]\d/;
/** The flags after which no further rule is evaluated. */
const stoppingFlags = ["last", "end", "proxy", "passthrough"];

const targetReason = reasonFor("target-of-path");

/** Bytes that a rule rejects in a target if they come from the path. */
interface RefusedBytes {
  readonly name: string;
  readonly set: ByteSet;
  readonly test: RegExp;
}

const question: RefusedBytes = { name: "a question mark", set: byteSetOf("?"), test: /\?/ };
const controls: RefusedBytes = {
  ...{ name: "a query with control characters or spaces", set: byteRange(0, 0x20) | singleByte(0x7f) },
  test: /[\0-\x20\x7f]/,
};

/** The paths that a rule applies to. */
interface RuleReach {
  readonly appliesTo: InexactPredicate["concerns"];
  /** Classifies these paths, if possible; the rule does not test any others. */
  readonly among: Classifier | undefined;
}

/** The position of a rule among others. */
interface RulePlace {
  readonly isLast: boolean;
  /** Whether it reads the requested path. */
  readonly readsPath: boolean;
}

/** Reports whether rules apply to the URL, before it is mapped: those of a server or a virtual host. */
export function areRulesOfServer(directives: readonly Directive[], { folder }: LineLocation): boolean {
  return folder === undefined && sectionAround(directives) === undefined;
}

/** Returns the section of some lines within their server or `.htaccess` file. */
function sectionAround([first]: readonly Directive[]): Directive | undefined {
  return first?.parent?.key === "<virtualhost" ? undefined : first?.parent;
}

class RuleReader {
  /** The directory prefix that is removed from the name that a section's rules read. */
  private readonly folder: string | undefined;
  readonly isOfServer: boolean;
  private readonly base: string | undefined;

  constructor(
    directives: readonly Directive[],
    place: LineLocation,
    private readonly project: Project,
    private readonly tests: PathPredicates,
  ) {
    const section = sectionAround(directives);
    this.isOfServer = areRulesOfServer(directives, place);
    this.folder =
      place.folder ?? (section && !this.isOfServer ? directoryOfSection(layerOfSection(section)) : undefined);
    const base = directives.findLast(({ key }) => key === "rewritebase");
    this.base = base?.arguments[0]?.value;
    if (this.isOfServer) return;
    if (this.folder !== undefined) tests.file.texts.add(this.folder.replace(/\/$/, ""));
    const inherits = directives.find(
      ({ key, argumentText }) => key === "rewriteoptions" && /inherit/i.test(argumentText),
    );
    if (inherits) tests.inexact.push({ reason: reasonFor("rules-elsewhere"), directive: inherits });
  }

  read(rule: RewriteRule, { isLast, readsPath }: RulePlace): void {
    const { directive, pattern, flags, output } = rule;
    const ignoreCase = flags.names.has("nocase");
    this.addPattern(pattern, directive, { ignoreCase, mayAskOracle: false });
    const classifier = this.isOfServer && readsPath ? this.tests.found(pattern, { ignoreCase }) : undefined;
    const concerns =
      classifier && ((path: string) => (classifier.output(stateAfter(classifier, path), 0) === 1) !== rule.isNegated);
    const among = rule.isNegated ? undefined : classifier;
    for (const condition of rule.conditions) this.addCondition(condition, concerns);
    if (
      flags.variables.some(
        (each) => (backReferences.test(each) || pathVariable.test(each)) && isVariableRead(each, this.project),
      )
    )
      this.addPredicate(directive, reasonFor("path-in-variable"), concerns);
    if (output === undefined) return;
    if (this.hasOneTarget(output, flags)) {
      this.addFixedTarget(rule, output, concerns);
      this.addRejections(rule, output, { appliesTo: concerns, among });
    } else if (this.isRedirect(rule, isLast)) this.addRejections(rule, output, { appliesTo: concerns, among });
    else if (this.isToFixedBackend(rule, output)) {
      this.addPredicate(directive, targetReason, concerns, true);
      this.addRejections(rule, output, { appliesTo: concerns, among });
    } else this.addMappingTarget(directive, targetReason, concerns);
  }

  /** Reports whether the target of a substitution is independent of the path, except for the query. */
  private hasOneTarget(output: string, { names }: RewriteRule["flags"]): boolean {
    const place = names.has("qslast") ? output : output.replace(/\?.*$/s, "");
    return !backReferences.test(place) && !pathVariable.test(place) && !output.includes("${");
  }

  /** Records the fixed target of a rule. */
  private addFixedTarget(
    { directive, flags: { names } }: RewriteRule,
    output: string,
    concerns: InexactPredicate["concerns"],
  ): void {
    const { tests, folder } = this;
    const bare = output.replace(/[?#].*$/, "");
    if (names.has("redirect") || names.has("proxy")) return;
    if (/[%$\\]/.test(bare)) {
      this.addMappingTarget(directive, reasonFor("target-of-variable"), concerns);
      return;
    }
    const path = bare.replace(/^[a-z]+:\/\/[^/]*/i, "");
    if (path.startsWith("/")) tests.fixedPaths.add(path);
    if (path.startsWith("/")) tests.fixedFiles.add(path);
    else if (folder?.startsWith("/")) tests.fixedFiles.add(folder + path);
    else tests.fixedPaths.add(`/${path}`);
    if (this.base !== undefined) tests.fixedPaths.add(`${this.base.replace(/\/?$/, "/")}${path}`);
  }

  private addPredicate(
    directive: Directive,
    reason: UnprovedReason,
    concerns: InexactPredicate["concerns"],
    isOfBackend = false,
  ): void {
    this.tests.inexact.push({ reason, directive, concerns, isOfBackend });
  }

  private addMappingTarget(directive: Directive, reason: UnprovedReason, concerns: InexactPredicate["concerns"]): void {
    this.tests.inexact.push({ reason, directive, concerns, redirects: true });
  }

  /**
   * Reports whether a rule of the server forwards requests to the same host whatever the path is. The directory walk is
   * then omitted, as for ProxyPass.
   */
  private isToFixedBackend({ flags: { names } }: RewriteRule, output: string): boolean {
    return this.isOfServer && names.has("proxy") && /^[a-z][a-z0-9+.-]*:\/\/[^/$%\\]+\//i.test(output);
  }

  /** Reports whether a rule redirects whatever its target is, and no rule follows. */
  private isRedirect({ flags: { names }, output = "" }: RewriteRule, isLast: boolean): boolean {
    if (!names.has("redirect") || names.has("chain") || names.has("next")) return false;
    return (isLast || names.has("last") || names.has("end")) && !output.startsWith("$") && !output.startsWith("%");
  }

  /**
   * Records the rejections of a rule. Since 2.4.60 a rule with a question mark from the path in its target is rejected.
   * Before that, one with control characters in the query was, unless they are escaped as in a redirect. 2.2 rejects
   * none.
   */
  private addRejections(rule: RewriteRule, output: string, reach: RuleReach): void {
    const { names } = rule.flags;
    if (!isSince(this.project.release, "2.4")) return;
    const mark = names.has("qslast") ? -1 : output.indexOf("?");
    if (!names.has("unsafeallow3f"))
      this.addRejection(rule, mark < 0 ? output : output.slice(0, mark), question, reach);
    if (names.has("noescape") || !names.has("redirect"))
      this.addRejection(rule, output.slice(Math.max(mark, 0)), controls, reach);
  }

  /** Records that the rule rejects a request if certain bytes of the path are used in a text. */
  private addRejection(
    rule: RewriteRule,
    text: string,
    { name, set, test }: RefusedBytes,
    { appliesTo, among }: RuleReach,
  ): void {
    const taken = findTargetBytes(text, rule, set, this.isOfServer);
    if (taken === "never") return;
    const { tests, folder, isOfServer } = this;
    const having = (of: TextPredicates, options: PatternPredicate = {}) =>
      tests.regular(of, `has ${name}`, () => matchAnywhere(matchBytes(set)), options);
    if (among) {
      const key = `has ${name}, found by ${rule.flags.names.has("nocase") ? "i" : ""} ${rule.pattern}`;
      tests.regular(tests.url, key, () => matchAnywhere(matchBytes(set)), { among });
    } else having(tests.url);
    // Rules of a section read the part below its directory.
    if (!isOfServer) for (const of of [tests.whole, tests.backend]) having(of);
    if (folder !== undefined) having(tests.whole, { after: folder });
    const isOfFlags = ["qslast", "backrefescaping"].some((flag) => rule.flags.names.has(flag));
    if (taken === "sometimes" || isOfFlags || !(isOfServer || folder !== undefined))
      this.addPredicate(
        rule.directive,
        reasonFor("target-with-character", name),
        (path) => test.test(path) && appliesTo?.(path) !== false,
      );
  }

  private addCondition(
    { directive, input, test, ignoreCase }: RewriteCondition,
    concerns: InexactPredicate["concerns"],
  ): void {
    const { tests } = this;
    if (test.kind === "expression") {
      const condition = parseExpressionCondition(test.text);
      if (condition) addConditionPredicate(condition, directive, this.project, tests);
      return;
    }
    if (!backReferences.test(input) && !pathVariable.test(input)) {
      if (test.kind === "file") tests.fixedFiles.add(input);
      return;
    }
    const [, name] = /^%\{(REQUEST_URI|REQUEST_FILENAME|SCRIPT_FILENAME)\}$/i.exec(input) ?? [];
    const isOfUrl = name?.toUpperCase() === "REQUEST_URI" || this.isOfServer;
    switch (test.kind) {
      case "pattern":
        if (name === undefined || (!isOfUrl && isSpellingUnknown(this.project))) break;
        if (isOfUrl) tests.pattern(tests.url, test.pattern, directive, { ignoreCase, mayAskOracle: false });
        else
          for (const of of this.files) tests.pattern(of, test.pattern, directive, { ignoreCase, mayAskOracle: false });
        return;
      case "text":
        if (name === undefined || test.operator !== "=" || ignoreCase) break;
        if (!isOfUrl && isSpellingUnknown(this.project)) break;
        for (const of of isOfUrl ? [tests.url] : this.files)
          tests.regular(of, `is ${test.operand}`, () => matchLiteral(test.operand));
        return;
      case "file":
        if (!this.isFileAskedFor(input)) break;
        tests.regular(tests.url, "ends in a slash", () => concatenate(anyText, matchBytes(byteSetOf("/"))));
        return;
      case "number":
        if (name !== undefined) return;
        break;
    }
    this.addPredicate(directive, reasonFor("tests-value-of-path"), concerns);
  }

  /** Reports whether a text is the file name that is walked to anyway. */
  private isFileAskedFor(input: string): boolean {
    if (/^%\{DOCUMENT_ROOT\}\/?%\{REQUEST_URI\}$/i.test(input)) return true;
    const [, root, name] = /^(%\{DOCUMENT_ROOT\}\/?)?%\{(REQUEST|SCRIPT)_FILENAME\}$/i.exec(input) ?? [];
    return name !== undefined && (root !== undefined) === this.isOfServer;
  }

  private get files(): readonly TextPredicates[] {
    return [this.tests.file, this.tests.backend];
  }

  private addPattern(text: string, directive: Directive, options: PatternPredicate): void {
    const { tests, folder } = this;
    if (this.isOfServer) {
      tests.pattern(tests.url, text, directive, options);
      return;
    }
    for (const of of [tests.whole, tests.backend]) tests.pattern(of, text, directive, options);
    if (folder !== undefined) tests.pattern(tests.whole, text, directive, { ...options, after: folder });
  }
}
