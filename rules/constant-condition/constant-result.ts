import { accessVariablesOf, formatLineTitle } from "../../src/lint/api/access.js";
import {
  addRewriteFlag,
  comparePatterns,
  type Directive,
  escapePattern,
  findDiskPath,
  indexDirectives,
  isSince,
  keywordArgumentOf,
  lineKeyOf,
  type Project,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteCondition,
  type RewriteRule,
  type Scope,
  type VariableValues,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineVariant,
  formatWordList,
  quoteRewriteWord,
  quoteShort,
  quoteText,
  type Report,
  replaceSpan,
  toReadable,
} from "../../src/lint/api/rule.js";
import { findConditionPair } from "./condition-lists.js";
import {
  type EmptyAlternative,
  findEmptyAlternative,
  findLoosePattern,
  isPlaceholder,
  type LoosePattern,
} from "./empty-alternatives.js";
import { type PlacedCondition, type PlaceFact, PlaceFacts } from "./place-facts.js";
import { type UnreadAttribute, UnreadAttributes } from "./unread-attributes.js";
import { constantResultOf, patternOf, valuesInOtherCase, valuesOf, variableOf } from "./variable-values.js";
import {
  findVoidExclusion,
  hasAnyUriOption,
  hasForwardProxy,
  type PathSettings,
  type VoidExclusion,
} from "./void-exclusions.js";

/** Returns the value that a SetEnv line sets, if SetEnvIf takes it as it is written. */
function plainValueOf({ key, arguments: [, value] }: Directive): string | undefined {
  return key === "setenv" && value && /^[\w.-]+$/.test(value.value) ? value.value : undefined;
}

const messages = {
  constant: (condition: string, holds: boolean, { note, isUsual }: VariableValues, remedy: string) => ({
    message: `${quoteText(condition)} ${holds ? "always" : "never"} holds${isUsual ? " for a usual request" : ""}`,
    notes: [note],
    help: [remedy],
  }),
  emptyAlternative: ({ pattern, isNegated, corrected, subject }: EmptyAlternative) => ({
    message: `${quoteShort(pattern, 40)} matches every ${subject}: an alternative is empty`,
    notes: [
      "an alternative is empty between `||`, and between `|` and a parenthesis or the end",
      isNegated ? "with a negation, the condition never holds" : "the pattern excludes no request",
    ],
    help: [
      `delete the empty alternative: ${quoteText(toReadable(corrected))}`,
      "to match an empty text also, add the alternative `^$`",
    ],
  }),
  voidExclusion: ({ exclusion, corrected, subject }: VoidExclusion) => ({
    message: `${quoteShort(exclusion, 48)} excludes nothing: no ${subject} has this text there`,
    notes: [subjectNotes[subject], "the pattern also matches what shall be excluded"],
    help: [
      corrected === undefined ? "correct the text of the exclusion, or delete it" : `use ${quoteShort(corrected, 56)}`,
    ],
  }),
  loosePattern: ({ pattern, corrected, name }: LoosePattern) => ({
    message:
      name === undefined
        ? `${quoteText(toReadable(pattern))} matches every file name`
        : `${quoteShort(pattern, 40)} also matches names such as ${quoteText(name)}`,
    notes: [
      name === undefined
        ? "each part of the pattern may be absent, and it is searched anywhere in the name"
        : "a dot without a backslash matches any character, so that more files are denied than those with an extension",
    ],
    help: [`use ${quoteText(toReadable(corrected))}`],
  }),
  unreadAttribute: ({ name }: Directive, { word, remedy }: UnreadAttribute) => ({
    message: `${quoteText(word.value)} has no value in \`${name}\`: the line sets nothing`,
    notes: [`\`${name}\` reads headers by their own name, and a few attributes such as \`Remote_Addr\``],
    help: [remedy],
  }),
  mergedSlashes: (condition: string) => ({
    message: `${quoteText(condition)} never holds: the path has no \`//\``,
    notes: ["httpd merges slashes in the path before it applies rules"],
    help: ["test the line of the request: `RewriteCond %{THE_REQUEST} \\s[^?\\s]*//`"],
  }),
  neverTogether: {
    message: "`RewriteCond` lines that never hold together",
    notes: ["conditions without `OR` must all hold, and no value matches both of them: the rule never applies"],
    help: ["add `OR` to the flags of the first one"],
  },
  unlikely: ([first, second]: readonly [number, number]) => ({
    message: "`OR` is missing in a list of `RewriteCond` lines",
    notes: [
      `a request must match ${first === 1 ? "the first pattern" : `one of the first ${first} patterns`}, and also ${second === 1 ? "the last one" : `one of the last ${second}`}: at the same time, hardly any does`,
    ],
    help: ["add `OR` to the flags of this condition"],
  }),
  alwaysOne: {
    message: "`RewriteCond` lines of which one always holds",
    notes: ["with `OR`, one of the conditions is enough, and no value matches both patterns"],
    help: ["delete `OR` from the flags of the first one"],
  },
  alwaysOneOfFiles: {
    message: "`RewriteCond` lines of which one always holds",
    notes: ["with `OR`, one of the conditions is enough, and no path is a file and a directory at the same time"],
    help: ["delete `OR` from the flags of these conditions, so that the rule does not apply to files and directories"],
  },
  neverHere: (condition: string, fact: PlaceFact) => ({
    message: `${quoteText(condition)} never holds here${fact.kind === "tls" && fact.variable === "SERVER_PORT" ? " for a usual request" : ""}: the rule never applies`,
    notes: [noteOfFact(fact)],
    help: [remedyOfFact(fact)],
  }),
  late: (variable: string, setter: Directive, isSection: boolean) => ({
    message: `${quoteText(variable)} is tested before ${quoteText(setter.name)} sets it`,
    notes: [
      `httpd ${isSection ? "decides which sections apply" : "applies rewrite rules"} first, and ${quoteText(setter.name)} later: the variable is empty here`,
    ],
    help: [
      `use ${quoteText(`SetEnvIf Request_URI ^ ${variable}=${plainValueOf(setter) ?? "VALUE"}`)}, which httpd evaluates before`,
    ],
    changesRelated: true as const,
  }),
  fileOfUrl: (variable: string) => ({
    message: `${quoteText(`%{${variable}}`)} is not the path of a file`,
    notes: ["a URL path does not include the document root: files of the site are not found"],
    help: ["use `%{DOCUMENT_ROOT}%{REQUEST_URI}`, or in a directory `%{REQUEST_FILENAME}`"],
  }),
  rootTwice: (root: string, corrected: string) => ({
    message: `the path has the document root ${quoteText(root)} twice`,
    notes: ["`%{DOCUMENT_ROOT}` is the whole path of the document root, so that no such file exists"],
    help: [`use ${quoteText(corrected)}`],
  }),
  fileOfServer: (variable: string) => ({
    message: `${quoteText(`%{${variable}}`)} is not the path of a file here`,
    notes: ["outside of a directory, rules run before httpd finds the file, and the variable is the URL path"],
    help: ["use `%{DOCUMENT_ROOT}%{REQUEST_URI}`"],
  }),
};

function noteOfFact(fact: PlaceFact): string {
  switch (fact.kind) {
    case "tls": {
      const port = fact.isOn ? "has TLS and port 443" : "has no TLS, and port 80";
      const value = fact.isOn ? "has TLS: `%{HTTPS}` is `on`" : "has no TLS: `%{HTTPS}` is `off`";
      return `this virtual host ${fact.variable === "HTTPS" ? value : port}`;
    }
    case "names":
      return `requests with other names than ${formatWordList(fact.names.slice(0, 3).map(quoteText), "and")} go to other virtual hosts`;
    case "other host":
      return `requests with this name go to another virtual host: ${formatLineTitle(fact.host)}`;
    case "rule":
      return `the pattern ${quoteShort(`${fact.isNegated ? "!" : ""}${fact.pattern}`, 40)} of the rule matches only other paths`;
    case "files":
      return "no path is a file and a directory at the same time, and conditions without `OR` must all hold";
  }
}

function remedyOfFact(fact: PlaceFact): string {
  switch (fact.kind) {
    case "tls":
      return `delete the rule, or move it to the virtual host ${fact.isOn ? "without" : "with"} TLS`;
    case "other host":
      return "test the name of this virtual host, or move the rule to the other one";
    case "names":
      return "add the name with `ServerAlias`, or move the rule to the virtual host with this name";
    case "rule":
      return "correct the condition or the pattern";
    case "files":
      return "add `OR` to the flags of the first condition";
  }
}

const subjectNotes: Readonly<Record<VoidExclusion["subject"], string>> = {
  "URL path": "the path of a URL begins with `/`, and httpd removes repeated slashes and dot segments before",
  "path below the directory":
    "here, `RewriteRule` compares the path below the directory, which does not begin with `/`",
  "file name": "httpd compares the name of the file, without its folder",
  text: "the part of the pattern before it leaves no such text",
};

const labels = { late: "sets it too late", missing: "must hold, too", opposite: "holds if the first one does not" };

const fixTitles = {
  join: "Add `OR`",
  ignoreCase: "Add `NC`",
  deleteEmpty: "Delete the empty alternative",
  replace: (text: string) => `Replace with ${quoteText(text)}`,
};

export const constantResult = defineVariant({
  id: "constant-condition",
  messages,
  check: ({ project, release, report }) => {
    const places = new PlaceFacts(project);
    const mergesSlashes =
      isSince(release, "2.4.39") &&
      !indexDirectives(project)
        .named("mergeslashes")
        .some((line) => keywordArgumentOf(line) === "off");
    const [isForwardProxy, seesAnyUrl] = [hasForwardProxy(project), hasAnyUriOption(project)];
    const settings: PathSettings = { mergesSlashes, hasWholeUrls: isForwardProxy || seesAnyUrl };
    /** Conditions by line: files that several virtual hosts include are for all of them. */
    const placed = new Map<string, PlacedCondition | undefined>();
    const notePlaced = (rules: readonly RewriteRule[], scope: Scope) => {
      let isOnOriginalPath = true;
      for (const rule of rules) {
        const found = rule.conditions.some(isRefused) ? undefined : places.find(rule, scope, isOnOriginalPath);
        for (const { directive } of rule.conditions) {
          const key = lineKeyOf(directive);
          const here = found?.condition.directive === directive ? found : undefined;
          placed.set(key, here && (placed.has(key) ? placed.get(key) : here));
        }
        isOnOriginalPath &&= rule.output === undefined;
      }
    };
    const findLate = (name: string | undefined, at: Directive): Report | undefined => {
      const by = name === undefined ? undefined : accessVariablesOf(project).findLateSetter(name);
      if (name === undefined || by === undefined) return undefined;
      const related = [{ message: labels.late, span: by.span }];
      return { message: messages.late(name, by, at.key.startsWith("<")), span: at.span, related };
    };
    const checkSection = (section: Directive) => {
      const found = findLate(testedVariableOf(section.argumentText), section);
      if (found) report(found);
    };
    const candidates: { readonly finding: Report; readonly seesUrls: boolean; readonly isOfServer: boolean }[] = [];
    const attributes = new UnreadAttributes(project);
    return {
      byWords: () => (directive, scope) => {
        const unread = attributes.find(directive);
        if (unread)
          report({ message: messages.unreadAttribute(directive, unread), span: directive.spanOf(unread.word) });
        const loose = findLoosePattern(directive, scope);
        if (loose) {
          const edit = loose.isVerbatim ? replaceSpan(loose.span, loose.corrected) : undefined;
          report({
            message: messages.loosePattern(loose),
            span: loose.span,
            ...(loose.name === undefined ? {} : { severity: "info" }),
            ...createFix(fixTitles.replace(loose.corrected), "unsafe", edit),
          });
        }
        const excluding = findVoidExclusion(directive, scope, settings);
        if (excluding) {
          const { corrected = "", isVerbatim, span } = excluding;
          const edit = isVerbatim && corrected !== "" ? replaceSpan(span, corrected) : undefined;
          report({
            message: messages.voidExclusion(excluding),
            span,
            ...createFix(fixTitles.replace(corrected), "unsafe", edit),
          });
        }
        const found = findEmptyAlternative(directive, scope);
        if (found === undefined) return;
        const { span, corrected } = found;
        const edit = replaceSpan(span, corrected);
        report({
          message: messages.emptyAlternative(found),
          span,
          ...(found.isVerbatim ? createFix(fixTitles.deleteEmpty, "unsafe", edit) : {}),
        });
      },
      directives: {
        "<if": checkSection,
        "<elseif": checkSection,
      },
      scope: {
        holding: ["rewritecond"],
        visit(scope) {
          const rules = parseRewriteRules(scope.directives);
          const before = candidates.length;
          for (const { conditions } of rules)
            for (const condition of conditions) {
              const isFirst = condition === conditions[0];
              const finding =
                checkCondition(condition, scope) ??
                findRootTwice(condition, scope, project) ??
                (mergesSlashes ? checkSlashes(condition, scope) : undefined) ??
                findLate(/^%\{ENV:([\w-]+)\}$/i.exec(condition.input)?.[1], condition.directive) ??
                (isFirst && !conditions.some(isRefused) ? compareLists(conditions) : undefined);
              const seesUrls = variableOf(condition) === "REQUEST_URI" && !fileScopes.has(scope.place);
              const isOfServer = scope.place === "server" || scope.place === "virtualhost";
              if (finding) candidates.push({ finding, seesUrls, isOfServer });
            }
          if (candidates.length === before) notePlaced(rules, scope);
        },
      },
      end() {
        // The paths of a forward proxy are whole URLs; the rules of a server see them only with this option.
        for (const { finding, seesUrls, isOfServer } of candidates)
          if (!seesUrls || !isForwardProxy || (isOfServer && !seesAnyUrl)) report(finding);
        // A macro is for all of its uses, and each has lines of its own.
        for (const found of placed.values())
          if (found && !("macro" in found.condition.directive.span.file)) report(createPlacedReport(found));
      },
    };
  },
});

/** Returns the variable of the request that an expression reads. */
function testedVariableOf(expression: string): string | undefined {
  return /(?:%\{(?:req)?env:|\b(?:req)?env\(\s*['"])([\w-]+)(?:\}|['"]\s*\))/i.exec(expression)?.[1];
}

/** Scopes of files, to which a request to a forward proxy does not lead. */
const fileScopes: ReadonlySet<string> = new Set(["directory", "htaccess", "files"]);

/** Reports whether httpd rejects the flags of a condition, which another rule reports: those that were meant are not known. */
function isRefused({ directive }: RewriteCondition): boolean {
  const flags = parseRewriteWords(directive.argumentText)?.[2]?.value;
  return flags !== undefined && !/^\[.*\]$/s.test(flags);
}

function checkCondition(condition: RewriteCondition, scope: Scope): Report | undefined {
  if (isRefused(condition)) return undefined;
  // The pattern is reported as such.
  if (findEmptyAlternative(condition.directive, scope)) return undefined;
  if (condition.test.kind === "file") return checkFileTest(condition, scope);
  const ofHeader = valuesInOtherCase(condition);
  if (ofHeader) return reportCase(condition, ofHeader);
  const pattern = patternOf(condition);
  const values = valuesOf(condition);
  if (pattern === undefined || values === undefined) return undefined;
  const holds = constantResultOf(condition, pattern, values);
  // A condition that each value fulfils without a negation only captures a text.
  if (holds === undefined || (holds && !condition.isNegated) || isPlaceholder(pattern)) return undefined;
  // Such a condition is for unusual requests.
  if (values.isUsual && !holds && condition.isNegated) return undefined;
  if (holds && isEmptyTest(pattern) && variableOf(condition) !== "HTTPS") return undefined;
  return createReport(condition, holds, values);
}

/** A redirect to https in a virtual host with TLS is superfluous, but does no harm. */
function createPlacedReport({ condition, fact }: PlacedCondition): Report {
  const isHarmless = fact.kind === "tls" && fact.isOn;
  const { span } = condition.directive;
  return { message: messages.neverHere(describe(condition), fact), span, ...(isHarmless ? { severity: "info" } : {}) };
}

/** Finds a path with `//`, which httpd merges (server/request.c `ap_process_request_internal`; MergeSlashes). */
function checkSlashes(condition: RewriteCondition, scope: Scope): Report | undefined {
  const pattern = patternOf(condition);
  if (pattern === undefined || condition.isNegated || !pattern.includes("//")) return undefined;
  if (variableOf(condition) !== "REQUEST_URI" || findEmptyAlternative(condition.directive, scope)) return undefined;
  if (comparePatterns("(?:/[^/?]+)*/?", pattern, condition.ignoreCase) !== "none") return undefined;
  const word = parseRewriteWords(condition.directive.argumentText)?.[1];
  const span = word ? condition.directive.spanOf(word) : condition.directive.span;
  return { message: messages.mergedSlashes(describe(condition)), span };
}

/** Without a value that is empty, such a condition is superfluous rather than wrong. */
function isEmptyTest(pattern: string): boolean {
  return pattern === "^$" || pattern === "";
}

function createReport(condition: RewriteCondition, holds: boolean, values: VariableValues): Report {
  const { directive } = condition;
  const word = parseRewriteWords(directive.argumentText)?.[1];
  const span = word ? directive.spanOf(word) : directive.span;
  const lower = word && findOtherCase(condition, word.value, values);
  const better = lower ?? (word && (findWithSlash(condition, word.value, values) ?? findWithoutWildcard(word.value)));
  const remedy = better === undefined ? "correct the condition" : `use ${quoteText(better)}`;
  const message = messages.constant(describe(condition), holds, values, remedy);
  if (word === undefined || lower === undefined) return { message, span };
  const edit = replaceSpan(span, quoteRewriteWord(word, lower));
  return { message, span, ...createFix(fixTitles.replace(lower), "unsafe", edit) };
}

/** Reports a pattern that needs the flag NC. */
function reportCase(condition: RewriteCondition, values: VariableValues): Report {
  const { directive } = condition;
  const word = parseRewriteWords(directive.argumentText)?.[1];
  return {
    message: messages.constant(describe(condition), false, values, "add the flag `NC`"),
    span: word ? directive.spanOf(word) : directive.span,
    ...createFix(fixTitles.ignoreCase, "unsafe", addRewriteFlag(directive, "NC")),
  };
}

/** Returns the text with the slash at its start that the values have, if the condition then depends on the value. */
function findWithSlash(condition: RewriteCondition, written: string, values: VariableValues): string | undefined {
  const text = written.replace(/^(!?\^)(?=[\w\\])/, "$1/");
  if (text === written) return undefined;
  const pattern = text.replace(/^!/, "");
  return comparePatterns(values.texts, pattern, condition.ignoreCase) === "unknown" ? text : undefined;
}

/** Returns a pattern for the names that a word with a wildcard of `ServerAlias` stands for. */
function findWithoutWildcard(written: string): string | undefined {
  const [, negation, name] = /^(!?)=\*((?:\.[\w-]+)+)$/.exec(written) ?? [];
  return name === undefined ? undefined : `${negation}${escapePattern(name)}$`;
}

/** Returns the text in the other case, if the condition then depends on the value; escapes such as `\D` stay. */
function findOtherCase(condition: RewriteCondition, written: string, values: VariableValues): string | undefined {
  if (/\\[A-Za-z]/.test(written)) return undefined;
  const texts = [written.toLowerCase(), written.toUpperCase()];
  return texts.find((text) => {
    const [, equals, rest = ""] = /^!?(=?)(.*)$/s.exec(text) ?? [];
    const pattern = equals ? `^${escapePattern(rest)}$` : rest;
    return text !== written && comparePatterns(values.texts, pattern, condition.ignoreCase) === "unknown";
  });
}

/** Finds `%{REQUEST_URI} -f`, and `%{REQUEST_FILENAME} -f` before httpd has mapped the URL (`hook_uri2file`). */
function checkFileTest(condition: RewriteCondition, { place }: Scope): Report | undefined {
  const { directive, test } = condition;
  if (test.kind !== "file" || /[FU]/.test(test.test)) return undefined;
  const variable = variableOf(condition);
  const isServer = place === "server" || place === "virtualhost";
  const message =
    variable === "REQUEST_URI"
      ? messages.fileOfUrl
      : isServer && (variable === "REQUEST_FILENAME" || variable === "SCRIPT_FILENAME")
        ? messages.fileOfServer
        : undefined;
  const word = parseRewriteWords(directive.argumentText)?.[0];
  if (message === undefined || word === undefined) return undefined;
  const span = directive.spanOf(word);
  const file = variable === "REQUEST_URI" && !isServer ? "%{REQUEST_FILENAME}" : "%{DOCUMENT_ROOT}%{REQUEST_URI}";
  return {
    message: message(variable ?? ""),
    span,
    ...createFix(fixTitles.replace(file), "unsafe", replaceSpan(span, file)),
  };
}

/** Finds a test for a file below the document root that is followed by the document root. */
function findRootTwice(
  { directive, input, test }: RewriteCondition,
  scope: Scope,
  project: Project,
): Report | undefined {
  const [variable, rest = ""] = /^%\{DOCUMENT_ROOT\}(.+)$/is.exec(input) ?? [];
  if (variable === undefined || test.kind !== "file") return undefined;
  const root = findOwnRoot(rest, documentRootsFor(directive, scope, project), project);
  const word = parseRewriteWords(directive.argumentText)?.[0];
  if (root === undefined || word === undefined || root.length === rest.length) return undefined;
  const corrected = `%{DOCUMENT_ROOT}${rest.slice(root.length)}`;
  const span = directive.spanOf(word);
  return {
    message: messages.rootTwice(root, toReadable(corrected)),
    span,
    ...createFix(fixTitles.replace(corrected), "unsafe", replaceSpan(span, quoteRewriteWord(word, corrected))),
  };
}

/**
 * Returns the document root that a path begins with. Only without a known one, it may be one that systems and hosting
 * companies use. The name of a directory at the top may be that of a URL path as well.
 */
function findOwnRoot(path: string, roots: readonly string[], project: Project): string | undefined {
  if (roots.length === 0) return findDiskPath(path, project)?.root;
  const [root = "", ...others] = roots.map((each) => each.replace(/\/+$/, ""));
  const isSame = others.every((each) => each === root) && /^\/[^/]+\/./.test(root);
  return isSame && path.startsWith(root) && /^[/%]/.test(path.slice(root.length)) ? root : undefined;
}

const rootKeys = ["documentroot", "virtualdocumentroot", "virtualdocumentrootip"];

/** Returns the document roots that the variable may have for a line: those of its server, or of all servers. */
function documentRootsFor(line: Directive, { place }: Scope, project: Project): readonly string[] {
  const index = indexDirectives(project);
  const lines = rootKeys.flatMap((key) => index.named(key));
  const writtenRoot = ({ argumentText, arguments: [word] }: Directive) => word?.value ?? argumentText;
  const host = virtualHostAround(line);
  if (host === undefined && place !== "server") return lines.map(writtenRoot);
  const rootsIn = (server: Directive | undefined) => lines.filter((each) => virtualHostAround(each) === server);
  const own = rootsIn(host);
  return (own.length > 0 ? own : rootsIn(undefined)).slice(-1).map(writtenRoot);
}

/** Reports two lists of conditions on one text that cannot both hold, or conditions of which one always holds. */
function compareLists(conditions: readonly RewriteCondition[]): Report | undefined {
  const found = findConditionPair(conditions);
  if (found === undefined) return undefined;
  const { kind, before, condition, sizes } = found;
  const message = {
    never: messages.neverTogether,
    unlikely: messages.unlikely(sizes),
    always: messages.alwaysOne,
    "not both": messages.alwaysOneOfFiles,
  }[kind];
  const isMissing = kind === "never" || kind === "unlikely";
  return {
    message,
    span: before.directive.span,
    related: [{ message: isMissing ? labels.missing : labels.opposite, span: condition.directive.span }],
    ...(isMissing ? createFix(fixTitles.join, "unsafe", addRewriteFlag(before.directive, "OR")) : {}),
  };
}

/** Returns a condition as written, without its flags. */
function describe({ directive }: RewriteCondition): string {
  const [input, pattern] = parseRewriteWords(directive.argumentText) ?? [];
  return `${input?.value ?? ""} ${pattern?.value ?? ""}`;
}
