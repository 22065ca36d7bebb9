/**
 * Generates content from the program itself. It writes the output blocks and tables in README.md and docs/, the catalogue
 * docs/rules.md, docs/messages.md, docs/cis.md, docs/coverage.md, docs/directives.md, docs/versions.md, the JSON schemas of all outputs, of the configuration file and of expectations, the manual page,
 * and the completion scripts.
 * With `--check` nothing is written, and the exit code indicates whether anything is stale.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { allRules } from "../rules/index.js";
import { createExpectationsSchema } from "../src/apps/cli/inputs/expectations-shape.js";
import { createSettingsSchema } from "../src/apps/settings/shape.js";
import { formerRules } from "../src/lint/former-rules.js";
import { listReferences, referenceCatalogues } from "../src/lint/references.js";
import { listChecks, type RuleDefinition } from "../src/lint/rule.js";
import { partitionByGroup } from "../src/lint/rule-groups.js";
import { createOutputSchemas } from "../src/report/schema/index.js";
import { isSuppliedByRequest, modelledProviders } from "../src/server/access/provider-checks.js";
import { knownProviders } from "../src/server/access/providers.js";
import { coverage, type Fact, type Facts } from "../test/lint/upgrade-facts/index.js";
import { ensureBuilt, httpdLint } from "../test/support/programs/command.js";
import { renderBashCompletion } from "./completions/bash.js";
import { listCommandWords } from "./completions/command-words.js";
import { renderElvishCompletion } from "./completions/elvish.js";
import { renderFishCompletion } from "./completions/fish.js";
import { renderPowershellCompletion } from "./completions/powershell.js";
import { renderZshCompletion } from "./completions/zsh.js";
import { manPage } from "./man-page.js";
import { cisPage } from "./pages/cis.js";
import { withBound } from "./pages/comparison-budget.js";
import { directiveEffectsPage } from "./pages/directive-effects.js";
import { withFormatSamples } from "./pages/format-samples.js";
import { withFuzzResults } from "./pages/fuzz-results.js";
import { withInstallTimes } from "./pages/install-times.js";
import { withLimits } from "./pages/limits.js";
import { liveDirectivesSection } from "./pages/live-directives.js";
import { withMarked } from "./pages/marked-section.js";
import { messagesPage } from "./pages/messages.js";
import { withMutants } from "./pages/mutants.js";
import { withSessions } from "./pages/sessions.js";
import { versionChangesPage } from "./pages/version-changes.js";

const block = /(<!-- output: httpd-lint ([^\n]*?) -->\n)[\s\S]*?(<!-- \/output -->)/g;

/** Fills each marked block of a page with the output of the built command. */
function withOutput(page: string): string {
  return page.replace(block, (_, open: string, args: string, close: string) => {
    const { stdout, stderr, status } = httpdLint(args.split(" "), { env: { NO_COLOR: "1" } });
    if (stdout === "") throw new Error(`\`httpd-lint ${args}\` printed nothing (exit code ${status}): ${stderr}`);
    return `${open}\`\`\`console\n$ httpd-lint ${args}\n${stdout.trimEnd()}\n\`\`\`\n${close}`;
  });
}

/** Inserts the table of Require words, with their support by the simulator. */
function withProviders(page: string): string {
  const others = knownProviders.filter((word) => !modelledProviders.includes(word));
  const rowOf = (support: string, words: readonly string[]) =>
    `| ${support} | ${words.map((word) => `\`${word}\``).join(", ")} |\n`;
  const rows = [
    rowOf("modelled", modelledProviders),
    rowOf("given `--grants`", others.filter(isSuppliedByRequest)),
    rowOf(
      "unknown",
      others.filter((word) => !isSuppliedByRequest(word)),
    ),
    "| as the provider that it names | the name of an AuthzProviderAlias |\n",
    "| unknown | any other |\n",
  ];
  return withMarked(page, "providers", `| support | words |\n|---|---|\n${rows.join("")}`);
}

/** Inserts the table of rules that do not apply to parts of a server. */
function withWholeServerRules(page: string): string {
  const rows = allRules
    .flatMap(listChecks)
    .flatMap(({ id, needsWholeServer: need }) =>
      need ? [`| [${id}](../rules/${id}/${id}.md) | ${need.part ?? "all its findings"} | ${need.reason} |\n`] : [],
    );
  return withMarked(page, "whole-server-rules", `| rule | does not report | reason |\n|---|---|---|\n${rows.join("")}`);
}

function catalogue(rules: readonly RuleDefinition[]): string {
  const ranks = { error: 0, warning: 1, info: 2 };
  const rowOf = (rule: RuleDefinition) => {
    const link = `[${rule.id}](../rules/${rule.id}/${rule.id}.md)`;
    const references = listReferences(rule.references).map(({ text }) => text);
    return `| ${[link, rule.severity, rule.title, rule.description, references.join(", ")].map(cell).join(" | ")} |\n`;
  };
  const catalogues = referenceCatalogues.map(
    ({ name, organization, title, url, edition }) =>
      `- ${name}: ${organization}, [${title}](${url})${edition === undefined ? "" : `, version ${edition}`}`,
  );
  const parts = partitionByGroup(rules).map(({ group, title, rules: own }) => {
    const sorted = [...own].sort((a, b) => ranks[a.severity] - ranks[b.severity] || (a.id < b.id ? -1 : 1));
    return `## ${title}\n\nGroup: \`${group}\`\n\n| rule | severity | title | description | references |\n|---|---|---|---|---|\n${sorted.map(rowOf).join("")}`;
  });
  return `# Rules

<!-- Generated by \`npm run generate\` from the rules themselves; do not edit. -->

\`httpd-lint rules\` prints this list, \`httpd-lint rules GROUP\` a part of it, and \`httpd-lint rules ID\` the page of one rule. \`--select\` and \`--disable\` choose
rules, by their names or the names of their groups. Rules of the group \`hardening\` run only if they are selected:
\`--extend-select hardening\`. To suppress one finding, add a comment before the line:
\`# httpd-lint-ignore-next-line ID reason\`; before a section: \`# httpd-lint-ignore-next-section ID reason\`. [Other ways](suppress.md)

- **error**: httpd does not start, a request returns 500, or a client is allowed that should not be.
- **warning**: httpd does something other than the configuration suggests.
- **info**: advice.

If several rules apply to one cause, the most specific one reports it.

References:

${catalogues.join("\n")}

${parts.join("\n")}
## Former rules

These rules of the previous version are parts of other rules now. This version still accepts their ids in flags, in the configuration
file, in comments and in baselines, for the findings that they had.

| former rule | rule |
|---|---|
${[...formerRules].map(([id, rule]) => `| \`${id}\` | [${rule}](../rules/${rule}/${rule}.md) |\n`).join("")}`;
}

/** Returns the page of the known differences between 2.2 and 2.4, each with the rule that reports it. */
function coveragePage(all: readonly Facts[]): string {
  const rowOf = ({ fact, treatment }: Fact) =>
    `| ${cell(fact).replaceAll("<", "&lt;")} | ${"by" in treatment ? `[${treatment.by}](../rules/${treatment.by}/${treatment.by}.md)` : `${treatment.because}: ${cell(treatment.why)}`} |\n`;
  const parts = all.map(({ title, facts }) => {
    const count = facts.filter(({ treatment }) => "by" in treatment).length;
    return `## ${title}\n\nRules report ${count} of ${facts.length}.\n\n| difference | rule, or reason for none |\n|---|---|\n${facts.map(rowOf).join("")}`;
  });
  return `# Upgrade coverage

<!-- Generated by \`npm run generate\` from test/lint/upgrade-facts; do not edit. -->

This page lists all known differences between 2.2 and 2.4, each with the rule that reports it. Tests run each rule on an
example. If no rule reports a difference, the table gives the reason.

${parts.join("\n")}`;
}

/** Escapes text for a table cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Formats a JSON schema as the other files of the repository. */
function formatSchema(schema: object): string {
  const args = ["format", "--stdin-file-path=any.schema.json"];
  return execFileSync("node_modules/.bin/biome", args, { input: JSON.stringify(schema), encoding: "utf8" });
}

ensureBuilt();
const commandWords = listCommandWords();
const generated = new Map([
  ["README.md", withSessions(readFileSync("README.md", "utf8"))],
  ["docs/check.md", withOutput(readFileSync("docs/check.md", "utf8"))],
  ["docs/explain.md", withOutput(readFileSync("docs/explain.md", "utf8"))],
  ["docs/simulator.md", withProviders(readFileSync("docs/simulator.md", "utf8"))],
  ["docs/test.md", withOutput(readFileSync("docs/test.md", "utf8"))],
  ["docs/compare.md", withOutput(readFileSync("docs/compare.md", "utf8"))],
  ["docs/map.md", withOutput(readFileSync("docs/map.md", "utf8"))],
  ["docs/audit.md", withOutput(readFileSync("docs/audit.md", "utf8"))],
  ["docs/upgrade.md", withOutput(readFileSync("docs/upgrade.md", "utf8"))],
  ["docs/migrating.md", withSessions(readFileSync("docs/migrating.md", "utf8"))],
  ["docs/migrate-answers.md", withSessions(readFileSync("docs/migrate-answers.md", "utf8"))],
  ["docs/migrate-intent.md", withSessions(readFileSync("docs/migrate-intent.md", "utf8"))],
  ["docs/migrate-refused.md", withSessions(readFileSync("docs/migrate-refused.md", "utf8"))],
  ["docs/migrate-write.md", withSessions(readFileSync("docs/migrate-write.md", "utf8"))],
  ["docs/tutorial-ubuntu.md", withSessions(readFileSync("docs/tutorial-ubuntu.md", "utf8"))],
  ["docs/fixing.md", withSessions(readFileSync("docs/fixing.md", "utf8"))],
  ["docs/settings.md", withSessions(readFileSync("docs/settings.md", "utf8"))],
  ["docs/hardening.md", withBound(withLimits(readFileSync("docs/hardening.md", "utf8")))],
  ["docs/fuzzing.md", withFuzzResults(withMutants(readFileSync("docs/fuzzing.md", "utf8")))],
  ["docs/dependencies.md", withInstallTimes(readFileSync("docs/dependencies.md", "utf8"))],
  ["docs/fragments.md", withWholeServerRules(readFileSync("docs/fragments.md", "utf8"))],
  ["docs/formats.md", withFormatSamples(readFileSync("docs/formats.md", "utf8"))],
  ["docs/rules.md", catalogue(allRules)],
  ["docs/messages.md", messagesPage(allRules)],
  ["docs/cis.md", cisPage(allRules)],
  ["docs/coverage.md", coveragePage(coverage)],
  ["docs/directives.md", directiveEffectsPage() + liveDirectivesSection()],
  ["docs/versions.md", versionChangesPage()],
  ["man/httpd-lint.1", manPage()],
  ["completions/httpd-lint.bash", renderBashCompletion(commandWords)],
  ["completions/httpd-lint.zsh", renderZshCompletion(commandWords)],
  ["completions/httpd-lint.fish", renderFishCompletion(commandWords)],
  ["completions/httpd-lint.powershell", renderPowershellCompletion(commandWords)],
  ["completions/httpd-lint.elvish", renderElvishCompletion(commandWords)],
  ["src/apps/settings/schema/settings.schema.json", formatSchema(createSettingsSchema(allRules))],
  ["src/report/schema/expectations.schema.json", formatSchema(createExpectationsSchema())],
  ...[...createOutputSchemas()].map(
    ([name, schema]) => [`src/report/schema/${name}.schema.json`, formatSchema(schema)] as const,
  ),
]);
const checking = process.argv.includes("--check");
for (const [path, text] of generated) {
  if (readIfPresent(path) === text) continue;
  if (checking) {
    process.stderr.write(`${path} is stale; run \`npm run generate\`\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    process.stdout.write(`wrote ${path}\n`);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
