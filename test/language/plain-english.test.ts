import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { lint } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { corpus, corpusFolder, corpusTitle } from "../support/corpus.js";
import { sampleOf } from "../support/depth.js";
import { countWords, findBannedPhrases, linesWithTexts, paragraphsOf } from "../support/plain-english.js";
import { commandNames, ensureBuilt, httpdLint } from "../support/programs/command.js";

beforeAll(ensureBuilt);

/** Maximum length of a header, as an editor or an annotation shows it. */
const MAX_HEADER = 90;
/** Pages and `--help` have at most one banned phrase in so many words. */
const WORDS_PER_PHRASE = 5_000;

/** Returns the files below a folder, by the end of their names. */
function filesBelow(folder: string, end: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name))
    .sort();
}

/** The parts of a finding that people read. */
interface FindingText {
  readonly rule: string;
  readonly header: string;
  /** The label, related lines, notes, help and the title of the fix. */
  readonly others: readonly string[];
  readonly hasAdvice: boolean;
}

/** Removes the directories of the checkout and of the corpus, whose length depends on the machine. */
const withoutMachinePaths = (text: string) =>
  text.replaceAll(`${process.cwd()}/`, "").replaceAll(`${corpusFolder}/`, "");

/** Returns the findings in a main file and all that it includes, as of an upgrade and without. */
function findingTextsOf(path: string): readonly FindingText[] {
  const serverRoot = basename(dirname(path)) === "conf" ? dirname(dirname(path)) : dirname(path);
  const load = (release: "2.2" | "2.4") => {
    const loaded = loadProject(path, { release, serverRoot });
    if (!loaded.ok) throw new Error(`${path}: ${loaded.error}`);
    return loaded.value;
  };
  const results = [
    lint(load("2.4"), { rules: defaultRules, from: "2.2", before: () => load("2.2") }),
    lint(load("2.2"), { rules: defaultRules }),
  ];
  return results.flatMap(({ findings }) =>
    findings.map(({ rule, message, label = "", notes = [], help = [], related, fix }) => ({
      rule,
      header: withoutMachinePaths(message),
      others: [label, ...notes, ...help, ...related.map((each) => each.message), fix?.title ?? ""],
      hasAdvice: notes.length + help.length > 0,
    })),
  );
}

/** Returns the findings that the examples of the rule pages show. */
function findingTextsOnPages(): readonly FindingText[] {
  return filesBelow("rules", ".md").flatMap((path) => {
    const shown = readFileSync(path, "utf8").matchAll(/^\d+:\d+: (?:error|warning|info): (.*)\n((?: {2}\w+: .*\n)*)/gm);
    return [...shown].map(([, header = "", parts = ""]) => {
      const others = parts.split("\n").map((line) => line.trim());
      return {
        rule: basename(path, ".md"),
        header,
        others,
        hasAdvice: others.some((line) => /^(?:note|help):/.test(line)),
      };
    });
  });
}

/** httpd's own text is quoted as it is. */
const isOwnText = (text: string) => !text.includes("httpd reports: ");

function phrasesOf(findings: readonly FindingText[]): readonly string[] {
  return findings.flatMap(({ rule, header, others }) =>
    [header, ...others.filter(isOwnText)].flatMap((text) =>
      findBannedPhrases(text).map((phrase) => `${rule}: ${phrase} in: ${text}`),
    ),
  );
}

const headersOf = (findings: readonly FindingText[], isWrong: (header: string) => boolean) => [
  ...new Set(findings.filter(({ header }) => isWrong(header)).map(({ rule, header }) => `${rule}: ${header}`)),
];
/** The part of a path that counts: a message cannot shorten it. */
const MAX_COUNTED_PATH = 30;
const isLong = (header: string) =>
  header.replace(/`\/[^`]+`/g, (path) => path.slice(0, MAX_COUNTED_PATH)).length > MAX_HEADER;
const isSentence = (header: string) => /[^.]\.$/.test(header);

describe("findings of the examples", () => {
  const entries = filesBelow("docs/examples", "httpd.conf");
  const findings = [...entries.flatMap(findingTextsOf), ...findingTextsOnPages()];

  test("contain no banned phrase", () => {
    expect(findings.length).toBeGreaterThan(100);
    expect(phrasesOf(findings)).toEqual([]);
  });

  test("have short headers without a full stop", () => {
    expect(headersOf(findings, isLong)).toEqual([]);
    expect(headersOf(findings, isSentence)).toEqual([]);
  });

  test("have notes or a help text", () => {
    expect([
      ...new Set(findings.filter(({ hasAdvice }) => !hasAdvice).map(({ rule, header }) => `${rule}: ${header}`)),
    ]).toEqual([]);
  });
});

describe.skipIf(corpus.length === 0)(corpusTitle("findings in the public files"), { timeout: 300_000 }, () => {
  test("contain no banned phrase; nearly all have a short header, and notes or a help text", () => {
    const findings = sampleOf(corpus, 4).flatMap(({ path }) => findingTextsOf(path));
    const share = (count: number) => count / findings.length;
    expect(phrasesOf(findings)).toEqual([]);
    expect(headersOf(findings, isSentence)).toEqual([]);
    expect(share(findings.filter(({ header }) => isLong(header)).length)).toBeLessThanOrEqual(0.01);
    expect(share(findings.filter(({ hasAdvice }) => hasAdvice).length)).toBeGreaterThanOrEqual(0.9);
  });
});

/** Returns the banned phrases of paragraphs, each with its place. */
function phrasesIn(place: string, paragraphs: readonly string[]): readonly string[] {
  return paragraphs.flatMap((paragraph) => findBannedPhrases(paragraph).map((phrase) => `${place}: ${phrase}`));
}

test("pages and `--help` have at most one banned phrase in 5,000 words", () => {
  const pages = ["README.md", ...filesBelow("docs", ".md"), ...filesBelow("rules", ".md")];
  const helps = [[], ...commandNames.map((command) => [command])].map((words) => [...words, "--help"]);
  const texts = [
    ...pages.map((path) => [path, paragraphsOf(readFileSync(path, "utf8"))] as const),
    ...helps.map((words) => [words.join(" "), httpdLint(words).stdout.split(/\n(?! {6})/)] as const),
  ];
  const words = texts.flatMap(([, paragraphs]) => paragraphs).reduce((sum, text) => sum + countWords(text), 0);
  const phrases = texts.flatMap(([place, paragraphs]) => phrasesIn(place, paragraphs));
  expect(words).toBeGreaterThan(10_000);
  if (phrases.length > words / WORDS_PER_PHRASE) expect(phrases).toEqual([]);
});

test("strings in the sources contain no banned phrase", () => {
  const files = ["grammar", "src", "rules"].flatMap((folder) => filesBelow(folder, ".ts"));
  const phrases = files
    .filter((path) => !path.endsWith(".test.ts"))
    .flatMap((path) =>
      linesWithTexts(readFileSync(path, "utf8")).flatMap(([line, text]) => phrasesIn(`${path}:${line}`, [text])),
    );
  expect(phrases).toEqual([]);
});

describe("banned phrases", () => {
  test.each([
    ["this is no directive", '"is no directive"'],
    ["whom `Require` denies", '"whom"'],
    ["the line behind the section", '"behind the section"'],
    ["A client gets 403.", '"gets 403"'],
    ["`Require` lets everybody in", '"lets everybody"'],
    ["2.4 does otherwise", '"does otherwise"'],
    ["the flag alone decides", '"alone"'],
  ])("are found in %j", (text, phrase) => {
    expect(findBannedPhrases(text)).toEqual([expect.stringContaining(phrase)]);
  });

  test.each([
    ["there is no longer a limit"],
    ["a server behind a proxy or behind a load balancer"],
    ["if the file exists; otherwise, the server does not start"],
    ["`whom`, `Order` and `Alias /in /srv`"],
    ["leave it alone"],
  ])("twin: are not found in %j", (text) => {
    expect(findBannedPhrases(text)).toEqual([]);
  });

  test("are ignored in code blocks, comments and addresses of links", () => {
    const page = "# A\n\n```text\nanew\n```\n\n<!-- anew -->\n- [b](anew.md)\n- c\n";
    expect(paragraphsOf(page)).toEqual(["# A", "- [b]", "- c"]);
  });

  test("are ignored in comments of the sources", () => {
    expect(linesWithTexts('/** "a" */\nconst b = "c"; // d\nimport e from "f";\n')).toEqual([[2, 'const b = "c";']]);
  });
});
