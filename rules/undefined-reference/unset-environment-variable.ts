import { accessVariablesOf } from "../../src/lint/api/access.js";
import { type Directive, isWholeServer, parseRewriteWords } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  never: (name: string, part: Part, similar: string | undefined) => ({
    message: `no line sets the variable ${quoteText(name)}, so the URL has no ${part}`,
    notes: ["it has a value only if the environment of httpd has it"],
    help: [
      similar === undefined
        ? `set it with \`SetEnvIf\` or in an earlier rule: ${quoteText(`RewriteRule ^ - [E=${name}:${examples[part]}]`)}`
        : `use ${quoteText(`%{ENV:${similar}}`)}`,
      `or use ${quoteText(ownVariables[part])}`,
    ],
  }),
  late: (name: string, part: Part) => ({
    message: `\`SetEnv\` sets ${quoteText(name)} only after rewriting, so the URL has no ${part}`,
    notes: ["the variable has a value here only if the environment of httpd has it"],
    help: [
      `set it with \`SetEnvIf\` or in an earlier rule: ${quoteText(`RewriteRule ^ - [E=${name}:${examples[part]}]`)}`,
      `or use ${quoteText(ownVariables[part])}`,
    ],
  }),
};

const labels = { setter: "sets it after rewriting" };

type Part = "scheme" | "host";

/** The variables of httpd for the parts of a URL. */
const ownVariables: Readonly<Record<Part, string>> = { scheme: "%{REQUEST_SCHEME}", host: "%{HTTP_HOST}" };

const examples: Readonly<Record<Part, string>> = { scheme: "https", host: "www.example.com" };

/** Finds targets of rules whose scheme or host is a variable that no request has when rules run (live case). */
export const unsetEnvironmentVariable = defineVariant({
  id: "unset-environment-variable",
  messages,
  check: ({ project, report }) => ({
    byWords: ({ key }) => {
      if (key !== "rewriterule" || !isWholeServer(project)) return undefined;
      return (line: Directive) => {
        const [, target] = parseRewriteWords(line.argumentText) ?? [];
        const found = target && findPart(target.value);
        if (target === undefined || found === undefined) return;
        const { part, name } = found;
        const start = line.argumentText.indexOf("%{", target.start);
        const span = line.spanOf({ start, end: start + `%{ENV:${name}}`.length });
        const variables = accessVariablesOf(project);
        const unset = variables.findUnset(name, line);
        const setter = unset?.kind === "never" ? undefined : variables.findLateSetter(name);
        if (unset?.kind === "never") report({ message: messages.never(name, part, unset.similar), span });
        else if (setter)
          report({
            message: messages.late(name, part),
            span,
            related: [{ message: labels.setter, span: setter.span }],
          });
      };
    },
  }),
});

/** Returns the variable that is the scheme or the whole host of a target. */
function findPart(target: string): { readonly part: Part; readonly name: string } | undefined {
  const scheme = /^%\{ENV:([\w.-]+)\}:\/\//i.exec(target);
  if (scheme?.[1]) return { part: "scheme", name: scheme[1] };
  const host = /^https?:\/\/%\{ENV:([\w.-]+)\}(?=[/:?]|%\{REQUEST_URI\}|\$\d|$)/i.exec(target);
  return host?.[1] ? { part: "host", name: host[1] } : undefined;
}
