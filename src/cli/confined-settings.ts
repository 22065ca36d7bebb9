import { dirname, relative, resolve } from "node:path";
import { isWithin } from "../project/confined.js";
import { realPathOf } from "../project/main-files.js";
import type { ServerSettings, Settings } from "../settings/settings.js";

/** A file that settings name, and what they call it. */
interface Named {
  readonly name: string;
  readonly path: string;
}

/**
 * What settings name that lies elsewhere than `--confine` allows, links resolved: who may change them, as by a pull request, is not to
 * have other files read or written by that.
 *
 * @param confine as the flag names it
 * @returns in words; undefined where there is none
 */
export function outsideConfine(settings: Settings, confine: string): string | undefined {
  const folder = realPlace(resolve(confine));
  const outside = namedIn(settings).find(({ path }) => !isWithin(realPlace(path), folder));
  if (outside === undefined) return undefined;
  return `\`${outside.name}\` names \`${outside.path}\`, which lies outside \`${confine}\`, where reading is confined to (--confine); name it with a flag, or the settings with --config where they are your own`;
}

/** Whether a file in the folder of `--confine` is a link that leads out of it. @param path absolute */
export function leadsOut(path: string, confine: string): boolean {
  return isWithin(path, resolve(confine)) && !isWithin(realPlace(path), realPlace(resolve(confine)));
}

/** What is read beside the configuration itself, and what is written. */
function namedIn({ common, servers, baseline, cache }: Settings): readonly Named[] {
  const ofServer = ({ envvars, expectations, files }: ServerSettings) => [
    ...named("envvars", envvars),
    ...named("expectations", expectations),
    ...named("files", files === "disk" || files === "assume" ? undefined : files),
  ];
  return [
    ...named("baseline", baseline),
    ...named("cache", cache),
    ...ofServer(common),
    ...servers.flatMap((server) => [{ name: "entry", path: server.entry }, ...ofServer(server)]),
  ];
}

function named(name: string, path: string | undefined): Named[] {
  return path === undefined ? [] : [{ name, path }];
}

/** Where a path leads, there or not: links of what there is of it are resolved. */
function realPlace(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    const real = realPathOf(there);
    if (real !== undefined) return resolve(real, relative(there, path));
    if (dirname(there) === there) return path;
  }
}
