import {
  type Argument,
  comparePatterns,
  type Directive,
  type DiskPath,
  escapePattern,
  findDiskPath,
  findUndefinedVariable,
  lineKeyOf,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
  RulePlaces,
  readRedirect,
  type Scope,
  seesPathsBelow,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineVariant,
  doubleQuote,
  formatWordList,
  quoteLike,
  quoteRewriteWord,
  quoteText,
  type Report,
  replaceSpan,
  toReadable,
} from "../../src/lint/api/rule.js";
import { decodeCharacters } from "./encoded-character.js";
import { OriginalPaths } from "./original-path.js";
import { findOwnDirectory, type OwnDirectoryPattern } from "./own-directory.js";
import {
  findMisledReverses,
  findUnmatchedCookies,
  findUnmatchedReverses,
  type MisledReverse,
  type UnmatchedCookie,
  type UnmatchedReverse,
} from "./reverse-target.js";
import { findUrlWord, mayHaveUrlWord } from "./url-words.js";
import {
  findWholePathFault,
  findWholePathSection,
  type WholePathFault,
  type WholePathSection,
  wholePaths,
} from "./whole-path.js";

const wholePathNote = ({ section, directory }: WholePathSection) =>
  `in ${quoteText(formatTag(section))}, \`RewriteRule\` compares the whole path of the file, such as ${quoteText(`${directory}page`)}`;

const messages = {
  /** @param corrected the text to use instead */
  neverMatches: (text: string, { note, remedy }: Subject, corrected: string | undefined) => ({
    message: `${quoteText(text)} never matches a request`,
    notes: [note],
    help: [corrected === undefined ? remedy : `use ${quoteText(corrected)}`],
  }),
  file: (target: string) => ({
    message: `${quoteText(target)} is a file with a slash after it`,
    notes: ["httpd looks for the file in a directory of that name, and requests return 404"],
    help: [`use ${quoteText(target.replace(/\/+$/, ""))}`],
  }),
  optional: (text: string, name: string) => ({
    message: `${quoteText(text)} never matches the query of a request`,
    notes: [
      "`?` makes the character before it optional",
      `${quoteText(name)} compares the path, which does not include the query`,
    ],
    help: ["test the query with `RewriteCond %{QUERY_STRING}`, and the path with `RewriteRule`"],
  }),
  wholeUrl: (text: string, name: string) => ({
    message: `${quoteText(text)} never matches a request`,
    notes: [`${quoteText(name)} compares the path, which does not include scheme and host`],
    help: ["test the host with `RewriteCond %{HTTP_HOST}`, and the path with `RewriteRule`"],
  }),
  ownDirectory: (text: string, { repeated, corrected }: OwnDirectoryPattern) => ({
    message: `${quoteText(text)} repeats its own directory`,
    notes: [
      `here, \`RewriteRule\` compares the path below \`${toReadable(repeated)}\`, which the server removes first`,
      "the rule never applies, unless the directory contains one of the same name",
    ],
    help: [corrected === undefined ? "remove the directory from the pattern" : `use ${quoteText(corrected)}`],
  }),
  diskPath: (text: string, { root, corrected }: DiskPath, { key }: Directive) => ({
    message: `${quoteText(text)} is a path of the disk, and not of a URL`,
    notes: [
      corrected === undefined
        ? `URLs do not contain the directory ${quoteText(root)}`
        : `URLs do not contain the document root ${quoteText(root)}`,
      key === "errordocument"
        ? "httpd looks for the page below the document root, and clients get the built-in one"
        : "the line never applies",
    ],
    help: [corrected === undefined ? "use the path of the URL" : `use ${quoteText(corrected)}`],
  }),
  fragment: (text: string) => ({
    message: `${quoteText(text)} matches only a URL with an encoded \`#\``,
    notes: ["browsers do not send the part of a URL after `#`", "an encoded `#` (`%23`) is part of the path"],
    help: ["delete the part after `#`, unless links contain `%23`"],
  }),
  encoded: (text: string, decoded: string) => ({
    message: `${quoteText(text)} does not match the decoded path`,
    notes: ["httpd decodes the path of a URL before it compares it"],
    // Without quotes, the text after a space would be another argument.
    help: [`use ${quoteText(/\s/.test(decoded) ? `"${decoded}"` : decoded)}`],
  }),
  reverse: ({ written, target }: UnmatchedReverse) => ({
    message: `redirects of the backend do not begin with ${quoteText(written)}`,
    notes: [
      `requests go to ${quoteText(target)}, and its redirects reach clients as they are`,
      "`ProxyPassReverse` compares scheme, host and port",
    ],
    help: [`use ${quoteText(target)} here, too`],
  }),
  reversePath: ({ written, target }: UnmatchedReverse) => ({
    message: `redirects of the backend lead to ${quoteText(written)}, which is not proxied`,
    notes: [
      `requests for ${quoteText(target)} go to this backend`,
      `its redirect to ${quoteText("/login")} becomes ${quoteText(`${written.replace(/\/+$/, "")}/login`)}, not ${quoteText(`${target}/login`)}`,
    ],
    help: [`use ${quoteText(target)} here, too`],
  }),
  misledReverse: ({ redirect, result, expected, corrected }: MisledReverse) => ({
    message: `redirects of the backend lead to ${quoteText(result)} in place of ${quoteText(expected)}`,
    notes: [`the backend redirects to ${quoteText(redirect)}, and httpd replaces only the part that the line names`],
    help: [`use ${quoteText(corrected)}`],
  }),
  cookieDomain: (text: string) => ({
    message: `${quoteText(text)} is not the domain of a cookie: the line has no use`,
    notes: ["`ProxyPassReverseCookieDomain` compares the name of a host, without scheme and path"],
    help: ["use the domain of the backend, and then that of this server"],
  }),
  cookiePath: (text: string) => ({
    message: `${quoteText(text)} is not the path of a cookie: the line has no use`,
    notes: ["`ProxyPassReverseCookiePath` compares a path, which begins with `/`"],
    help: ["use the path of the backend, and then that of this server"],
  }),
  swappedCookiePath: (inner: string, outer: string, isUsual: boolean) => ({
    message: `cookies of the backend ${isUsual ? "usually " : ""}have the path ${quoteText(inner)}, and not ${quoteText(outer)}`,
    notes: ["the first argument is the path at the backend, and the second one that at this server"],
    help: [`swap the arguments: ${quoteText(`${inner} ${outer}`)}`],
  }),
  deeper: (text: string, path: string) => ({
    message: `${quoteText(text)} does not match ${quoteText(path)} here`,
    notes: [
      subjects.belowDirectory.note,
      `the rule applies only in directories below, such as ${quoteText(`/x${path}`)}`,
    ],
    help: ["begin the pattern with `(^|/)` in place of `/`, or with `^` for this directory only"],
  }),
  query: (text: string, name: string, lines: readonly string[]) => ({
    message: `${quoteText(text)} never matches the query of a request`,
    notes: [`${quoteText(name)} compares the path, which does not include the query`],
    help: [
      lines.length > 0
        ? `with \`RewriteEngine On\`, use ${formatWordList(lines.map((line) => quoteText(line)))}`
        : "test the query with `RewriteCond %{QUERY_STRING}`, and the path with `RewriteRule`",
    ],
  }),
};

/** What a rule does that compares the whole path. */
const wholePathMessages = {
  location: ({ text }: WholePathFault, place: WholePathSection) => ({
    message: `${quoteText(text)} never matches a request`,
    notes: [wholePathNote(place)],
    help: [wholePathRemedy(place)],
  }),
  group: ({ text, path, result }: WholePathFault, place: WholePathSection) => ({
    message: `${quoteText(text)} contains the whole path of the file`,
    notes: [wholePathNote(place), `${quoteText(path)} becomes ${quoteText(result)}`],
    help: [wholePathRemedy(place)],
  }),
  relative: ({ text, result }: WholePathFault, place: WholePathSection) => ({
    message: `relative target ${quoteText(text)} does not lead to a file`,
    notes: [
      `httpd puts the text of ${quoteText(formatTag(place.section))} before it${result === text ? "" : `: ${quoteText(result)}`}`,
      "requests return 400 or 404",
    ],
    help: ["begin the target with `/`"],
  }),
};

const fixTitles = { replace: (text: string) => `Replace with ${quoteText(text)}` };

const labels = { backend: "the backend of this path", sameSection: "this rule, too" };

function formatTag({ name, argumentText }: Directive): string {
  return `${name} ${argumentText}`;
}

function wholePathRemedy({ section, location }: WholePathSection): string {
  if (section.key.startsWith("<directory"))
    return "put the rules in `.htaccess` files or in `<Directory>` sections without wildcards";
  return location === undefined
    ? "put the rule outside of the section"
    : `put the rule outside of the section, and begin its pattern with ${quoteText(`^${location}`)}`;
}

export const pathPatterns = defineVariant({
  id: "never-matching-path",
  messages: { ...messages, ...wholePathMessages },
  check: ({ project, files, report }) => {
    const places = new RulePlaces(project);
    let hasForwardProxy = false;
    let mergesSlashes = true;
    const paths = new OriginalPaths(project);
    const pending: { readonly fault: Report; readonly isOther: () => boolean }[] = [];
    const check = (directive: Directive, tested: TestedPath | undefined, isOther: () => boolean) => {
      const fault = tested && createReport(directive, tested);
      if (fault === undefined || findUndefinedVariable(tested?.word.value ?? "") !== undefined) return false;
      pending.push({ fault, isOther });
      return true;
    };
    const checkDiskPath = (directive: Directive, word: Argument | undefined, isOther: () => boolean) => {
      const found = word && findDiskPath(word.value, project);
      if (word === undefined || found === undefined) return;
      const span = directive.spanOf(word);
      const message = messages.diskPath(word.value, found, directive);
      const edit = found.corrected && replaceSpan(span, quoteRewriteWord(word, found.corrected));
      const fix = edit ? createFix(fixTitles.replace(found.corrected ?? ""), "unsafe", edit) : {};
      pending.push({ fault: { message, span, ...fix }, isOther });
    };
    /** The path of a request to a forward proxy is a whole URL, and only sections compare it. */
    const isWholeUrl = () => hasForwardProxy;
    const isChanged = (scope: Scope) => {
      if (paths.mayFollowOthers(scope)) return true;
      const isOfServer = scope.place === "server" || scope.place === "virtualhost";
      // Without merging, the path below a directory may begin with `/`.
      return isOfServer ? hasForwardProxy && paths.allowAnyUrl : !mergesSlashes;
    };
    const checkTarget = (directive: Directive) => {
      const [, word] = directive.arguments;
      if (word && fileWithSlash.test(word.value)) {
        const bare = word.value.replace(/\/+$/, "");
        const edit = replaceSpan(directive.spanOf(word), quoteLike(word, bare));
        report({
          message: messages.file(word.value),
          span: directive.spanOf(word),
          ...createFix(fixTitles.replace(bare), "unsafe", edit),
        });
      }
    };
    /** Checks a rule whose pattern can match, but not the path for which it is written. */
    const checkDirectory = (rule: RewriteRule, scope: Scope) => {
      const { directory } = places.find(scope);
      const word = parseRewriteWords(rule.directive.argumentText)?.[0];
      if (directory === undefined || word === undefined || rule.isNegated) return;
      const found = findOwnDirectory(rule, directory, parseRewriteRules(scope.directives), { project, files });
      if (found === undefined) return;
      const span = rule.directive.spanOf(word);
      const edit = found.corrected && replaceSpan(span, quoteRewriteWord(word, found.corrected));
      const message = messages.ownDirectory(word.value, found);
      const fix = edit && createFix(fixTitles.replace(found.corrected ?? ""), "unsafe", edit);
      pending.push({ fault: { message, span, ...fix }, isOther: () => isChanged(scope) });
    };
    /** Checks a rule that begins with a slash, so that it applies only in directories below. */
    const checkDeeper = ({ directive, isNegated }: RewriteRule, scope: Scope) => {
      const word = parseRewriteWords(directive.argumentText)?.[0];
      const path = word && !isNegated && subjectOfRule(scope) === subjects.belowDirectory && slashPathOf(word.value);
      if (!word || !path) return;
      const fault: Report = { message: messages.deeper(word.value, path), span: directive.spanOf(word) };
      pending.push({ fault: { severity: "info", ...fault }, isOther: () => isChanged(scope) });
    };
    const checkWholePath = (rule: RewriteRule, whole: WholePathSection, scope: Scope) => {
      const hasBase = scope.directives.some(({ key }) => key === "rewritebase");
      const found = findWholePathFault(rule, whole, hasBase);
      const words = parseRewriteWords(rule.directive.argumentText);
      const word = found?.kind === "location" ? words?.[0] : words?.[1];
      if (found === undefined || word === undefined) return;
      const message = wholePathMessages[found.kind](found, whole);
      const fault: Report = {
        ...{ message, span: rule.directive.spanOf(word), related: [] },
        cause: { key: `${lineKeyOf(whole.section)} ${found.kind}`, also: labels.sameSection },
      };
      pending.push({ fault, isOther: () => isChanged(scope) });
    };
    const settings: ReadonlyMap<string, (directive: Directive) => void> = new Map([
      ["alias", checkTarget],
      [
        "proxyrequests",
        ({ arguments: [word] }) => {
          hasForwardProxy ||= word?.value.toLowerCase() === "on";
        },
      ],
      [
        "mergeslashes",
        ({ arguments: [word] }) => {
          mergesSlashes &&= word?.value.toLowerCase() !== "off";
        },
      ],
    ]);
    return {
      directives({ key }) {
        const usual = usualArguments.get(key);
        const setting = settings.get(key);
        const hasUrl = mayHaveUrlWord(key);
        if (usual === undefined && !hasUrl) return setting;
        return (directive, scope) => {
          if (hasUrl) checkDiskPath(directive, findUrlWord(directive), () => false);
          if (usual && !usual.test(directive.argumentText))
            check(directive, readTestedPath(directive, scope), key === "<locationmatch" ? isWholeUrl : () => false);
          setting?.(directive);
        };
      },
      scope: {
        holding: [
          ...["rewriterule", "rewriteoptions", "proxypassreverse", "<location"],
          ...["proxypassreversecookiedomain", "proxypassreversecookiepath"],
        ],
        visit(scope) {
          paths.visit(scope);
          if (scope.place === "server" || scope.place === "virtualhost") {
            for (const found of findUnmatchedReverses(scope.directives)) report(reportReverse(found));
            for (const found of findMisledReverses(scope.directives))
              report({
                message: messages.misledReverse(found),
                span: found.directive.span,
                related: [{ message: labels.backend, span: found.proxyPass.span }],
              });
            for (const found of findUnmatchedCookies(scope.directives)) report(reportCookie(found));
          }
          const whole = findWholePathSection(scope, project);
          for (const { rule, results } of listRulesWithPaths(scope)) {
            const tested = readTestedRule(rule, scope, whole);
            if (results.length > 0) {
              const after = tested && whole === undefined ? afterRules(tested, results) : undefined;
              check(rule.directive, after, () => isChanged(scope));
              continue;
            }
            const isFaulty = check(rule.directive, tested, () => isChanged(scope));
            const isServer = scope.place === "server" || scope.place === "virtualhost";
            const word = parseRewriteWords(rule.directive.argumentText)?.[0];
            if (!isFaulty && isServer && !rule.isNegated) checkDiskPath(rule.directive, word, () => isChanged(scope));
            if (!isFaulty && whole) checkWholePath(rule, whole, scope);
            else if (!isFaulty) {
              checkDirectory(rule, scope);
              checkDeeper(rule, scope);
            }
          }
        },
      },
      end() {
        for (const { fault, isOther } of pending) if (!isOther()) report(fault);
      },
    };
  },
});

/** The texts that a path or pattern is compared with. */
interface Subject {
  /** All of them, as a pattern. */
  readonly texts: string;
  readonly note: string;
  /** The remedy if no small correction is known. */
  readonly remedy: string;
}

const correctPattern = "correct the pattern, or delete this line";

const subjects = {
  urlPath: { texts: "/.*", note: "the path of a URL begins with `/`", remedy: correctPattern },
  belowDirectory: {
    texts: "(?:[^/].*)?",
    note: "here, `RewriteRule` compares the path below the directory, which does not begin with `/`",
    remedy: correctPattern,
  },
  fileName: {
    texts: "[^/]*",
    note: "`<FilesMatch>` compares file names, which do not contain `/`",
    remedy: "use only the name, in a `<Directory>` section for its directory",
  },
  fileNameInHtaccess: {
    texts: "[^/]*",
    note: "`<FilesMatch>` compares file names, which do not contain `/`",
    remedy: "use only the name, in the `.htaccess` file of its directory",
  },
} satisfies Readonly<Record<string, Subject>>;

const usualPath = /^"?\/[^?#%]*$/;
const usualPattern = /^("?)\^\/(?:[\w/.*()|-]|\\\.)*\$?\1(?:[\s>]|$)/;
const usualNamePattern = /^("?)\^?(?:[\w.*()|-]|\\\.)*\$?\1(?:[\s>]|$)/;

/**
 * Directives with a path or pattern, and arguments of them that match some request. Most lines have such arguments, so
 * only those of other lines are split and compared.
 */
const usualArguments: ReadonlyMap<string, RegExp> = new Map([
  ["alias", usualPath],
  ["scriptalias", usualPath],
  ["redirect", usualPath],
  ["redirectpermanent", usualPath],
  ["redirecttemp", usualPath],
  ["aliasmatch", usualPattern],
  ["scriptaliasmatch", usualPattern],
  ["redirectmatch", usualPattern],
  ["<locationmatch", usualPattern],
  ["<filesmatch", usualNamePattern],
]);

interface TestedPath {
  readonly word: Argument;
  readonly subject: Subject;
  readonly isPattern: boolean;
  readonly ignoresCase: boolean;
}

/** A rule, and the paths that rules before it may have made of that of the request, as patterns. */
interface RuleWithPaths {
  readonly rule: RewriteRule;
  readonly results: readonly string[];
}

/** Returns the rules of a scope with the results of those before them; none if rules may begin again. */
function listRulesWithPaths({ directives, place }: Scope): readonly RuleWithPaths[] {
  const rules = parseRewriteRules(directives);
  const goesOn = ({ output, flags }: RewriteRule) =>
    output !== undefined && !["last", "end", "proxy"].some((flag) => flags.names.has(flag));
  if (rules.some((rule) => goesOn(rule) && rule.flags.names.has("next"))) return [];
  const isOfServer = place === "server" || place === "virtualhost";
  const results = new Set<string>();
  return rules.map((rule) => {
    const before = results.size > MAX_RESULTS ? [anyPath] : [...results];
    if (goesOn(rule)) results.add(resultOf(rule, isOfServer));
    return { rule, results: before };
  });
}

/** After more different results, any path counts as possible. */
const MAX_RESULTS = 50;
const anyPath = ".*";

/**
 * Returns a pattern for the path after a rule, which the next rule compares: a URL after a redirect, or the target with the path
 * after the file (mod_rewrite.c `apply_rewrite_rule`).
 */
function resultOf({ output = "", flags }: RewriteRule, isOfServer: boolean): string {
  const [start = ""] = /^[\w/.-]*/.exec(output) ?? [];
  if (start === "") return anyPath;
  if (flags.names.has("redirect")) return "\\w+:.*";
  // A URL of this server becomes a path again.
  if (output.startsWith(`${start}:`)) return "(?:\\w+:|/).*";
  return `${isOfServer && !start.startsWith("/") ? "/" : ""}${escapePattern(start)}.*`;
}

/** Returns the pattern of a rule; undefined if it is negated, or if what it is compared with depends on the request. */
function readTestedRule(
  { directive, isNegated, flags }: RewriteRule,
  scope: Scope,
  whole: WholePathSection | undefined,
): TestedPath | undefined {
  const word = parseRewriteWords(directive.argumentText)?.[0];
  const subject = whole
    ? { texts: wholePaths, note: wholePathNote(whole), remedy: wholePathRemedy(whole) }
    : subjectOfRule(scope);
  if (word === undefined || subject === undefined || isNegated) return undefined;
  return { word, subject, isPattern: true, ignoresCase: flags.names.has("nocase") };
}

/** Returns what a rule compares after others; undefined if the path of the request, or one of their results, may match. */
function afterRules(tested: TestedPath, results: readonly string[]): TestedPath | undefined {
  const { word, subject, ignoresCase } = tested;
  const all = [subject.texts, ...results];
  // Most rules match the path of the request, so that nothing else is compared.
  if (!all.every((texts) => matchesNone(texts, word.value, ignoresCase))) return undefined;
  return { ...tested, subject: { ...subject, texts: `(?:${all.join("|")})` } };
}

/** Returns the path or pattern that a line of mod_alias or a section compares; undefined if it has none. */
function readTestedPath(directive: Directive, scope: Scope): TestedPath | undefined {
  const { key, arguments: words } = directive;
  const common = { subject: subjects.urlPath, isPattern: key.endsWith("match"), ignoresCase: false };
  switch (key) {
    case "redirect":
    case "redirectmatch": {
      const [first, second, third] = words;
      const word = first && statusWord.test(first.value) ? second : first;
      // Without a path, Redirect applies to the whole section.
      const hasPath = third !== undefined || word === first || /^(?:gone|4\d\d|5\d\d)$/i.test(first?.value ?? "");
      return word && hasPath && words.length > 1 ? { ...common, word } : undefined;
    }
    default: {
      const [word, target] = words;
      const isSection = key.startsWith("<");
      if (word === undefined || (!isSection && target === undefined)) return undefined;
      return { ...common, word, ...(key === "<filesmatch" ? { subject: subjectOfFiles(word.value, scope) } : {}) };
    }
  }
}

const statusWord = /^(?:permanent|temp|seeother|gone|\d{3})$/i;

/** Returns the subject of `<FilesMatch>`, whose remedy names the directory if the pattern does. */
function subjectOfFiles(pattern: string, { inHtaccess }: Scope): Subject {
  const subject = inHtaccess ? subjects.fileNameInHtaccess : subjects.fileName;
  const [, directory, name] = /^\^\/?((?:[\w-]|\\\.)+(?:\/(?:[\w-]|\\\.)+)*)\/([^/]*)$/.exec(pattern) ?? [];
  if (directory === undefined || name === undefined) return subject;
  const folder = directory.replace(/\\/g, "");
  const place = inHtaccess ? quoteText(`${folder}/.htaccess`) : `a \`<Directory>\` section for ${quoteText(folder)}`;
  if (/^(?:\.\*)?\$?$/.test(name)) return { ...subject, remedy: `put the lines of the section into ${place}` };
  const start = name.startsWith(".*") ? name.slice(".*".length) : `^${name}`;
  return { ...subject, remedy: `use ${quoteText(`<FilesMatch "${start}">`)} in ${place}` };
}

/** Returns what RewriteRule compares in a scope; undefined if that depends on the request. */
function subjectOfRule(scope: Scope): Subject | undefined {
  if (scope.place === "server" || scope.place === "virtualhost") return subjects.urlPath;
  return seesPathsBelow(scope) ? subjects.belowDirectory : undefined;
}

/**
 * Returns the lines that do what a Redirect with a query is meant to do, in any section or file; empty for other lines. The
 * question mark at the end drops the query (mod_rewrite.c `splitout_queryargs`).
 */
function rulesFor(directive: Directive): readonly string[] {
  const { from = "", to, status } = (/match$/.test(directive.key) ? undefined : readRedirect(directive, false)) ?? {};
  const [, path, query] = /^(\/[\w/.~-]*)\?([\w=&.,~+-]+)$/.exec(from) ?? [];
  if (path === undefined || query === undefined || to === undefined || !/^[!-~]+$/.test(to) || /[%$#\\]/.test(to))
    return [];
  const target = to.includes("?") ? to : `${to}?`;
  return [
    `RewriteCond %{REQUEST_URI} =${path}`,
    `RewriteCond %{QUERY_STRING} =${query}`,
    `RewriteRule ^ ${target} [R=${status},L]`,
  ];
}

function createReport(directive: Directive, tested: TestedPath): Report | undefined {
  const { word, subject, isPattern, ignoresCase } = tested;
  const { value } = word;
  if (isPattern ? matchesNone("[^?]*", value, ignoresCase) : value.includes("?"))
    return { message: messages.query(value, directive.name, rulesFor(directive)), span: directive.spanOf(word) };
  if (directive.key === "rewriterule" && wholeUrlPattern.test(value))
    return { message: messages.wholeUrl(value, directive.name), span: directive.spanOf(word) };
  if (hasFragment(directive, tested))
    return { severity: "info", message: messages.fragment(value), span: directive.spanOf(word) };
  const decoded = decodeCharacters(directive, value, isPattern);
  if (decoded !== undefined) return reportEncoded(directive, tested, decoded);
  if (isPattern && queryPattern.test(value))
    return { message: messages.optional(value, directive.name), span: directive.spanOf(word) };
  const isNever = isPattern ? matchesNone(subject.texts, value, ignoresCase) : !value.startsWith("/");
  if (!isNever || value === "") return undefined;
  const span = directive.spanOf(word);
  const corrected = correct(tested);
  const message = messages.neverMatches(value, subject, corrected);
  const edit = corrected && replaceSpan(span, quoteRewriteWord(word, corrected));
  if (!corrected || !edit) return { message, span };
  return { message, span, fix: { title: fixTitles.replace(corrected), safety: "unsafe", edits: [edit] } };
}

/** Returns the path that a pattern begins with, if the pattern does not match it without its slash. */
function slashPathOf(pattern: string): string | undefined {
  const [written] = /^\/[\w-](?:[\w/-]|\\[.-])*(?![\w?*+{\\])/.exec(pattern) ?? [];
  const path = written?.replaceAll("\\", "");
  if (path === undefined || path.length < 3) return undefined;
  return matchesNone(`${escapePattern(path.slice(1))}[^/]*`, pattern, false) ? path : undefined;
}

function reportCookie(found: UnmatchedCookie): Report {
  const { directive, written, kind } = found;
  const word = directive.arguments.find(({ value }) => value === written);
  const span = word ? directive.spanOf(word) : directive.span;
  if (kind === "swapped") {
    // A backend may set cookies for a path that it does not have.
    const isUsual = found.inner === "/";
    const message = messages.swappedCookiePath(found.inner, found.outer, isUsual);
    return { message, span, ...(isUsual ? { severity: "info" } : {}) };
  }
  return { message: kind === "domain" ? messages.cookieDomain(written) : messages.cookiePath(written), span };
}

function reportReverse(found: UnmatchedReverse): Report {
  const { directive, written, target, proxyPass } = found;
  const word = directive.arguments.find(({ value }) => value === written);
  const span = word ? directive.spanOf(word) : directive.span;
  return {
    message: found.isPath ? messages.reversePath(found) : messages.reverse(found),
    span,
    related: [{ message: labels.backend, span: proxyPass.span }],
    ...(word ? createFix(fixTitles.replace(target), "unsafe", replaceSpan(span, quoteLike(word, target))) : {}),
  };
}

function reportEncoded(directive: Directive, { word }: TestedPath, decoded: string): Report {
  const span = directive.spanOf(word);
  const message = messages.encoded(word.value, decoded);
  // A blank ends a word without quotes.
  const isWord = word.quote !== "none" || !/\s/.test(decoded);
  const edit = replaceSpan(span, isWord ? quoteRewriteWord(word, decoded) : doubleQuote(decoded));
  return { message, span, ...createFix(fixTitles.replace(decoded), "unsafe", edit) };
}

/** A target with an extension of files that are not programs, which may have a path after them. */
const fileWithSlash = /\/[\w-]+\.(?:css|gif|html?|ico|jpe?g|js|json|pdf|png|svg|txt|webmanifest|xml)\/+$/i;

/** A script or page, and then a query whose `?` is not escaped: no path is expected to look like `a.phid=1`. */
const queryPattern = /\\?\.(?:aspx?|cgi|html?|jsp|php\d?|pl|txt)\?[\w[\]%-]+=/i;

/** httpd merges the slashes of a path. */
const wholeUrlPattern = /^\^?\(?https?\??:\/\//;

/** Returns whether a redirect or a rewriting, which is for browsers, needs a `#` in the path. */
function hasFragment({ key, argumentText }: Directive, { word, isPattern, ignoresCase }: TestedPath): boolean {
  const { value } = word;
  if (!value.includes("#") || !/^(?:redirect|rewriterule$)/.test(key)) return false;
  // A rule that denies a request may be about a file with such a name.
  if (key === "rewriterule" && /\[.*\b(?:F|forbidden|G|gone|R=4\d\d)\b/i.test(argumentText)) return false;
  return !isPattern || matchesNone("[^#?]*", value, ignoresCase);
}

function matchesNone(texts: string, pattern: string, ignoresCase: boolean): boolean {
  return comparePatterns(texts, pattern, ignoresCase) === "none";
}

/** Returns the text with a leading slash added or removed, if it matches then. */
function correct({ word: { value }, subject, isPattern, ignoresCase }: TestedPath): string | undefined {
  if (!isPattern) {
    // The path is not a pattern: httpd compares it as it is.
    const plain = value.replace(/^\^/, "").replace(/\\([./-])/g, "$1");
    return /^\/?[\w.][\w./~-]*$/.test(plain) ? plain.replace(/^(?!\/)/, "/") : undefined;
  }
  if (subject.remedy !== correctPattern) return undefined;
  const changed = subject === subjects.belowDirectory ? value.replace(/^\^\//, "^") : value.replace(/^\^/, "^/");
  return changed !== value && !matchesNone(subject.texts, changed, ignoresCase) ? changed : undefined;
}
