import type { SkippedFile } from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, getOrCreate, quoteText, type Span, toReadable } from "../../src/lint/api/rule.js";

/** The most file names in a header. */
const MAX_NAMES = 2;

const messages = {
  one: (pattern: string, name: string, ending: string) => ({
    message: `${quoteText(pattern)} skips ${quoteText(name)}: its name does not end in \`${ending}\``,
    notes: ["httpd does not read the file, so its lines have no effect"],
    help: [`rename it to ${quoteText(name + ending)}`],
  }),
  several: (pattern: string, names: string, ending: string) => ({
    message: `${quoteText(pattern)} skips ${names}: their names do not end in \`${ending}\``,
    notes: ["httpd does not read the files, so their lines have no effect"],
    help: [`add \`${ending}\` to their names`],
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
  messages,
  check: ({ project, report }) => ({
    end() {
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

function describe({ file, start, end }: Span, files: readonly SkippedFile[]) {
  const pattern = toReadable(file.text.slice(start, end))
    .replace(/^\S+\s+/, "")
    .replace(/^(["'])(.*)\1$/, "$2");
  const names = files.map(({ source }) => source.path.slice(source.path.lastIndexOf("/") + 1));
  const [name = "", ...others] = names;
  const ending = files[0]?.ending ?? "";
  if (others.length === 0) return messages.one(pattern, name, ending);
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).map(quoteText);
  return messages.several(pattern, formatWordList([...shown, ...(more > 0 ? [`${more} more`] : [])]), ending);
}
