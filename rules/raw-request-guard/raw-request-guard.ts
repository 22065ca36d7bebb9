import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  raw: (line: Directive, denied: DefiniteAnswer, granted: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} depends on the spelling of the URL`,
    notes: [
      "httpd compares the URL as the client sends it, and decodes it later",
      describeAnswer(denied),
      describeAnswer(granted),
    ],
    help: [remedies.get(line.key) ?? "use `<Location>`, which compares the decoded path"],
  }),
};

const remedies: ReadonlyMap<string, string> = new Map([
  ["<if", "compare the decoded path, with `%{REQUEST_URI}`"],
  ["rewritecond", "compare the decoded path, with the pattern of `RewriteRule` or with `%{REQUEST_URI}`"],
]);

export const rawRequestGuard = defineRule({
  id: "raw-request-guard",
  title: "Access rules on the URL as sent",
  group: "exposure",
  severity: "error",
  description: "Access depends on the URL as sent, so that an encoded letter in the URL bypasses the rule.",
  help: "THE_REQUEST is the request line as the client sends it, and at server level SetEnvIf tests Request_URI before it is decoded. `/%61dmin/` and `/./admin/` reach the same file as `/admin/`. Compare the decoded path.",
  securitySeverity: 7.5,
  references: { cwe: [177, 180] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["rewritecond", "<if", "setenvif", "setenvifnocase"],
      *check({ line, server }, client) {
        const pattern = patternOf(line);
        const tested = pattern === undefined ? undefined : findTestedRequest(pattern);
        if (tested === undefined) return;
        const denied = client.ask(server, tested);
        if (denied === undefined || !refusals.has(denied.status)) return;
        for (const path of respell(tested.path)) {
          const granted = client.ask(server, { ...tested, path });
          if (granted?.status !== 200) continue;
          yield { message: messages.raw(line, denied, granted), span: line.span, witness: witnessOf(granted) };
          return;
        }
      },
    },
  }),
});

/** Statuses of access control and of the flags `F` and `G`. */
const refusals: ReadonlySet<number> = new Set([401, 403, 410]);

/** Returns the pattern that a line compares with the URL as sent. */
function patternOf({ key, arguments: [first, second], argumentText }: Directive): string | undefined {
  switch (key) {
    case "rewritecond":
      return /^%\{THE_REQUEST\}$/i.test(first?.value ?? "") && !second?.value.startsWith("!")
        ? second?.value
        : undefined;
    case "<if": {
      const [, , delimited, slashed] = requestMatch.exec(argumentText) ?? [];
      return delimited ?? slashed;
    }
    default:
      return /^Request_URI$/i.test(first?.value ?? "") ? second?.value : undefined;
  }
}

const requestMatch = /%\{THE_REQUEST\}\s*=~\s*(?:m(\W)(.*?)\1|\/((?:[^/\\]|\\.)*)\/)/i;

/** Returns a request whose request line or URL a pattern matches, if the pattern has a path. */
function findTestedRequest(pattern: string): { readonly method: string; readonly path: string } | undefined {
  const sample = samplePattern(pattern) ?? "";
  const path = /(?:^|\s)(\/[^\s?]*)/.exec(sample)?.[1] ?? /^[\w.-]+$/.exec(sample)?.[0];
  const method = /^(?:POST|PUT|DELETE)(?=\s)/.exec(sample)?.[0] ?? "GET";
  return path === undefined ? undefined : { method, path: path.startsWith("/") ? path : `/${path}` };
}

/** Returns other spellings of a path: with its first or its last letter encoded. */
function respell(path: string): readonly string[] {
  const encode = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;
  return [path.replace(/[a-z]/i, encode), path.replace(/[a-z](?=[^a-z]*$)/i, encode)];
}
