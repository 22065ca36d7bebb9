import { resolve } from "node:path";
import { statOf } from "../project/main-files.js";
import { exitCodes } from "./exit-codes.js";
import { failure, type Outcome } from "./outcome.js";

/**
 * Returns what is wrong with the main file that --main names; undefined if nothing is.
 *
 * @param overlay texts in place of files on disk, by absolute path
 */
export function wrongMain(
  main: string | undefined,
  overlay: ReadonlyMap<string, string> | undefined,
): Outcome | undefined {
  if (main === undefined || (main !== "" && overlay?.has(resolve(main)))) return undefined;
  if (main === "") return failure(exitCodes.usage, "--main is empty; name the main file");
  const status = statOf(main);
  if (status === undefined) return failure(exitCodes.unreadable, `\`${main}\` of --main does not exist`);
  if (!status.isDirectory()) return undefined;
  return failure(exitCodes.usage, `\`${main}\` of --main is a folder; name the main file in it`);
}
