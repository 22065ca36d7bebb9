import {
  type Argument,
  comparePatterns,
  type Directive,
  expressionDirectives,
  expressionsOf,
  headerOfVariable,
  indexDirectives,
  type Project,
  parseHeaderLine,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteCondition,
  type RewriteRule,
  readRedirect,
  rewriteVariables,
  type Scope,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineVariant,
  findClosestWord,
  quoteText,
  replaceSpan,
  type Span,
} from "../../src/lint/api/rule.js";
import { findMapOfMain, findUnknownMaps, internalMaps, isInternalMap } from "./rewrite-maps.js";

const messages = {
  empty: (name: string, intended: string | undefined) => ({
    message: `unknown variable ${quoteText(`%{${name}}`)}`,
    notes: ["mod_rewrite replaces it with an empty text"],
    help: [intended === undefined ? "use `%{ENV:NAME}` for a variable of the environment" : `use \`%{${intended}}\``],
  }),
  literal: (name: string, hasSlash: boolean) => ({
    message: `${quoteText(`{${name}}`)} is literal text: the \`%\` before it is missing`,
    notes: [
      `the text is used as it is, and not the value of ${quoteText(`%{${name}}`)}`,
      ...(hasSlash ? ["the value begins with a slash"] : []),
    ],
    help: [`use ${quoteText(`%{${name}}`)}${hasSlash ? ", without the slash before it" : ""}`],
  }),
  literalInRedirect: (written: string, directive: string, target: string, inHtaccess: boolean) => ({
    message: `${quoteText(written)} is literal text in ${quoteText(directive)}`,
    notes: [`httpd does not replace variables in ${quoteText(target)}, because the line has a path`],
    help: [
      `use \`RewriteRule\` with the flag \`R\`${inHtaccess ? "" : ", or a `Redirect` without a path in a `<Location>` section"}`,
    ],
  }),
};

const headerMessages = {
  misnamed: (name: string, written: string, header: string, effect: string | undefined, isLoop: boolean) => ({
    message: `${quoteText(written)} is empty in usual requests: clients and proxies send ${quoteText(header)}`,
    notes: [
      `the name of the header has hyphens; only programs get a variable with underscores, such as ${quoteText(name)}`,
      ...(effect === undefined ? [] : [effect]),
      ...(isLoop ? ["behind a proxy with TLS, GET `https://…/` is redirected to `https://…/`, without an end"] : []),
    ],
    help: [`use ${quoteText(written.replace(name, header))}`],
  }),
};

const mapMessages = {
  undefined: (name: string) => ({
    message: `no \`RewriteMap\` defines the map ${quoteText(name)}`,
    notes: ["mod_rewrite replaces it with an empty text, or with the default after `|`"],
    help: [
      isInternalMap(name)
        ? `add ${quoteText(`RewriteMap ${name} int:${internalMaps.get(name.toLowerCase()) ?? name}`)} to the server or virtual host`
        : `add a \`RewriteMap ${name}\` line to the server or virtual host, or correct the name`,
    ],
  }),
  notInherited: (name: string) => ({
    message: `the map ${quoteText(name)} of the main server is not inherited here`,
    notes: [
      "a virtual host has the maps of the main server only with `RewriteOptions Inherit`",
      "mod_rewrite replaces it with an empty text, or with the default after `|`",
    ],
    help: ["move the `RewriteMap` line to the virtual host"],
  }),
};

const labels = { map: "defines the map" };

const fixTitles = {
  add: "Add the `%`",
  move: "Replace the slash with `%`",
  replace: (intended: string) => `Replace with \`%{${intended}}\``,
  replaceName: (header: string) => `Replace with ${quoteText(header)}`,
};

export const unknownRewriteVariable = defineVariant({
  id: "unknown-rewrite-variable",
  messages: { ...messages, ...headerMessages, ...mapMessages },
  check: ({ project, report }) => {
    const checkText = (directive: Directive, { start, end }: Argument) => {
      const text = directive.argumentText.slice(start, end);
      for (const { 0: written, 1: name = "", index } of text.matchAll(/(?<![%$\\{])\{(\w+)\}/g)) {
        if (name !== name.toUpperCase() || !rewriteVariables.has(name)) continue;
        const at = { start: start + index, end: start + index + written.length };
        const hasSlash = pathVariables.has(name) && /(?:^|[^:/])\/$/.test(text.slice(0, index));
        const replaced = directive.spanOf({ ...at, start: at.start - (hasSlash ? 1 : 0) });
        const fix = createFix(fixTitles[hasSlash ? "move" : "add"], "unsafe", replaceSpan(replaced, `%${written}`));
        report({ message: messages.literal(name, hasSlash), span: directive.spanOf(at), ...fix });
      }
      for (const { 1: name = "", index } of text.matchAll(/%\{(\w+)\}/g)) {
        if (rewriteVariables.has(name.toUpperCase())) continue;
        const intended = intendedName(name);
        const span = directive.spanOf({ start: start + index + 2, end: start + index + 2 + name.length });
        const edit = intended === undefined ? undefined : replaceSpan(span, intended);
        report({
          message: messages.empty(name, intended),
          span,
          ...(edit && intended !== undefined
            ? { fix: { title: fixTitles.replace(intended), safety: "unsafe", edits: [edit] } }
            : {}),
        });
      }
    };
    const checkRedirect = (directive: Directive, { inHtaccess }: Scope) => {
      const { from, to } = readRedirect(directive, false) ?? {};
      const target = directive.arguments.findLast(({ value }) => value === to);
      // Without a path, the target is an expression (mod_alias.c `add_redirect_internal`).
      const [written, name = ""] = /%?\{([A-Z][A-Z_]+)(?::[\w-]+)?\}/.exec(target?.value ?? "") ?? [];
      if (from === undefined || target === undefined || written === undefined || !isVariable(name)) return;
      const message = messages.literalInRedirect(written, directive.name, target.value, inHtaccess);
      report({ message, span: directive.spanOf(target) });
    };
    const checkCondition = (directive: Directive) => {
      const [text] = parseRewriteWords(directive.argumentText) ?? [];
      // An expression has its own variables.
      if (text && text.value.toLowerCase() !== "expr") checkText(directive, text);
    };
    const checkRule = (directive: Directive) => {
      const [, target, flags] = parseRewriteWords(directive.argumentText) ?? [];
      if (target) checkText(directive, target);
      if (flags) checkText(directive, flags);
    };
    const checkMaps = (scope: Scope) => {
      for (const { directive, name, start } of findUnknownMaps(scope, project)) {
        const elsewhere = findMapOfMain(name, scope, project);
        report({
          message: elsewhere ? mapMessages.notInherited(name) : mapMessages.undefined(name),
          span: directive.spanOf({ start, end: start + name.length }),
          related: elsewhere ? [{ message: labels.map, span: elsewhere.span }] : [],
        });
      }
    };
    const reportHeaders = (text: string, span: Span, isVerbatim: boolean, rule?: MisnamedIn) => {
      for (const { written, name, index } of headersIn(text)) {
        const header = headerOfVariable(name);
        if (header === undefined || setsRequestHeader(name, project)) continue;
        const start = span.start + index + written.indexOf(name);
        const at = isVerbatim ? { ...span, start, end: start + name.length } : span;
        const edit = isVerbatim ? replaceSpan(at, header) : undefined;
        const holds = rule && resultForEmpty(rule.condition);
        report({
          message: headerMessages.misnamed(
            name,
            written,
            header,
            holds === undefined ? undefined : `the condition ${holds ? "holds" : "does not hold"} for usual requests`,
            holds === true && rule !== undefined && isLoop(rule),
          ),
          span: at,
          ...createFix(fixTitles.replaceName(header), "unsafe", edit),
        });
      }
    };
    const checkHeaders = (scope: Scope) => {
      for (const rule of parseRewriteRules(scope.directives)) {
        for (const condition of rule.conditions) {
          const [text] = parseRewriteWords(condition.directive.argumentText) ?? [];
          if (text && condition.test.kind !== "expression")
            reportHeaders(wordsIn(condition.directive, text), condition.directive.spanOf(text), true, {
              condition,
              rule,
            });
        }
        const [, ...words] = parseRewriteWords(rule.directive.argumentText) ?? [];
        for (const word of words)
          if (word) reportHeaders(wordsIn(rule.directive, word), rule.directive.spanOf(word), true);
      }
    };
    const checkExpressions = (directive: Directive) => {
      for (const { text, span, isVerbatim } of expressionsOf(directive)) reportHeaders(text, span, isVerbatim);
    };
    return {
      scope: {
        holding: ["rewriterule", "rewritecond"],
        visit(scope) {
          checkMaps(scope);
          checkHeaders(scope);
        },
      },
      byWords: ({ key }) => {
        const checks = [
          ...(key === "rewritecond" ? [checkCondition] : []),
          ...(key === "rewriterule" ? [checkRule] : []),
          ...(key.startsWith("redirect") ? [checkRedirect] : []),
          ...(expressionDirectives.has(key) ? [checkExpressions] : []),
        ];
        if (checks.length === 0) return undefined;
        return (directive, scope) => {
          for (const check of checks) check(directive, scope);
        };
      },
    };
  },
});

/** Variables whose value begins with a slash. */
const pathVariables: ReadonlySet<string> = new Set([
  "DOCUMENT_ROOT",
  "PATH_INFO",
  "REQUEST_FILENAME",
  "REQUEST_URI",
  "SCRIPT_FILENAME",
]);

function isVariable(name: string): boolean {
  return rewriteVariables.has(name) || name === "HTTP" || name === "ENV";
}

/** Returns the intended variable of a name: a similar one, a request header, or one of another namespace. */
function intendedName(written: string): string | undefined {
  const name = written.toUpperCase();
  if (name.startsWith("SSL_")) return `SSL:${name}`;
  if (environmentNames.test(name)) return `ENV:${name}`;
  if (rewriteVariables.has(`HTTP_${name}`)) return `HTTP_${name}`;
  const similar = findClosestWord(name, rewriteVariables);
  if (similar !== undefined || !name.startsWith("HTTP_")) return similar;
  return `HTTP:${headerOfVariable(name) ?? name}`;
}

/** Names that modules and mod_rewrite itself set in the environment. */
const environmentNames = /^(?:REDIRECT_|GEOIP_|UNIQUE_ID$)/;

/** A condition with a misnamed header, and its rule. */
interface MisnamedIn {
  readonly condition: RewriteCondition;
  readonly rule: RewriteRule;
}

function wordsIn({ argumentText }: Directive, { start, end }: Argument): string {
  return argumentText.slice(start, end);
}

/** Lists the request headers that a text names, as a variable or as the argument of a function of expressions. */
function headersIn(text: string) {
  const pattern = /%\{(?:HTTP|REQ|REQ_NOVARY):(\w+)\}|\b(?:http|req|req_novary)\(\s*['"](\w+)['"]\s*\)/gi;
  return [...text.matchAll(pattern)].map(({ 0: written, 1: variable, 2: argument = "", index }) => ({
    written,
    name: variable ?? argument,
    index,
  }));
}

/** Reports whether a line adds a request header with a name. */
function setsRequestHeader(name: string, project: Project): boolean {
  return indexDirectives(project)
    .named("requestheader")
    .some((line) => parseHeaderLine(line, false).name === name.toLowerCase());
}

/** Returns the result of a condition on an empty text, if the condition tests nothing else. */
function resultForEmpty({ input, test, isNegated, ignoreCase }: RewriteCondition): boolean | undefined {
  if (!/^%\{HTTP:\w+\}$/i.test(input)) return undefined;
  if (test.kind === "text") return test.operator === "=" ? (test.operand === "") !== isNegated : undefined;
  const result = test.kind === "pattern" ? comparePatterns("", test.pattern, ignoreCase) : "unknown";
  return result === "unknown" ? undefined : (result === "all") !== isNegated;
}

/** Reports whether a rule redirects to https, and its other conditions only test that the connection has no TLS. */
function isLoop({ condition, rule }: MisnamedIn): boolean {
  const { conditions, output = "" } = rule;
  const isForAll = rule.pattern !== undefined && comparePatterns(".*", rule.pattern, false) === "all";
  const isAboutTls = ({ input }: RewriteCondition) => /^%\{(?:HTTPS|SERVER_PORT|REQUEST_SCHEME)\}$/i.test(input);
  return (
    isForAll &&
    /^https:\/\/%\{(?:HTTP_HOST|SERVER_NAME)\}\/?(?:%\{REQUEST_URI\}|\$1)$/i.test(output) &&
    conditions.every((each) => each === condition || (isAboutTls(each) && !each.orNext))
  );
}
