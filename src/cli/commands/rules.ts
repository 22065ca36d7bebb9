import { defaultRules } from "../../../rules/index.js";
import { readRulePage } from "../../linter/package-files.js";
import { findClosestWord } from "../../text/closest-word.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { defineCommand } from "./command.js";

export const rulesCommand = defineCommand({
  command: "rules [id]",
  describe: "list the rules, or show the page of one",
  builder: (command) => command.positional("id", { type: "string", describe: "a rule" }),
  handler: ({ id }) => showRules(id),
});

/** Lists the rules, or shows the page of one. */
function showRules(id: string | undefined): CommandResult {
  if (id === undefined) return { output: [renderRuleList()], notes: [], exitCode: exitCodes.clean };
  const rule = defaultRules.find((each) => each.id === id);
  if (rule === undefined) {
    const near = findClosestWord(
      id,
      defaultRules.map((each) => each.id),
    );
    return createFailure(
      exitCodes.usage,
      `there is no rule \`${id}\`${near ? `, did you mean \`${near}\`` : ""}; \`httpd-lint rules\` lists them`,
    );
  }
  return { output: [loadRulePage(rule.id)], notes: [], exitCode: exitCodes.clean };
}

function renderRuleList(): string {
  const width = Math.max(...defaultRules.map((rule) => rule.id.length));
  return defaultRules.map((rule) => `${rule.id.padEnd(width)}  ${rule.severity.padEnd(7)}  ${rule.title}\n`).join("");
}

function loadRulePage(id: string): string {
  const page = readRulePage(id);
  if (page === undefined) throw new Error(`the page of the rule ${id} is missing from the package`);
  return page;
}
