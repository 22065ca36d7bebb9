/** A phrase that no text for users contains, with its replacement. */
interface BannedPhrase {
  readonly phrase: RegExp;
  readonly instead: string;
}

/**
 * Phrases that make a reader pause. Technical uses of the same words pass: `behind a proxy`, "no longer", "or otherwise",
 * `Alias`.
 */
const bannedPhrases: readonly BannedPhrase[] = [
  {
    phrase:
      /\b(?:is|are|was|were) no (?!longer|more|fewer|less|different|better|worse|match|such|need|other|way)[a-z]+/i,
    instead: "negate the verb: is not a …",
  },
  { phrase: /\b(?:whom|whoever|whomever)\b/i, instead: "name the client or the user" },
  { phrase: /\bwhat (?:stands|lies|holds|comes) (?:in|there|here|before|after|behind)\b/i, instead: "name the thing" },
  { phrase: /\bhangs? on\b/i, instead: "depends on" },
  { phrase: /\banew\b/i, instead: "again" },
  { phrase: /\b(?:tells?|told) of\b/i, instead: "reports, shows" },
  { phrase: /\bwho gets in\b|\bgets? in where\b/i, instead: "access" },
  { phrase: /\blets? (?:in|everybody|everyone|nobody|all (?:in|clients))\b/i, instead: "allows" },
  { phrase: /\bkeeps? (?:everybody |everyone |nobody |them |it )?out\b/i, instead: "denies" },
  { phrase: /\bin force\b/i, instead: "applies" },
  { phrase: /\blaid over\b/i, instead: "merged with" },
  { phrase: /\bwithout a word\b/i, instead: "silently" },
  { phrase: /\bgoes? round\b/i, instead: "bypasses" },
  {
    phrase: /\b(?:answer(?:s|ed)?|does|do|decide[sd]?|read|reads|made|behaves?|treat(?:s|ed)?) otherwise\b/i,
    instead: "differently",
  },
  { phrase: /\bin from (?:outside|here)\b/i, instead: "is inherited" },
  { phrase: /\btak(?:e|es|en|ing) (?:it |them |that |this |the lines? )?out\b/i, instead: "delete" },
  { phrase: /\bk(?:eep|eeps|ept) quiet\b/i, instead: "suppress" },
  { phrase: /\b(?:graver|gravest|least grave)\b/i, instead: "higher severity" },
  { phrase: /\bpass(?:es|ed)? over\b/i, instead: "skipped, ignored" },
  { phrase: /\b(?:mend|mends|mended)\b/i, instead: "correct, fix" },
  { phrase: /\b(?:stands?|lies) in\b/i, instead: "is in" },
  {
    phrase: /\bbehind (?:an?|the|each|that|this|its|it|them) (?!\w*prox|load|firewall|\w+ prox)\w+/i,
    instead: "after",
  },
  { phrase: /\b(?:is|are|was|were) (?:not )?looked at\b/i, instead: "is checked, is read" },
  { phrase: /\bby itself\b/i, instead: "on its own" },
  { phrase: /(?<!stand-|leaves? \w+ )\balone\b/i, instead: "only, on its own" },
  { phrase: /\bold (?:rules|access control)\b/i, instead: "mod_access_compat directives" },
  { phrase: /\bgets? [1-5]\d\d\b/i, instead: "returns" },
  { phrase: /\banswers? [1-5]\d\d\b/i, instead: "returns" },
  { phrase: /\b(?:is|are) gone\b/i, instead: "was removed" },
  { phrase: /\bof its own accord\b|\bnobody wants\b|\bso it is\b/i, instead: "say it plainly" },
];

/** Returns the banned phrases of a text, each with its replacement. Text in backticks is ignored. */
export function findBannedPhrases(text: string): readonly string[] {
  const prose = text.replace(/`[^`]*`/g, "`x`");
  return bannedPhrases.flatMap(({ phrase, instead }) => {
    const found = phrase.exec(prose);
    return found ? [`"${found[0]}": use "${instead}"`] : [];
  });
}

/** Returns the paragraphs of a Markdown page without code blocks, comments and addresses of links. */
export function paragraphsOf(markdown: string): readonly string[] {
  return markdown
    .replace(/^( *)(`{3,}|~{3,}).*\n[\s\S]*?^\1\2.*$/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/\]\([^)\s]*\)/g, "]")
    .split(/\n(?:[\t ]*\n|(?=[\t ]*(?:[-*|#>]|\d+\.) ?))/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

/** Counts the words of a text. */
export function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

/** Returns the lines of a TypeScript file that contain texts, without comments and quoted code. */
export function linesWithTexts(source: string): readonly (readonly [line: number, text: string])[] {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .split("\n")
    .map((text, index) => [index + 1, text.replace(/(?:^|\s)\/\/ .*/, "")] as const)
    .filter(([, text]) => /["`]/.test(text) && !/^\s*(?:import|export) .* from "/.test(text))
    .map(([line, text]) => [line, text.replace(/\\`[^`]*\\`/g, "x").replaceAll("`", "")] as const);
}
