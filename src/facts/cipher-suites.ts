import { computeOnce } from "../text/memoize.js";
import table from "./data/ciphers.json" with { type: "json" };

/** A cipher suite of OpenSSL 3 up to TLS 1.2, with the words of `openssl ciphers -v`. */
export interface CipherSuite {
  readonly name: string;
  readonly protocol: string;
  readonly keyExchange: string;
  readonly authentication: string;
  readonly encryption: string;
  readonly bits: number;
  readonly mac: string;
  readonly strength: string;
  readonly isDefault: boolean;
  /** Whether only some builds of OpenSSL have it. */
  readonly isOfWeakBuilds: boolean;
}

function readSuites(rows: readonly (readonly string[])[], isOfWeakBuilds: boolean): readonly CipherSuite[] {
  return rows.map(
    ([
      name = "",
      protocol = "",
      keyExchange = "",
      authentication = "",
      encryption = "",
      bits,
      mac = "",
      strength = "",
      isDefault,
    ]) => ({
      ...{ name, protocol, keyExchange, authentication, encryption, mac, strength, isOfWeakBuilds },
      bits: Number(bits),
      isDefault: isDefault === "default",
    }),
  );
}

/** Returns all suites that a build of OpenSSL 3 may have. */
export const listCipherSuites = computeOnce((): readonly CipherSuite[] => [
  ...readSuites(table.suites, false),
  ...readSuites(table.weakBuilds, true),
]);

/** The weaknesses of suites, the worst first. mod_ssl always excludes suites without encryption or authentication. */
export const cipherWeaknesses = ["RC4", "3DES", "no forward secrecy"] as const;
export type CipherWeakness = (typeof cipherWeaknesses)[number];

/** Returns the worst weakness of a suite; undefined if it has none. */
export function weaknessOf({ keyExchange, encryption }: CipherSuite): CipherWeakness | undefined {
  if (encryption === "RC4" || encryption === "3DES") return encryption;
  return keyExchange === "RSA" ? "no forward secrecy" : undefined;
}
