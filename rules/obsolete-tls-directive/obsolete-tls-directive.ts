import { type Argument, type Directive, isSince, parseProtocols } from "../../src/lint/api/configuration.js";
import { defineRule, type Report, removeLines } from "../../src/lint/api/rule.js";

const messages = {
  ssl3: ({ name }: Directive) => ({
    message: `\`${name}\` allows SSLv3, which is broken`,
    notes: ["with most builds of OpenSSL 3, httpd does not start"],
    help: ["delete `SSLv3`"],
  }),
  ssl2: ({ name }: Directive) => ({
    message: `\`-SSLv2\` has no effect in \`${name}\``,
    notes: ["2.4 does not support SSLv2"],
    help: ["delete it"],
  }),
  compression: {
    message: "`SSLCompression On` reveals encrypted data (CRIME)",
    notes: ["if OpenSSL was built without compression, httpd does not start"],
    help: ["delete it"],
  },
  renegotiation: {
    message: "`SSLInsecureRenegotiation On` allows injected requests (CVE-2009-3555)",
    notes: ["only clients without RFC 5746 from before 2010 need it"],
    help: ["delete it"],
  },
  chainFile: {
    message: "`SSLCertificateChainFile` is deprecated since 2.4.8",
    help: ["append the intermediate certificates to the file of `SSLCertificateFile`"],
  },
};

const fixTitles = { delete: "Delete this line" };

export const obsoleteTlsDirective = defineRule({
  id: "obsolete-tls-directive",
  title: "Obsolete TLS directive",
  group: "tls",
  severity: "warning",
  description: "SSLv3, SSLv2, SSLCompression, SSLInsecureRenegotiation and SSLCertificateChainFile.",
  help: "SSLv3, compression and insecure renegotiation have known attacks. With current versions of OpenSSL, some of these lines prevent the start. Delete them: the defaults are secure.",
  securitySeverity: 5,
  references: { cis: ["7.6", "7.7"], cwe: [327] },
  tags: ["security"],
  messages,
  check: ({ release, report }) => {
    if (!isSince(release, "2.4")) return {};
    return {
      byWords({ key }) {
        const find = checks.get(key);
        return find && ((directive) => find(directive).forEach(report));
      },
    };
  },
});

/** These lines do not violate a recommendation. */
const references = { cis: [] };

type ObsoleteCheck = (directive: Directive) => readonly Report[];

/** Finds the words of a protocol list that 2.4 ignores, or should not allow. */
const findProtocols: ObsoleteCheck = (directive) => {
  const { arguments: words } = directive;
  const spanOf = (matches: RegExp) => {
    const word: Argument | undefined = words.findLast(({ value }) => matches.test(value));
    return word && directive.spanOf(word);
  };
  const ssl2 = spanOf(/^-sslv2$/i);
  const ssl3 = parseProtocols(directive)?.protocols.has("SSLv3") ? spanOf(/^\+?sslv3$/i) : undefined;
  return [
    ...(ssl3 ? [{ severity: "error" as const, message: messages.ssl3(directive), span: ssl3, references }] : []),
    ...(ssl2 ? [{ severity: "info" as const, message: messages.ssl2(directive), span: ssl2, references }] : []),
  ];
};

/** Creates a check of a directive that must not be on. */
function createFlagCheck(report: Pick<Report, "message" | "severity" | "references">): ObsoleteCheck {
  return ({ arguments: [word], span }) => {
    if (word?.value.toLowerCase() !== "on") return [];
    const edit = removeLines(span);
    const fix = edit && { title: fixTitles.delete, safety: "unsafe" as const, edits: [edit] };
    return [{ ...report, span, ...(fix ? { fix } : {}) }];
  };
}

const checks: ReadonlyMap<string, ObsoleteCheck> = new Map([
  ["sslprotocol", findProtocols],
  ["sslproxyprotocol", findProtocols],
  [
    "sslcompression",
    createFlagCheck({ severity: "error", message: messages.compression, references: { cis: ["7.7"] } }),
  ],
  ["sslinsecurerenegotiation", createFlagCheck({ message: messages.renegotiation, references: { cis: ["7.6"] } })],
  ["sslcertificatechainfile", ({ span }) => [{ severity: "info", message: messages.chainFile, span, references }]],
]);
