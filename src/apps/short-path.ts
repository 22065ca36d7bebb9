import { relative } from "node:path";

/** Returns a path relative to the working directory if it is below it. */
export function shortenPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") ? path : short;
}
