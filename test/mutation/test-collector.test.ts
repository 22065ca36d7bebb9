import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Collector } from "./test-collector.js";
import { testsOfMutants } from "./tests.js";

const provided = new Set([...Object.keys(new Collector().functions), "expect"]);

test("the tests that run on mutants import only functions of vitest that the collector provides", () => {
  const missing = testsOfMutants(".").flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const [, names = ""] = /import \{([^}]*)\} from "vitest"/.exec(text) ?? [];
    // vitest's own runner provides these members of `expect`.
    const members = text.match(/\bexpect\.(?:soft|poll)\b/g) ?? [];
    const used = [...names.split(",").map((name) => name.trim()), ...members];
    return used.filter((name) => name !== "" && !provided.has(name)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});
