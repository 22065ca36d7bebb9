import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { corpus, corpusTitle } from "../support/corpus.js";
import { findingsOf } from "../support/rules.js";

/** Files with the directives that well-known applications install. */
const folder = "test/fixtures/stock-htaccess";

test.each(readdirSync(folder))("the .htaccess file of %s has no warning", (name) => {
  const findings = findingsOf(defaultRules, readFileSync(join(folder, name), "latin1"), { kind: "htaccess" });
  expect(findings.filter(({ severity }) => severity !== "info").map(({ rule, at }) => `${rule} ${at}`)).toEqual([]);
});

const installed = /(?:drupal|joomla|laravel|magento|mediawiki|nextcloud|symfony|wordpress).*htaccess/i;
const files = corpus.filter(({ name, isHtaccess }) => isHtaccess && installed.test(name));

describe.skipIf(files.length === 0)(corpusTitle("public .htaccess files of applications"), () => {
  test.each(files.map(({ name, path }) => [name, path] as const))(
    "%s has no correctness finding above info",
    (_, path) => {
      const loaded = loadProject(path, { kind: "htaccess" });
      if (!loaded.ok) throw new Error(loaded.error);
      const { findings } = lintWithoutProofs(loaded.value, {
        rules: defaultRules.filter(({ group }) => group === "correctness"),
      });
      expect(findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule)).toEqual([]);
    },
  );
});
