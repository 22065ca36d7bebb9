import type { Random } from "../random/random.js";
import type { Lines } from "./drawing.js";

/**
 * Lines that an operator adds together, with their files. `@ROOT@` is the folder of the server, `@DOCROOT@` the
 * DocumentRoot, `@BACKEND@` the port of a backend, and `@CLOSED@` a port without a listener.
 */
export interface Feature {
  readonly lines: Lines;
  /** Contents by path, relative to `@ROOT@`. A path that ends in a slash is an empty directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** Targets of symbolic links, by path. */
  readonly links?: Readonly<Record<string, string>>;
  /** URL paths that it affects. */
  readonly paths?: readonly string[];
  /** Host headers that it affects. */
  readonly hosts?: readonly string[];
}

export type DrawFeature = (random: Random) => Feature;

const page = "x\n";

/** Both a program and a page. */
const program = "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\nx'\n";

/** Returns the same page for each path. */
export function pages(...paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.map((path) => [path, /\.cgi$|\.sh$|\/cgi-bin\//.test(path) ? program : page]));
}
