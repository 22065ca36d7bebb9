import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  writable: (line: Directive, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} allows every client to write files`,
    notes: [describeAnswer(answer)],
    help: [
      "add `Require valid-user` for all methods",
      "to keep reads public, move `Require all granted` into `<Limit GET HEAD OPTIONS>`",
    ],
  }),
};

export const writableDav = defineRule({
  id: "writable-dav",
  title: "WebDAV writable by everyone",
  group: "exposure",
  severity: "error",
  description: "Dav is on, and every client is allowed to upload or delete files.",
  help: "Anyone can replace the site, or store files on the server. Require a user for all methods but GET, HEAD and OPTIONS. `Require all granted` beside a LimitExcept section still allows writes.",
  securitySeverity: 9.1,
  references: { cis: ["2.3"], stig: ["V-214245"], cwe: [306, 434] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["dav"],
      *check({ line, scope, server }, client) {
        const path = /^"?off"?$/i.test(line.argumentText) ? undefined : client.findPathInto(scope, server);
        if (path === undefined) return;
        for (const method of ["PUT", "DELETE"]) {
          const answer = client.ask(server, { path, method });
          if (answer === undefined || (answer.status !== 201 && answer.status !== 204)) continue;
          yield { message: messages.writable(line, answer), span: line.span, witness: witnessOf(answer) };
          return;
        }
      },
    },
  }),
});
