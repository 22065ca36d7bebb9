import { parseCompatRules, parseRequireLine } from "../../src/lint/api/access.js";
import { findUndefinedVariable, isSince } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  byName: (line: string) => ({
    message: `${quoteText(line)} decides by the name of the client in the DNS`,
    notes: [
      "httpd looks up the name of the address, and then the addresses of that name",
      "the servers of these zones decide who has access, and each new client waits for them",
    ],
    help: ["use `Require ip` with the addresses"],
  }),
  byAddress: (line: string) => ({
    message: `${quoteText(line)} decides by an address in the DNS`,
    notes: ["httpd looks up the addresses of the name for each request, so that the zone decides who has access"],
    help: ["use `Require ip` with the addresses"],
  }),
};

/** Reports whether a text depends on a variable or a placeholder, which may become an address. */
const isUnknown = (text: string) => findUndefinedVariable(text) !== undefined;

export const hostByDns = defineRule({
  id: "host-by-dns",
  title: "Access by a host name",
  group: "hardening",
  severity: "info",
  description: "Require host, Require forward-dns, or Allow and Deny with a host name.",
  help: "The result depends on the resolver and the zones that it asks. httpd checks that the name leads back to the address, so that a forged PTR record is not enough. If the resolver does not answer, httpd denies clients that should be allowed. Use `Require ip`.",
  securitySeverity: 2,
  references: { cwe: [350] },
  tags: ["access-control", "security"],
  messages,
  check: ({ release, report }) => ({
    directives: {
      require(directive) {
        const { provider } = parseRequireLine(directive);
        const line = `Require ${directive.argumentText}`;
        if (!isSince(release, "2.4") || !["host", "forward-dns"].includes(provider) || isUnknown(line)) return;
        const message = provider === "host" ? messages.byName(line) : messages.byAddress(line);
        report({ message, span: directive.span });
      },
    },
    scope: {
      holding: ["allow", "deny"],
      visit({ directives }) {
        if (!isSince(release, "2.4")) return;
        const lines =
          parseCompatRules(directives)?.hosts.filter(({ match }) => match.kind === "host" && !isUnknown(match.name)) ??
          [];
        for (const { directive, argument } of lines)
          report({
            message: messages.byName(`${directive.name} ${directive.argumentText}`),
            span: directive.spanOf(argument),
          });
      },
    },
  }),
});
