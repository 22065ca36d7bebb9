import { witnessOf } from "../../src/lint/api/access.js";
import {
  type Argument,
  type Directive,
  type HeaderLine,
  isDebianLayout,
  isSince,
  isWholeServer,
  lineKeyOf,
  type Project,
  type Release,
  type Scope,
  type ScopeKind,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  indentOf,
  quoteLike,
  quoteShort,
  quoteText,
  type Report,
  type RuleContext,
  replaceLines,
  replaceSpan,
  shortenText,
  toReadable,
} from "../../src/lint/api/rule.js";
import { findResponseHeaderFaults, findUnsetLogVariable, type ResponseHeaderFault } from "./header-faults.js";
import type { ValueFault } from "./header-values.js";
import { findUnknownFormat } from "./log-formats.js";
import { findEarlyRemovals, removedRuleMessages } from "./removed-rules.js";
import { findRenamedVariables, renamedMessages } from "./renamed-variables.js";
import { findReplacedLines, replacedDirectives, replacedMessages } from "./replaced-lines.js";
import {
  addsMediaType,
  findHeaderAsVariable,
  findHeaderVariable,
  findLaterHeader,
  findProgramVariable,
  findTlsVariable,
  findUsualType,
  type HeaderAsVariable,
} from "./unset-facts.js";

/** What a Header line does for files, by its condition on a variable that only programs have. */
const effectsForFiles = {
  none: "for files, httpd sends `(null)`",
  set: "the line does not apply to files",
  unset: "the line always applies to files",
} as const;

function conditionKindOf(condition: string | undefined): keyof typeof effectsForFiles {
  if (condition === undefined) return "none";
  return /^env=!/i.test(condition) ? "unset" : "set";
}

const messages = {
  typeList: (value: string) => ({
    message: `${quoteText(value)} is not one media type`,
    notes: ["`ExpiresByType` compares one type, and the comma is part of it"],
    help: ["use one line for each type"],
  }),
  parameters: (value: string, bare: string) => ({
    message: `${quoteText(value)} never matches the type of a response`,
    notes: ["httpd compares the type without its parameters"],
    help: [`use ${quoteText(bare)}`],
  }),
  wildcardType: (value: string, remedy: string) => ({
    message: `${quoteText(value)} never matches the type of a response`,
    notes: ["httpd compares the text, and the `*` is part of it"],
    help: [remedy],
  }),
  pattern: (value: string, { name }: Directive, what: string, remedy: string) => ({
    message: `${quoteText(value)} is a pattern, and never matches ${what}`,
    notes: [`\`${name}\` compares the text, and takes no regular expression`],
    help: [remedy],
  }),
  notType: (value: string) => ({
    message: `${quoteText(value)} is not a media type`,
    notes: ["httpd compares the type of the response, such as `text/html`"],
    help: ["use the media types of the files"],
  }),
  misnamedType: (value: string, usual: string) => ({
    message: `no file has the media type ${quoteText(value)}`,
    notes: [`the type of these files is ${quoteText(usual)}`],
    help: [`use ${quoteText(usual)}`],
  }),
  programVariable: (name: string) => ({
    message: `${quoteText(`%{${name}}e`)} has no value: httpd sets it only for programs`,
    notes: ["httpd sends the text `(null)`"],
    help: [`use \`expr=%{${name}}\``],
  }),
  headerAsVariable: ({ name, corrected, sent }: HeaderAsVariable, isRequest: boolean) => ({
    message: `${quoteText(`%{${name}}e`)} has no value: no line sets a variable of this name`,
    notes: [
      "a letter `e` stands for a variable of the environment, not for a header of the request",
      sent === undefined
        ? "httpd sends the text `(null)`"
        : `${isRequest ? "the backend gets" : "the client gets"} the value ${quoteShort(sent, 48)}`,
    ],
    help: [
      corrected === undefined
        ? `add ${quoteText(`SetEnvIf ${name} (.+) ${name}=$1`)}`
        : `use ${quoteText(`"${corrected}"`)}`,
      ...(isRequest || corrected === undefined ? [] : [`for a header of the response, use \`%{resp:${name}}\` there`]),
    ],
  }),
  headerVariable: (name: string, header: string, condition: string | undefined) => ({
    message: `${quoteText(name)} is set only for programs: ${effectsForFiles[conditionKindOf(condition)]}`,
    notes: ["httpd sets variables with the headers of a request for CGI, FastCGI and PHP only"],
    // Any origin would make the response open to all sites.
    help: [
      header === "Origin"
        ? `use \`SetEnvIf Origin "^https://www\\.example\\.com$" ${name}=$0\`${condition === undefined ? `, and add \`env=${name}\` to this line` : ""}`
        : `add ${quoteText(`SetEnvIf ${header} (.+) ${name}=$1`)}, which also sets it for files`,
    ],
  }),
  tlsVariable: (name: string) => ({
    message: `${quoteText(`%{${name}}e`)} has no value: no \`SSLOptions\` line has \`StdEnvVars\``,
    notes: ["httpd sends the text `(null)`"],
    help: [`use \`%{${name}}s\`, which needs no option`],
  }),
  letterOfFormat: (variable: string, letter: string) => ({
    message: `${quoteText(letter)} after ${quoteText(variable)} is part of the value`,
    notes: ["an expression of `expr=` ends with `}`; only values without `expr=` have a letter after it"],
    help: [`use ${quoteText(variable)} without the letter`],
  }),
  swapped: (value: string, directive: Directive) => ({
    message: `${quoteText(value)} is not the extension here`,
    notes: [`the first argument of \`${directive.name}\` is the value, and the others are extensions`],
    help: ["swap the arguments"],
  }),
  wildcardName: (value: string, extension: string) => ({
    message: `${quoteText(value)} never matches an extension`,
    notes: ["httpd compares each extension of a file name, without wildcards"],
    help: [`use ${quoteText(extension)}`],
  }),
  severalExtensions: (value: string, last: string) => ({
    message: `${quoteText(value)} never matches an extension`,
    notes: ["httpd compares each extension of a file name on its own"],
    help: [`use one extension, such as ${quoteText(last)}`],
  }),
  typeAsExtension: (value: string, { key, name }: Directive) => ({
    message: `${quoteText(value)} is a media type, and never matches an extension`,
    notes: [`\`${name}\` compares each extension of a file name`],
    help: [
      key === "addoutputfilter"
        ? "use `AddOutputFilterByType`, which compares the type of the response"
        : "use the extensions of the files",
    ],
  }),
  hostName: (value: string, name: string) => ({
    message: `${quoteText(value)} never matches the name of a host`,
    notes: ["`ServerAlias` compares the name in the `Host` header, without scheme, port and path"],
    help: [`use ${quoteText(name)}`],
  }),
  serverName: (value: string, name: string) => ({
    message: `${quoteText(value)} never matches the name of a host`,
    notes: ["`ServerName` has a name, with a scheme before it or a port after it: a path is not part of it"],
    help: [`use ${quoteText(name)}`],
  }),
  variableWithValue: (value: string, name: string) => ({
    message: `${quoteText(value)} never holds`,
    notes: ["`env=` tests whether a variable is set; httpd takes the whole text as its name"],
    help: [`use ${quoteText(`env=${name}`)}, or compare the value with \`expr=\``],
  }),
  laterHeader: (name: string) => ({
    message: `\`Header unset ${name}\` has no effect`,
    notes: [`httpd adds ${quoteText(name)} to each response after \`Header\` lines`],
    help: [
      name === "Server"
        ? "use `ServerTokens Prod` in the configuration of the server, and delete this line"
        : "delete this line",
    ],
  }),
  addedType: {
    message: "the media type of the response stays as it is",
    notes: ["a response has one `Content-Type`, which only `Header set` replaces"],
    help: ["use `set`, or `ForceType` for files"],
  },
  unknownFormat: (name: string, similar: string | undefined, line: string | undefined) => ({
    message: `each line of the log is only the word ${quoteText(name)}`,
    notes: [`no \`LogFormat\` line of this server defines the format ${quoteText(name)}`],
    help: [
      similar !== undefined
        ? `use ${quoteText(similar)}`
        : line === undefined
          ? `add a \`LogFormat\` line with this name`
          : `add \`${line}\``,
    ],
  }),
  protocol: (written: string, advice: string, isPrefork: boolean) => ({
    message: `${quoteText(written)} has no effect: \`http2_module\` is not loaded`,
    notes: ["clients get HTTP/1.1, and httpd logs nothing"],
    help: [advice, ...(isPrefork ? ["and load `mpm_event_module` in place of `mpm_prefork_module`"] : [])],
    addsLines: true as const,
  }),
  early: (directive: Directive) => ({
    message: `\`${directive.name}\` with \`early\` has no effect in a section`,
    notes: ["httpd applies early headers before it selects sections and directories"],
    help: ["delete `early`, or move the line to the server or virtual host"],
  }),
};

const severalOrigins = [
  'use `SetEnvIf Origin "^https://(a|b)\\.example$" ORIGIN=$0` with your origins',
  'use `Header always set Access-Control-Allow-Origin "%{ORIGIN}e" env=ORIGIN` and `Header always merge Vary Origin`',
];

const headerMessages = {
  quotes: (name: string, bare: string) => ({
    message: `the quotes are part of the value of ${quoteText(name)}`,
    notes: ["httpd removes the outer quotes only, and browsers do not accept the value with the others"],
    help: [`use ${quoteShort(`"${bare}"`, 58)}`],
  }),
  bareKeyword: (name: string, keyword: string) => ({
    message: `${quoteShort(keyword, 32)} without single quotes is not a keyword of ${quoteText(name)}`,
    notes: ["browsers take it for the name of a host"],
    help: [`use ${quoteText(`'${shortenText(keyword, 32)}'`)}`],
  }),
  severalOrigins: (value: string) => ({
    message: `browsers reject the origins ${quoteShort(value, 56)}`,
    notes: ["`Access-Control-Allow-Origin` takes one origin: browsers compare the whole value with theirs"],
    help: severalOrigins,
  }),
  wildcardOrigin: (value: string) => ({
    message: `browsers reject the origin ${quoteShort(value, 56)}`,
    notes: ["`*` stands for all origins only on its own: browsers compare other values as text"],
    help: severalOrigins,
  }),
  originWithPath: (value: string, origin: string) => ({
    message: `browsers reject the origin ${quoteShort(value, 56)}`,
    notes: ["an origin ends after the host and the port: browsers compare the whole value with theirs"],
    help: [`use ${quoteText(origin)}`],
  }),
  originWithoutScheme: (value: string, origin: string) => ({
    message: `browsers reject the origin ${quoteShort(value, 56)}`,
    notes: ["an origin begins with a scheme: browsers compare the whole value with theirs"],
    help: [`use ${quoteText(origin)}`],
  }),
  unknownValue: (name: string, { part, note, corrected, help }: ValueFault) => ({
    message: `browsers ignore ${quoteShort(part, 40)} in ${quoteText(name)}`,
    notes: [note],
    help: [corrected === undefined || corrected.length > 72 ? help : `use ${quoteText(`"${corrected}"`)}`],
  }),
  withoutTls: (name: string | undefined) => ({
    message: "browsers ignore `Strict-Transport-Security` in a response without TLS",
    notes: [`${name === undefined ? "the virtual host" : quoteText(name)} with TLS has no such line`],
    help: ["move this line to the virtual host with TLS"],
  }),
  originWithCredentials: {
    message: "browsers reject the origin `*` for requests with credentials",
    notes: ["scripts that send cookies or a password cannot read the response"],
    help: [
      "delete `Access-Control-Allow-Credentials`, unless scripts of other sites need it",
      "otherwise name the origin in place of `*`",
    ],
  },
  replaced: (name: string) => ({
    message: `\`Header set ${name}\` has no effect: a later line sets another value`,
    notes: ["`Header set` replaces a header that an earlier line sets"],
    help:
      name.toLowerCase() === "access-control-allow-origin"
        ? ["delete one of the lines", ...severalOrigins.map((each) => `for several origins, ${each}`)]
        : ["delete one of the lines, or use `merge` if the header may have several values"],
  }),
  addedTwice: (value: string) => ({
    message: `browsers reject a response with several origins, such as ${quoteShort(value, 56)} and another`,
    notes: ["each line adds a value, and browsers take one `Access-Control-Allow-Origin` only"],
    help: ["delete the other lines", ...severalOrigins.map((each) => `for several origins, ${each}`)],
  }),
  notForRules: (name: string, status: number) => ({
    message: `\`Header set ${name}\` does not apply to the response of \`R=${status}\``,
    notes: ["httpd sends only the headers of `Header always` with a response of `RewriteRule`"],
    help: ["use `Header always set`"],
  }),
  onlyRedirects: {
    message: "`Strict-Transport-Security` is never sent: each request is redirected",
    notes: ["httpd sends only the headers of `Header always` with a redirect"],
    help: ["use `Header always set`"],
  },
  otherTable: (name: string, { action, isAlways }: HeaderLine) => ({
    message: `\`Header ${isAlways ? "always " : ""}${action}\` does not change the ${quoteText(name)} of ${isAlways ? "the backend" : "programs"}`,
    notes: [
      "httpd has two tables of response headers, and each line changes one of them",
      isAlways
        ? "a backend by HTTP fills that of `Header` without `always`"
        : "programs by CGI and FastCGI fill that of `Header always`",
    ],
    help: [isAlways ? "delete `always`" : `use \`Header always ${action}\``],
  }),
  otherVariable: (variable: string, condition: string, isNegated: boolean) => ({
    message: `no line sets the variable ${quoteText(variable)}`,
    notes: [`the line ${isNegated ? "always" : "never"} applies`],
    help: [`use ${quoteText(condition)}`],
  }),
};

const labels = {
  removedRule: "the rule to remove",
  leads: "leads to another path",
  setter: "sets the variable, and leads to another path",
  alike: "same here",
  credentials: "allows credentials",
  later: "sets the header again",
  replaced: "replaces it",
  alsoAdds: "adds another value",
  answer: "responds to the request",
  redirects: "redirects each request",
  secure: "has TLS, and no such line",
  passes: "passes requests on",
};

const fixTitles = {
  split: "Use one line for each type",
  replace: (text: string) => `Replace with ${quoteText(text)}`,
  swap: "Swap the arguments",
  unquote: "Delete the inner quotes",
  quote: "Put the keywords in single quotes",
};

export const ignoredValue = defineRule({
  id: "ignored-value",
  title: "Value that httpd accepts and ignores",
  group: "correctness",
  severity: "warning",
  description:
    "A media type, an extension, a host name, a variable or a condition that httpd accepts, but that never applies, and a value of a response header that browsers ignore.",
  help: "httpd does not check media types and extensions. `ExpiresByType` compares one type without parameters, `AddType` takes the type first and extensions without wildcards, types and names are not regular expressions, and `Header` with `early` applies only outside of sections. Correct the value.",
  tags: ["correctness"],
  messages: { ...messages, ...headerMessages, ...replacedMessages, ...removedRuleMessages, ...renamedMessages },
  check: (context) => {
    const { project, release, report } = context;
    return {
      scope: {
        holding: ["header", "requestheader", "secruleremovebyid", ...replacedDirectives],
        visit(scope) {
          for (const { line, by } of findReplacedLines(scope))
            report({
              severity: "info",
              message: replacedMessages.byLater(line),
              span: line.span,
              related: relatedTo(by, labels.replaced),
            });
          for (const { line, id, rule } of findEarlyRemovals(scope, project))
            report({
              message: removedRuleMessages.tooEarly(id, line),
              span: line.span,
              related: relatedTo(rule, labels.removedRule),
            });
          for (const { line, fault } of findResponseHeaderFaults(scope, project)) report(reportHeader(line, fault));
          for (const renamed of findRenamedVariables(scope, context)) {
            const { line, word, corrected, isByRule, by, found } = renamed;
            const span = line.spanOf(word);
            report({
              message: renamedMessages.renamed(renamed),
              span,
              related: relatedTo(by, isByRule ? labels.setter : labels.leads),
              witness: witnessOf(found.answer),
              ...createFix(fixTitles.replace(corrected), "unsafe", replaceSpan(span, quoteLike(word, corrected))),
            });
          }
        },
      },
      byWords: ({ key }, { place }) => {
        const find = finderFor(key, place);
        if (find === undefined) return undefined;
        return (directive: Directive) => {
          const problem = find(directive, directive.arguments) ?? findInServer(directive, project, release);
          if (problem) report(problem);
        };
      },
      directives: {
        // The other lines of the section matter, so equal lines are not alike.
        expiresbytype(directive, scope) {
          const problem = checkExpires(directive, directive.arguments) ?? findMisnamedType(directive, scope, context);
          if (problem) report(problem);
        },
        protocols(directive) {
          const word = isWholeServer(project) ? findUnusableProtocol(directive, project) : undefined;
          if (word === undefined) return;
          const advice = isDebianLayout(project) ? "run `a2enmod http2`" : "add a `LoadModule` line for `http2_module`";
          report({
            message: messages.protocol(word.value, advice, project.modules.has("mpm_prefork_module")),
            span: directive.spanOf(word),
            cause: { key: "http2", also: labels.alike },
          });
        },
      },
    };
  },
});

/** Finds a protocol of mod_http2 that the server does not have: it skips an unknown name (server/protocol.c `ap_select_protocol`). */
function findUnusableProtocol({ arguments: words }: Directive, { modules }: Project): Argument | undefined {
  return modules.has("http2_module") ? undefined : words.find(({ value }) => /^h2c?$/i.test(value));
}

function reportHeader(line: HeaderLine, fault: ResponseHeaderFault): Report {
  const { directive, name: key, value, condition } = line;
  const word = directive.arguments.findLast(
    (each) => each.value === (fault.kind === "other variable" ? condition : value),
  );
  const span = word ? directive.spanOf(word) : directive.span;
  const written = directive.arguments.map((each) => each.value.replace(/:.*/s, ""));
  const name = written.find((each) => each.toLowerCase() === key) ?? key;
  switch (fault.kind) {
    case "quotes in the value": {
      const edit = word && replaceSpan(span, quoteLike({ ...word, quote: "double" }, fault.bare));
      const message = headerMessages.quotes(name, fault.bare);
      return { message, span, ...createFix(fixTitles.unquote, "unsafe", edit) };
    }
    case "bare keyword": {
      const edit = word && replaceSpan(span, quoteLike({ ...word, quote: "double" }, fault.corrected));
      return {
        message: headerMessages.bareKeyword(name, fault.keyword),
        span,
        ...createFix(fixTitles.quote, "unsafe", edit),
      };
    }
    case "several origins":
      return { message: headerMessages.severalOrigins(fault.value), span };
    case "wildcard origin":
      return { message: headerMessages.wildcardOrigin(fault.value), span };
    case "origin with a path": {
      const origin = fault.value.replace(/^(https?:\/\/[^/]+).*$/is, "$1");
      const edit = word && replaceSpan(span, quoteLike(word, origin));
      const message = headerMessages.originWithPath(fault.value, origin);
      return { message, span, ...createFix(fixTitles.replace(origin), "unsafe", edit) };
    }
    case "origin without a scheme": {
      const origin = `https://${fault.value.replace(/\/$/, "")}`;
      const edit = word && replaceSpan(span, quoteLike(word, origin));
      const message = headerMessages.originWithoutScheme(fault.value, origin);
      return { message, span, ...createFix(fixTitles.replace(origin), "unsafe", edit) };
    }
    case "unknown value": {
      const { corrected } = fault;
      const message = headerMessages.unknownValue(name, fault);
      if (corrected === undefined) return { message, span };
      const edit = word && replaceSpan(span, quoteLike({ ...word, quote: "double" }, corrected));
      return { message, span, ...createFix(fixTitles.replace(shortenText(corrected, 40)), "unsafe", edit) };
    }
    case "without TLS":
      return {
        message: headerMessages.withoutTls(serverNameOf(fault.secure)),
        span: directive.span,
        related: relatedTo(fault.secure, labels.secure),
      };
    case "any origin with credentials":
      return {
        message: headerMessages.originWithCredentials,
        span,
        related: relatedTo(fault.other, labels.credentials),
      };
    case "added twice":
      return {
        message: headerMessages.addedTwice(value),
        span: directive.span,
        related: relatedTo(fault.other, labels.alsoAdds),
        cause: { key: "several origins", also: labels.alike },
      };
    case "replaced":
      return {
        message: headerMessages.replaced(name),
        span: directive.span,
        related: relatedTo(fault.other, labels.later),
      };
    case "not for answers of rules":
      return {
        message: headerMessages.notForRules(name, fault.status),
        span: directive.span,
        related: relatedTo(fault.other, labels.answer),
        cause: { key: `answers ${lineKeyOf(fault.other)}`, also: labels.alike },
      };
    case "only redirects":
      return {
        message: headerMessages.onlyRedirects,
        span: directive.span,
        related: relatedTo(fault.other, labels.redirects),
      };
    case "other table":
      return {
        message: headerMessages.otherTable(name, line),
        span: directive.span,
        related: relatedTo(fault.other, labels.passes),
      };
    case "other variable": {
      const corrected = `env=${fault.isNegated ? "!" : ""}${fault.similar}`;
      const edit = word && replaceSpan(span, quoteLike(word, corrected));
      const message = headerMessages.otherVariable(fault.variable, corrected, fault.isNegated);
      return { message, span, ...createFix(fixTitles.replace(corrected), "unsafe", edit) };
    }
  }
}

function serverNameOf({ children = [] }: Directive): string | undefined {
  return children.findLast(({ key }) => key === "servername")?.arguments[0]?.value;
}

function relatedTo({ span }: Directive, message: string): NonNullable<Report["related"]> {
  return [{ message, span }];
}

/** Finds a type that files do not have. */
function findMisnamedType(directive: Directive, scope: Scope, context: RuleContext): Report | undefined {
  const [type] = directive.arguments;
  const usual = type && findUsualType(type.value, scope, context);
  if (type === undefined || usual === undefined) return undefined;
  const span = directive.spanOf(type);
  const fix = createFix(fixTitles.replace(usual), "unsafe", replaceSpan(span, usual));
  return { message: messages.misnamedType(type.value, usual), span, ...fix };
}

/** Checks the end of a value with `expr=`: only values without it have a letter there (mod_headers.c `parse_format_string`). */
function checkLetterOfFormat(directive: Directive): Report | undefined {
  for (const word of directive.arguments) {
    const [, variable, letter] = /^expr=.*(%\{\w+(?::[^{}]*)?\})([es])$/i.exec(word.value) ?? [];
    if (variable === undefined || letter === undefined) continue;
    const whole = word.value.slice(0, -letter.length);
    const span = directive.spanOf(word);
    const fix = createFix(fixTitles.replace(whole), "unsafe", replaceSpan(span, quoteLike(word, whole)));
    return { message: messages.letterOfFormat(variable, letter), span, ...fix };
  }
  return undefined;
}

/** Finds a value whose effect depends on other lines of the server. */
function findInServer(directive: Directive, project: Project, release: Release): Report | undefined {
  const isHeader = directive.key === "header" || directive.key === "requestheader";
  const header = isHeader && isSince(release, "2.4") ? findHeaderAsVariable(directive, project) : undefined;
  if (header) {
    const span = directive.spanOf(header.word);
    const { corrected } = header;
    const message = messages.headerAsVariable(header, directive.key === "requestheader");
    if (corrected === undefined) return { message, span };
    const edit = replaceSpan(span, quoteLike({ ...header.word, quote: "double" }, corrected));
    return { message, span, ...createFix(fixTitles.replace(corrected), "unsafe", edit) };
  }
  if (directive.key === "header") {
    const later = findLaterHeader(directive, project);
    if (later !== undefined) return { message: messages.laterHeader(later), span: directive.span };
    if (addsMediaType(directive)) return { message: messages.addedType, span: directive.span };
    const found = findHeaderVariable(directive, project);
    if (found === undefined) return undefined;
    const header = found.name.slice("HTTP_".length).toLowerCase().replaceAll("_", "-");
    return {
      severity: "info",
      message: messages.headerVariable(
        found.name,
        header.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()),
        directive.arguments.find(({ value }) => /^env=!?/i.test(value) && value.endsWith(found.name))?.value,
      ),
      span: directive.spanOf(found.word),
    };
  }
  if (directive.key === "customlog") return findLogFault(directive, project);
  if (directive.key !== "requestheader" || !isSince(release, "2.4")) return undefined;
  const ofTls = findTlsVariable(directive, project);
  if (ofTls) return { message: messages.tlsVariable(ofTls.name), span: directive.spanOf(ofTls.word) };
  const found = findProgramVariable(directive, project);
  if (found === undefined) return undefined;
  const { word, name } = found;
  const span = directive.spanOf(word);
  const whole = `expr=%{${name}}`;
  const fix =
    word.value === `%{${name}}e` ? createFix(fixTitles.replace(whole), "unsafe", replaceSpan(span, `"${whole}"`)) : {};
  return { message: messages.programVariable(name), span, ...fix };
}

/** Finds a format or a variable of a log that no line defines. */
function findLogFault(directive: Directive, project: Project): Report | undefined {
  const format = findUnknownFormat(directive, project);
  if (format) {
    const { word, similar, line } = format;
    return { message: messages.unknownFormat(word.value, similar, line), span: directive.spanOf(word) };
  }
  const fault = findUnsetLogVariable(directive, project);
  if (fault === undefined) return undefined;
  const corrected = `env=${fault.isNegated ? "!" : ""}${fault.similar}`;
  const span = directive.spanOf(fault.word);
  const message = headerMessages.otherVariable(fault.variable, corrected, fault.isNegated);
  return { message, span, ...createFix(fixTitles.replace(corrected), "unsafe", replaceSpan(span, corrected)) };
}

/** The checks of a line need the rest of the server only. */
const noFinder: Finder = () => undefined;

type Finder = (directive: Directive, words: readonly Argument[]) => Report | undefined;

/** Directives of mod_mime with a value and extensions. */
const withExtensions: ReadonlySet<string> = new Set([
  ...["addcharset", "addencoding", "addhandler", "addinputfilter", "addlanguage", "addoutputfilter", "addtype"],
]);

/** Places before which early headers are applied (modules/metadata/mod_headers.c `ap_headers_early`). */
const latePlaces: ReadonlySet<ScopeKind> = new Set(["directory", "location", "files", "htaccess", "if"]);

function finderFor(key: string, place: ScopeKind): Finder | undefined {
  if (withExtensions.has(key)) return checkExtensions;
  if (key === "addoutputfilterbytype") return checkFilterTypes;
  if (key === "serveralias") return (line, words) => checkAlias(line, words) ?? checkPattern(line, words, hostPattern);
  if (key === "servername") return checkServerName;
  if (key === "directoryindex") return (line, words) => checkPattern(line, words, filePattern);
  if (key === "customlog") return noFinder;
  if (key !== "header" && key !== "requestheader") return undefined;
  return latePlaces.has(place)
    ? (line, words) => checkCondition(line, words) ?? checkEarly(line, words) ?? checkLetterOfFormat(line)
    : (line, words) => checkCondition(line, words) ?? checkLetterOfFormat(line);
}

/** Checks the names of ServerAlias (server/vhost.c `matches_aliases`). */
function checkAlias(directive: Directive, words: readonly Argument[]): Report | undefined {
  if (!/[:/]/.test(directive.argumentText)) return undefined;
  for (const word of words) {
    // A password in the address is not part of the name, and is not shown.
    const name = word.value.replace(/^https?:\/\/(?:[^/]*@)?/i, "").replace(/(?::\d+)?(?:\/.*)?$/, "");
    if (name === word.value || name === "" || word.value.startsWith("[") || word.value.includes("${")) continue;
    const span = directive.spanOf(word);
    const fix = createFix(fixTitles.replace(name), "unsafe", replaceSpan(span, name));
    return { message: messages.hostName(word.value, name), span, ...fix };
  }
  return undefined;
}

/** Checks ServerName, which has a scheme and a port if it is to: a path becomes a part of the name (server/core.c `server_hostname_port`). */
function checkServerName(directive: Directive, [word]: readonly Argument[]): Report | undefined {
  const { value = "" } = word ?? {};
  const name = /^((?:https?:\/\/)?[\w.-]+(?::\d+)?)\/\S*$/i.exec(value)?.[1];
  if (word === undefined || name === undefined) return undefined;
  const span = directive.spanOf(word);
  const fix = createFix(fixTitles.replace(name), "unsafe", replaceSpan(span, name));
  return { message: messages.serverName(value, name), span, ...fix };
}

/** Checks the condition of Header (modules/metadata/mod_headers.c `header_inout_cmd`). */
function checkCondition(directive: Directive, words: readonly Argument[]): Report | undefined {
  const last = words.at(-1);
  const name = /^env=!?(\w+)=/i.exec(last?.value ?? "")?.[1];
  const needed = words.some(({ value }) => /^unset$/i.test(value)) ? 3 : 4;
  const [first] = words;
  const before = /^(?:always|onsuccess)$/i.test(first?.value ?? "") ? 1 : 0;
  if (last === undefined || name === undefined || words.length - before < needed) return undefined;
  return { message: messages.variableWithValue(last.value, name), span: directive.spanOf(last) };
}

/** How to recognize a regular expression among words that are compared as text. */
interface WordPattern {
  readonly mark: RegExp;
  readonly what: string;
  readonly remedy: string;
}

const typePattern: WordPattern = {
  mark: /[()[\]|?\\^]|\.[*+]|\$$/,
  what: "the type of a response",
  remedy: "name each type on its own",
};
const hostPattern: WordPattern = {
  mark: /[()|\\^]|\.[*+]\w|\w\$$/,
  what: "the name of a host",
  remedy: "name each host; `*` and `?` are the only wildcards",
};
const filePattern: WordPattern = {
  mark: /^\^|\(.*\|.*\)|\\[.w]|\.\*|\w\$$/,
  what: "a file",
  remedy: "name each file, in the order of preference",
};
const extensionPattern: WordPattern = {
  mark: /[()|^\\]|\.[*+]|\w\$$/,
  what: "an extension",
  remedy: "name each extension on its own",
};

/** Checks words that are compared as text, and that are written as regular expressions. */
function checkPattern(
  directive: Directive,
  words: readonly Argument[],
  { mark, what, remedy }: WordPattern,
): Report | undefined {
  // The value of a variable is unknown.
  const word = words.find(({ value }) => mark.test(value) && !value.includes("${"));
  if (word === undefined) return undefined;
  return { message: messages.pattern(word.value, directive, what, remedy), span: directive.spanOf(word) };
}

/** Checks the type of ExpiresByType: `text/*` is valid (modules/metadata/mod_expires.c `expires_filter`). */
function checkExpires(directive: Directive, [type, ...times]: readonly Argument[]): Report | undefined {
  if (type?.value.includes(",")) return splitTypes(directive, type, times);
  // httpd rejects a type without a slash.
  if (!type?.value.includes("/")) return undefined;
  const isWildcard = type.value.includes("*") && !/^[\w.+-]+\/\*$/.test(type.value);
  const pattern = checkPattern(directive, [type], typePattern);
  if (pattern) return pattern;
  return checkType(directive, type, isWildcard ? "use a type, or all of a kind such as `text/*`" : undefined);
}

/** Checks the types of AddOutputFilterByType (modules/filters/mod_filter.c `filter_lookup`). */
function checkFilterTypes(directive: Directive, [, ...types]: readonly Argument[]): Report | undefined {
  for (const type of types) {
    // `misread-line` reports the words after it.
    if (type.value.startsWith("#")) return undefined;
    if (/^[\w.+-]+$/.test(type.value)) return { message: messages.notType(type.value), span: directive.spanOf(type) };
    const pattern = checkPattern(directive, [type], typePattern);
    if (pattern) return pattern;
    const problem = checkType(
      directive,
      type,
      type.value.includes("*") ? "use one type for each kind of file" : undefined,
    );
    if (problem) return problem;
  }
  return undefined;
}

/** @param wildcard the remedy if the type has a wildcard that is not one here */
function checkType(directive: Directive, type: Argument, wildcard: string | undefined): Report | undefined {
  const { value } = type;
  const span = directive.spanOf(type);
  if (wildcard !== undefined) return { message: messages.wildcardType(value, wildcard), span };
  if (!value.includes(";")) return undefined;
  const bare = value.replace(/\s*;.*$/s, "");
  const fix = createFix(fixTitles.replace(bare), "unsafe", replaceSpan(span, bare));
  return { message: messages.parameters(value, bare), span, ...fix };
}

function splitTypes(directive: Directive, type: Argument, times: readonly Argument[]): Report {
  const { span, argumentText, name } = directive;
  const rest = times.map(({ start, end }) => argumentText.slice(start, end)).join(" ");
  const types = type.value.split(/[,\s]+/).filter(Boolean);
  const lines = types.map((each) => `${indentOf(span)}${name} ${each} ${rest}`);
  return {
    message: messages.typeList(type.value),
    span: directive.spanOf(type),
    ...createFix(fixTitles.split, "unsafe", replaceLines(span, lines.join("\n"))),
  };
}

/** Checks the value and the extensions of a line (modules/http/mod_mime.c `find_ct`). */
function checkExtensions(directive: Directive, words: readonly Argument[]): Report | undefined {
  const [value, ...extensions] = words;
  const [first] = extensions;
  if (value === undefined || first === undefined) return undefined;
  if (/^\.\w+$/.test(value.value) && !first.value.startsWith(".")) return reportSwap(directive, value, extensions);
  const pattern = checkPattern(directive, extensions, extensionPattern);
  if (pattern) return pattern;
  for (const extension of extensions) {
    const span = directive.spanOf(extension);
    if (/^(?:application|audio|font|image|text|video)\/[\w.+*-]+$/i.test(extension.value))
      return { message: messages.typeAsExtension(extension.value, directive), span };
    const [, single] = /^\*(\.\w+)$/.exec(extension.value) ?? [];
    if (single !== undefined)
      return {
        message: messages.wildcardName(extension.value, single),
        span,
        ...createFix(fixTitles.replace(single), "unsafe", replaceSpan(span, single)),
      };
    const [, last] = /^\.?[\w+-]+(\.[\w+-]+)$/.exec(extension.value) ?? [];
    if (last !== undefined)
      return {
        message: messages.severalExtensions(extension.value, last),
        span,
        cause: { key: "several extensions", also: labels.alike },
      };
  }
  return undefined;
}

function reportSwap(directive: Directive, value: Argument, extensions: readonly Argument[]): Report {
  const [first] = extensions;
  const span = directive.spanOf(value);
  const message = messages.swapped(value.value, directive);
  if (first === undefined || extensions.length > 1) return { message, span };
  const text = `${toReadable(first.value)} ${value.value}`;
  const edit = replaceSpan(directive.spanOf({ start: value.start, end: first.end }), text);
  return { message, span, ...createFix(fixTitles.swap, "unsafe", first.quote === "none" ? edit : undefined) };
}

function checkEarly(directive: Directive, words: readonly Argument[]): Report | undefined {
  const [action, last] = [words[0], words.at(-1)];
  // Without a value, the word is the value itself.
  const least = /^(?:unset|echo)$/i.test(action?.value ?? "") ? 3 : 4;
  if (words.length < least || last?.value.toLowerCase() !== "early") return undefined;
  return { message: messages.early(directive), span: directive.spanOf(last) };
}
