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
  const servers = tlsServersOf(project).filter(({ directives }) => directives.section !== undefined);
  const secure = servers.filter(
    ({ engine, directives }) => engine.state === "on" && listHeaderLines(directives, HEADER).length === 0,
  );
  // Files that are not here may have the line.
  for (const plain of secure.length === 0 || mayHaveMoreLines(project) ? [] : servers.filter(isTlsOff)) {
    const { directives } = plain;
    const lines = listHeaderLines(directives, HEADER).filter((line) => addsHeader(line) && !line.isLimited);
    const name = nameOf(directives.own("servername"));
    const other = secure.find((each) => name !== undefined && nameOf(each.directives.own("servername")) === name);
    const section = other?.directives.section;
    const plainHost = directives.section;
    if (lines.length === 0 || section === undefined || plainHost === undefined) continue;
    if (!redirectsToTls(plainHost)) continue;
    for (const line of lines)
      if (directives.own("header").includes(line.directive)) found.set(line.directive, { line, secure: section });
  }
  return found;
});

function nameOf(lines: readonly Directive[]): string | undefined {
  const name = lines.at(-1)?.arguments[0]?.value;
  return name && stripServerName(name).toLowerCase();
}

/** Reports whether a virtual host redirects all requests without TLS to https. */
function redirectsToTls(host: Directive): boolean {
  const lines = host.children ?? [];
  const isOn = keywordArgumentOf(lines.findLast(({ key }) => key === "rewriteengine")) === "on";
  return lines.some(redirectsAllToHttps) || (isOn && parseRewriteRules(lines).some(rewritesAllToHttps));
}
