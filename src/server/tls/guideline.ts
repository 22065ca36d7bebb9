import type { CipherSuite } from "../../facts/cipher-suites.js";
import published from "../../facts/data/guideline.json" with { type: "json" };
import type { TlsProtocol } from "./protocols.js";

/** The name of the guideline that TLS settings are judged by. */
export const guidelineTitle = `Mozilla's guideline ${published.version} (intermediate)`;

const recommendedProtocols: ReadonlySet<string> = new Set(published.protocols);
const recommendedCiphers: ReadonlySet<string> = new Set(published.ciphers);

/** Reports whether the guideline recommends a protocol. */
export function isRecommendedProtocol(protocol: TlsProtocol): boolean {
  return recommendedProtocols.has(protocol);
}

/** Reports whether the guideline recommends a cipher suite. */
export function isRecommendedSuite({ name }: CipherSuite): boolean {
  return recommendedCiphers.has(name);
}

/** The SSLProtocol line of the guideline. */
export const recommendedProtocolLine = `SSLProtocol -all ${published.protocols.map((each) => `+${each}`).join(" ")}`;

/** The SSLCipherSuite line of the guideline. */
export const recommendedCipherLine = `SSLCipherSuite ${published.ciphers.join(":")}`;
