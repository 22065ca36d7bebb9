import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";

/** The protocols that mod_ssl of 2.4 knows, oldest first. */
export const tlsProtocols = ["SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const;
export type TlsProtocol = (typeof tlsProtocols)[number];

/** The protocols that a line leaves, and how it is written. */
export interface ProtocolSetting {
  readonly protocols: ReadonlySet<TlsProtocol>;
  /** The protocols that it adds by name, without `all`. */
  readonly named: ReadonlySet<TlsProtocol>;
  /** The words without a sign that discard the protocols of the words before them (AH02532). */
  readonly overriding: readonly Argument[];
}

/**
 * The protocols of `all`. OpenSSL 3 is usually built without SSLv3, and mod_ssl then omits it (ssl_private.h
 * `SSL_PROTOCOL_ALL`). With the other builds, the default is `all -SSLv3`.
 */
const protocolsOfAll: readonly TlsProtocol[] = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

/** The setting of a server without SSLProtocol. */
export const defaultProtocols: ReadonlySet<TlsProtocol> = new Set(protocolsOfAll);

/**
 * Parses SSLProtocol or SSLProxyProtocol (ssl_engine_config.c `ssl_cmd_protocol_parse`).
 *
 * @returns undefined if a word is not a protocol of 2.4, or is not known
 */
export function parseProtocols({ arguments: words }: Directive): ProtocolSetting | undefined {
  const protocols = new Set<TlsProtocol>();
  const named = new Set<TlsProtocol>();
  const overriding: Argument[] = [];
  for (const word of words) {
    const [, sign = "", name = ""] = /^([+-]?)(.*)$/s.exec(word.value.toLowerCase()) ?? [];
    if (name === "sslv2" && sign === "-") continue;
    const found = tlsProtocols.find((each) => each.toLowerCase() === name);
    if (found === undefined && name !== "all") return undefined;
    const changed = found === undefined ? protocolsOfAll : [found];
    if (sign === "-") {
      for (const each of changed) protocols.delete(each);
      continue;
    }
    if (sign === "" && protocols.size > 0) overriding.push(word);
    if (sign === "") protocols.clear();
    for (const each of changed) protocols.add(each);
    if (found !== undefined) named.add(found);
  }
  return { protocols, named, overriding };
}
