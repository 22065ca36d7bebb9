import { isAbsolute, relative } from "node:path";
import type { FragmentContext } from "../project/fragment-context.js";
import type { FragmentContexts } from "./fragments.js";
import { globPattern } from "./glob.js";
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
      const isMatch = globPattern(glob.replace(/^\.\//, ""));
      const matches = (path: string) => {
        const asked = askedAs(directory, path, glob);
        return asked !== undefined && isMatch(asked);
      };
      return { ignore, glob, isMatch: matches };
    }),
  );
  return (rule, path) =>
    matchers.find(({ ignore: { rules }, isMatch }) => (rules === undefined || rules.includes(rule)) && isMatch(path));
}

/**
 * Returns the context that a configuration file names for a fragment.
 *
 * @param path absolute, with links resolved, as in the path of the directory
 */
export function fragmentContextOf({ fragments, directory }: FragmentContexts, path: string): FragmentContext {
  const isMatch = (glob: string) => {
    const asked = askedAs(directory, path, glob);
    return asked !== undefined && globPattern(glob.replace(/^\.\//, ""))(asked);
  };
  return fragments.find(({ paths }) => paths.some(isMatch))?.context ?? [];
}

/** What a path is asked as: relative to the folder. What lies outside is met by globs that say so alone. */
function askedAs(directory: string, path: string, glob: string): string | undefined {
  if (isAbsolute(glob)) return path;
  const seen = relative(directory, path);
  return seen.startsWith("../") && !glob.startsWith("../") ? undefined : seen;
}
