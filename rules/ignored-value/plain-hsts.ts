import {
  addsHeader,
  type Directive,
  type HeaderLine,
  isTlsOff,
  keywordArgumentOf,
  listHeaderLines,
  mayHaveMoreLines,
  type Project,
  parseRewriteRules,
  redirectsAllToHttps,
  rewritesAllToHttps,
  type ServerDirectives,
  stripServerName,
  tlsServersOf,
} from "../../src/lint/api/configuration.js";
import { memoize } from "../../src/lint/api/rule.js";

/** A Strict-Transport-Security line of a virtual host without TLS, and the virtual host that needs it. */
export interface PlainHsts {
  readonly line: HeaderLine;
  /** The virtual host with TLS of the same name. */
  readonly secure: Directive;
}

const HEADER = "strict-transport-security";

/**
 * Finds lines that browsers ignore, because the response comes without TLS (RFC 6797, section 8.1): those of a virtual host that redirects
 * to https, if one of the same name has TLS and no such line. Without the redirect, a program before httpd may use TLS.
 */
export const findPlainHsts = memoize((project: Project): ReadonlyMap<Directive, PlainHsts> => {
  const found = new Map<Directive, PlainHsts>();
  // Files that are not here may have the line.
  if (mayHaveMoreLines(project)) return found;
  const servers = tlsServersOf(project);
  const secure = new Map<string, Directive>();
  for (const { engine, directives } of servers) {
    const { section } = directives;
    const name = nameOf(directives);
    if (section === undefined || name === undefined || secure.has(name)) continue;
    if (engine.state === "on" && listHeaderLines(directives, HEADER).length === 0) secure.set(name, section);
  }
  for (const { directives } of servers.filter(isTlsOff)) {
    const { section } = directives;
    const other = secure.get(nameOf(directives) ?? "");
    if (section === undefined || other === undefined || !redirectsToTls(section)) continue;
    for (const line of listHeaderLines(directives, HEADER))
      if (addsHeader(line) && !line.isLimited && directives.own("header").includes(line.directive))
        found.set(line.directive, { line, secure: other });
  }
  return found;
});

function nameOf(directives: ServerDirectives): string | undefined {
  const name = directives.own("servername").at(-1)?.arguments[0]?.value;
  return name && stripServerName(name);
}

/** Reports whether a virtual host redirects all requests without TLS to https. */
function redirectsToTls(host: Directive): boolean {
  const lines = host.children ?? [];
  const isOn = keywordArgumentOf(lines.findLast(({ key }) => key === "rewriteengine")) === "on";
  return lines.some(redirectsAllToHttps) || (isOn && parseRewriteRules(lines).some(rewritesAllToHttps));
}
