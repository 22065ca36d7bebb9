import { formatLineTitle } from "../../src/lint/api/access.js";
import {
  type Argument,
  type Directive,
  findPlaceholder,
  hasWildcard,
  type Project,
  type Scope,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  getOrCreate,
  quoteLike,
  quoteText,
  type RuleContext,
  replaceSpan,
} from "../../src/lint/api/rule.js";

const messages = {
  section: (section: Directive, name: string) => ({
    message: `${formatLineTitle(section)} does not match the file on the disk: ${quoteText(name)}`,
    notes: ["httpd compares names case-sensitively, so the section does not apply"],
    help: [`use ${quoteText(name)}`],
  }),
  target: (written: string, name: string) => ({
    message: `${quoteText(written)} does not exist, but ${quoteText(name)} does`,
    notes: ["file names are case-sensitive on this disk"],
    help: [`use ${quoteText(name)}`],
  }),
};

const fixTitles = { replace: (text: string) => `Replace with ${quoteText(text)}` };

export const wrongCase = defineRule({
  id: "wrong-case",
  title: "Name of a file in the wrong case",
  group: "correctness",
  severity: "warning",
  description: "A path or name of Directory, Files or DirectoryIndex that the disk has in another case.",
  help: "On a disk with case-sensitive names, a section for another spelling does not apply, and a file of another spelling is not found. Use the name on the disk.",
  tags: ["correctness"],
  messages,
  check: ({ project, files, report }) => {
    if (files?.list === undefined) return {};
    const fileNames = new FileNames(files);
    const reportSection = (section: Directive, word: Argument, path: string | undefined) => {
      const real = path === undefined ? undefined : fileNames.findOtherCase(path);
      if (real === undefined) return;
      const written = section.key === "<files" ? fileNameOf(real) : real;
      report({
        message: messages.section(section, written),
        span: section.spanOf(word),
        ...fixOf(section, word, written),
      });
    };
    return {
      directives: {
        "<directory"(section) {
          const [word, ...more] = section.arguments;
          // Most directories have no other case, which is known before the form of the path.
          if (word && more.length === 0 && fileNames.findOtherCase(word.value) !== undefined && isPlainPath(word.value))
            reportSection(section, word, word.value);
        },
        "<files"(section, scope) {
          const [word, ...more] = section.arguments;
          const directory =
            word && more.length === 0 && isPlainName(word.value) ? directoryOf(scope, project) : undefined;
          if (word && directory !== undefined) reportSection(section, word, `${directory}/${word.value}`);
        },
        directoryindex(line, scope) {
          const directory = directoryOf(scope, project);
          const names = line.arguments.filter(({ value }) => isPlainName(value));
          if (directory === undefined || names.length < line.arguments.length) return;
          if (names.some(({ value }) => files.kindOf(`${directory}/${value}`) !== "missing")) return;
          for (const word of names) {
            const real = fileNames.findOtherCase(`${directory}/${word.value}`);
            if (real === undefined) continue;
            const name = fileNameOf(real);
            report({ message: messages.target(word.value, name), span: line.spanOf(word), ...fixOf(line, word, name) });
            return;
          }
        },
      },
    };
  },
});

function fixOf(line: Directive, word: Argument, text: string) {
  return createFix(fixTitles.replace(text), "unsafe", replaceSpan(line.spanOf(word), quoteLike(word, text)));
}

/** The names in directories. Each directory is listed once, because thousands of hosts are often in the same one. */
class FileNames {
  /** The names in each directory, by their lower case. */
  private readonly byDirectory = new Map<string, ReadonlyMap<string, readonly string[]>>();

  constructor(private readonly files: NonNullable<RuleContext["files"]>) {}

  /** Returns the path of a file that differs only in the case of its last name; undefined if the path itself exists. */
  findOtherCase(path: string): string | undefined {
    const bare = path.endsWith("/") ? path.replace(/\/+$/, "") : path;
    const slash = bare.lastIndexOf("/");
    if (slash < 0 || !path.startsWith("/")) return undefined;
    const directory = bare.slice(0, slash);
    const written = bare.slice(slash + 1);
    const [name, ...more] = this.namesIn(directory).get(written.toLowerCase()) ?? [];
    // A link to a missing file has the name as written.
    if (name === undefined || more.length > 0 || name === written) return undefined;
    return this.files.kindOf(bare) === "missing" ? `${directory}/${name}` : undefined;
  }

  private namesIn(directory: string): ReadonlyMap<string, readonly string[]> {
    if (this.byDirectory.size >= MAX_KNOWN_DIRECTORIES) this.byDirectory.clear();
    return getOrCreate(this.byDirectory, directory, () => {
      const names = new Map<string, string[]>();
      for (const { name } of this.files.list?.(directory) ?? [])
        getOrCreate(names, name.toLowerCase(), () => []).push(name);
      return names;
    });
  }
}

/** Maximum number of directories whose names are kept. */
const MAX_KNOWN_DIRECTORIES = 100;

function isPlainPath(value: string): boolean {
  return value.startsWith("/") && isPlain(value);
}

function isPlainName(value: string): boolean {
  return !value.includes("/") && value !== "" && isPlain(value);
}

function isPlain(value: string): boolean {
  return !hasWildcard(value) && !value.includes("${") && findPlaceholder(value) === undefined;
}

function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the directory that a scope is for, without a slash at the end. */
function directoryOf({ place, section, content }: Scope, { htaccess, htaccessEntry }: Project): string | undefined {
  if (place === "directory") {
    const [word, ...more] = section?.key === "<directory" ? section.arguments : [];
    return word && more.length === 0 && isPlainPath(word.value) ? word.value.replace(/\/+$/, "") : undefined;
  }
  if (place !== "htaccess") return undefined;
  const file = htaccessEntry?.file ?? htaccess.find(({ directives }) => directives === content);
  return file?.directory.replace(/\/+$/, "");
}
