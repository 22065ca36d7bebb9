import {
  type Directive,
  indexDirectives,
  type Project,
  parseRewriteRules,
  type RewriteCondition,
  type RewriteRule,
  type Scope,
} from "../../src/lint/api/configuration.js";

/** Headers in which a proxy passes on the scheme of the client. */
const header = /\b(?:X-Forwarded-(?:Proto|Protocol|SSL)|Front-End-Https|CF-Visitor|X-Url-Scheme)\b/i;

/** Directives that read a header of a request, rather than send one to a backend. */
const readers = ["setenvif", "setenvifnocase", "setenvifexpr", "rewritecond", "<if", "<elseif"] as const;

/** Directives that show that this server has TLS itself. */
const tlsKeys: ReadonlySet<string> = new Set(["sslengine", "sslcertificatefile", "mdomain"]);

/** Finds redirects to https that loop if a proxy in front of the server terminates TLS. */
export class TlsProxyRedirects {
  private readonly redirects: RewriteRule[] = [];

  visitScope({ directives }: Scope): void {
    this.redirects.push(...parseRewriteRules(directives).filter(isSchemeRedirect));
  }

  /** Returns the redirects with the line that reads the scheme of the client; none without such a line. */
  list(
    project: Project,
  ): readonly { readonly rule: RewriteRule; readonly reader: Directive; readonly header: string }[] {
    if (this.redirects.length === 0) return [];
    const index = indexDirectives(project);
    const reader = readers.flatMap((key) => index.named(key)).find(({ argumentText }) => header.test(argumentText));
    const name = reader && header.exec(reader.argumentText)?.[0];
    if (reader === undefined || name === undefined || index.hasAny(tlsKeys)) return [];
    return this.redirects.map((rule) => ({ rule, reader, header: name }));
  }
}

/**
 * Returns whether a rule redirects to https on the same host for each connection without TLS: at least one alternative
 * of each test is about the connection.
 */
function isSchemeRedirect({ output = "", flags, conditions }: RewriteRule): boolean {
  if (!/^https:\/\/%\{(?:HTTP_HOST|SERVER_NAME)\}/i.test(output) || flags.names.has("proxy")) return false;
  let holds = false;
  for (const condition of conditions) {
    holds ||= isAboutConnection(condition);
    if (condition.orNext) continue;
    if (!holds) return false;
    holds = false;
  }
  return conditions.length > 0;
}

/** Returns whether a redirect has its own test of the header, which an alternative makes useless. */
export function readsHeader({ conditions }: RewriteRule): boolean {
  return conditions.some(({ input }) => header.test(input));
}

function isAboutConnection({ input }: RewriteCondition): boolean {
  return /^%\{(?:HTTPS|SERVER_PORT|REQUEST_SCHEME)\}$/i.test(input);
}
