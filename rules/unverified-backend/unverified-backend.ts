import {
  type Directive,
  isSince,
  isWholeServer,
  keywordArgumentOf,
  type ServerDirectives,
  serverDirectivesOf,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, type Report } from "../../src/lint/api/rule.js";

const messages = {
  unverified: (url: string, isNameChecked: boolean) => ({
    message: `the certificate of the backend ${quoteText(url)} is not verified`,
    notes: [
      "the default is `SSLProxyVerify none`",
      isNameChecked
        ? "httpd accepts a self-signed certificate with the name of the backend"
        : "httpd accepts every certificate",
    ],
    help: ["add `SSLProxyVerify require`, and `SSLProxyCACertificateFile` with the authority of the backend"],
  }),
  anyName: (url: string) => ({
    message: `the certificate of the backend ${quoteText(url)} may have any name`,
    notes: ["httpd accepts every certificate of the authority"],
    help: ["use `SSLProxyCheckPeerName On`"],
  }),
};

const labels = { verify: "does not verify the certificate", name: "does not compare the name" };

export const unverifiedBackend = defineRule({
  id: "unverified-backend",
  title: "Certificate of a backend is not verified",
  group: "tls",
  severity: "warning",
  description: "ProxyPass or BalancerMember with https to another machine, without SSLProxyVerify require.",
  help: "httpd encrypts connections to an https backend, but does not verify the certificate by default. An attacker on the path can pose as the backend. Add `SSLProxyVerify require` and the authority of the backend.",
  securitySeverity: 5,
  references: { cwe: [295, 297] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || !isWholeServer(project)) return {};
    let hasTargets = false;
    return {
      directives({ key }) {
        hasTargets ||= targetNames.has(key);
        return undefined;
      },
      end() {
        for (const server of hasTargets ? serverDirectivesOf(project) : []) {
          const lines = [...server.iterateOwn()].filter((line) => findRemoteTarget(line) !== undefined);
          const judge = lines.length > 0 ? createJudge(server) : undefined;
          for (const finding of lines.map((line) => judge?.(line))) if (finding) report(finding);
        }
      },
    };
  },
});

const targetNames: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch", "balancermember"]);

/** Returns the URL of a backend that a line reaches by TLS on another machine. */
function findRemoteTarget({ key, arguments: words }: Directive): string | undefined {
  if (!targetNames.has(key)) return undefined;
  const url = words.find(({ value }) => /^(?:https|wss|h2):\/\//i.test(value))?.value;
  const host = url && /^[^:]+:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^:/]*)/.exec(url)?.[1];
  return host && !/^(?:localhost|127\.[\d.]+|\[::1\])$/i.test(host) ? url : undefined;
}

/**
 * Creates a function that judges backends by the settings of a server (ssl_engine_init.c `ssl_init_proxy_ctx`).
 *
 * @returns undefined if the connections fail, or if a section may have other settings
 */
function createJudge(server: ServerDirectives): ((line: Directive) => Report | undefined) | undefined {
  const settings = [...server.iterateInherited()].filter(({ key }) => key.startsWith("sslproxy"));
  const isOn = settings.some((line) => line.key === "sslproxyengine" && keywordArgumentOf(line) === "on");
  const isDecided = settings.every(
    (line) => !decidingNames.includes(line.key) || server.effective(line.key).includes(line),
  );
  if (!isOn || !isDecided) return undefined;
  const [verifyLine, nameLine, commonNameLine] = decidingNames.map((key) => server.effective(key).at(-1));
  const isVerified = ["require", "optional"].includes(keywordArgumentOf(verifyLine) ?? "none");
  const unchecked = findNameSwitch(nameLine, commonNameLine);
  return ({ span, arguments: words }) => {
    const url = words.find(({ value }) => value.includes("://"))?.value ?? "";
    const relate = (message: string, line: Directive | undefined) => (line ? [{ message, span: line.span }] : []);
    if (!isVerified) {
      return { message: messages.unverified(url, !unchecked), span, related: relate(labels.verify, verifyLine) };
    }
    return unchecked && { message: messages.anyName(url), span, related: relate(labels.name, unchecked) };
  };
}

/** Returns the line that turns off the check of the name, if it is off (ssl_engine_io.c `ssl_io_filter_handshake`). */
function findNameSwitch(name: Directive | undefined, commonName: Directive | undefined): Directive | undefined {
  if (name === undefined) return keywordArgumentOf(commonName) === "off" ? commonName : undefined;
  return keywordArgumentOf(name) === "off" && keywordArgumentOf(commonName) !== "on" ? name : undefined;
}

const decidingNames = ["sslproxyverify", "sslproxycheckpeername", "sslproxycheckpeercn"];
