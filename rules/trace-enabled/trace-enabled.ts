import { type Directive, isSince, listServerSettings } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const facts = {
  notes: ["TRACE returns the request with its headers, even under `Require all denied`"],
  help: ["use `TraceEnable Off`"],
};

const messages = {
  set: (line: Directive) => ({ message: `${quoteText(`TraceEnable ${line.argumentText}`)} allows TRACE`, ...facts }),
  default: { message: "the server allows TRACE: `TraceEnable` is not set", ...facts },
};

export const traceEnabled = defineRule({
  id: "trace-enabled",
  title: "TRACE is allowed",
  group: "hardening",
  severity: "info",
  description: "A server or virtual host that responds to TRACE, which is the default.",
  help: "TRACE returns the request as received, with the headers that proxies have added. Access rules do not apply to it: `Require all denied` does not prevent it. Use `TraceEnable Off` in the main server.",
  securitySeverity: 2,
  references: { cis: ["5.8"], stig: ["V-214257"] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => ({
    end() {
      if (!isSince(release, "2.4")) return;
      for (const { line, ...place } of listServerSettings(project, "traceenable")) {
        if (line === undefined) report({ message: messages.default, ...place });
        else if (line.arguments[0]?.value.toLowerCase() !== "off") report({ message: messages.set(line), ...place });
      }
    },
  }),
});
