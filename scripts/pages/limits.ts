import { NESTING_LIMIT } from "../../grammar/expression/tree-builders.js";
import { GIT_TIMEOUT_MS } from "../../src/apps/cli/inputs/git.js";
import { MAX_LOG_LINE_LENGTH } from "../../src/apps/cli/inputs/log-lines.js";
import { CONFIG_TEST_TIMEOUT_MS } from "../../src/apps/file-changes/config-test.js";
import { ATTRIBUTE_TIMEOUT_MS } from "../../src/apps/file-changes/file-system.js";
import { MAX_JOURNAL_BYTES } from "../../src/apps/file-changes/journal.js";
import { MAX_MISTAKES } from "../../src/apps/settings/mistakes.js";
import { MAX_SETTINGS_BYTES, MAX_SETTINGS_DEPTH, MAX_SETTINGS_VALUES } from "../../src/apps/settings/read.js";
import { MAX_CONFIG_BYTES, MAX_CONFIG_LINES } from "../../src/config/files/file-access.js";
import { MAX_FILE_BYTES } from "../../src/config/files/file-content.js";
import { PIPE_PATIENCE_MS } from "../../src/config/files/pipe-reader.js";
import { MAX_EXPANSION_BYTES } from "../../src/config/model/variables.js";
import {
  MAX_EXPANDED_BYTES,
  MAX_EXPANDED_LINES,
  MAX_INCLUDE_DEPTH,
  MAX_REREAD_LINES,
  MAX_UNKNOWN_NAMES,
} from "../../src/config/reader/config-reader.js";
import { MAX_LINE_BYTES } from "../../src/config/reader/file-reader.js";
import { MAX_DIRECTORIES } from "../../src/config/reader/htaccess-discovery.js";
import { MAX_DIRECTORY_DEPTH, MAX_INCLUDED_PATHS } from "../../src/config/reader/include.js";
import { MAX_SECTION_DEPTH } from "../../src/config/reader/section-stack.js";
import { BASE_STEPS_PER_SECTION, STEPS_PER_SECTION_LINE } from "../../src/proof/clients/shadow-finder.js";
import {
  BASE_STEPS,
  EXPLORATIONS_PER_SHORT_RUN,
  MAX_FIX_STEPS,
  MAX_RUN_STEPS,
  MAX_STEPS,
  STEPS_PER_LINE,
} from "../../src/proof/model/budget.js";
import { MAX_NESTED_GROUPS } from "../../src/regex/pcre/ast.js";
import { MAX_CHARACTERS_READ } from "../../src/server/model/oracle.js";
import { MAX_MAP_DEPTH, MAX_MATCH_STEPS, MAX_VALUE_LENGTH } from "../../src/server/model/patterns.js";
import { MAX_CHARACTERS_PER_REQUEST } from "../../src/server/rewrite/engine.js";
import { withMarked } from "./marked-section.js";

const number = (value: number) => value.toLocaleString("en");
const seconds = (ms: number) => `${ms / 1000} seconds`;
const bytes = (value: number) => (value < 1 << 20 ? `${value >> 10} KB` : `${value >> 20} MB`);

/** Limits, their values, and the message when a limit is reached. */
const limits: readonly (readonly [input: string, limit: string, effect: string])[] = [
  ["a file", bytes(MAX_FILE_BYTES), "the file is not read; the Include or the given path is reported"],
  [
    "all files of a configuration",
    bytes(MAX_CONFIG_BYTES),
    "further files are not read; their Include lines are reported",
  ],
  ["all lines of a configuration", number(MAX_CONFIG_LINES), "the same"],
  ["a line", bytes(MAX_LINE_BYTES), "a finding; the limit is 8 KB in `.htaccess` files and on 2.2, as in the server"],
  ["a line of an access log", bytes(MAX_LOG_LINE_LENGTH), "the line is counted as unreadable"],
  ["a line after its variables are replaced", bytes(MAX_EXPANSION_BYTES), "a finding; the line is read as written"],
  ["lines that macros insert", number(MAX_EXPANDED_LINES), "a finding at the Use"],
  ["bytes that macros and variables insert", bytes(MAX_EXPANDED_BYTES), "a finding; later uses are not checked"],
  [
    "different unknown directives",
    number(MAX_UNKNOWN_NAMES),
    "a finding; the Include that exceeds the limit is not read further",
  ],
  ["nested Includes", number(MAX_INCLUDE_DEPTH), "a finding at the Include; the server has the same limit"],
  ["lines of files that are included more than once", number(MAX_REREAD_LINES), "a finding at the Include"],
  ["nested folders below an Include", number(MAX_DIRECTORY_DEPTH), "a finding; the server has the same limit"],
  ["files and folders that one Include finds", number(MAX_INCLUDED_PATHS), "a finding; the Include is not read"],
  ["folders searched for `.htaccess` files", number(MAX_DIRECTORIES), "a finding that names the line and the folder"],
  ["nested sections", number(MAX_SECTION_DEPTH), "a finding"],
  [
    "steps of a comparison, for all hosts together",
    number(MAX_STEPS),
    "unfinished hosts are listed, and nothing else is reported about them",
  ],
  [
    "steps of a comparison of short configurations",
    `${number(BASE_STEPS)}, and ${number(STEPS_PER_LINE)} for each line`,
    "the same",
  ],
  ["steps for access checks on their own, after those of a comparison", "a quarter of these", "the same"],
  [
    "steps of the search for lines without effect in one section",
    `${number(BASE_STEPS_PER_SECTION)}, and ${number(STEPS_PER_SECTION_LINE)} for each line`,
    "the other lines of the section count as effective",
  ],
  [
    "steps of all comparisons of `migrate`, or of a run that tries fixes",
    `${number(MAX_RUN_STEPS)}, and those of ${EXPLORATIONS_PER_SHORT_RUN} comparisons for short configurations`,
    "`migrate` refuses; the fix is not applied",
  ],
  ["steps of `check` to prove that fixes are safe", number(MAX_FIX_STEPS), "the other fixes count as unsafe"],
  ["nested parts of an expression", number(NESTING_LIMIT), "a finding"],
  ["nested groups of a pattern", number(MAX_NESTED_GROUPS), "the pattern is rejected, as by the server"],
  [
    "a value that variables, groups and functions build for a request",
    bytes(MAX_VALUE_LENGTH),
    "the answer is unknown",
  ],
  [
    "characters that patterns and expansions of mod_rewrite read for one request",
    number(MAX_CHARACTERS_PER_REQUEST),
    "the rules are not followed further",
  ],
  [
    "characters that all alternatives for unknown facts read for one request",
    number(MAX_CHARACTERS_READ),
    "the answer is unknown",
  ],
  ["nested maps in mod_rewrite", number(MAX_MAP_DEPTH), "the answer is unknown"],
  ["steps to match a pattern once", number(MAX_MATCH_STEPS), "the answer is unknown if the pattern can match"],
  ["a configuration file of httpd-lint", bytes(MAX_SETTINGS_BYTES), "the file is rejected; exit code 2"],
  ["names and values in it", number(MAX_SETTINGS_VALUES), "the same"],
  ["nested lists and objects in it", number(MAX_SETTINGS_DEPTH), "the same"],
  ["a journal of `migrate --recover`", bytes(MAX_JOURNAL_BYTES), "the journal is rejected; exit code 3"],
  [
    "a pipe that a flag or an argument names, without data",
    seconds(PIPE_PATIENCE_MS),
    "it is not read; exit code 2 or 3",
  ],
  ["a run of git", seconds(GIT_TIMEOUT_MS), "git is terminated; exit code 2"],
  [
    "a run of `getfattr`, `ls` or `cp`",
    seconds(ATTRIBUTE_TIMEOUT_MS),
    "the program is terminated, and its result counts as unknown",
  ],
  [
    "a run of `httpd -t`",
    seconds(CONFIG_TEST_TIMEOUT_MS),
    "the server is terminated, and the configuration counts as not tested",
  ],
  [
    "reported errors of a configuration file of httpd-lint",
    number(MAX_MISTAKES),
    "the number of further errors is reported",
  ],
];

/** Inserts the table of limits, generated from their constants. */
export function withLimits(page: string): string {
  const rows = limits.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  return withMarked(page, "limits", `| input | limit | beyond the limit |\n|---|---|---|\n${rows}`);
}
