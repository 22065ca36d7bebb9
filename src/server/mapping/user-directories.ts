import { toAbsolutePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince, type Release } from "../../facts/release.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { Server } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";
import { markIfUndefined } from "../sections/undecidable-lines.js";

/** The target of `/~name`: a file, or with 302 another server. */
export type UserDirectory =
  | {
      readonly kind: "file";
      readonly filename: string;
      readonly by: Directive;
      readonly context: { readonly prefix: string; readonly documentRoot: string };
    }
  | { readonly kind: "answered"; readonly status: number; readonly by: Directive; readonly location: string };

const userDir: ReadonlySet<string> = new Set(["userdir"]);

/** The settings of one server's UserDir lines. */
interface UserDirSettings {
  /** The last line that names folders. */
  readonly places: Directive | undefined;
  /** Whether it is enabled for users that no line names. */
  readonly isOn: boolean | undefined;
  /** In lower case: tables ignore it. */
  readonly enabled: ReadonlySet<string>;
  readonly disabled: ReadonlySet<string>;
}

/**
 * Maps a path of the form `/~name/rest` (modules/mappers/mod_userdir.c `translate_userdir`): to the first folder that
 * exists, or the last. If a folder is in the user's home directory, which only the server's machine knows, the result
 * is unknown. Undefined if UserDir does not apply.
 */
export function mapUserDirectory(
  path: string,
  server: Server,
  { modules, release }: Project,
  files: FileTree,
  oracle: Oracle,
): UserDirectory | undefined {
  const { user, rest } = userIn(path, release) ?? {};
  if (user === undefined || rest === undefined || !modules.has("userdir_module")) return undefined;
  const source = sourceOf(server);
  const own = settingsOf(source);
  const outer = source.main && settingsOf(source.main);
  const by = placesLine(source);
  for (const { layer } of [server, ...(server.main ? [server.main] : [])])
    for (const line of layer.pick(userDir)) markIfUndefined(line, oracle);
  // User names are not inherited (`merge_userdir_config`).
  const name = user.toLowerCase();
  if (by === undefined || own.disabled.has(name)) return undefined;
  if ((own.isOn ?? outer?.isOn) === false && !own.enabled.has(name)) return undefined;
  const places = argumentValuesOf(by);
  for (const [index, written] of places.entries()) {
    const place = toAbsolutePath(written) ?? written;
    const star = place.indexOf("*");
    if (!place.startsWith("/")) {
      if (!isInHomeDirectory(place))
        // The server drops what follows the star.
        return { kind: "answered", status: 302, by, location: place.slice(0, star) + user + rest };
      oracle.markUndecidable(unknownFact("home-directories-of-line", place), by);
      return undefined;
    }
    const folder = star < 0 ? `${place}/${user}` : place.slice(0, star) + user + place.slice(star + 1);
    if (index === places.length - 1 || fileExists(folder, files, oracle))
      return { kind: "file", filename: folder + rest, by, context: { prefix: `/~${user}`, documentRoot: folder } };
  }
  return undefined;
}

/** Returns the user in a path of the form `/~name/rest`, and the rest; undefined for another path. */
function userIn(path: string, release: Release): { readonly user: string; readonly rest: string } | undefined {
  const [, user, rest = ""] = /^\/~([^/]+)(\/.*)?$/s.exec(path) ?? [];
  // 2.2 tests the dots from the second character on.
  const dots = !isSince(release, "2.4") ? /^.\.{1,2}$/s : /^\.{1,2}$/;
  return user === undefined || dots.test(user) ? undefined : { user, rest };
}

/** Why UserDir does not apply to the path of a user. */
export interface UserSwitch {
  readonly user: string;
  /** The server whose lines count. */
  readonly source: Server;
  /** The line that turns it off for the user, or for all users without a line of their own. */
  readonly by: Directive;
  readonly isForAll: boolean;
  /** The last line that turns it on for some users. */
  readonly enabled: Directive | undefined;
}

/** Returns why UserDir, which names folders, does not apply to a path of the form `/~name`; undefined if it does. */
export function findUserSwitch(path: string, server: Server, { modules, release }: Project): UserSwitch | undefined {
  const { user } = userIn(path, release) ?? {};
  const source = sourceOf(server);
  if (user === undefined || !modules.has("userdir_module") || placesLine(source) === undefined) return undefined;
  const name = user.toLowerCase();
  const own = settingsOf(source);
  const isOff = (line: Directive) => /^disabled?$/i.test(argumentValuesOf(line)[0] ?? "");
  const linesOf = ({ layer }: Server) =>
    layer.pick(userDir).map((line) => ({ line, users: argumentValuesOf(line).slice(1) }));
  const lines = linesOf(source);
  const enabled = lines.findLast(
    ({ line, users }) => /^enabled?$/i.test(argumentValuesOf(line)[0] ?? "") && users.length > 0,
  )?.line;
  const found = { user, source, enabled };
  if (own.disabled.has(name)) {
    const by = lines.findLast(
      ({ line, users }) => isOff(line) && users.some((each) => each.toLowerCase() === name),
    )?.line;
    return by && { ...found, by, isForAll: false };
  }
  const deciding = own.isOn === undefined ? source.main : source;
  if (deciding === undefined || settingsOf(deciding).isOn !== false || own.enabled.has(name)) return undefined;
  const by = linesOf(deciding).findLast(({ line, users }) => isOff(line) && users.length === 0)?.line;
  return by && { ...found, by, isForAll: true };
}

/**
 * Returns the UserDir line by which a server maps some `/~name` to a file.
 *
 * @param isUnread reports whether the folders of a line with absolute paths were not read; those in home directories never are
 */
export function findUnreadUserDir(
  server: Server,
  { modules }: Pick<Project, "modules">,
  isUnread: (line: Directive) => boolean,
): Directive | undefined {
  if (!modules.has("userdir_module")) return undefined;
  const source = sourceOf(server);
  const own = settingsOf(source);
  const by = placesLine(source);
  if ((own.isOn ?? (source.main && settingsOf(source.main).isOn)) === false && own.enabled.size === 0) return undefined;
  return by && (isUnread(by) || argumentValuesOf(by).some(isInHomeDirectory)) ? by : undefined;
}

/** Reports whether a place is in the home directories of users. A path without a star is, even if it looks like a URL. */
export function isInHomeDirectory(place: string): boolean {
  return toAbsolutePath(place) === undefined && !place.slice(0, Math.max(place.indexOf("*"), 0)).includes(":");
}

/**
 * Returns the server whose lines apply: a virtual host without such a line uses the main server's lines as they are
 * (server/config.c `merge_server_configs`).
 */
function sourceOf(server: Server): Server {
  return server.main && !server.layer.has("userdir") ? server.main : server;
}

/** Returns the UserDir line that names the users' folders. */
function placesLine(server: Server): Directive | undefined {
  return settingsOf(server).places ?? (server.main && settingsOf(server.main).places);
}

function fileExists(path: string, files: FileTree, oracle: Oracle): boolean {
  const kind = files.kindOf(path.replace(/\/+$/, ""));
  return kind === "unknown" ? oracle.ask(unknownFact("exists", path)) : kind !== "missing";
}

function settingsOf({ layer }: Server): UserDirSettings {
  let places: Directive | undefined;
  let isOn: boolean | undefined;
  const enabled = new Set<string>();
  const disabled = new Set<string>();
  for (const line of layer.pick(userDir)) {
    const [word = "", ...users] = argumentValuesOf(line);
    const switches = /^(?:(enable)d?|disabled?)$/i.exec(word);
    if (switches === null) places = line;
    else if (users.length === 0) isOn = switches[1] !== undefined;
    else for (const user of users) (switches[1] === undefined ? disabled : enabled).add(user.toLowerCase());
  }
  return { places, isOn, enabled, disabled };
}
