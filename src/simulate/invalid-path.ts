import { fromReadable } from "../text/source.js";

/** What 2.4 says of a URL that it cannot normalize (server/request.c). */
export function invalidPath(path: string, query: string | undefined): string {
  return `AH10244: invalid URI path (${fromReadable(path)}${query === undefined ? "" : `?${fromReadable(query)}`})`;
}
