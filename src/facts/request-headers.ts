/** Request headers of clients and proxies whose names have several words. */
const headers = [
  ...["Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Length", "Content-Type"],
  ...["If-Modified-Since", "If-None-Match", "User-Agent", "X-Requested-With"],
  ...["CF-Connecting-IP", "CF-IPCountry", "CF-Visitor", "CloudFront-Forwarded-Proto", "Front-End-Https"],
  ...["True-Client-IP", "X-Client-IP", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto"],
  ...["X-Forwarded-Protocol", "X-Forwarded-Scheme", "X-Forwarded-Server", "X-Forwarded-SSL", "X-Real-IP"],
  ...["X-Url-Scheme"],
];

const byVariable: ReadonlyMap<string, string> = new Map(
  headers.map((name) => [name.toUpperCase().replaceAll("-", "_"), name]),
);

/**
 * Returns the header that the variable of programs for it is named after: `X-Forwarded-Proto` for
 * `HTTP_X_FORWARDED_PROTO` (server/util_script.c `http2env`). Without `HTTP_`, a name with underscores is that of a header of
 * its own, unless it is the spelling of a usual one.
 */
export function headerOfVariable(variable: string): string | undefined {
  const name = variable.toUpperCase();
  if (!/^\w+$/.test(name) || !name.includes("_")) return undefined;
  const bare = name.replace(/^HTTP_/, "");
  const usual = byVariable.get(bare);
  if (usual !== undefined || bare === name) return usual;
  const words = bare.split("_").filter(Boolean);
  return words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join("-");
}

/** Reports whether a name is that of a usual request header with several words, or one of an extension such as `X-Api-Key`. */
export function isHeaderName(name: string): boolean {
  const word = name.toUpperCase();
  return /^X-[A-Z]/.test(word) || (word.includes("-") && byVariable.has(word.replaceAll("-", "_")));
}
