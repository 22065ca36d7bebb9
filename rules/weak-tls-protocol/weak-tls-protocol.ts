import {
  createTlsVisitor,
  type Directive,
  guidelineTitle,
  isRecommendedProtocol,
  isSince,
  isWholeServer,
  parseProtocols,
  recommendedProtocolLine,
  type TlsProtocol,
  type TlsServer,
} from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, type Report } from "../../src/lint/api/rule.js";

const guidelineNote = `${guidelineTitle} recommends TLS 1.2 and TLS 1.3`;
const defaultLevelNote =
  "OpenSSL 3 rejects them unless `SSLCipherSuite` contains `@SECLEVEL=0`; OpenSSL 1 accepts them";
const lowestLevelNote = "`@SECLEVEL=0` in `SSLCipherSuite` allows them in OpenSSL 3 as well";
const help = [`use \`${recommendedProtocolLine}\``];

const messages = {
  allowed: (protocols: readonly TlsProtocol[], isLowestLevel: boolean) => ({
    message: `\`SSLProtocol\` allows ${formatWordList(protocols.map(titleOfProtocol))}`,
    notes: [guidelineNote, isLowestLevel ? lowestLevelNote : defaultLevelNote],
    help,
  }),
  allowedByDefault: (isLowestLevel: boolean) => ({
    message: "without `SSLProtocol`, TLS 1.0 and TLS 1.1 are allowed",
    notes: [guidelineNote, isLowestLevel ? lowestLevelNote : defaultLevelNote],
    help,
  }),
};

const labels = { lowestLevel: "allows them in OpenSSL 3", alsoDefault: "also uses the default" };

export const weakTlsProtocol = defineRule({
  id: "weak-tls-protocol",
  title: "TLS 1.0 or TLS 1.1 is allowed",
  group: "tls",
  severity: "warning",
  description: "A server with TLS whose protocols include TLS 1.0 or TLS 1.1.",
  help: "TLS 1.0 and TLS 1.1 depend on MD5 and SHA-1, and RFC 8996 deprecates them. All current clients support TLS 1.2. Allow only TLS 1.2 and TLS 1.3.",
  securitySeverity: 5,
  references: { cis: ["7.4"], stig: ["V-214278"], cwe: [326, 327] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const isWhole = isWholeServer(project);
    const reported = new Set<Directive>();
    return createTlsVisitor(project, (server) => {
      // Without the whole server, the main server may have a line that was not found.
      const line = server.protocolLine ?? (isWhole ? server.engine.line : undefined);
      const finding = line && !reported.has(line) ? judge(server, line) : undefined;
      if (line === undefined || finding === undefined) return;
      reported.add(line);
      report(finding);
    });
  },
});

function titleOfProtocol(protocol: TlsProtocol): string {
  return protocol === "TLSv1" ? "TLS 1.0" : protocol.replace("TLSv", "TLS ");
}

/** Returns the finding about a server with TLS, at a line; undefined if all its protocols are recommended. */
function judge({ protocolLine, protocols, ciphers, cipherLine }: TlsServer, line: Directive): Report | undefined {
  // SSLv3 is a case for obsolete-tls-directive.
  const weak = [...(protocols ?? [])].filter((each) => !isRecommendedProtocol(each) && each !== "SSLv3").sort();
  const hasOlderSuite = ciphers === undefined || [...ciphers.suites].some(({ protocol }) => protocol !== "TLSv1.2");
  if (weak.length === 0 || !hasOlderSuite) return undefined;
  const isLowestLevel = ciphers?.securityLevel === 0;
  const named = protocolLine && parseProtocols(protocolLine)?.named;
  const isIntended = weak.some((protocol) => named?.has(protocol));
  return {
    message: protocolLine ? messages.allowed(weak, isLowestLevel) : messages.allowedByDefault(isLowestLevel),
    severity: isLowestLevel || isIntended ? "warning" : "info",
    span: line.span,
    related: isLowestLevel && cipherLine ? [{ message: labels.lowestLevel, span: cipherLine.span }] : [],
    ...(protocolLine ? {} : { cause: { key: `default ${isLowestLevel}`, also: labels.alsoDefault } }),
  };
}
