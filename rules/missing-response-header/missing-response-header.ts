import { addsHeader, isSince, listHeaderLines, listRespondingServers } from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, quoteText } from "../../src/lint/api/rule.js";
import { type ExpectedHeader, expectedHeaders } from "./expected-headers.js";

const messages = {
  missing: (headers: readonly ExpectedHeader[]) => ({
    message: `no \`Header\` line sets ${formatWordList(headers.map(({ header }) => quoteText(header)))}`,
    notes: [
      ...headers.map(({ effect }) => effect),
      "the configuration does not show whether an application adds the header",
    ],
    help: headers.map(({ example }) => `use \`Header always set ${example}\`, with the value that your pages need`),
  }),
};

export const missingResponseHeader = defineRule({
  id: "missing-response-header",
  title: "Response header for browsers is missing",
  group: "hardening",
  severity: "info",
  description: "A virtual host without lines for Content-Security-Policy, Referrer-Policy or Permissions-Policy.",
  help: "These headers limit what browsers do with a page: who can show it in a frame, who sees its URL, and which devices scripts can use. Applications often add them, and the right values depend on the pages. Add `Header always set` lines for those that the application does not add.",
  securitySeverity: 1,
  references: { cis: ["5.16", "5.17", "5.18"], cwe: [1021] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => ({
    end() {
      if (!isSince(release, "2.4")) return;
      for (const { server, ...place } of listRespondingServers(project)) {
        const missing = expectedHeaders.filter(
          ({ names }) => !names.some((name) => listHeaderLines(server, name).some(addsHeader)),
        );
        if (missing.length === 0) continue;
        report({ message: messages.missing(missing), ...place, references: { cis: missing.map(({ cis }) => cis) } });
      }
    },
  }),
});
