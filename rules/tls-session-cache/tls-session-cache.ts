import { type Directive, isSince, placeOfServer, serverDirectivesOf } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  missing: {
    message: "the server uses TLS without `SSLSessionCache`",
    notes: [
      "processes do not share sessions, so that clients without tickets repeat the full handshake",
      "httpd warns at start (AH01873)",
    ],
    help: ["load mod_socache_shmcb, and add `SSLSessionCache shmcb:ssl_cache(512000)`"],
  },
};

export const tlsSessionCache = defineRule({
  id: "tls-session-cache",
  title: "TLS without a session cache",
  group: "hardening",
  severity: "info",
  description: "A server with TLS that does not set SSLSessionCache.",
  help: "Without a cache that its processes share, a client that returns often needs a full handshake, which costs time and energy on both sides. httpd warns at start, without a file or line (AH01873). Set `SSLSessionCache` in the main server; `none` disables it on purpose.",
  tags: ["performance"],
  messages,
  check: ({ project, release, report }) => ({
    end() {
      if (!isSince(release, "2.4") || placeOfServer(project).length === 0) return;
      const servers = serverDirectivesOf(project);
      if (servers[0].own("sslsessioncache").length > 0) return;
      const line = servers.map((server) => server.effective("sslengine").at(-1)).find(isOn);
      if (line) report({ message: messages.missing, span: line.span });
    },
  }),
});

function isOn(line: Directive | undefined): line is Directive {
  return /^(?:on|optional)$/i.test(line?.arguments[0]?.value ?? "");
}
