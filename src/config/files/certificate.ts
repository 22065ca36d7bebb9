/** The facts of a certificate that rules judge. */
export interface Certificate {
  /** Whether it may sign others. */
  readonly isAuthority: boolean;
  readonly from: Date;
  readonly validTo: Date;
  /** The length of an RSA key; undefined for other kinds. */
  readonly rsaBits: number | undefined;
  /** Whether the next certificate of the file, if there is one, is its issuer. */
  readonly isIssuedByNext: boolean;
  /** Whether it is its own issuer, as the certificate of a root authority is. */
  readonly isSelfIssued: boolean;
  /** A digest that is equal for equal certificates. */
  readonly fingerprint: string;
  /** Reports whether clients accept it for a name. */
  readonly isFor: (name: string) => boolean;
  /**
   * Reports whether the first private key in the text of a PEM file belongs to it; undefined if there is none, or if it cannot
   * be read, such as one with a passphrase.
   */
  readonly hasKey: (pem: string) => boolean | undefined;
}

/** Returns the certificates in the text of a PEM file, that of the server first. */
export type CertificateReader = (pem: string) => readonly Certificate[];
