import { NESTING_LIMIT } from "../grammar/expression/nesting.js";
import { LONGEST_LOG_LINE } from "../src/cli/log-lines.js";
import { MOST_STEPS, MOST_STEPS_OF_RUN } from "../src/compare/survey-budget.js";
import { MOST_BYTES, MOST_LINES } from "../src/project/bounded-access.js";
import { LARGEST_FILE } from "../src/project/file-content.js";
import { LONGEST_LINE } from "../src/project/file-reader.js";
import { MOST_DIRECTORIES } from "../src/project/htaccess.js";
import { DEEPEST_DIRECTORY, MOST_FOUND } from "../src/project/include.js";
import { DEEPEST_SECTION } from "../src/project/open-sections.js";
import {
  DEEPEST_INCLUDE,
  MOST_EXPANDED_BYTES,
  MOST_EXPANDED_LINES,
  MOST_LINES_AGAIN,
  MOST_UNKNOWN_NAMES,
} from "../src/project/reader.js";
import { LONGEST_EXPANSION } from "../src/project/variables.js";
import { DEEPEST_MAP, LONGEST_VALUE } from "../src/scope/value-length.js";
import { DEEPEST_SETTINGS, LARGEST_SETTINGS, MOST_SETTINGS } from "../src/settings/bounds.js";
import { MOST_MISTAKES } from "../src/settings/mistakes.js";
import { LARGEST_JOURNAL } from "../src/writing/journal.js";
import { withMarked } from "./marked.js";

const number = (value: number) => value.toLocaleString("en");
const bytes = (value: number) => (value < 1 << 20 ? `${value >> 10} KB` : `${value >> 20} MB`);

/** What is bounded, by how much, and what says so where the bound is met. */
const limits: readonly (readonly [what: string, most: string, told: string])[] = [
  ["a file", bytes(LARGEST_FILE), "it is not read, and the Include or the path says so"],
  ["all files of a configuration", bytes(MOST_BYTES), "the file that goes beyond is not read, and its Include says so"],
  ["their lines", number(MOST_LINES), "the same"],
  ["a line", bytes(LONGEST_LINE), "a finding; 8 KB in `.htaccess` files and on 2.2, as the server has it"],
  ["a line of an access log", bytes(LONGEST_LOG_LINE), "it is counted as one that tells of no request"],
  ["what the variables of a line come to", bytes(LONGEST_EXPANSION), "a finding; the line is read as it stands"],
  ["lines that macros put in place", number(MOST_EXPANDED_LINES), "a finding at the Use"],
  ["bytes that macros and variables put in place", bytes(MOST_EXPANDED_BYTES), "a finding; later uses are not checked"],
  [
    "different unknown directives",
    number(MOST_UNKNOWN_NAMES),
    "a finding; the Include that leads to more is not read further",
  ],
  ["Includes within each other", number(DEEPEST_INCLUDE), "a finding at the Include; the server stops there, too"],
  ["lines of files that are included more than once", number(MOST_LINES_AGAIN), "a finding at the Include"],
  ["folders within each other below an Include", number(DEEPEST_DIRECTORY), "a finding; the server stops there, too"],
  ["files and folders that one Include comes by", number(MOST_FOUND), "a finding; nothing of it is read"],
  ["folders looked in for `.htaccess` files", number(MOST_DIRECTORIES), "a finding that names the line and the folder"],
  ["sections within each other", number(DEEPEST_SECTION), "a finding"],
  [
    "steps of a comparison, of all hosts together",
    number(MOST_STEPS),
    "the hosts that were not gone through are named, and nothing is claimed of them",
  ],
  [
    "steps of all comparisons of `migrate`, or of a run that tries fixes",
    number(MOST_STEPS_OF_RUN),
    "`migrate` refuses; the fix is held back",
  ],
  ["parts of an expression within each other", number(NESTING_LIMIT), "a finding"],
  ["a value that variables, groups and functions build for a request", bytes(LONGEST_VALUE), "the answer is unknown"],
  ["maps within each other in mod_rewrite", number(DEEPEST_MAP), "the answer is unknown"],
  ["a settings file", bytes(LARGEST_SETTINGS), "it is refused, exit code 2"],
  ["names and values in it", number(MOST_SETTINGS), "the same"],
  ["lists and objects in it within each other", number(DEEPEST_SETTINGS), "the same"],
  ["a journal of `migrate --recover`", bytes(LARGEST_JOURNAL), "it is refused, exit code 3"],
  ["mistakes of a settings file that are told", number(MOST_MISTAKES), "how many more there are"],
];

/** The page with its table of limits, made of the constants that hold them. */
export function withLimits(page: string): string {
  const rows = limits.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  return withMarked(page, "limits", `| what | at most | beyond that |\n|---|---|---|\n${rows}`);
}
