import { type Directive, listLaterHosts, type Project } from "../../src/lint/api/configuration.js";

/**
 * Limits that httpd reads before it chooses a virtual host by name (server/protocol.c `read_request_line`,
 * `ap_get_mime_headers_core`): those of the first virtual host of the address apply. With HTTP/2, the name in the TLS
 * handshake chooses.
 */
const earlyLimits: ReadonlySet<string> = new Set(["limitrequestline", "limitrequestfieldsize", "limitrequestfields"]);

/** A limit of a virtual host that is not the first one of its address. */
export interface UnusedLimit {
  readonly line: Directive;
  readonly first: Directive;
  /** The line of the first virtual host, which would override one of the main server. */
  readonly other: Directive | undefined;
}

/** Finds limits that never apply, because the first virtual host of the address has another one. */
export function findUnusedLimits(project: Project): readonly UnusedLimit[] {
  const isHttp2 = (directives: readonly Directive[]) =>
    directives.some(({ key, argumentText }) => key === "protocols" && /\bh2\b/i.test(argumentText));
  return listLaterHosts(project).flatMap(({ host, first }) => {
    const own = host.children ?? [];
    if (isHttp2(own) || isHttp2(project.directives)) return [];
    const lines = own.filter(
      ({ key }, i) => earlyLimits.has(key) && own.findLastIndex((each) => each.key === key) === i,
    );
    return lines.flatMap((line) => {
      const isSame = ({ key }: Directive) => key === line.key;
      const other = first.children?.findLast(isSame);
      const applied = other ?? project.directives.findLast(isSame);
      return applied?.argumentText.trim() === line.argumentText.trim() ? [] : [{ line, first, other }];
    });
  });
}
