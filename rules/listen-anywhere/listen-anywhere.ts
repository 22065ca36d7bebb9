import { type Directive, isAnyAddress, isSince, readListenLine } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  anywhere: (line: Directive) => ({
    message: `${quoteText(`Listen ${line.argumentText}`)} accepts connections to every address of the machine`,
    notes: ["these include the addresses of internal networks, and addresses that are added later"],
    help: ["name the address: `Listen 192.0.2.1:80`"],
  }),
};

/** The addresses `0.0.0.0` and `::`, and `::ffff:0.0.0.0`. */
const unspecified: ReadonlySet<bigint | undefined> = new Set([0n, 0xffff_0000_0000n]);

export const listenAnywhere = defineRule({
  id: "listen-anywhere",
  title: "Listen without an address",
  group: "hardening",
  severity: "info",
  description: "A Listen line without an address, or with 0.0.0.0 or [::].",
  help: "Without an address, httpd accepts connections to all addresses of the machine, such as one for administration. Name the addresses on the Listen lines.",
  securitySeverity: 1,
  references: { cis: ["5.15"], stig: ["V-214246"], cwe: [1327] },
  tags: ["security"],
  messages,
  check: ({ release, report }) => ({
    directives: {
      listen(directive) {
        if (!isSince(release, "2.4") || directive.argumentText.includes("${") || directive.arguments.length === 0)
          return;
        const listener = readListenLine(directive);
        const isUnspecified = isAnyAddress(listener) || unspecified.has(listener.address?.bits);
        if (isUnspecified) report({ message: messages.anywhere(directive), span: directive.span });
      },
    },
  }),
});
