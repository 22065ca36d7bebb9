import { createPrivateKey, X509Certificate } from "node:crypto";
import type { CertificateReader } from "./certificate.js";

const encoded = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Reads certificates; those that Node.js cannot read are left out. */
export const readCertificates: CertificateReader = (pem) => {
  const read = (pem.match(encoded) ?? []).flatMap(parseCertificate);
  return read.map((certificate, index) => ({
    isAuthority: certificate.ca,
    from: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
    rsaBits:
      certificate.publicKey.asymmetricKeyType === "rsa"
        ? certificate.publicKey.asymmetricKeyDetails?.modulusLength
        : undefined,
    isIssuedByNext: read.slice(index + 1, index + 2).every((next) => certificate.checkIssued(next)),
    isSelfIssued: certificate.checkIssued(certificate),
    fingerprint: certificate.fingerprint256,
    isFor: (name: string) => certificate.checkHost(name) !== undefined,
    hasKey: (text: string) => hasKey(certificate, text),
  }));
};

function parseCertificate(pem: string): readonly X509Certificate[] {
  try {
    return [new X509Certificate(pem)];
  } catch {
    return [];
  }
}

const encodedKey = /-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----[\s\S]*?-----END \1-----/;

function hasKey(certificate: X509Certificate, pem: string): boolean | undefined {
  const [key] = encodedKey.exec(pem) ?? [];
  if (key === undefined) return undefined;
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return undefined;
  }
}
