import { expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { findingsOf, section, wholeServer } from "../../support/rules.js";

const rules = defaultRules.filter(({ group }) => group === "tls");

/** The lines of mod_ssl in the configurations that come with httpd, Debian 12 and Red Hat Enterprise Linux 9. */
const stock: Readonly<Record<string, { readonly server: readonly string[]; readonly host: readonly string[] }>> = {
  httpd: {
    server: [
      "Listen 443",
      "SSLCipherSuite HIGH:MEDIUM:!MD5:!RC4:!3DES",
      "SSLProxyCipherSuite HIGH:MEDIUM:!MD5:!RC4:!3DES",
      "SSLHonorCipherOrder on",
      "SSLProtocol all -SSLv3",
      "SSLProxyProtocol all -SSLv3",
    ],
    host: ["ServerName www.example.com:443", "SSLEngine on", 'SSLCertificateFile "/usr/local/apache2/conf/server.crt"'],
  },
  Debian: {
    server: ["Listen 443", "SSLCipherSuite HIGH:!aNULL", "SSLProtocol all -SSLv3", "SSLSessionTickets off"],
    host: ["SSLEngine on", "SSLCertificateFile /etc/ssl/certs/ssl-cert-snakeoil.pem"],
  },
  "Red Hat": {
    server: ["Listen 443 https"],
    host: [
      "SSLEngine on",
      "SSLHonorCipherOrder on",
      "SSLCipherSuite PROFILE=SYSTEM",
      "SSLProxyCipherSuite PROFILE=SYSTEM",
      "SSLCertificateFile /etc/pki/tls/certs/localhost.crt",
    ],
  },
};

test.each(Object.entries(stock))(
  "the stock configuration of %s has only findings of severity info",
  (_, { server, host }) => {
    const text = wholeServer(...server, section("VirtualHost _default_:443", ...host));
    const findings = findingsOf(rules, text);
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(findings.map(({ rule }) => rule)).toContain("weak-tls-protocol");
  },
);
