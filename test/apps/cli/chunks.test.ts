import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { ServerLinter, splitIntoChunks } from "../../../src/apps/cli/check/chunks.js";
import { type OpenedServer, openServer } from "../../../src/config/read-config.js";
import { toReadOptions } from "../../../src/config/read-entry.js";
import type { Finding } from "../../../src/lint/finding.js";
import { runRulesWithProofs } from "../../../src/lint/runner/lint.js";
import { compareByLocation, isFirstOccurrence } from "../../../src/lint/runner/run-rules.js";
import { installConfig } from "../../../src/startup/install-config.js";
import { plantTree } from "../../bench/htaccess-tree.js";
import { isDeep } from "../../support/depth.js";
import { inScratchFolder } from "../../support/programs/scratch-folder.js";

const ruleIds = defaultRules.map(({ id }) => id);

/** Returns the findings of a whole server, and of its chunks of a given size. */
function lintBothWays(
  main: string,
  size: number,
): { readonly whole: readonly string[]; readonly chunks: readonly string[] } {
  const server = openMain(main);
  const found = server.findHtaccess();
  if (found === undefined) throw new Error("not a server");
  const whole = runRulesWithProofs(installConfig(server.readWhole(found)), { rules: defaultRules, ruleIds }).findings;
  const paths = found.files.map(({ path }) => path);
  const linter = new ServerLinter(server, paths, defaultRules);
  const numbers = [...paths.keys()];
  const findings: Finding[] = [];
  for (let from = 0; from < numbers.length; from += size) {
    const linted = linter.lint(numbers.slice(from, from + size));
    if (linted.ok) findings.push(...linted.value.found.findings);
  }
  findings.push(...linter.lintMainFiles(found, new Map()).found.findings);
  return {
    whole: whole.map(describeFinding),
    chunks: findings.sort(compareByLocation).filter(isFirstOccurrence).map(describeFinding),
  };
}

function openMain(main: string): OpenedServer {
  const server = openServer(...toReadOptions(main, {}));
  if (!server.ok) throw new Error(server.error);
  return server.value;
}

function describeFinding({ rule, severity, message, span, related, witness }: Finding): string {
  const places = [span, ...related.map((each) => each.span)].map(
    ({ file, start, end }) => `${file.path}:${start}-${end}`,
  );
  return JSON.stringify([
    rule,
    severity,
    message,
    places,
    witness?.request,
    witness?.steps.map((step) => step.message),
  ]);
}

test.each([
  // Each file is read again with the files in its parent directories.
  [isDeep ? 200 : 100, 0, 1],
  [200, 0, 7],
  [200, 4, 7],
  [200, 40, 30],
])("%i files of %i virtual hosts in chunks of %i files have the findings of the whole server", (files, hosts, size) => {
  inScratchFolder((folder) => {
    const { main } = plantTree(folder, files, hosts);
    const { whole, chunks } = lintBothWays(main, size);
    expect(whole.length).toBeGreaterThan(50);
    expect(chunks).toEqual(whole);
  });
});

test("a chunk includes inherited files and rewrite targets", () => {
  inScratchFolder((folder) => {
    const files = {
      "www/.htaccess": "Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n",
      "www/a/.htaccess": "Require ip 192.0.2.0/24\n",
      "www/a/b/.htaccess":
        "RewriteEngine On\nRewriteRule ^(.*)$ /z/$1\nOrder allow,deny\nAllow from all\nRequire valid-user\n",
      "www/z/.htaccess": "Satisfy Any\nRequire ip 192.0.2.1\n",
      "www/z/y/.htaccess": "Requier all denied\n",
      "httpd.conf": `ServerRoot "${folder}"
ServerName localhost
DocumentRoot "${folder}/www"
<Directory "${folder}/www">
    AllowOverride All
    Require all granted
</Directory>
<Location "/z">
    Require valid-user
</Location>
<Files "x.html">
    Satisfy Any
</Files>
`,
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { whole, chunks } = lintBothWays(join(folder, "httpd.conf"), 1);
    expect(whole.some((each) => each.includes("compat-precedence"))).toBe(true);
    expect(chunks).toEqual(whole);
  });
});

test("chunks contain all files in order, and more files if the main files are large", () => {
  const numbers = Array.from({ length: 1_001 }, (_, number) => number);
  expect(splitIntoChunks(numbers, 100).map(({ length }) => length)).toEqual([250, 250, 250, 250, 1]);
  expect(splitIntoChunks(numbers, 10_000).map(({ length }) => length)).toEqual([500, 500, 1]);
  expect(splitIntoChunks(numbers, 10_000).flat()).toEqual(numbers);
});
