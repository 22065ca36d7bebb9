import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { memoize } from "../../text/memoize.js";

/** A header in which a proxy passes on that a client uses TLS. */
export interface ForwardedScheme {
  readonly header: string;
  /** Its value for `https`. */
  readonly https: string;
  /** The line that reads it. */
  readonly reader: Directive;
}

/** The headers, and their values for `https`. */
const headers: ReadonlyMap<string, string> = new Map([
  ["x-forwarded-proto", "https"],
  ["x-forwarded-protocol", "https"],
  ["x-forwarded-ssl", "on"],
  ["x-forwarded-port", "443"],
  ["x-url-scheme", "https"],
  ["front-end-https", "on"],
  ["cf-visitor", '{"scheme":"https"}'],
]);

const named = /\b(?:X-Forwarded-(?:Proto(?:col)?|SSL|Port)|Front-End-Https|CF-Visitor|X-Url-Scheme)\b/i;

/** Directives that read a header of a request, rather than send one to a backend. */
const readers = ["setenvif", "setenvifnocase", "setenvifexpr", "rewritecond", "<if", "<elseif"] as const;

/** Directives that show that this server has TLS itself. */
const tlsKeys: ReadonlySet<string> = new Set(["sslengine", "sslcertificatefile", "mdomain"]);

/**
 * Returns the header from which a server learns that a client uses TLS, because a proxy in front of it terminates TLS.
 * Undefined if no line reads such a header, or if the server has TLS itself.
 */
export const forwardedSchemeOf = memoize((project: Project): ForwardedScheme | undefined => {
  const index = indexDirectives(project);
  const reader = readers.flatMap((key) => index.named(key)).find(({ argumentText }) => named.test(argumentText));
  const header = reader && named.exec(reader.argumentText)?.[0];
  const https = header && headers.get(header.toLowerCase());
  return reader && header && https && !hasTls(project) ? { header, https, reader } : undefined;
});

/** Reports whether a server has TLS itself, so that no proxy in front of it terminates TLS. */
export function hasTls(project: Project): boolean {
  return indexDirectives(project).hasAny(tlsKeys);
}
