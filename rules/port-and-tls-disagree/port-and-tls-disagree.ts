import {
  addressKeysOf,
  type Directive,
  isTlsDecided,
  isTlsOff,
  type TlsServer,
  tlsServersOf,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  tlsOnHttpPort: (address: string) => ({
    message: `TLS is on at the http port: ${quoteText(address)}`,
    notes: ["requests for `http://` URLs return 400"],
    help: ["use port 443, or delete `SSLEngine On`"],
  }),
  noTlsOnHttpsPort: (address: string) => ({
    message: `TLS is off at the https port: ${quoteText(address)}`,
    notes: ["clients of `https://` URLs cannot connect"],
    help: ["add `SSLEngine On` and a certificate"],
  }),
  certificateWithoutTls: (address: string) => ({
    message: `TLS is off at the https port: ${quoteText(address)}`,
    notes: [
      "clients of `https://` URLs cannot connect",
      "without `SSLEngine`, a certificate turns on TLS only at the address of an https `Listen` line",
    ],
    help: ["add `SSLEngine On`"],
  }),
};

const labels = { engine: "decides whether TLS is on" };

export const portAndTlsDisagree = defineRule({
  id: "port-and-tls-disagree",
  title: "TLS does not fit the port",
  group: "tls",
  severity: "warning",
  description: "A virtual host at port 443 without TLS, or at port 80 with TLS.",
  help: "Clients use TLS at port 443 and plain HTTP at port 80. If a virtual host differs, they cannot read its responses. The first virtual host of an address decides for all of them. httpd starts. It warns only about virtual hosts without ServerName, and does not name the line (AH01915, AH01916).",
  references: { cwe: [319] },
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => {
    if (release !== "2.4" || project.kind === "htaccess") return {};
    /** The first address of each virtual host with a standard port, and its key. */
    const addresses = new Map<Directive, { readonly text: string; readonly key: string | undefined }>();
    return {
      directives: {
        "<virtualhost"(section) {
          const index = section.arguments.findIndex(({ value }) => /:(?:80|443)$/.test(value));
          const text = section.arguments[index]?.value;
          if (text) addresses.set(section, { text, key: addressKeysOf(section)[index] });
        },
      },
      end() {
        const isDecided = isTlsDecided(project);
        const answered = new Set<string | undefined>();
        for (const server of addresses.size === 0 ? [] : tlsServersOf(project)) {
          const { section } = server.directives;
          const address = section && addresses.get(section);
          if (section === undefined || address === undefined) continue;
          // Names are not compared before the handshake, so the first virtual host of an address decides for all.
          if (answered.has(address.key)) continue;
          answered.add(address.key);
          const isHttpPort = address.text.endsWith(":80");
          if (isHttpPort ? server.engine.state !== "on" : !isDecided || !isTlsOff(server)) continue;
          report({
            message: messageFor(server, address.text, isHttpPort),
            span: section.span,
            related: server.engine.line ? [{ message: labels.engine, span: server.engine.line.span }] : [],
          });
        }
      },
    };
  },
});

function messageFor({ engine, directives }: TlsServer, address: string, isHttpPort: boolean) {
  if (isHttpPort) return messages.tlsOnHttpPort(address);
  const hasCertificate = directives.effective("sslcertificatefile").length > 0;
  return hasCertificate && engine.line === undefined
    ? messages.certificateWithoutTls(address)
    : messages.noTlsOnHttpsPort(address);
}
