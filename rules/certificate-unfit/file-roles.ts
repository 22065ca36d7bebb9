import type { Directive, TlsServer } from "../../src/lint/api/configuration.js";
import { type Certificate, quoteText, type Report } from "../../src/lint/api/rule.js";

/** What a file of certificates or keys contains; undefined if that is not known. */
interface Contents {
  /** Whether it has the certificate of a server. */
  readonly ofServer: boolean | undefined;
  /** Whether it has certificates of issuers. */
  readonly ofIssuers: boolean | undefined;
  readonly key: boolean | undefined;
  /** Whether it has the certificate of a root authority. */
  readonly ofRoot: boolean | undefined;
  /** Its certificates, if it was read. */
  readonly certificates?: readonly Certificate[];
}

/** Returns the text of a file on this machine, and its certificates. */
export interface CertificateFiles {
  readonly textOf: (path: string) => string | undefined;
  readonly certificatesOf: (text: string) => readonly Certificate[];
}

interface UsedFile extends Contents {
  readonly line: Directive;
  readonly path: string;
}

const noStart = "no start";

export const fileMessages = {
  exchanged: ({ path }: UsedFile, key: UsedFile) => ({
    message: `${quoteText(nameOf(path))} is not a certificate, and ${quoteText(nameOf(key.path))} is not a key`,
    effect: noStart as typeof noStart,
    help: ["exchange the files of `SSLCertificateFile` and `SSLCertificateKeyFile`"],
  }),
  notCertificate: ({ path }: UsedFile) => ({
    message: `${quoteText(nameOf(path))} is not a certificate`,
    effect: noStart as typeof noStart,
    help: ["use the file with the certificate, and after it those of its issuers"],
  }),
  notKey: ({ path }: UsedFile) => ({
    message: `${quoteText(nameOf(path))} is not a private key`,
    effect: noStart as typeof noStart,
    help: ["use the file with the private key of the certificate"],
  }),
  otherLineage: ({ path }: UsedFile, { path: certificate }: UsedFile) => ({
    message: `the key is that of ${quoteText(lineageOf(path) ?? "")}, not of ${quoteText(lineageOf(certificate) ?? "")}`,
    notes: ["each directory in `live` has a certificate with its own key", "with another key, httpd does not start"],
    help: ["use both files of one directory"],
  }),
  otherKey: (key: string, certificate: string) => ({
    message:
      key === certificate
        ? `the private key in ${quoteText(nameOf(key))} does not belong to the certificate before it`
        : `the key in ${quoteText(nameOf(key))} does not belong to the certificate in ${quoteText(nameOf(certificate))}`,
    effect: noStart as typeof noStart,
    notes: ["httpd reports: AH02565: Certificate and private key … do not match"],
    help: ["use the key with which this certificate was requested, or request a certificate for this key"],
  }),
  sentTwice: ({ path }: UsedFile) => ({
    message: `${quoteText(nameOf(path))} also contains the certificate of the server`,
    notes: ["the server sends its certificate twice, and some clients reject that"],
    help: ["use this file as `SSLCertificateFile`, and delete `SSLCertificateChainFile`"],
  }),
  noIssuers: ({ path }: UsedFile) => ({
    message: `${quoteText(nameOf(path))} does not contain the certificate of its issuer`,
    notes: ["the server does not send it, and clients that do not have it cannot verify the certificate"],
    help: ["use `fullchain.pem` of the same directory"],
  }),
  noRoot: ({ path }: UsedFile) => ({
    message: `${quoteText(nameOf(path))} does not contain a root certificate`,
    notes: ['httpd rejects every client certificate with "unable to get issuer certificate" (AH02039)'],
    help: ["use the certificate of the authority that signs the certificates of clients"],
  }),
};

const labels = {
  key: "this is the certificate",
  certificate: "the certificate",
  verified: "certificates of clients are verified",
};

/** Finds files of certificates and keys that do not contain what their directive needs, by content or usual name. */
export function findWrongFiles(
  server: TlsServer,
  resolve: (path: string) => string,
  files: CertificateFiles | undefined,
): readonly Report[] {
  const use = (key: string): UsedFile | undefined => {
    const line = server.directives.effective(key).at(-1);
    const written = line?.arguments[0]?.value;
    // A key may be in a token, and a variable is not known.
    if (line === undefined || written === undefined || /[$%@{<>]|^pkcs11:/.test(written)) return undefined;
    const path = resolve(written);
    return { line, path, ...contentsOf(path, files) };
  };
  const has = (key: string) => server.directives.effective(key).length > 0;
  const certificate = use("sslcertificatefile");
  const key = use("sslcertificatekeyfile");
  const chain = use("sslcertificatechainfile");
  const authorities = use("sslcacertificatefile");
  const isKeySeparate = key !== undefined && key.path !== certificate?.path;
  const found: Report[] = [];
  if (certificate?.ofServer === false && certificate.key === true && isKeySeparate && key.key === false)
    found.push({
      ...{ severity: "error", message: fileMessages.exchanged(certificate, key), span: certificate.line.span },
      related: [{ message: labels.key, span: key.line.span }],
    });
  else if (certificate?.ofServer === false && certificate.ofIssuers === false)
    found.push({ severity: "error", message: fileMessages.notCertificate(certificate), span: certificate.line.span });
  else if (isKeySeparate && key.key === false)
    found.push({ severity: "error", message: fileMessages.notKey(key), span: key.line.span });
  else if (isKeySeparate && certificate && isOfOtherLineage(certificate, key))
    found.push({
      ...{ message: fileMessages.otherLineage(key, certificate), span: key.line.span },
      related: [{ message: labels.certificate, span: certificate.line.span }],
    });
  found.push(...findOtherKeys(server, resolve, files));
  if (certificate && chain && chain.path !== certificate.path && repeats(chain, certificate))
    found.push({
      ...{ message: fileMessages.sentTwice(chain), span: chain.line.span },
      related: [{ message: labels.certificate, span: certificate.line.span }],
    });
  const isAlone = !chain && !authorities && !has("sslcacertificatepath") && !has("sslopensslconfcmd");
  if (
    certificate &&
    isAlone &&
    certificate.ofServer === true &&
    certificate.ofIssuers === false &&
    lineageOf(certificate.path)
  )
    found.push({ message: fileMessages.noIssuers(certificate), span: certificate.line.span });
  const verify = server.directives.effective("sslverifyclient").at(-1);
  const isVerified = /^(?:require|optional)$/i.test(verify?.arguments[0]?.value ?? "");
  if (
    verify &&
    isVerified &&
    authorities?.ofRoot === false &&
    !has("sslcacertificatepath") &&
    !has("sslopensslconfcmd")
  )
    found.push({
      ...{ message: fileMessages.noRoot(authorities), span: authorities.line.span },
      related: [{ message: labels.verified, span: verify.span }],
    });
  return found;
}

/**
 * Yields the keys of other certificates. The keys belong to the certificates in the order of the lines, and a certificate without
 * a line for its key has the key in its file (modules/ssl/ssl_engine_init.c `ssl_init_server_certs`).
 */
function* findOtherKeys(
  server: TlsServer,
  resolve: (path: string) => string,
  files: CertificateFiles | undefined,
): Generator<Report> {
  const keys = server.directives.effective("sslcertificatekeyfile");
  for (const [index, line] of server.directives.effective("sslcertificatefile").entries()) {
    const certificatePath = resolve(line.arguments[0]?.value ?? "");
    const keyLine = keys[index];
    const keyPath = keyLine ? resolve(keyLine.arguments[0]?.value ?? "") : certificatePath;
    const [certificate] = files?.certificatesOf(files.textOf(certificatePath) ?? "") ?? [];
    if (certificate?.hasKey(files?.textOf(keyPath) ?? "") !== false) continue;
    yield {
      ...{ severity: "error", message: fileMessages.otherKey(keyPath, certificatePath), span: (keyLine ?? line).span },
      related: keyLine ? [{ message: labels.certificate, span: line.span }] : [],
    };
  }
}

/** Returns whether a chain has the certificate of the server. If one of the files is not read, its name decides. */
function repeats(chain: UsedFile, certificate: UsedFile): boolean {
  const [own] = certificate.certificates ?? [];
  if (own && chain.certificates) return chain.certificates.some(({ fingerprint }) => fingerprint === own.fingerprint);
  return chain.ofServer === true && certificate.ofServer !== false;
}

function contentsOf(path: string, files: CertificateFiles | undefined): Contents {
  const text = files?.textOf(path);
  if (files === undefined || text === undefined || !text.includes("-----BEGIN ")) return contentsByName(path);
  const certificates = files.certificatesOf(text);
  const isRead = certificates.length === text.split(/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/).length - 1;
  return {
    ofServer: isRead ? certificates.some(({ isAuthority }) => !isAuthority) : undefined,
    ofIssuers: isRead ? certificates.some(({ isAuthority }) => isAuthority) : undefined,
    ofRoot: isRead && certificates.length > 0 ? certificates.some(({ isSelfIssued }) => isSelfIssued) : undefined,
    key: text.includes("PRIVATE KEY-----"),
    ...(isRead ? { certificates } : {}),
  };
}

const nothing: Contents = { ofServer: false, ofIssuers: false, key: false, ofRoot: false };
const unknown: Contents = { ofServer: undefined, ofIssuers: undefined, key: undefined, ofRoot: undefined };

/** The contents of files by the names that certbot, acme.sh and authorities give them. */
const contentsByEnding: readonly (readonly [ending: RegExp, contents: Contents])[] = [
  [/\/(?:live|archive)\/[^/]+\/cert\d*\.pem$/, { ...nothing, ofServer: true }],
  [/\/(?:live|archive)\/[^/]+\/chain\d*\.pem$/, { ...nothing, ofIssuers: true }],
  [/(?:^|[/_.-])full[_-]?chain\d*\.(?:pem|cer|crt|cert)$/i, { ...nothing, ofServer: true, ofIssuers: true }],
  [/(?:^|[/_.-])privkey\d*\.pem$|\.key$/i, { ...nothing, key: true }],
  [/\.csr$/i, nothing],
  [/\.(?:cer|crt|p7b)$/i, { ...unknown, key: false }],
];

function contentsByName(path: string): Contents {
  return contentsByEnding.find(([ending]) => ending.test(path))?.[1] ?? unknown;
}

/** Returns the name of a certificate of certbot, which has a directory for each. */
function lineageOf(path: string): string | undefined {
  return /\/(?:live|archive)\/([^/]+)\/(?:cert|chain|fullchain|privkey)\d*\.pem$/.exec(path)?.[1];
}

/** Reports whether the paths tell that a key is that of another certificate; files that were read tell themselves. */
function isOfOtherLineage(certificate: UsedFile, key: UsedFile): boolean {
  const [one, other] = [lineageOf(certificate.path), lineageOf(key.path)];
  const isRead = certificate.certificates !== undefined && key.certificates !== undefined;
  return !isRead && one !== undefined && other !== undefined && one !== other;
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, "");
}
