import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  type OutsideClient,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  type Project,
  parseRewriteRules,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { defineVariant, encodeUrlPath, quoteShort, quoteText, type Report } from "../../src/lint/api/rule.js";

const messages = {
  inWord: ({ pattern, words }: LooseWords, word: string, file: string, answer: DefiniteAnswer) => ({
    message: `${quoteShort(pattern, 32)} also denies ${quoteText(file)}: ${quoteText(word)} is a part of a name`,
    notes: ["a pattern without `^` and `$` is found anywhere in the path", describeAnswer(answer)],
    help: [`use ${quoteText(wholeWords(words))} for words between other characters than letters`],
  }),
};

/** Limit of the files that are requested for a line. */
const MAX_FILES = 8;

/** Finds a line that denies paths with one of some words, and a file of the disk that has the word only inside of a name. */
export const looseWords = defineVariant({
  id: "loose-words",
  messages,
  check: () => ({
    exposure: { fromAnywhere: true, holding: ["rewriterule", "redirectmatch"], check: findDeniedFile },
  }),
});

/** A line that denies each path with one of some words. */
interface LooseWords {
  readonly pattern: string;
  readonly words: readonly string[];
  readonly ignoreCase: boolean;
  /** The pattern of the help. */
  readonly whole: RegExp;
}

function* findDeniedFile(
  { line, server, context: { project } }: ExposedLine,
  client: OutsideClient,
): Generator<Report> {
  const loose = readLooseWords(line);
  const root = loose && rootLineOf(server.section, project);
  const served = root && client.directoriesOf(root);
  if (loose === undefined || served === undefined) return;
  let left = MAX_FILES;
  for (const { path, entries } of served.all)
    for (const { name, kind } of entries) {
      const below = `${path}${name}`.slice(served.mapping.to.length);
      const word = kind === "file" && !name.startsWith(".") ? findInsideOnly(below, loose) : undefined;
      if (word === undefined) continue;
      if (left-- <= 0) return;
      const answer = client.ask(server, { path: encodeUrlPath(served.mapping.from + below) }, "disk");
      if (answer === undefined || answer.status < 400 || !answer.decidedBy.includes(line)) continue;
      yield {
        message: messages.inWord(loose, word, `/${below}`, answer),
        span: line.span,
        witness: witnessOf(answer),
      };
      return;
    }
}

/** Reads a rule or a RedirectMatch that denies each path with one of some words, without a mark of where they begin or end. */
function readLooseWords(line: Directive): LooseWords | undefined {
  const [rule] = line.key === "rewriterule" ? parseRewriteRules([line]) : [];
  const [status, written] = line.arguments.map(({ value }) => value);
  const isRedirectMatch = line.key === "redirectmatch" && /^(?:4\d\d|gone)$/.test(status ?? "");
  const denies = rule ? rule.flags.answers && rule.flags.status >= 400 && !rule.isNegated : isRedirectMatch;
  const pattern = rule ? rule.pattern : (written ?? "");
  const [, list = ""] = /^\(?(?:\?:)?([\w-]+(?:\|[\w-]+)*)\)?$/.exec(pattern) ?? [];
  const words = list.split("|");
  if (!denies || words.some((word) => word.length < 2)) return undefined;
  const ignoreCase = rule?.flags.names.has("nocase") ?? false;
  return { pattern, words, ignoreCase, whole: new RegExp(wholeWords(words), ignoreCase ? "i" : "") };
}

/**
 * Returns a pattern for words with no letter before and after them, apart from a plural. Names such as `backup2024.sql`, `backups.zip` and
 * `site-backup.zip` have the word on purpose.
 */
function wholeWords(words: readonly string[]): string {
  return `(^|[^A-Za-z])(${words.join("|")})s?([^A-Za-z]|$)`;
}

/** Returns a word that a path has only between letters, such as `cli` in `client`; undefined if the pattern of the help matches as well. */
function findInsideOnly(path: string, { words, ignoreCase, whole }: LooseWords): string | undefined {
  if (whole.test(path)) return undefined;
  const text = ignoreCase ? path.toLowerCase() : path;
  return words.find((word) => text.includes(ignoreCase ? word.toLowerCase() : word));
}

function rootLineOf(host: Directive | undefined, { directives }: Project): Directive | undefined {
  const rootIn = (lines: readonly Directive[]) => lines.findLast(({ key }) => key === "documentroot");
  return rootIn(host?.children ?? []) ?? rootIn(directives.filter((line) => virtualHostAround(line) === undefined));
}
