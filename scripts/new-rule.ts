/** Creates a new rule: `npm run new-rule -- some-rule "A heading of a few words"`. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [id = "", title = ""] = process.argv.slice(2);

if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id) || title === "") {
  process.stderr.write('usage: npm run new-rule -- some-rule "A heading of a few words"\n');
  process.exitCode = 2;
} else if (existsSync(join("rules", id))) {
  process.stderr.write(`rules/${id} already exists\n`);
  process.exitCode = 2;
} else {
  create(id, title);
}

function create(id: string, title: string): void {
  const name = id.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const folder = join("rules", id);
  mkdirSync(folder);
  for (const [ending, text] of Object.entries({
    ts: source(id, name, title),
    md: page(id),
    "test.ts": test(id, name),
  })) {
    writeFileSync(join(folder, `${id}.${ending}`), text);
  }
  writeFileSync("rules/index.ts", insertRule(readFileSync("rules/index.ts", "utf8"), id, name));
  execFileSync("npx", ["biome", "check", "--write", folder, "rules/index.ts"], { stdio: "ignore" });
  process.stdout.write(
    `created and registered rules/${id}; \`npx vitest run rules/${id} test/rules\` shows what is missing\n`,
  );
}

/** Inserts the rule into the registry, in alphabetical order. */
function insertRule(index: string, id: string, name: string): string {
  const line = `import { ${name} } from "./${id}/${id}.js";`;
  const imports = index.match(/^import \{ \w+ \} from "\.\/.*$/gm) ?? [];
  const entries = index.match(/^ {2}\w+,$/gm) ?? [];
  const after = imports.findLast((each) => pathOf(each) < `./${id}/`);
  const withImport =
    after === undefined
      ? index.replace(imports[0] ?? "", `${line}\n${imports[0]}`)
      : index.replace(after, `${after}\n${line}`);
  const before = entries.find((each) => each.trim() > `${name},`);
  return before === undefined
    ? withImport.replace(/^\];$/m, `  ${name},\n];`)
    : withImport.replace(before, `  ${name},\n${before}`);
}

function pathOf(line: string): string {
  return /from "(.*)"/.exec(line)?.[1] ?? "";
}

function source(id: string, name: string, title: string): string {
  return `import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  wrong: {
    message: "\`ServerSignature\` is wrong",
    notes: ["the effect"],
    help: ["what to do"],
  },
};

export const ${name} = defineRule({
  id: "${id}",
  title: ${JSON.stringify(title)},
  group: "syntax",
  severity: "warning",
  description: "What the rule reports, in a sentence of at most 20 words.",
  help: "The effect and the remedy, in a few sentences.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => ({
    directives: {
      serversignature(directive) {
        report({ message: messages.wrong, span: directive.span });
      },
    },
  }),
});
`;
}

/** Returns the page: its headings and their order are those of all rule pages. */
function page(id: string): string {
  return `# ${id}

Reports …, in one or two sentences.

## Why it matters

What the server does, and the effect.

## Example

\`\`\`apache bad
ServerSignature On
\`\`\`

\`\`\`text
1:1: warning: \`ServerSignature\` is wrong
  note: the effect
  help: what to do
\`\`\`

Correct:

\`\`\`apache good
ServerTokens Prod
\`\`\`

## How to fix

What to do, and how to choose if there are several ways.

## See also

Manual: [Upgrading to 2.4 from 2.2](https://httpd.apache.org/docs/2.4/upgrading.html).

Rules: [changed-default](../changed-default/changed-default.md)
`;
}

function test(id: string, name: string): string {
  return `import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { ${name} } from "./${id}.js";

const found = (text: string) => findingsOf([${name}], text).map((finding) => finding.text);

test("reports …", () => {
  expect(found("ServerSignature On\\n")).toEqual(["ServerSignature On"]);
});

test("ignores a near miss", () => {
  expect(found("ServerTokens Prod\\n")).toEqual([]);
});
`;
}
