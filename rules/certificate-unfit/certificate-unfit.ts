import {
  createTlsVisitor,
  type Directive,
  isSince,
  isWholeServer,
  keywordArgumentOf,
  mayHaveMoreLines,
  type NameFacts,
  stripServerName,
  type TlsServer,
} from "../../src/lint/api/configuration.js";
import {
  type Certificate,
  defineRule,
  type MessageText,
  partsOfText,
  type Report,
  resolvePath,
  toReadable,
} from "../../src/lint/api/rule.js";
import { fileMessages, findWrongFiles } from "./file-roles.js";
import { checkedFiles, findMissingFile, missingFileMessages } from "./missing-files.js";

const messages = {
  ...fileMessages,
  ...missingFileMessages,
  expired: (validTo: Date) => ({
    message: `the certificate expired on ${formatDay(validTo)}`,
    notes: ["httpd starts silently, and clients reject the connection"],
    help: ["renew the certificate"],
  }),
  early: (from: Date) => ({
    message: `the certificate is not valid before ${formatDay(from)}`,
    notes: ["httpd starts silently, and clients reject the connection"],
    help: ["use a certificate that is valid now, or check the clock of this machine"],
  }),
  /** @param isOn whether TLS is certainly on: httpd reads the certificate only then */
  authority: (isOn: boolean) => ({
    message: "the certificate is that of a certificate authority",
    notes: [isOn ? "httpd logs AH01906, and some clients reject the connection" : "some clients reject the connection"],
    help: ["put the certificate of the server first in the file"],
  }),
  otherName: (name: string, isOn: boolean) => ({
    message: `the certificate is not for \`${toReadable(name)}\``,
    notes: [`clients that request this name reject the connection${isOn ? "; httpd logs AH01909" : ""}`],
    help: ["use a certificate with this name, or correct `ServerName`"],
  }),
  shortKey: (bits: number) => ({
    message: `the key of the certificate has only ${bits} bits`,
    notes: ["OpenSSL and clients reject RSA keys with less than 2048 bits"],
    help: ["create a key with at least 2048 bits, or an ECDSA key"],
  }),
  noAuthority: (isPart: boolean) => ({
    message: "no client can connect: `SSLVerifyClient require` without a certificate of an authority",
    notes: [
      "httpd starts, and logs AH01897",
      "it can verify no client certificate, and the handshake fails",
      ...(isPart ? ["assuming that no other file names an authority for this virtual host"] : []),
    ],
    help: ["add `SSLCACertificateFile` with the authority of the client certificates"],
    addsLines: true as const,
  }),
  wrongOrder: {
    message: "the second certificate of the file is not the issuer of the first",
    notes: ["some clients cannot verify the certificate"],
    help: ["put the certificate of each issuer after the one that it signed"],
  },
};

const labels = { name: "is the name of the server" };

export const certificateUnfit = defineRule({
  id: "certificate-unfit",
  title: "Certificate does not fit the server",
  group: "tls",
  severity: "warning",
  description:
    "A certificate that has expired, is for another name, is that of an authority, or has a short key; files of certificates and keys that do not exist, or that do not contain what their directive needs.",
  help: "Clients reject the connection. httpd only warns of wrong names and authorities, and never of certificates that have expired. The files are read if they are on this machine. For others, the names decide that certbot and other programs give them.",
  securitySeverity: 5,
  references: { cis: ["7.2"], cwe: [295, 298] },
  tags: ["correctness"],
  messages,
  // The finding about a certificate in a chain deletes the line.
  check: ({ project, release, report, files, now, readCertificates }) => {
    if (!isSince(release, "2.4")) return {};
    const { serverRoot } = project;
    const resolve = (path: string) => resolvePath(serverRoot, path);
    const textOf = (path: string) => files?.textOf?.(path);
    const judged = new Set<string>();
    const reportOnce = (found: Report) => {
      // Many virtual hosts inherit one line.
      const key = JSON.stringify([found.span.file.path, found.span.start, partsOfText(found.message).message]);
      if (!judged.has(key)) report(found);
      judged.add(key);
    };
    const visitor = createTlsVisitor(project, (server) => {
      const certificateFiles = readCertificates && { textOf, certificatesOf: readCertificates };
      const wrong = findWrongFiles(server, resolve, certificateFiles);
      for (const found of wrong) reportOnce(found);
      const verify = server.directives.effective("sslverifyclient").at(-1);
      const isPart = !isWholeServer(project);
      // The line of a virtual host is for its own connections.
      const isOpen = isPart && (mayHaveMoreLines(project) || verify?.parent !== server.directives.section);
      if (verify && !isOpen && keywordArgumentOf(verify) === "require" && !hasAuthority(server))
        reportOnce({ severity: "error", message: messages.noAuthority(isPart), span: verify.span });
      for (const line of server.directives.effective("sslcertificatefile")) {
        const [word] = line.arguments;
        const text = word && textOf(resolve(word.value));
        const chain = text === undefined ? [] : (readCertificates?.(text) ?? []);
        for (const { message, by } of findFaults(chain, server, now))
          reportOnce({ message, span: line.span, related: by ? [{ message: labels.name, span: by.span }] : [] });
      }
    });
    const checkFile = (line: Directive) => {
      const missing = findMissingFile(line, project, files);
      if (missing) report(missing);
    };
    return {
      ...visitor,
      directives: (name: NameFacts) => {
        visitor.directives(name);
        return checkedFiles.has(name.key) ? checkFile : undefined;
      },
    };
  },
});

/** Reports whether a server may know an authority; mod_ssl does not use those of OpenSSL (ssl_engine_init.c `ssl_init_ctx_verify`). */
function hasAuthority({ directives }: TlsServer): boolean {
  const names = ["sslcacertificatefile", "sslcacertificatepath", "sslopensslconfcmd"];
  return names.some((name) => directives.effective(name).length > 0);
}

interface Fault {
  readonly message: Extract<MessageText, object>;
  /** The line that the certificate does not fit. */
  readonly by?: Directive | undefined;
}

/** Returns the faults of the certificates in a file, of which the first is that of the server. */
function findFaults([own, ...issuers]: readonly Certificate[], server: TlsServer, now: Date): readonly Fault[] {
  if (own === undefined) return [];
  const isOn = server.engine.state === "on";
  if (own.isAuthority) return [{ message: messages.authority(isOn) }];
  const faults: Fault[] = [];
  if (own.validTo < now) faults.push({ message: messages.expired(own.validTo) });
  else if (own.from > now) faults.push({ message: messages.early(own.from) });
  const line = server.directives.effective("servername").at(-1);
  const name = line && stripServerName(line.arguments[0]?.value ?? "");
  if (name?.includes(".") && !/[*$%]|^[\d.]+$/.test(name) && !own.isFor(name))
    faults.push({ message: messages.otherName(name, isOn), by: line });
  if (own.rsaBits !== undefined && own.rsaBits < MIN_RSA_BITS) faults.push({ message: messages.shortKey(own.rsaBits) });
  if (issuers.length > 0 && !own.isIssuedByNext) faults.push({ message: messages.wrongOrder });
  return faults;
}

/** As at the default security level 2 of Debian's OpenSSL, and by the CA/Browser Forum. */
const MIN_RSA_BITS = 2048;

function formatDay(date: Date): string {
  return date.toISOString().slice(0, "2000-01-01".length);
}
