import type { Argument } from "../../grammar/ast.js";
import { lacksRequire } from "../../src/access/modules.js";
import { readRequire, requireWords } from "../../src/access/new-rules.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import { quoted } from "../../src/project/problems.js";
import { adviceOn, adviceOnKeyword, type Meant } from "./advice.js";

export const neverMatchingName = defineRule({
  id: "never-matching-name",
  title: "A name that nobody has",
  severity: "warning",
  description:
    "Allow, Deny or Require with a word that matches no client and no user: several between commas, an address or a `*` where a host name is compared, `!` in front of a variable.",
  help: "The server takes such a word as one name, compares it and finds nobody by it: an Allow or Require lets nobody in, and a Deny or Require not keeps nobody out. Write several words with spaces between them, addresses behind `Require ip`, and a domain with a dot in front.",
  tags: ["access-control", "correctness", "security"],
  securitySeverity: 6,
  supersedes: ["shadowed-rule"],
  check: ({ project, release, report }) => {
    const checkWords = (directive: Directive) => {
      const { words, keepsOut } = directive.key === "require" ? required(directive, release === "2.4") : old(directive);
      for (const [word, meant] of words) {
        if (/@\w+@|%\w+%|\{\{|\$\{|<%/.test(word.value)) continue;
        const advice =
          (directive.key === "require" ? undefined : adviceOnKeyword(word, keepsOut)) ?? adviceOn(word, meant);
        if (advice === undefined) continue;
        const effect = keepsOut ? "keeps nobody out" : "lets nobody in";
        const span = directive.spanOf(word);
        const separate = word.value.split(",").filter((each) => each !== "");
        report({
          ...(advice.isHarmless ? { severity: "info" } : keepsOut ? { severity: "error" } : {}),
          message: `${advice.wrong}, so ${quoted(word.value)} ${effect}; ${advice.remedy}`,
          span,
          ...(word.value.includes(",") && separate.length > 0
            ? {
                fix: {
                  title: "Put spaces in place of commas",
                  safety: "unsafe",
                  edits: [{ span, text: separate.join(" ") }],
                },
              }
            : {}),
        });
      }
      if (directive.key === "require") reportUnreadUsers(directive);
    };
    const reportUnreadUsers = (directive: Directive) => {
      const line = readRequire(directive);
      const [first] = line.provider === "valid-user" ? requireWords(line) : [];
      if (first === undefined || first.value.startsWith("#") || line.negated) return;
      report({
        severity: "error",
        message: `\`Require valid-user\` reads no words behind it, so it lets in every user with a password and not only ${quoted(line.rest)}; write \`Require user\` and the names`,
        span: directive.spanOf({ start: line.restStart, end: line.restStart + line.rest.length }),
      });
    };
    const isRead = (key: string) => directives.has(key) && !(key === "require" && lacksRequire(project));
    return { byWords: ({ key }) => (isRead(key) ? checkWords : undefined) };
  },
});

const directives: ReadonlySet<string> = new Set(["allow", "deny", "require"]);

interface Words {
  readonly words: readonly (readonly [Argument, Meant])[];
  /** Whether whom the words match is refused. */
  readonly keepsOut: boolean;
}

/** The words behind `from`, which are addresses or names of hosts; variables are left alone. */
function old({ key, arguments: [, ...words] }: Directive): Words {
  const isCompared = ({ value }: Argument) => value !== "" && !/^env=/i.test(value);
  return { words: words.filter(isCompared).map((word) => [word, "client"]), keepsOut: key === "deny" };
}

const required24: ReadonlyMap<string, Meant> = new Map([
  ["host", "host"],
  ["forward-dns", "client"],
  ["user", "name"],
  ["group", "name"],
  ["env", "variable"],
]);

function required(directive: Directive, is24: boolean): Words {
  const line = readRequire(directive);
  const meant = required24.get(line.provider);
  const words = meant === undefined || (meant !== "name" && !is24) ? [] : requireWords(line);
  return { words: words.map((word) => [word, meant ?? "name"]), keepsOut: line.negated };
}
