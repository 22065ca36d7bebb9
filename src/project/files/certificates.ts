import { X509Certificate } from "node:crypto";

/** The facts of a certificate that rules judge. */
export interface Certificate {
  /** Whether it may sign others. */
  readonly isAuthority: boolean;
  readonly from: Date;
  readonly until: Date;
  /** The length of an RSA key; undefined for other kinds. */
  readonly rsaBits: number | undefined;
  /** Whether the next certificate of the file, if there is one, is its issuer. */
  readonly isIssuedByNext: boolean;
  /** Reports whether clients accept it for a name. */
  readonly isFor: (name: string) => boolean;
}

/** Returns the certificates in the text of a PEM file, that of the server first. */
export type CertificateReader = (pem: string) => readonly Certificate[];

const encoded = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Reads certificates; those that Node.js cannot read are left out. */
export const readCertificates: CertificateReader = (pem) => {
  const read = (pem.match(encoded) ?? []).flatMap(parseCertificate);
  return read.map((certificate, index) => ({
    isAuthority: certificate.ca,
    from: new Date(certificate.validFrom),
    until: new Date(certificate.validTo),
    rsaBits:
      certificate.publicKey.asymmetricKeyType === "rsa"
        ? certificate.publicKey.asymmetricKeyDetails?.modulusLength
        : undefined,
    isIssuedByNext: read.slice(index + 1, index + 2).every((next) => certificate.checkIssued(next)),
    isFor: (name: string) => certificate.checkHost(name) !== undefined,
  }));
};

function parseCertificate(pem: string): readonly X509Certificate[] {
  try {
    return [new X509Certificate(pem)];
  } catch {
    return [];
  }
}
