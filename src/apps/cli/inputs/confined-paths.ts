import { dirname, relative, resolve } from "node:path";
import { readLinkTarget } from "../../../config/files/confinement.js";
import { isWithin } from "../../../config/files/paths.js";
import { realPathOf } from "../../../config/main-files.js";
import { pathMapsOf, type ServerSettings, type Settings } from "../../settings/settings.js";
import type { FlagTable } from "./flags.js";

/** The environment variable with the default of `--confine`. */
export const CONFINE_VARIABLE = "HTTPD_LINT_CONFINE";

/** A file that a configuration file names, and the name of its option. */
interface NamedFile {
  readonly name: string;
  readonly path: string;
}

/**
 * Returns the paths that a configuration file names outside `--confine`, with links resolved. Anyone who can change the
 * configuration file, for example in a pull request, must not be able to have other files read or written.
 *
 * @param confine as the flag names it
 * @returns a description; undefined if there are none
 */
export function findPathOutsideConfine(settings: Settings, confine: string): string | undefined {
  const folder = resolveExistingPart(resolve(confine));
  const outside = listNamedFiles(settings).find(({ path }) => !isWithin(resolveExistingPart(path), folder));
  if (outside === undefined) return undefined;
  return `\`${outside.name}\` names \`${outside.path}\`, which is outside \`${confine}\` (--confine); name it with a flag, or use --config if you trust the configuration file`;
}

/** Reports whether a file in the folder of `--confine` is a link that leads out of it. @param path absolute */
export function isLinkOutOfConfine(path: string, confine: string): boolean {
  return (
    isWithin(path, resolve(confine)) && !isWithin(resolveExistingPart(path), resolveExistingPart(resolve(confine)))
  );
}

/** Forms of values that contain the path of a file on this machine, with the path in it. */
const pathForms: ReadonlyMap<string, (value: string) => string> = new Map([
  ...["FILE", "DIR", "LOG", "disk|assume|LIST"].map((form) => [form, (value: string) => value] as const),
  ["FORMAT=FILE", (value) => value.slice(value.indexOf("=") + 1)],
]);

/**
 * Returns a flag that names a file in the directory of `--confine` that is a link out of it. A flag may name a file
 * outside, because the user wrote it, but a link in the directory may be from someone else.
 *
 * @param flags the values of the flags of a command, by name
 * @param table its flags
 * @returns a description; undefined if there is none
 */
export function findFlagOutOfConfine(flags: Readonly<Record<string, unknown>>, table: FlagTable): string | undefined {
  const { confine } = flags;
  if (typeof confine !== "string") return undefined;
  // The expectations of `test` are an argument.
  for (const [name, { value: form = "" }] of [...Object.entries(table), ["file", { value: "FILE" }] as const]) {
    const pathIn = pathForms.get(form);
    const values: readonly unknown[] = [flags[name]].flat();
    const linked = values.find(
      (value) => typeof value === "string" && pathIn && isLinkOutOfConfine(resolve(pathIn(value)), confine),
    );
    if (linked !== undefined && name !== "confine")
      return `\`${linked}\` of ${name === "file" ? "FILE" : `--${name}`} is a link to a file outside \`${confine}\` (--confine); name that file itself`;
  }
  return undefined;
}

/** Returns the named paths that are read besides the configuration itself, and those that are written. */
function listNamedFiles({ common, servers, baseline, cache }: Settings): readonly NamedFile[] {
  return [
    ...nameIfSet("baseline", baseline),
    ...nameIfSet("cache", cache),
    ...listServerFiles(common),
    ...servers.flatMap((server) => [{ name: "entry", path: server.entry }, ...listServerFiles(server)]),
  ];
}

function listServerFiles(server: ServerSettings): readonly NamedFile[] {
  const { envvars, expectations, files, serverRoot, sysroot } = server;
  const maps = pathMapsOf(server);
  // With these, it is a path of the server, not of this machine.
  const isOfServer = sysroot !== undefined || maps.length > 0;
  return [
    ...nameIfSet("envvars", envvars),
    ...nameIfSet("expectations", expectations),
    ...nameIfSet("files", files === "disk" || files === "assume" ? undefined : files),
    ...nameIfSet("sysroot", sysroot),
    ...nameIfSet("serverRoot", isOfServer ? undefined : serverRoot),
    ...maps.map(({ host }) => ({ name: "map", path: host })),
  ];
}

function nameIfSet(name: string, path: string | undefined): NamedFile[] {
  return path === undefined ? [] : [{ name, path }];
}

/** Limit of links in a path; beyond it, they form a cycle. */
const MAX_LINKS = 40;

/** Resolves the links in the existing part of a path, also those to missing files: writing would create them. */
function resolveExistingPart(path: string, links = 0): string {
  for (let there = path; ; there = dirname(there)) {
    const real = realPathOf(there);
    if (real !== undefined) return resolve(real, relative(there, path));
    const target = links < MAX_LINKS ? readLinkTarget(there) : undefined;
    if (target !== undefined) {
      const folder = realPathOf(dirname(there)) ?? dirname(there);
      return resolveExistingPart(resolve(folder, target, relative(there, path)), links + 1);
    }
    if (dirname(there) === there) return path;
  }
}
