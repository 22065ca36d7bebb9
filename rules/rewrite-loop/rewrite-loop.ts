import {
  type EndlessRequest,
  findRedirectOfIndex,
  formatLineTitle,
  forwardedSchemeOf,
  type Hop,
  innerTargetOf,
  lineTrialsOf,
  matchGroupsOf,
  redirectingLineOf,
  type Trial,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  comparePatterns,
  type Directive,
  escapePattern,
  indexDirectives,
  mayHaveMoreLines,
  mayNameDirectory,
  type Project,
  parseRewriteRules,
  type RewriteRule,
  type RulePlace,
  RulePlaces,
  readRedirect,
  type Scope,
  stripServerName,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  formatCount,
  indentOf,
  insertLinesBefore,
  quoteShort,
  quoteText,
  type Report,
  type RuleContext,
} from "../../src/lint/api/rule.js";
import { type FixedDirectory, findFixedDirectory } from "./fixed-directory.js";

/** How long a URL may be in a header. */
const MAX_SHOWN = 32;

const shown = (url: string) => quoteShort(url, MAX_SHOWN);

const assumedRoot = "this holds if the file is in the document root";
const browsers = "browsers give up with an error about too many redirects";
const firstRound = "add `RewriteCond %{ENV:REDIRECT_STATUS} ^$` before the rule, so that it does not apply to results";

const messages = {
  internal: (
    path: string,
    steps: readonly string[],
    isAtRoot: boolean,
    isElsewhere: boolean,
    guess: Trial["guess"],
    remedy: string | undefined,
  ) => ({
    message: `requests such as ${shown(path)} return 500: rewriting never ends`,
    notes: [
      formatSteps(steps),
      "in a directory, the rules run again for each result; after 10 rounds, httpd returns 500 (AH00124)",
      ...(isAtRoot ? [assumedRoot] : []),
      ...(isElsewhere ? ["this holds if the directory of the result has no rules of its own"] : []),
      ...(guess === "with extension" ? ["this holds if the file with the extension exists"] : []),
    ],
    help: remedy === undefined ? [firstRound] : [remedy, `or ${firstRound}`],
  }),
  restarts: (path: string, steps: readonly string[], rounds: number, isTooLong: boolean) => ({
    message: `requests such as ${shown(path)} return 500: the rules restart without an end`,
    notes: [
      formatSteps(steps),
      `\`N\` starts the rules again with the result; httpd stops after ${formatCount(rounds, "round")}${isTooLong ? ", when the URL is too long" : " (AH02596)"}`,
    ],
    help: ["use `L` instead of `N`, or exclude the result with the pattern"],
  }),
  errorDocument: (status: string, urls: readonly string[], path: string) => ({
    message: `too many redirects: the URL of the error document returns ${status} as well`,
    notes: [formatSteps(urls), browsers],
    help: [
      `use a path of this server, such as ${quoteText(path)}`,
      status === "401" || status === "403"
        ? "and allow every client to read it, or httpd sends its own page"
        : "or correct the URL",
    ],
  }),
  itself: (url: string, isAtRoot: boolean, assumedName: string | undefined, remedy: string | undefined) => ({
    message: `too many redirects: ${shown(url)} is redirected to itself`,
    notes: [
      browsers,
      ...(isAtRoot ? [assumedRoot] : []),
      ...(assumedName === undefined ? [] : [`this holds if the site has the name ${quoteText(assumedName)}, too`]),
    ],
    help: [remedy ?? "exclude the target with the pattern or a condition, or correct the target"],
  }),
  again: (url: string, isAtRoot: boolean, { by, path, end }: InnerTarget) => ({
    message: `too many redirects: ${shown(url)} is redirected to itself`,
    notes: [
      `${formatLineTitle(by)} leads to ${shown(path)}, and the rules run again for it`,
      browsers,
      ...(isAtRoot ? [assumedRoot] : []),
    ],
    help: [`${end} in ${formatLineTitle(by)}`],
    changesRelated: true as const,
  }),
  index: (url: string, reason: string, remedy: readonly string[], isAtRoot: boolean, isDefault: boolean) => ({
    message: `too many redirects: ${shown(url)} is redirected to itself`,
    notes: [
      reason,
      browsers,
      ...(isAtRoot ? [assumedRoot] : []),
      ...(isDefault ? ["this holds unless another file sets `DirectoryIndex`: by default, it is `index.html`"] : []),
    ],
    help: remedy,
  }),
  each: (url: string, next: string, isAtRoot: boolean, exact: string | undefined) => ({
    message: `too many redirects: ${shown(url)} leads to ${shown(next)}, and so on`,
    notes: ["the redirect applies to its own target", browsers, ...(isAtRoot ? [assumedRoot] : [])],
    help: [
      exact === undefined
        ? "exclude the target with the pattern or a condition, or correct the target"
        : `use ${quoteText(exact)}, which is for this path only`,
    ],
  }),
  several: (urls: readonly string[], isAtRoot: boolean) => ({
    message: `too many redirects: ${shown(urls[0] ?? "")} leads back to itself`,
    notes: [formatSteps([...urls, urls[0] ?? ""]), browsers, ...(isAtRoot ? [assumedRoot] : [])],
    help: ["delete one of the redirects, or exclude its target with a condition"],
  }),
  slash: (url: string, isRule: boolean, isGuess: boolean) => ({
    message: `too many redirects: httpd adds the slash of the directory ${shown(url)} again`,
    notes: [
      isGuess
        ? "this holds for every directory that exists: httpd redirects a URL without the slash to that with it"
        : "httpd redirects the URL of a directory without the slash to that with it",
      browsers,
    ],
    // Without DirectorySlash, httpd searches no index file for the URL without the slash.
    help: [
      isRule ? "add `RewriteCond %{REQUEST_FILENAME} !-d` before the rule" : "exclude directories from the redirect",
    ],
  }),
  behindProxy: (header: string) => ({
    message: "redirect to https loops behind a proxy that terminates TLS",
    notes: [
      `another line reads the scheme of the client from ${quoteText(header)}`,
      "the condition tests the connection from the proxy, so `https://…/x` is redirected to itself",
    ],
    help: [`add ${quoteText(`RewriteCond %{HTTP:${header}} !=https`)}`],
  }),
  alternativeBehindProxy: (header: string) => ({
    message: "redirect to https loops behind a proxy that terminates TLS",
    notes: [
      `because of \`[OR]\`, the rule does not depend on ${quoteText(header)}`,
      "the condition tests the connection from the proxy, so `https://…/x` is redirected to itself",
    ],
    help: ["delete `[OR]`"],
  }),
  fixedDirectory: ({ request, directory, corrected, rest }: FixedDirectory) => ({
    message: `too many redirects: ${shown(request)} leads to the directory ${shown(directory)} itself`,
    notes: [
      "no reference in the target has the rest of the path",
      "httpd adds the slash of the directory to each of them, and to each result",
    ],
    help: [
      corrected !== undefined
        ? `use ${quoteText(corrected)}`
        : rest.isWritten
          ? `add the rest of the path to the target: \`$${rest.group}\``
          : `add a group for the rest, and its reference: \`$${rest.group}\``,
    ],
  }),
  forAll: (next: string) => ({
    message: `every request is redirected to ${quoteText(next)}`,
    notes: ["with one path, `Redirect` applies to each request of its section, and to the target as well", browsers],
    help: ["add the target after the path"],
  }),
};

const remedies = {
  result: "exclude the result with the pattern or a condition",
  end: (isLast: boolean) => (isLast ? "use `END` instead of `L`" : "add the flag `END`"),
  directory: (path: string, isAtRoot: boolean) =>
    `add ${quoteText(`RewriteCond %{REQUEST_URI} !^${escapePattern(path)}`)} before the rule${isAtRoot ? ", if this file is in the document root" : ""}`,
  plainHost: "delete this line: it is for the virtual host without TLS",
  scheme: "add `RewriteCond %{HTTPS} !=on` before the rule",
  query: "add the flag `QSD`: the redirect keeps the query, which the condition tests again",
  dots: (pattern: string) => `use ${quoteText(pattern)}: a dot matches any character, such as the \`/\` of the target`,
};

/** A rule that leads to the URL that is redirected, and what ends the rounds after it. */
interface InnerTarget {
  readonly by: Directive;
  readonly path: string;
  readonly end: string;
}

const labels = {
  inner: "leads to the URL that is redirected",
  reader: "reads the scheme of the client",
  other: "leads to the next URL",
};

const fixTitles = { test: "Test the header of the proxy" };

function formatSteps(urls: readonly string[]): string {
  const [first = "", ...others] = urls.slice(0, 4).map((url) => quoteShort(url, 60));
  return `${first} becomes ${others.join(", then ")}`;
}

const indexKeys: ReadonlySet<string> = new Set(["directoryindex"]);

const redirectKeys = ["redirect", "redirectmatch", "redirectpermanent", "redirecttemp"];

export const rewriteLoop = defineRule({
  id: "rewrite-loop",
  title: "Redirect or rewrite rule without an end",
  group: "correctness",
  severity: "warning",
  advice: "if a loop has no remedy",
  description:
    "A RewriteRule or Redirect whose requests never end: too many redirects, or status 500 after ten internal ones.",
  help: "Requests that each line was written for are simulated, and redirects to the same server are followed. In a directory or `.htaccess` file, httpd goes through the rules again for each result: a rule that applies to its own result fails with 500 (AH00124). Redirects that lead back to a URL never end in a browser. Exclude the target, or use the flag END.",
  tags: ["correctness"],
  messages,
  check: (context) => {
    const { project, report } = context;
    const places = new RulePlaces(project);
    const reported = new Set<Directive>();
    const checkAlias = (line: Directive) => {
      const found = findFixedDirectory(line, context);
      if (found) report({ message: messages.fixedDirectory(found), span: line.span });
    };
    return {
      directives: { aliasmatch: checkAlias, scriptaliasmatch: checkAlias },
      scope: {
        holding: ["rewriterule", "errordocument", ...redirectKeys],
        // Hosts that are alike may have different files.
        passesAlikeHosts: context.files === undefined,
        visit(scope) {
          for (const finding of findingsIn(scope, places, reported, context)) report(finding);
        },
      },
    };
  },
});

function* findingsIn(
  scope: Scope,
  places: RulePlaces,
  reported: Set<Directive>,
  context: RuleContext,
): Generator<Report> {
  const trials = lineTrialsOf(context);
  const place = places.find(scope);
  const rules = new Map(parseRewriteRules(scope.directives).map((rule) => [rule.directive, rule]));
  for (const line of scope.directives) {
    const rule = rules.get(line);
    if (rule && (!mayLoop(rule, place) || leavesBase(rule, place, context))) continue;
    const trial = rule ? trials.tryRule(rule, scope) : tryOther(line, scope, trials);
    // Of lines that lead to each other, the first one is reported.
    if (trial === undefined || trial.endless.lines.some((each) => reported.has(each))) continue;
    const finding = createReport(line, rule, trial, place, scope, context);
    if (finding === undefined) continue;
    for (const each of trial.endless.lines) reported.add(each);
    yield finding;
  }
}

function tryOther(line: Directive, scope: Scope, trials: ReturnType<typeof lineTrialsOf>): Trial | undefined {
  if (line.key === "errordocument") return trials.tryErrorDocument(line, scope);
  return redirectKeys.includes(line.key) ? trials.tryRedirect(line, scope) : undefined;
}

/** Reports whether requests that a rule applies to may come back: it rewrites to a URL of the server, or redirects. */
function mayLoop({ flags: { names, answers }, output }: RewriteRule, { isDirectory }: RulePlace): boolean {
  if (answers || names.has("proxy")) return false;
  if (names.has("next")) return true;
  if (output === undefined) return false;
  const isRedirect = names.has("redirect") || /^https?:/i.test(output);
  return isRedirect || (isDirectory && !names.has("end"));
}

/** Reports whether a `.htaccess` file on its own names its own URL path, and the target of a rule is elsewhere. */
function leavesBase(
  { output = "" }: RewriteRule,
  { base = "/", isAssumed }: RulePlace,
  { project }: RuleContext,
): boolean {
  return project.kind === "htaccess" && !isAssumed && output.startsWith("/") && !output.startsWith(base);
}

function createReport(
  line: Directive,
  rule: RewriteRule | undefined,
  trial: Trial,
  place: RulePlace,
  scope: Scope,
  context: RuleContext,
): Report | undefined {
  const { endless } = trial;
  const others = endless.lines.filter((each) => each !== line);
  const inner = endless.kind === "redirects" ? findInnerTarget(line, endless, scope) : undefined;
  const related = [
    ...others.map(({ span }) => ({ message: labels.other, span })),
    ...(inner ? [{ message: labels.inner, span: inner.by.span }] : []),
  ];
  const isAtRoot = place.isAssumed && !/^(?:https?:|[^/])/i.test(rule?.output ?? "x");
  if (endless.kind === "internal") {
    const [first = "", ...next] = endless.paths;
    const isElsewhere = leadsElsewhere(next[0] ?? "", place, context.files);
    // The directory of a subdomain may be missing, and few of them have rules.
    const isOfHost = /^\/?%\d\//.test(rule?.output ?? "") && context.project.kind === "htaccess";
    // A result below the path of a file is in no directory.
    const isBelowFile = first.endsWith("/") && next[0]?.startsWith(first) === true;
    if (isElsewhere && !isOfHost && !isBelowFile) return undefined;
    const steps = [first, ...next.slice(0, 2)].filter((path, index, all) => path !== all[index - 1]);
    const isOfSomePages = isElsewhere || first.endsWith("/");
    return {
      severity: isOfSomePages ? "warning" : "error",
      message: messages.internal(
        first,
        steps,
        isAtRoot,
        isElsewhere && isOfHost,
        trial.guess,
        endOfRounds(rule, next[0] ?? "", place),
      ),
      span: line.span,
      related,
      witness: witnessOf(endless.hop.answer),
    };
  }
  if (endless.kind === "restarts") {
    const { paths, rounds, isTooLong, hop } = endless;
    return {
      severity: "error",
      message: messages.restarts(hop.request.path, paths.slice(0, 3), rounds, isTooLong),
      span: line.span,
      witness: witnessOf(hop.answer),
    };
  }
  const [first] = endless.hops;
  if (first === undefined) return undefined;
  const witness = witnessOf(first.answer);
  const index = endless.hops.length === 1 ? findRedirectOfIndex(first.answer.outcome) : undefined;
  if (index) {
    // A name before it may be that of a file.
    if (!index.isFirst && trial.guess !== "disk") return undefined;
    const { project } = context;
    const isOpen = project.isPart || mayHaveMoreLines(project);
    const isDefault = isOpen && !indexDirectives(project).hasAny(indexKeys);
    return {
      ...(isDefault ? { severity: "info" as const } : {}),
      message: messages.index(urlsOf(endless.hops)[0] ?? "", index.text, index.help ?? [], isAtRoot, isDefault),
      span: line.span,
      related,
      witness,
    };
  }
  if (endless.isBehindProxy) return reportBehindProxy(line, rule, context, witness);
  return {
    message: messageOf(line, rule, trial, endless, inner, isAtRoot, scope, context.project),
    span: line.span,
    related,
    witness,
  };
}

function messageOf(
  line: Directive,
  rule: RewriteRule | undefined,
  trial: Trial,
  { hops, isCycle }: EndlessRequest & { readonly kind: "redirects" },
  inner: InnerTarget | undefined,
  isAtRoot: boolean,
  scope: Scope,
  project: Project,
) {
  const urls = urlsOf(hops);
  if (line.key === "errordocument") {
    const [code, url] = line.arguments;
    const status = code?.value ?? "";
    const path = /^https?:\/\/[^/]+(\/[^?#]+)/i.exec(url?.value ?? "")?.[1] ?? `/${status}.html`;
    return messages.errorDocument(status, urls.length === 1 ? [...urls, ...urls] : urls, path);
  }
  const isInSection = scope.place !== "server" && scope.place !== "virtualhost";
  if (rule === undefined && readRedirect(line, isInSection)?.from === undefined)
    return messages.forAll(readRedirect(line, isInSection)?.to ?? "");
  const slash = hops.findIndex(({ answer }) => redirectingLineOf(answer) === undefined);
  if (slash >= 0) return messages.slash(urls[slash] ?? "", rule !== undefined, trial.guess === "directory");
  if (!isCycle) return messages.each(urls[0] ?? "", urls[1] ?? "", isAtRoot, exactRedirectOf(line));
  if (urls.length > 1) return messages.several(urls, isAtRoot);
  const remedy = remedyFor(line, rule, hops, scope, project);
  if (inner && remedy === undefined) return messages.again(urls[0] ?? "", isAtRoot, inner);
  return messages.itself(urls[0] ?? "", isAtRoot, assumedNameOf(rule, scope), remedy);
}

/** Finds the rule of a directory that leads to a URL, which a line redirects back in the next round. */
function findInnerTarget(
  line: Directive,
  { hops, isCycle }: EndlessRequest & { readonly kind: "redirects" },
  { directives }: Scope,
): InnerTarget | undefined {
  const [hop] = hops;
  const found = hop && isCycle && hops.length === 1 ? innerTargetOf(hop.answer) : undefined;
  const rule = parseRewriteRules(directives).find(({ directive }) => directive === found?.by);
  if (found === undefined || found.by === line || rule === undefined || mayNameDirectory(rule)) return undefined;
  return { ...found, end: remedies.end(rule.flags.names.has("last")) };
}

/** Returns what ends the rounds of a rule; undefined if only a condition on the round does. */
function endOfRounds(rule: RewriteRule | undefined, next: string, { base = "/", isAssumed }: RulePlace) {
  if (rule === undefined || !takesIndexOf(rule, next.slice(base.length)))
    return rule?.flags.names.has("redirect") ? remedies.result : remedies.end(rule?.flags.names.has("last") ?? true);
  const [, slash = "", directory] = /^(\/?)((?:[\w.-]+\/)+)(?=$|[$%])/.exec(rule.output ?? "") ?? [];
  if (directory === undefined) return undefined;
  return remedies.directory(`${slash === "" ? base : slash}${directory}`, isAssumed && slash === "");
}

/** Reports whether a rule whose target is a directory also applies to its index file, in a subrequest that END does not hold for. */
function takesIndexOf(rule: RewriteRule, target: string): boolean {
  const leavesFiles = rule.conditions.some(({ test, isNegated }) => test.kind === "file" && isNegated);
  const leavesIndex = leavesFiles && !rule.conditions.some(({ orNext }) => orNext);
  const index = `${target.replace(/\/$/, "")}/index.html`;
  const isFound = isMatch(rule.pattern, index, rule.flags.names.has("nocase"));
  return mayNameDirectory(rule) && !leavesIndex && isFound !== rule.isNegated;
}

/** Returns what ends a redirect to the same URL, if its cause is known. */
function remedyFor(
  line: Directive,
  rule: RewriteRule | undefined,
  [hop]: readonly Hop[],
  scope: Scope,
  project: Project,
): string | undefined {
  if (hop === undefined) return undefined;
  if (rule && keepsTestedQuery(rule)) return remedies.query;
  const isToHttps = (target: string) => /^https:/i.test(target) && hop.request.scheme === "https";
  if (
    isToHttps(rule?.output ?? "") &&
    rule?.conditions.every(({ input }) => !/%\{(?:HTTPS|SERVER_PORT|REQUEST_SCHEME)\}/i.test(input))
  )
    return remedies.scheme;
  const pattern = rule?.pattern ?? (line.key === "redirectmatch" ? readRedirect(line, false)?.from : undefined);
  const written = pattern?.replace(/(?<=[\w-])\.(?=[\w-])/g, "\\.");
  const redirect = rule === undefined ? readRedirect(line, false) : undefined;
  const isOfPlainHost =
    isToHttps(redirect?.to ?? "") &&
    keepsEachPath(line, redirect?.from, redirect?.to) &&
    isOnlyName(hop.request.host, scope, project);
  const otherHost = isOfPlainHost ? remedies.plainHost : undefined;
  if (pattern === undefined || written === undefined || written === pattern || rule?.isNegated) return otherHost;
  const ignoresCase = rule?.flags.names.has("nocase") === true;
  const { path } = hop.request;
  // A pattern of a directory sees a part of the path, whose start is not known here.
  const texts = rule ? [...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1)) : [path];
  const isFound = (each: string) => [path, ...texts].some((text) => isMatch(each, text, ignoresCase));
  return isFound(pattern) && !isFound(written) ? remedies.dots(written) : otherHost;
}

/** Reports whether a rule needs a text in the query, and its target has that query, too (mod_rewrite.c `splitout_queryargs`). */
function keepsTestedQuery({ output = "", flags: { names }, conditions }: RewriteRule): boolean {
  if (output.includes("?") || output.includes("%{QUERY_STRING}") || names.has("qsdiscard")) return false;
  return conditions.some(
    ({ input, test, isNegated, orNext }, index) =>
      /^%\{QUERY_STRING\}$/i.test(input) &&
      test.kind === "pattern" &&
      !isNegated &&
      !orNext &&
      conditions[index - 1]?.orNext !== true &&
      !isMatch(test.pattern, "", false),
  );
}

/** Reports whether a redirect is for all paths, and only the scheme and the host of the URLs change. */
function keepsEachPath({ key }: Directive, from = "", to = ""): boolean {
  const path = /^\w+:\/\/[\w.:-]+([/$][^?#]*)?$/.exec(to)?.[1] ?? "";
  return key === "redirectmatch"
    ? /\$\d/.test(path) && comparePatterns("/.*", from, false) === "all"
    : path === "/" && from === path;
}

/** Reports whether a virtual host has no other name, whose requests a redirect to that name is for. */
function isOnlyName(name: string | undefined, { place, directives }: Scope, project: Project): boolean {
  const lines = directives.filter(({ key }) => key === "servername" || key === "serveralias");
  const names = lines.flatMap(({ arguments: words }) => words.map(({ value }) => stripServerName(value)));
  // A file that is not here may add names.
  const isComplete = place === "virtualhost" && names.length > 0 && !mayHaveMoreLines(project);
  return isComplete && names.every((each) => each === name?.toLowerCase());
}

function isMatch(pattern: string, text: string, ignoresCase: boolean): boolean {
  return Array.isArray(matchGroupsOf(pattern, text, ignoresCase));
}

/** Returns the line for only the path of a Redirect, which is also for the paths below it. */
function exactRedirectOf({ key, arguments: words }: Directive): string | undefined {
  const [first, ...others] = words.map(({ value }) => value);
  if (first === undefined || !/^redirect(?:permanent|temp)?$/.test(key)) return undefined;
  const [from, to] = first.startsWith("/") ? [first, ...others] : others;
  const status = key === "redirectpermanent" ? "301" : first.startsWith("/") ? undefined : first;
  if (from === undefined || to === undefined || !/^\/[\w./-]*$/.test(from) || /\s/.test(to)) return undefined;
  const path = from.replace(/\/$/, "");
  return `RedirectMatch ${status === undefined ? "" : `${status} `}^${escapePattern(path)}/?$ ${to}`;
}

/** Returns the host in the target of a rule that only another rule of a `.htaccess` file tests. */
function assumedNameOf(rule: RewriteRule | undefined, { place }: Scope): string | undefined {
  const [, host] = /^https?:\/\/([\w.-]+)(?=[:/]|$)/i.exec(rule?.output ?? "") ?? [];
  return place === "htaccess" && rule?.conditions.length === 0 ? host : undefined;
}

/** Returns the URLs of some requests: only their paths if all are of one host without TLS. */
function urlsOf(hops: readonly Hop[]): readonly string[] {
  const origins = hops.map(
    ({ request: { scheme = "http", host = "", port } }) =>
      `${scheme}://${host}${port === undefined || port === 80 || port === 443 ? "" : `:${port}`}`,
  );
  const isSame = origins.every((each) => each === origins[0] && each.startsWith("http:"));
  return hops.map(({ request: { path, query } }, index) => {
    const local = query === undefined ? path : `${path}?${query}`;
    return isSame ? local : `${origins[index]}${local}`;
  });
}

function reportBehindProxy(
  line: Directive,
  rule: RewriteRule | undefined,
  { project }: RuleContext,
  witness: Report["witness"],
): Report | undefined {
  const forwarded = forwardedSchemeOf(project);
  if (forwarded === undefined) return undefined;
  const { header, reader } = forwarded;
  const conditions = rule?.conditions ?? [];
  const isAlternative = conditions.some(({ input }) => input.toLowerCase().includes(header.toLowerCase()));
  const [first = line] = conditions.map((condition) => condition.directive);
  const condition = `${indentOf(line.span)}RewriteCond %{HTTP:${header}} !=https`;
  return {
    message: (isAlternative ? messages.alternativeBehindProxy : messages.behindProxy)(header),
    span: line.span,
    related: [{ message: labels.reader, span: reader.span }],
    ...(witness ? { witness } : {}),
    ...(isAlternative || rule === undefined
      ? {}
      : createFix(fixTitles.test, "unsafe", insertLinesBefore(first.span, [condition]))),
  };
}

/**
 * Reports whether a result may be in a directory with rules of its own, which then replace these. A name with an extension
 * is that of a file.
 */
function leadsElsewhere(next: string, { directory, base }: RulePlace, files: RuleContext["files"]): boolean {
  const folders = next
    .slice((base ?? "").length)
    .split("/")
    .slice(0, -1);
  const [first] = folders;
  if (first === undefined || /\.\w+$/.test(first)) return false;
  if (directory === undefined || files === undefined || files.kindOf(`${directory}/${first}`) !== "directory")
    return true;
  return files.kindOf(`${directory}/${first}/.htaccess`) !== "missing";
}
