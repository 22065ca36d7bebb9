import { type Directive, isSince, listServerSettings } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const tokens = {
  notes: ["with the default, the header `Server` names the version and the operating system"],
  help: ["use `ServerTokens Prod`"],
};

const messages = {
  tokens: (line: Directive) => ({
    ...tokens,
    message: `${quoteText(`ServerTokens ${line.argumentText}`)} shows the version of httpd`,
    notes: ["each response has it in the header `Server`"],
  }),
  defaultTokens: { message: "the server shows its version: `ServerTokens` is not set", ...tokens },
  signature: (line: Directive) => ({
    message: `${quoteText(`ServerSignature ${line.argumentText}`)} adds a footer with the server to error pages`,
    help: ["use `ServerSignature Off`"],
  }),
};

export const verboseServer = defineRule({
  id: "verbose-server",
  title: "Responses show the version",
  group: "hardening",
  severity: "info",
  description: "ServerTokens other than Prod, or not set, or ServerSignature On.",
  help: "By default, each response names the version of httpd and the operating system, and often the versions of modules. ServerSignature repeats it on error pages, with the name of the server. Use `ServerTokens Prod` and `ServerSignature Off`.",
  securitySeverity: 1,
  references: { cis: ["8.1", "8.2"], cwe: [200] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => ({
    scope: {
      holding: ["serversignature"],
      visit({ directives }) {
        const line = directives.findLast(({ key }) => key === "serversignature");
        if (!isSince(release, "2.4") || !/^(?:on|email)$/i.test(line?.arguments[0]?.value ?? "")) return;
        if (line) report({ message: messages.signature(line), span: line.span, references: { cis: ["8.2"] } });
      },
    },
    end() {
      if (!isSince(release, "2.4")) return;
      const references = { cis: ["8.1"] };
      for (const { line, ...place } of listServerSettings(project, "servertokens")) {
        if (line === undefined) report({ message: messages.defaultTokens, ...place, references });
        else if (!/^prod(?:uctonly)?$/i.test(line.arguments[0]?.value ?? ""))
          report({ message: messages.tokens(line), ...place, references });
      }
    },
  }),
});
