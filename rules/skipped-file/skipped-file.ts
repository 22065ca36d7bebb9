import { type Include, isBefore, type SkippedFile } from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, getOrCreate, quoteText, type Span, toReadable } from "../../src/lint/api/rule.js";

/** The most file names in a header. */
const MAX_NAMES = 2;

const messages = {
  one: (pattern: string, name: string, ending: string) => ({
    message: `${quoteText(pattern)} skips ${quoteText(name)}: its name does not end in \`${ending}\``,
    notes: ["httpd does not read the file, so its lines have no effect"],
    help: [`rename it to ${quoteText(name + ending)}`],
    addsLines: true as const,
  }),
  afterUpgrade: (names: string, isOne: boolean) => ({
    message: `Debian's main file of 2.4 does not read ${names}`,
    notes: ["it has `IncludeOptional sites-enabled/*.conf`"],
    help: [isOne ? "add `.conf` to its name" : "add `.conf` to their names"],
  }),
  several: (pattern: string, names: string, ending: string) => ({
    message: `${quoteText(pattern)} skips ${names}: their names do not end in \`${ending}\``,
    notes: ["httpd does not read the files, so their lines have no effect"],
    help: [`add \`${ending}\` to their names`],
    addsLines: true as const,
  }),
};

const labels = { skipped: "not read" };

export const skippedFile = defineRule({
  id: "skipped-file",
  title: "File skipped by a wildcard",
  group: "startup",
  severity: "warning",
  description:
    "A file with configuration next to the files of an Include, whose name lacks the ending of the wildcard.",
  help: "httpd reads only the files that the wildcard of an Include matches, and ignores the others silently. On Debian, the sites of a 2.2 server often have no ending, and the main file of 2.4 reads `sites-enabled/*.conf` only. 2.4 then serves none of these sites. Add the ending to the name of the file.",
  tags: ["correctness"],
  upgrade: "behaviour",
  advice: "for the default host",
  messages,
  check: ({ project, from, report }) => ({
    end() {
      if (isBefore(from, "2.4"))
        for (const include of project.includes) {
          const names = listSitesToRename(include);
          if (names.length === 0) continue;
          const message = messages.afterUpgrade(listNames(names), names.length === 1);
          report({ message, span: include.span });
        }
      const byInclude = new Map<Span, SkippedFile[]>();
      for (const file of project.findSkippedFiles()) getOrCreate(byInclude, file.include.span, () => []).push(file);
      for (const [span, files] of byInclude) {
        const related = files.map(({ source }) => ({
          message: labels.skipped,
          span: { file: source, start: 0, end: 0 },
        }));
        report({ message: describe(span, files), span, related });
      }
    },
  }),
});

/** Returns the names of the files in the `sites-enabled` of Debian that its main file for 2.4 does not read. */
function listSitesToRename({ path, files }: Include): readonly string[] {
  const isAll = /\/sites-enabled(?:\/\*?)?$/.test(path);
  return isAll ? files.map((file) => toReadable(baseName(file))).filter((name) => !name.endsWith(".conf")) : [];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the path of an Include as written. */
function patternOf({ file, start, end }: Span): string {
  return toReadable(file.text.slice(start, end))
    .replace(/^\S+\s+/, "")
    .replace(/^(["'])(.*)\1$/, "$2");
}

function describe(span: Span, files: readonly SkippedFile[]) {
  const pattern = patternOf(span);
  const names = files.map(({ source }) => baseName(source.path));
  const [name = "", ...others] = names;
  const ending = files[0]?.ending ?? "";
  if (others.length === 0) return messages.one(pattern, name, ending);
  return messages.several(pattern, listNames(names), ending);
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).map(quoteText);
  return formatWordList([...shown, ...(more > 0 ? [`${more} more`] : [])]);
}
