import { allRules } from "../../../../rules/index.js";
import { describeFormerRule, formerRules } from "../../../lint/former-rules.js";
import { listReferences } from "../../../lint/references.js";
import type { RuleDefinition } from "../../../lint/rule.js";
import { allRulesName, isEnabledByDefault, partitionByGroup, ruleGroups } from "../../../lint/rule-groups.js";
import { type OutputFormat, outputFormats, type Renderers } from "../../../report/formats.js";
import type { rulesOutput } from "../../../report/schema/findings.js";
import type { JsonOf } from "../../../report/schema/parts.js";
import { renderMarkdownText } from "../../../report/text/terminal-markdown.js";
import { findRuleUrl, readRulePage, version } from "../../package-files.js";
import { formatFlag } from "../inputs/flags.js";
import { describeUnknownRule } from "../inputs/rule-names.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { type OutputStyle, type OutputStyleFlags, outputStyleOf } from "../output/terminal.js";
import { defineCommand } from "./command.js";
import { colorFlag, outputFlag } from "./shared-flags.js";

interface RulesFlags extends OutputStyleFlags {
  readonly id?: string | undefined;
  readonly format: OutputFormat<"rules">;
}

export const rulesCommand = defineCommand({
  describe: "List the rules, or those of a group, or show the page of one",
  arguments: {
    id: {
      type: "string",
      words: [...ruleGroups, ...allRules.map(({ id }) => id)],
      describe: "Rule to show, or group to list (default: list all)",
    },
  },
  flags: { format: formatFlag(outputFormats.rules), output: outputFlag, color: colorFlag },
  handler: (flags) => showRules(flags),
});

/** Lists the rules, all or those of a group, or shows the page of one. */
function showRules(flags: RulesFlags): CommandResult {
  const { id, format } = flags;
  const isAll = id === undefined || id === allRulesName;
  const listed = isAll ? allRules : allRules.filter(({ group }) => group === id);
  if (isAll || listed.length > 0)
    return { output: [listRenderers[format](listed)], notes: [], exitCode: exitCodes.clean };
  const successor = formerRules.get(id);
  const rule = allRules.find((each) => each.id === (successor ?? id));
  if (rule === undefined) return createFailure(exitCodes.usage, describeUnknownRule(id));
  const shown = pageRenderers[format](rule, loadRulePage(rule.id), outputStyleOf(flags));
  const notes = successor === undefined ? [] : [`httpd-lint: ${describeFormerRule(id, successor)}`];
  return { output: [shown], notes, exitCode: exitCodes.clean };
}

const listRenderers: Renderers<"rules", (listed: readonly RuleDefinition[]) => string> = {
  text(listed) {
    const width = Math.max(...listed.map((rule) => rule.id.length));
    return partitionByGroup(listed)
      .map(({ group, title, rules }) => {
        const lines = rules.map((rule) => `  ${rule.id.padEnd(width)}  ${rule.severity.padEnd(7)}  ${rule.title}\n`);
        return `${title} (${group}):\n${lines.join("")}`;
      })
      .join("\n");
  },
  markdown: (listed) =>
    [
      "| group | rule | severity | title |",
      "|---|---|---|---|",
      ...partitionByGroup(listed).flatMap(({ group, rules }) =>
        rules.map(({ id, severity, title }) => `| ${group} | ${id} | ${severity} | ${title} |`),
      ),
      "",
    ].join("\n"),
  json: (listed) => renderRulesJson(listed.map(describeRule)),
};

const pageRenderers: Renderers<"rules", (rule: RuleDefinition, page: string, style: OutputStyle) => string> = {
  text(rule, page, { colour, width }) {
    const url = findRuleUrl(rule.id, process.env);
    const address = url === undefined ? "" : `\nWeb page: ${url}\n`;
    return renderMarkdownText(`${page}${renderReferences(rule)}${address}`, {
      colour,
      ...(width === undefined ? {} : { width }),
    });
  },
  markdown: (_, page) => page,
  json: (rule, page) => renderRulesJson([{ ...describeRule(rule), page }]),
};

/** Returns the end of a page as Markdown: the references of the rule, if it has any. */
function renderReferences({ references }: RuleDefinition): string {
  const listed = listReferences(references).map(({ text }) => text);
  return listed.length === 0 ? "" : `\nReferences: ${listed.join(", ")}.\n`;
}

/** The facts about a rule for programs. */
type RuleJson = JsonOf<typeof rulesOutput>["rules"][number];

function describeRule(rule: RuleDefinition): RuleJson {
  const { id, group, severity, title, description, help, tags = [], references = {}, upgradeOnly = false } = rule;
  return {
    ...{ id, group, severity, title, description, help, tags, references, upgradeOnly },
    isDefault: isEnabledByDefault(rule),
    url: findRuleUrl(id, process.env),
  };
}

/** Renders rules in the format of `rules.schema.json`. */
function renderRulesJson(rules: readonly RuleJson[]): string {
  const whole: JsonOf<typeof rulesOutput> = { version, rules };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

function loadRulePage(id: string): string {
  const page = readRulePage(id);
  if (page === undefined) throw new Error(`the page of the rule ${id} is missing from the package`);
  return page;
}
