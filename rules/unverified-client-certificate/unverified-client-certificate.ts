import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import type { Directive, Scope } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  unverified: (line: Directive, answer: DefiniteAnswer) => ({
    message: `a self-signed certificate is enough for ${formatLineTitle(line)}`,
    notes: [
      "with `SSLVerifyClient optional_no_ca`, the issuer is not verified",
      `with such a certificate, ${describeAnswer(answer)}`,
    ],
    help: [
      "use `SSLVerifyClient require` with `SSLCACertificateFile`",
      "or add `Require ssl-verify-client` in a `<RequireAll>` section",
    ],
  }),
};

const labels = { verify: "does not verify the issuer" };

export const unverifiedClientCertificate = defineRule({
  id: "unverified-client-certificate",
  title: "Names of an unverified client certificate",
  group: "exposure",
  severity: "error",
  description: "Access depends on names in a client certificate whose issuer is not verified.",
  help: "With `SSLVerifyClient optional_no_ca`, clients can make a certificate with any name. Verify certificates, or also check that `%{SSL_CLIENT_VERIFY}` is `SUCCESS`.",
  securitySeverity: 8.1,
  references: { cwe: [295] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["require", "sslrequire"],
      *check({ line, scope, server }, client) {
        if (!namesOfCertificate.test(line.argumentText) || verifies(scope) || server.at.scheme !== "https") return;
        const path = client.findPathInto(scope, server);
        const answers = path === undefined ? [] : client.askAll(server, { path });
        const granted = answers.find(({ status }) => status === 200);
        const verify = granted?.layers.map((layer) => layer.setting("sslverifyclient")).findLast((each) => each);
        if (granted === undefined || verify?.arguments[0]?.value.toLowerCase() !== "optional_no_ca") return;
        // The test of this line decides, and nothing else that is unknown.
        if (!answers.every(({ status, decidedBy }) => status === 200 || (status === 403 && decidedBy.includes(line))))
          return;
        if (!answers.some(({ status }) => status === 403)) return;
        yield {
          message: messages.unverified(line, granted),
          span: line.span,
          related: [{ message: labels.verify, span: verify.span }],
          witness: witnessOf(granted),
        };
      },
    },
  }),
});

/** Variables that a client chooses when it makes a certificate. */
const namesOfCertificate = /\bSSL_CLIENT_(?:[SI]_DN|SAN|M_SERIAL)/i;

/** Reports whether a line of a scope also checks that the certificate was verified. */
function verifies({ directives }: Scope): boolean {
  return directives.some(({ argumentText }) => /SSL_CLIENT_VERIFY|ssl-verify-client/i.test(argumentText));
}
