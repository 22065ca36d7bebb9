import { type CipherSuite, listCipherSuites } from "../../facts/cipher-suites.js";

type SuiteTest = (suite: CipherSuite) => boolean;

const hasExchange = (exchange: string) => (suite: CipherSuite) => suite.keyExchange === exchange;
const isSigned = (authentication: string) => (suite: CipherSuite) => suite.authentication === authentication;
const isEncrypted = (bits: number, ...names: readonly string[]) => {
  const hasBits = ({ bits: own }: CipherSuite) => bits === 0 || own === bits;
  return (suite: CipherSuite) => names.includes(suite.encryption) && hasBits(suite);
};
const hasMac = (mac: string) => (suite: CipherSuite) => suite.mac === mac;
const isOfProtocol = (protocol: string) => (suite: CipherSuite) => suite.protocol === protocol;
const isAnonymous = isSigned("None");
const isUnencrypted = isEncrypted(0, "None");
const isOpen: SuiteTest = (suite) => !isAnonymous(suite);
const selectsNone: SuiteTest = () => false;
const all: SuiteTest = (suite) => !isUnencrypted(suite);
const both = (a: SuiteTest, b: SuiteTest) => (suite: CipherSuite) => a(suite) && b(suite);

const aes = ["AES", "AESGCM", "AESCCM", "AESCCM8"] as const;
const [kRSA, kDHE, kECDHE] = [hasExchange("RSA"), hasExchange("DH"), hasExchange("ECDH")] as const;

/** The keywords of openssl-ciphers(1), as ssl/ssl_ciph.c `cipher_aliases` defines them. Their case matters. */
const keywords: ReadonlyMap<string, SuiteTest> = new Map(
  Object.entries({
    ALL: all,
    COMPLEMENTOFALL: isUnencrypted,
    COMPLEMENTOFDEFAULT: (suite: CipherSuite) => all(suite) && !suite.isDefault,
    HIGH: ({ strength }: CipherSuite) => strength === "HIGH",
    MEDIUM: ({ strength }: CipherSuite) => strength === "MEDIUM",
    ...{ eNULL: isUnencrypted, NULL: isUnencrypted, aNULL: isAnonymous },
    ...{ kRSA, RSA: kRSA, kDHE, kEDH: kDHE, DH: kDHE, kECDHE, kEECDH: kECDHE, ECDH: kECDHE },
    ...{ DHE: both(hasExchange("DH"), isOpen), EDH: both(hasExchange("DH"), isOpen) },
    ...{ ECDHE: both(hasExchange("ECDH"), isOpen), EECDH: both(hasExchange("ECDH"), isOpen) },
    ...{ ADH: both(hasExchange("DH"), isAnonymous), AECDH: both(hasExchange("ECDH"), isAnonymous) },
    ...{ aRSA: isSigned("RSA"), aDSS: isSigned("DSS"), DSS: isSigned("DSS") },
    ...{ aECDSA: isSigned("ECDSA"), ECDSA: isSigned("ECDSA") },
    ...{ AES: isEncrypted(0, ...aes), AES128: isEncrypted(128, ...aes), AES256: isEncrypted(256, ...aes) },
    ...{ AESGCM: isEncrypted(0, "AESGCM"), AESCCM: isEncrypted(0, "AESCCM", "AESCCM8") },
    ...{ AESCCM8: isEncrypted(0, "AESCCM8"), CHACHA20: isEncrypted(0, "CHACHA20/POLY1305") },
    ...{ CAMELLIA: isEncrypted(0, "Camellia"), CAMELLIA128: isEncrypted(128, "Camellia") },
    ...{
      CAMELLIA256: isEncrypted(256, "Camellia"),
      ARIA: isEncrypted(0, "ARIAGCM"),
      ARIAGCM: isEncrypted(0, "ARIAGCM"),
    },
    ...{ ARIA128: isEncrypted(128, "ARIAGCM"), ARIA256: isEncrypted(256, "ARIAGCM") },
    ...{ "3DES": isEncrypted(0, "3DES"), RC4: isEncrypted(0, "RC4") },
    ...{ IDEA: isEncrypted(0, "IDEA"), SEED: isEncrypted(0, "SEED") },
    ...{
      MD5: hasMac("MD5"),
      SHA: hasMac("SHA1"),
      SHA1: hasMac("SHA1"),
      SHA256: hasMac("SHA256"),
      SHA384: hasMac("SHA384"),
    },
    ...{ SSLv3: isOfProtocol("SSLv3"), TLSv1: isOfProtocol("TLSv1"), "TLSv1.0": isOfProtocol("TLSv1") },
    "TLSv1.2": isOfProtocol("TLSv1.2"),
  }),
);

/** Keywords of suites that OpenSSL 3 does not have, or that need directives which mod_ssl does not have. */
const emptyKeywords: ReadonlySet<string> = new Set([
  ..."LOW EXP EXPORT EXPORT40 EXPORT56 SSLv2 DES RC2 FZA KRB5 kKRB5 aKRB5 kFZA aFZA eFZA kDHr kDHd kDH aDH".split(" "),
  ..."kECDHr kECDHe kECDH aECDH GOST kGOST aGOST aGOST01 GOST89MAC GOST94 PSK kPSK aPSK kRSAPSK kDHEPSK".split(" "),
  ..."kECDHEPSK SRP kSRP aSRP".split(" "),
]);

function findKeyword(name: string): SuiteTest | undefined {
  if (emptyKeywords.has(name)) return selectsNone;
  const known = keywords.get(name);
  if (known) return known;
  // Old names of two suites.
  const suiteName = name.replace(/^EDH-(?=(?:RSA|DSS)-DES-CBC3-SHA$)/, "DHE-");
  return listCipherSuites().some((suite) => suite.name === suiteName) ? (suite) => suite.name === suiteName : undefined;
}

/** Parses `A+B`: the suites that all parts select. */
function parseSelection(text: string): SuiteTest | undefined {
  const tests = text.split("+").map(findKeyword);
  return tests.includes(undefined) ? undefined : (suite) => tests.every((test) => test?.(suite) === true);
}

/** The suites that a cipher string allows, regardless of their order. */
export interface CipherSelection {
  readonly suites: ReadonlySet<CipherSuite>;
  /** From `@SECLEVEL`; undefined for that of the build. */
  readonly securityLevel: number | undefined;
}

/**
 * Expands a cipher string of OpenSSL 3 (ssl/ssl_ciph.c `ssl_cipher_process_rulestr`).
 *
 * @returns undefined if a part is not known, such as `PROFILE=SYSTEM`
 */
export function expandCipherString(text: string): CipherSelection | undefined {
  const suites = new Set<CipherSuite>();
  const killed = new Set<CipherSuite>();
  let securityLevel: number | undefined;
  const parts = text.split(/[: ;,]+/).filter((part) => part !== "");
  for (const part of parts[0] === "DEFAULT" ? ["ALL", "!COMPLEMENTOFDEFAULT", ...parts.slice(1)] : parts) {
    const [, sign = "", name = ""] = /^([-+!]?)(.*)$/s.exec(part) ?? [];
    const level = /^@SECLEVEL=([0-5])$/.exec(part)?.[1];
    if (level !== undefined) securityLevel = Number(level);
    if (level !== undefined || part === "@STRENGTH") continue;
    const selects = parseSelection(name);
    if (selects === undefined) return undefined;
    // A plus sign only moves suites to the end.
    for (const suite of sign === "+" ? [] : listCipherSuites().filter(selects)) {
      if (sign === "!") killed.add(suite);
      if (sign === "" && !killed.has(suite)) suites.add(suite);
      else if (sign !== "") suites.delete(suite);
    }
  }
  return { suites, securityLevel };
}
