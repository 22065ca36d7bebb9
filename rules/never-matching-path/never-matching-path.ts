import {
  type Argument,
  comparePatterns,
  type Directive,
  findPlaceholder,
  parseRewriteWords,
  type Scope,
} from "../../src/rule-api/configuration.js";
import { defineRule, quoteText, type Report, replaceSpan } from "../../src/rule-api/rule.js";

const messages = {
  /** @param corrected the text to use instead */
  neverMatches: (text: string, { note, remedy }: Subject, corrected: string | undefined) => ({
    message: `${quoteText(text)} never matches a request`,
    notes: [note],
    help: [corrected === undefined ? remedy : `use ${quoteText(corrected)}`],
  }),
  query: (text: string, name: string) => ({
    message: `${quoteText(text)} never matches the query of a request`,
    notes: [`${quoteText(name)} compares the path, which does not include the query`],
    help: ["test the query with `RewriteCond %{QUERY_STRING}`, and the path with `RewriteRule`"],
  }),
};

const fixTitles = { replace: (text: string) => `Replace with ${quoteText(text)}` };

export const neverMatchingPath = defineRule({
  id: "never-matching-path",
  title: "Path or pattern never matches a request",
  group: "correctness",
  severity: "warning",
  description:
    "A path or pattern of Alias, Redirect, RewriteRule or `<FilesMatch>` that cannot match what it is compared with.",
  help: "httpd accepts the line, but it never applies. The path of a URL begins with `/`. In a directory or `.htaccess` file, RewriteRule compares the path below the directory, which does not begin with `/`. No path includes the query, and a file name does not contain `/`. Correct the pattern, or test the query with RewriteCond.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => {
    let hasOtherPaths = false;
    const found: Report[] = [];
    const visit = (directive: Directive, scope: Scope) => {
      const tested = readTestedPath(directive, scope);
      const fault =
        tested && findPlaceholder(tested.word.value) === undefined ? createReport(directive, tested) : undefined;
      if (fault) found.push(fault);
    };
    return {
      forName: ({ key }) => (plainPaths.has(key) || patterns.has(key) ? visit : undefined),
      directives: {
        // The path of a request to a forward proxy is a whole URL.
        proxyrequests({ arguments: [word] }) {
          hasOtherPaths ||= word?.value.toLowerCase() === "on";
        },
        // Without merging, the path below a directory may begin with `/`.
        mergeslashes({ arguments: [word] }) {
          hasOtherPaths ||= word?.value.toLowerCase() === "off";
        },
      },
      project() {
        if (!hasOtherPaths) for (const each of found) report(each);
      },
    };
  },
});

/** The texts that a path or pattern is compared with. */
interface Subject {
  /** All of them, as a pattern. */
  readonly texts: string;
  readonly note: string;
  /** The remedy if no small correction is known. */
  readonly remedy: string;
}

const correctPattern = "correct the pattern, or delete this line";

const subjects = {
  urlPath: { texts: "/.*", note: "the path of a URL begins with `/`", remedy: correctPattern },
  belowDirectory: {
    texts: "(?:[^/].*)?",
    note: "here, `RewriteRule` compares the path below the directory, which does not begin with `/`",
    remedy: correctPattern,
  },
  fileName: {
    texts: "[^/]*",
    note: "`<FilesMatch>` compares file names, which do not contain `/`",
    remedy: "use the name alone, in a `<Directory>` section for its directory",
  },
} satisfies Readonly<Record<string, Subject>>;

/** Directives whose first path is compared as it is. */
const plainPaths: ReadonlySet<string> = new Set([
  ...["alias", "scriptalias", "redirect", "redirectpermanent", "redirecttemp"],
]);

const patterns: ReadonlySet<string> = new Set([
  ...["aliasmatch", "scriptaliasmatch", "redirectmatch", "rewriterule", "<filesmatch", "<locationmatch"],
]);

interface TestedPath {
  readonly word: Argument;
  readonly subject: Subject;
  readonly isPattern: boolean;
  readonly ignoresCase: boolean;
}

/** Returns the path or pattern that a line compares; undefined if it has none, or if the context is unknown. */
function readTestedPath(directive: Directive, scope: Scope): TestedPath | undefined {
  const { key, arguments: words } = directive;
  const isPattern = patterns.has(key);
  const common = { subject: subjects.urlPath, isPattern, ignoresCase: false };
  switch (key) {
    case "rewriterule": {
      const [word, , flags] = parseRewriteWords(directive.argumentText) ?? [];
      const subject = subjectOfRule(scope);
      // A negated pattern matches every request.
      if (word === undefined || subject === undefined || word.value.startsWith("!")) return undefined;
      return { word, subject, isPattern, ignoresCase: /[[,]\s*(?:NC|nocase)\s*[\],]/i.test(flags?.value ?? "") };
    }
    case "redirect":
    case "redirectmatch": {
      const [first, second, third] = words;
      const word = first && statusWord.test(first.value) ? second : first;
      // Without a path, Redirect applies to the whole section.
      const hasPath = third !== undefined || word === first || /^(?:gone|4\d\d|5\d\d)$/i.test(first?.value ?? "");
      return word && hasPath && words.length > 1 ? { ...common, word } : undefined;
    }
    default: {
      const [word, target] = words;
      const isSection = key.startsWith("<");
      if (word === undefined || (!isSection && target === undefined)) return undefined;
      return { ...common, word, ...(key === "<filesmatch" ? { subject: subjects.fileName } : {}) };
    }
  }
}

const statusWord = /^(?:permanent|temp|seeother|gone|\d{3})$/i;

/** Returns what RewriteRule compares in a scope; undefined where that depends on the request. */
function subjectOfRule({ place, section }: Scope): Subject | undefined {
  if (place === "server" || place === "virtualhost") return subjects.urlPath;
  if (place === "htaccess") return subjects.belowDirectory;
  const isPlainDirectory = section?.key === "<directory" && section.arguments.length === 1;
  return isPlainDirectory && !/[*?[]/.test(section.argumentText) ? subjects.belowDirectory : undefined;
}

function createReport(directive: Directive, tested: TestedPath): Report | undefined {
  const { word, subject, isPattern, ignoresCase } = tested;
  const span = directive.spanOf(word);
  const { value } = word;
  if (isPattern ? matchesNone("[^?]*", value, ignoresCase) : value.includes("?"))
    return { message: messages.query(value, directive.name), span };
  const isNever = isPattern ? matchesNone(subject.texts, value, ignoresCase) : !value.startsWith("/");
  if (!isNever || value === "") return undefined;
  const corrected = correct(tested);
  const message = messages.neverMatches(value, subject, corrected);
  const edit = corrected && replaceSpan(span, word.quote === "double" ? `"${corrected}"` : corrected);
  if (!corrected || !edit) return { message, span };
  return { message, span, fix: { title: fixTitles.replace(corrected), safety: "unsafe", edits: [edit] } };
}

function matchesNone(texts: string, pattern: string, ignoresCase: boolean): boolean {
  return comparePatterns(texts, pattern, ignoresCase) === "none";
}

/** Returns the text with a leading slash added or removed, if it matches then. */
function correct({ word: { value }, subject, isPattern, ignoresCase }: TestedPath): string | undefined {
  if (!isPattern) return /^\w/.test(value) && !value.includes(":") ? `/${value}` : undefined;
  const changed = subject === subjects.belowDirectory ? value.replace(/^\^\//, "^") : value.replace(/^\^/, "^/");
  return changed !== value && !matchesNone(subject.texts, changed, ignoresCase) ? changed : undefined;
}
