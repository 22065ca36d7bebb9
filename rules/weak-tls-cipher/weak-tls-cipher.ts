import {
  type CipherWeakness,
  createTlsVisitor,
  type Directive,
  guidelineTitle,
  isRecommendedSuite,
  isSince,
  recommendedCipherLine,
  type TlsServer,
  weaknessOf,
} from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, getOrCreate, type Report } from "../../src/lint/api/rule.js";

/** The suites of a line that the guideline does not recommend, by weakness. */
type UnwantedSuites = ReadonlyMap<CipherWeakness | "other", readonly string[]>;

const help = [`use \`${recommendedCipherLine}\``];

const messages = {
  broken: (algorithms: readonly CipherWeakness[], suites: readonly string[]) => ({
    message: `\`SSLCipherSuite\` allows ${formatWordList(algorithms)}`,
    notes: [`cipher suites: ${formatExamples(suites)}`, "many builds of OpenSSL 3 omit these suites"],
    help,
  }),
  beyondGuideline: (unwanted: UnwantedSuites) => ({
    message: "`SSLCipherSuite` allows more than the recommended cipher suites",
    notes: [
      `${guidelineTitle} recommends only ECDHE with AES-GCM or ChaCha20-Poly1305`,
      ...formatSuites("without forward secrecy", unwanted.get("no forward secrecy")),
      ...formatSuites("others", unwanted.get("other")),
    ],
    help,
  }),
};

export const weakTlsCipher = defineRule({
  id: "weak-tls-cipher",
  title: "Weak ciphers are allowed",
  group: "tls",
  severity: "warning",
  description:
    "A server with TLS 1.2 whose SSLCipherSuite includes RC4, 3DES, or ciphers that Mozilla does not recommend.",
  help: "RC4 and 3DES are broken. Without forward secrecy, a stolen key of the server decrypts all recorded connections. Mozilla's guideline recommends six cipher suites for TLS 1.2, which all current clients support.",
  securitySeverity: 5,
  references: { cis: ["7.5", "7.8", "7.12"], cwe: [326, 327] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const judged = new Set<Directive>();
    return createTlsVisitor(project, (server) => {
      const { cipherLine } = server;
      if (cipherLine === undefined || judged.has(cipherLine) || !allowsOlderTls(server)) return;
      judged.add(cipherLine);
      const finding = judge(server, cipherLine);
      if (finding) report(finding);
    });
  },
});

/** Reports whether a server allows TLS 1.2 or older: TLS 1.3 has its own cipher suites. */
function allowsOlderTls({ protocols }: TlsServer): boolean {
  return protocols !== undefined && [...protocols].some((each) => each !== "TLSv1.3");
}

function judge({ ciphers }: TlsServer, { span }: Directive): Report | undefined {
  // From security level 3 on, OpenSSL itself rejects weak suites.
  if (ciphers === undefined || (ciphers.securityLevel ?? 0) >= 3) return undefined;
  const names = new Map<CipherWeakness | "other", string[]>();
  for (const suite of ciphers.suites) {
    if (!isRecommendedSuite(suite)) getOrCreate(names, weaknessOf(suite) ?? "other", () => []).push(suite.name);
  }
  const references = { cis: recommendations.flatMap(([weakness, cis]) => (names.has(weakness) ? [cis] : [])) };
  const broken = (["RC4", "3DES"] as const).filter((algorithm) => names.has(algorithm));
  if (broken.length > 0) {
    return {
      message: messages.broken(
        broken,
        broken.flatMap((algorithm) => names.get(algorithm) ?? []),
      ),
      span,
      references,
    };
  }
  return names.size === 0
    ? undefined
    : { severity: "info", message: messages.beyondGuideline(names), span, references };
}

/** The recommendations of the CIS benchmark about each weakness. */
const recommendations: readonly (readonly [CipherWeakness, string])[] = [
  ["RC4", "7.5"],
  ["3DES", "7.8"],
  ["no forward secrecy", "7.12"],
];

function formatSuites(title: string, suites: readonly string[] = []): readonly string[] {
  return suites.length === 0 ? [] : [`${title}: ${formatExamples(suites)}`];
}

/** Names the first suites, and the number of others. */
function formatExamples(suites: readonly string[]): string {
  const [first = "", second, ...others] = suites;
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${others.length} more`;
}
