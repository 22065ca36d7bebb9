import { getOrCreate } from "../../src/text/collections.js";

/** A line, or a section with its lines. Both sides of a pair have the same number for the same line. */
export interface ConfigLine {
  readonly id: number;
  /** Without the brackets of a section: `Directory "/srv"`. */
  readonly text: string;
  readonly inner?: ConfigLines;
}

export type ConfigLines = readonly ConfigLine[];

let lastId = 0;

/** Creates a line. @param inner the lines of a section */
export function lineOf(text: string, inner?: ConfigLines): ConfigLine {
  return inner === undefined ? { id: ++lastId, text } : { id: ++lastId, text, inner };
}

/** Parses lines; those that begin with `<` are sections. */
export function parseLines(text: string): ConfigLines {
  const lists: ConfigLine[][] = [[]];
  const heads: string[] = [];
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    if (line.startsWith("</")) {
      const inner = lists.pop() ?? [];
      lists.at(-1)?.push(lineOf(heads.pop() ?? "", inner));
    } else if (line.startsWith("<")) {
      heads.push(line.slice(1, -1));
      lists.push([]);
    } else lists.at(-1)?.push(lineOf(line));
  }
  return lists[0] ?? [];
}

/** Prints lines, as a file has them. */
export function printLines(lines: ConfigLines, indent = ""): string {
  return lines
    .map(({ text, inner }) => {
      if (inner === undefined) return `${indent}${text}\n`;
      const name = /^\w+/.exec(text)?.[0] ?? "";
      return `${indent}<${text}>\n${printLines(inner, `${indent}  `)}${indent}</${name}>\n`;
    })
    .join("");
}

/** Returns all lines, with those in sections. */
export function allLines(lines: ConfigLines): ConfigLines {
  return lines.flatMap((line) => [line, ...allLines(line.inner ?? [])]);
}

/** Returns the lines without those of some numbers. */
export function withoutLines(lines: ConfigLines, removed: ReadonlySet<number>): ConfigLines {
  return lines.flatMap((line) => {
    if (removed.has(line.id)) return [];
    return [line.inner ? { ...line, inner: withoutLines(line.inner, removed) } : line];
  });
}

/** Replaces one list of lines: that of a section, or of the file if no section is named. */
export function editList(
  lines: ConfigLines,
  section: number | undefined,
  edit: (list: ConfigLines) => ConfigLines,
): ConfigLines {
  if (section === undefined) return edit(lines);
  return lines.map((line) => {
    if (line.inner === undefined) return line;
    return { ...line, inner: line.id === section ? edit(line.inner) : editList(line.inner, section, edit) };
  });
}

/** A configuration with the files of its server. In texts, `@ROOT@` is the folder of the server. */
export interface ServerText {
  /** Identifiers without `_module`, without the MPM. */
  readonly modules: readonly string[];
  readonly lines: ConfigLines;
  /** The `.htaccess` files, by path. */
  readonly htaccess: Readonly<Record<string, ConfigLines>>;
}

/** Two configurations on the same disk. */
export interface ServerPairText {
  readonly release: "2.2" | "2.4";
  readonly before: ServerText;
  readonly after: ServerText;
  /** What the second one changes, and with which lines: for reports. */
  readonly change: string;
  /** The directive that differs, if it is only one. */
  readonly directive?: string;
}

/** Returns the paths of all places for lines: the main file (undefined) and the `.htaccess` files. */
export function placesIn({ htaccess }: ServerText): readonly (string | undefined)[] {
  return [undefined, ...Object.keys(htaccess)];
}

/** Returns the lines of a place. */
export function linesAt({ lines, htaccess }: ServerText, place: string | undefined): ConfigLines {
  return place === undefined ? lines : (htaccess[place] ?? []);
}

/** Replaces the lines of a place. */
export function withLinesAt(server: ServerText, place: string | undefined, lines: ConfigLines): ServerText {
  return place === undefined ? { ...server, lines } : { ...server, htaccess: { ...server.htaccess, [place]: lines } };
}

/** Returns the number of uses of each word that begins with a slash, in lines. */
export function pathsIn(lines: ConfigLines): readonly string[] {
  const counts = new Map<string, { path: string }>();
  for (const { text } of allLines(lines))
    for (const [path] of text.matchAll(/(?<=[\s"^])\/[\w./-]*/g)) getOrCreate(counts, path, () => ({ path }));
  return [...counts.keys()];
}
