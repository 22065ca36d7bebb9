import { findEmbedded, findOuterSyntax, findOuterSyntaxOfText } from "../../../grammar/embedded.js";
import type { EmbeddedText } from "../../../grammar/embedded-text.js";
import { contentOf, isolateEmbedded } from "../../../grammar/isolated-text.js";
import { omitRemoved } from "../../../grammar/marked-text.js";
import { isTemplateName } from "../../../grammar/template.js";
import { toReadable } from "../../text/source.js";
import { absentFailure, type FileAccess, type FileContent } from "./file-access.js";

/**
 * Files in other files, such as here-documents and blocks of YAML. Their paths are below that of the outer file, which cannot
 * have others there: `OUTER/LINE/TARGET`, where the line is the one on which the text begins.
 */

/** Text that a command in a file writes or changes, and that cannot be read. */
export interface UnreadText {
  /** The line of the command. */
  readonly line: number;
  readonly command: string;
  /** The path of the file that it writes, as written. */
  readonly target: string;
}

/**
 * Lists the commands in a file that write or change text that cannot be read.
 *
 * @param isWanted reports whether the file that they write is a configuration, by its path
 */
export function listUnreadTexts(
  path: string,
  text: string,
  isWanted: (target: string) => boolean,
): readonly UnreadText[] {
  const list = (texts: readonly EmbeddedText[]): readonly UnreadText[] =>
    texts.flatMap(({ form, target, start, inner }) =>
      form.kind === "unread" && isWanted(target)
        ? [{ line: lineOf(text, start), command: form.command, target }]
        : list(inner),
    );
  return list(findTexts(path, text));
}

/**
 * Lists the texts in a file that are configurations, as paths that `withEmbeddedFiles` reads; none if the file is of another
 * format.
 *
 * @param isWanted reports whether a text is a configuration, from its path in the server or its key, as written and possibly
 *   empty
 */
export function listEmbeddedFiles(
  path: string,
  text: string,
  isWanted: (target: string, text: string) => boolean,
): readonly string[] {
  const list = (texts: readonly EmbeddedText[]): readonly string[] =>
    texts.flatMap((each) => {
      const inner = list(each.inner);
      if (inner.length > 0) return inner;
      return isWanted(each.target, toReadable(omitRemoved(contentOf(text, each)))) ? [pathOf(path, text, each)] : [];
    });
  return list(findTexts(path, text));
}

function findTexts(path: string, text: string): readonly EmbeddedText[] {
  const syntax =
    findOuterSyntax(path.slice(path.lastIndexOf("/") + 1)) ?? findOuterSyntaxOfText(text, isTemplateName(path));
  return syntax === undefined ? [] : findEmbedded(text, syntax);
}

function pathOf(outer: string, text: string, { start, target }: EmbeddedText): string {
  const names = target.split("/").filter((name) => !/^\.{0,2}$/.test(name));
  return [outer, lineOf(text, start), ...(names.length === 0 ? ["text"] : names)].join("/");
}

/** Returns the line and the name of a file in another one. */
export function splitEmbeddedPath(path: string, outer: string): { readonly line: number; readonly target: string } {
  const [line = "", ...target] = path.slice(outer.length + 1).split("/");
  return { line: Number(line), target: target.join("/") };
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Returns the offset of a line; undefined if the text is shorter. */
function offsetOf(text: string, line: number): number | undefined {
  let start = 0;
  for (let at = 1; at < line; at++) {
    start = text.indexOf("\n", start) + 1;
    if (start === 0) return undefined;
  }
  return start;
}

/** Wraps file access so that it reads files in other files. */
export function withEmbeddedFiles(access: FileAccess): FileAccess {
  return {
    ...access,
    read(path) {
      const content = access.read(path);
      return content.ok ? content : (readEmbedded(path, access) ?? content);
    },
    list(path) {
      const found = access.list(path);
      // The folders of the server are not there.
      return found.ok || findOuterFile(path, access) === undefined ? found : { ok: false, error: absentFailure };
    },
  };
}

/** Returns the file that a path leads into, with its line. */
function findOuterFile(
  path: string,
  access: FileAccess,
): { readonly outer: string; readonly line: string } | undefined {
  for (const { index, 1: line = "" } of path.matchAll(/\/(\d+)(?=\/|$)/g)) {
    const outer = path.slice(0, index);
    if (!access.isDirectory(outer) && access.exists(outer)) return { outer, line };
  }
  return undefined;
}

/** Returns the text that a path names; undefined if it does not lead into a file. */
function readEmbedded(path: string, access: FileAccess): FileContent | undefined {
  const place = findOuterFile(path, access);
  const content = place && access.read(place.outer);
  if (!place || !content?.ok) return undefined;
  const { outer, line } = place;
  const { text, realPath } = content.value;
  const start = offsetOf(text, Number(line));
  const isWanted = (each: EmbeddedText) =>
    each.form.kind !== "unread" && each.start === start && pathOf(outer, text, each) === path;
  const found = findText(findTexts(toReadable(outer), text), isWanted);
  if (found === undefined) return { ok: false, error: absentFailure };
  return { ok: true, value: { ...isolateEmbedded(text, found), realPath, isPart: true, isAddition: found.isAppended } };
}

function findText(texts: readonly EmbeddedText[], isWanted: (each: EmbeddedText) => boolean): EmbeddedText | undefined {
  for (const each of texts) {
    const found = isWanted(each) ? each : findText(each.inner, isWanted);
    if (found) return found;
  }
  return undefined;
}
