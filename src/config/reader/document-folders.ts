import { parseRewriteWords } from "../../../grammar/arguments.js";
import type { FileAccess } from "../files/file-access.js";
import { resolvePath, toAbsolutePath } from "../files/paths.js";
import type { Directive } from "../model/directive.js";

/** Directives that name a location of files. */
const folderDirectives = new Set([
  ...["documentroot", "alias", "scriptalias", "aliasmatch", "scriptaliasmatch"],
  ...["wsgiscriptalias", "wsgiscriptaliasmatch"],
]);

/** A folder with files, as written. */
export interface DocumentFolder {
  readonly folder: string;
  /** Whether files may be anywhere in it: it is not searched. */
  readonly isPassed?: boolean;
}

/** Reports whether a directive may name locations of files: most do not, and their arguments are not read. */
export function mayNameFolders({ key }: Directive): boolean {
  return folderDirectives.has(key) || key === "rewriterule" || key === "userdir" || virtualRoots.has(key);
}

/** Returns the locations that a directive maps to. */
export function documentFoldersOf(directive: Directive, access: FileAccess): readonly DocumentFolder[] {
  const { key } = directive;
  if (key === "rewriterule") return ruleFoldersOf(directive);
  if (virtualRoots.has(key)) return virtualFoldersOf(directive.arguments[0]?.value ?? "", access);
  if (key === "userdir") return directive.arguments.flatMap(({ value }) => userFoldersOf(value, access));
  if (!folderDirectives.has(key)) return [];
  // Options may follow the path of WSGIScriptAlias.
  const value = directive.arguments.slice(0, 2).at(-1)?.value;
  if (value === undefined) return [];
  const [pattern] = directive.arguments;
  return [
    key.endsWith("match") && value.includes("$") ? folderOfPattern(pattern?.value ?? "", value) : { folder: value },
  ];
}

/**
 * Returns the folders of UserDir. A user name replaces the star, or follows the path. Only the server's machine knows
 * the content of home directories.
 */
function userFoldersOf(written: string, access: FileAccess): readonly DocumentFolder[] {
  const place = toAbsolutePath(written);
  if (place === undefined) return [];
  const star = place.indexOf("*");
  if (star < 0) return [{ folder: place }];
  const folder = place.slice(0, place.lastIndexOf("/", star) + 1);
  const inside = access.list(resolvePath("/", folder));
  if (!inside.ok) return [{ folder }];
  const [start, end] = [place.slice(folder.length, star), place.slice(star + 1)];
  return inside.value.flatMap(({ name }) => (name.startsWith(start) ? [{ folder: folder + name + end }] : []));
}

const virtualRoots = new Set([
  ...["virtualdocumentroot", "virtualdocumentrootip", "virtualscriptalias", "virtualscriptaliasip"],
]);

/** A part of the name or the port that mod_vhost_alias inserts into a path, or an escaped percent sign. */
const insertedPart = /%(?:%|p|-?\d\+?(?:\.-?\d\+?)?)/;

/** Returns the existing folders that mod_vhost_alias may lead to. Inserted names do not contain slashes. */
function virtualFoldersOf(written: string, access: FileAccess): readonly DocumentFolder[] {
  const template = toAbsolutePath(written);
  if (template === undefined) return [];
  const [, first = "", ...rest] = template.split("/");
  // The whole file system is not searched.
  if (insertedPart.test(first)) return [{ folder: "/", isPassed: true }];
  let folders: readonly string[] = [`/${first}`];
  const closed: string[] = [];
  for (const part of rest) {
    if (!insertedPart.test(part)) {
      folders = folders.map((folder) => `${folder}/${part}`);
      continue;
    }
    const texts = part.split(new RegExp(insertedPart, "g")).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(`^${texts.join(".*")}$`, "s");
    folders = folders.flatMap((folder) => {
      const inside = access.list(resolvePath("/", folder));
      if (!inside.ok) {
        closed.push(folder);
        return [];
      }
      return inside.value.flatMap(({ name }) => (pattern.test(name) ? [`${folder}/${name}`] : []));
    });
  }
  return [...folders, ...closed].map((folder) => ({ folder }));
}

/**
 * Returns the folder that contains every target of a pattern. If text follows the matched part, files may be anywhere
 * in it.
 */
function folderOfPattern(pattern: string, target: string): DocumentFolder {
  const [start, rest] = [target.slice(0, target.indexOf("$")), target.slice(target.indexOf("$"))];
  if (rest === `$${slashGroupOf(pattern)}`) return { folder: start };
  const isPassed = rest.includes("/") || !start.endsWith("/");
  return { folder: start.slice(0, start.lastIndexOf("/") + 1), isPassed };
}

/**
 * Returns the number of the last group of a pattern if it is `(/.*)` or `(/.*)?` at the end of the pattern: it matches
 * nothing, or a slash and the rest of the path.
 */
function slashGroupOf(pattern: string): number | undefined {
  const before = /^([^[\\]*)\(\/\.[*+]\)\??\$?$/.exec(pattern)?.[1];
  return before === undefined ? undefined : 1 + (before.match(/\((?!\?)/g) ?? []).length;
}

/**
 * Returns the folders that a rule may lead to by file path. A top-level folder contains more than documents, as `/home`
 * does.
 */
function ruleFoldersOf({ argumentText }: Directive): readonly DocumentFolder[] {
  const written = /^((?:\/[^/$%\\?]+)+)\//.exec(parseRewriteWords(argumentText)?.[1].value ?? "")?.[1];
  const folder = written && resolvePath("/", written);
  return folder && folder !== "/" ? [{ folder, isPassed: folder.lastIndexOf("/") === 0 }] : [];
}
