import { expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import type { Project } from "../../../src/config/model/project.js";
import type { Release } from "../../../src/facts/release.js";
import { lint } from "../../../src/lint/runner/lint.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { corpus, corpusTitle } from "../../support/corpus.js";

/** Files of servers from the time of 2.2. */
const namesOf22 = /rhel__5|debian__7|apache_?2\.2|conf_files_2\.2|CentOS6|httpd-2\.2|TuxLite|gentoo_apache/i;
const files = corpus.filter(({ name }) => namesOf22.test(name));

function projectOf(path: string, release: Release): Project {
  const loaded = loadProject(path, { release });
  if (!loaded.ok) throw new Error(`${path}: ${loaded.error}`);
  return loaded.value;
}

/** Number of findings per rule. They were reviewed one by one when a count was last updated. */
test.skipIf(files.length === 0)(corpusTitle("the findings in public files from the time of 2.2"), async () => {
  const lines = files.flatMap(({ name, path }) => {
    const before = () => projectOf(path, "2.2");
    const { findings } = lint(projectOf(path, "2.4"), { rules: defaultRules, from: "2.2", before });
    const counts = new Map<string, number>();
    for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
    return [...counts].sort().map(([rule, count]) => `${name} ${rule} ${count}\n`);
  });
  await expect(lines.join("")).toMatchFileSnapshot("corpus-counts.txt");
});
