import { readFileSync } from "node:fs";
import type { Log } from "sarif";
import { describe, expect, test } from "vitest";
import { print } from "../grammar/ast.js";
import { parseFile } from "../grammar/parser.js";
import { defaultRules } from "../rules/index.js";
import { version } from "../src/apps/package-files.js";
import { lintWithoutProofs } from "../src/lint/runner/lint.js";
import { render } from "../src/report/index.js";
import { loadProject } from "../src/startup/load-project.js";
import { fromBytes, toBytes } from "../src/text/bytes.js";
import { sarifValidator } from "./report/sarif-schema.js";
import { corpus, corpusFolder, corpusTitle } from "./support/corpus.js";
import { sampleOf } from "./support/depth.js";
import { githubComplaints } from "./support/programs/github-sarif.js";

describe.skipIf(corpus.length === 0)(corpusTitle("the public files"), () => {
  test.each(corpus.map((file) => [file.name, file.path] as const))("are printed back byte for byte: %s", (_, path) => {
    const bytes = readFileSync(path);
    const tree = parseFile({ path, realPath: path, text: fromBytes(bytes) });
    expect(toBytes(print(tree)).equals(bytes)).toBe(true);
    expect(() => tree.nodes).not.toThrow();
  });

  test.each(["2.2", "2.4"] as const)("are linted for %s, and GitHub accepts their SARIF", (release) => {
    const validate = sarifValidator();
    for (const { name, path } of sampleOf(corpus, 2)) {
      const loaded = loadProject(path, { release });
      if (!loaded.ok) throw new Error(`${name}: ${loaded.error}`);
      const result = lintWithoutProofs(loaded.value, { rules: defaultRules, from: "2.2" });
      const input = { ...result, rules: defaultRules, version, base: corpusFolder };
      const log: Log = JSON.parse([...render("sarif", input)].join(""));
      if (validate)
        expect({ name, valid: validate(log), errors: validate.errors }).toEqual({ name, valid: true, errors: null });
      expect({ name, complaints: githubComplaints(log) }).toEqual({ name, complaints: [] });
      for (const format of ["text", "json", "github"] as const) expect(() => [...render(format, input)]).not.toThrow();
    }
  });
});
