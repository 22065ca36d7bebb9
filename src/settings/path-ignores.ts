import { isAbsolute, relative } from "node:path";
import picomatch from "picomatch";
import type { PathIgnore, Settings } from "./settings.js";

/** What keeps a finding quiet by its path: the entry of the settings, and the glob of it that matches. */
export interface MatchedIgnore {
  readonly ignore: PathIgnore;
  readonly glob: string;
}

/**
 * What the settings ignore, as a question about a rule's finding in a file.
 *
 * @param directory the folder of the settings with links resolved, as the paths that are asked about have them
 */
export function pathIgnores(
  { ignores }: Pick<Settings, "ignores">,
  directory: string,
): (rule: string, path: string) => MatchedIgnore | undefined {
  const matchers = ignores.flatMap((ignore) =>
    ignore.paths.map((glob) => {
      const isMatch = picomatch(glob.replace(/^\.\//, ""), { dot: true });
      return { ignore, glob, isMatch: (path: string) => isMatch(isAbsolute(glob) ? path : relative(directory, path)) };
    }),
  );
  return (rule, path) =>
    matchers.find(({ ignore: { rules }, isMatch }) => (rules === undefined || rules.includes(rule)) && isMatch(path));
}
