import {
  type Argument,
  type Directive,
  parseRewriteWords,
  readRedirect,
  rewriteVariables,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, findClosestWord, quoteText, replaceSpan } from "../../src/lint/api/rule.js";
import { findMapOfMain, findUnknownMaps, internalMaps, isInternalMap } from "./rewrite-maps.js";

const messages = {
  empty: (name: string, intended: string | undefined) => ({
    message: `unknown variable ${quoteText(`%{${name}}`)}`,
    notes: ["mod_rewrite replaces it with an empty text"],
    help: [intended === undefined ? "use `%{ENV:NAME}` for a variable of the environment" : `use \`%{${intended}}\``],
  }),
  literal: (name: string) => ({
    message: `${quoteText(`{${name}}`)} is literal text: the \`%\` before it is missing`,
    notes: [`the text is used as it is, and not the value of ${quoteText(`%{${name}}`)}`],
    help: [`use ${quoteText(`%{${name}}`)}`],
  }),
  literalInRedirect: (written: string, directive: string, target: string) => ({
    message: `${quoteText(written)} is literal text in ${quoteText(directive)}`,
    notes: [`httpd does not replace variables in ${quoteText(target)}, because the line has a path`],
    help: ["use `RewriteRule` with the flag `R`, or a `Redirect` without a path in a `<Location>` section"],
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

const fixTitles = { add: "Add the `%`", replace: (intended: string) => `Replace with \`%{${intended}}\`` };

export const unknownRewriteVariable = defineVariant({
  id: "unknown-rewrite-variable",
  messages: { ...messages, ...mapMessages },
  check: ({ project, report }) => {
    const checkText = (directive: Directive, { start, end }: Argument) => {
      const text = directive.argumentText.slice(start, end);
      for (const { 0: written, 1: name = "", index } of text.matchAll(/(?<![%$\\{])\{(\w+)\}/g)) {
        if (name !== name.toUpperCase() || !rewriteVariables.has(name)) continue;
        const at = { start: start + index, end: start + index + written.length };
        const edit = replaceSpan(directive.spanOf(at), `%${written}`);
        const fix = createFix(fixTitles.add, "unsafe", edit);
        report({ message: messages.literal(name), span: directive.spanOf(at), ...fix });
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
    const checkRedirect = (directive: Directive) => {
      const { from, to } = readRedirect(directive, false) ?? {};
      const target = directive.arguments.findLast(({ value }) => value === to);
      // Without a path, the target is an expression (mod_alias.c `add_redirect_internal`).
      const [written, name = ""] = /%?\{([A-Z][A-Z_]+)(?::[\w-]+)?\}/.exec(target?.value ?? "") ?? [];
      if (from === undefined || target === undefined || written === undefined || !isVariable(name)) return;
      const message = messages.literalInRedirect(written, directive.name, target.value);
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
    return {
      scope: { holding: ["rewriterule", "rewritecond"], visit: checkMaps },
      byWords: ({ key }) => {
        if (key === "rewritecond") return checkCondition;
        if (key === "rewriterule") return checkRule;
        return key.startsWith("redirect") ? checkRedirect : undefined;
      },
    };
  },
});

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
  const words = name.slice("HTTP_".length).split("_").filter(Boolean);
  return `HTTP:${words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join("-")}`;
}

/** Names that modules and mod_rewrite itself set in the environment. */
const environmentNames = /^(?:REDIRECT_|GEOIP_|UNIQUE_ID$)/;
