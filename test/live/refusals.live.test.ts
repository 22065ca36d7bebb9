import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { quoteArgument } from "../../grammar/arguments.js";
import { findPatternError } from "../../src/regex/pcre/compile-error.js";
import { randomPattern } from "../regex/pcre/random-pattern.js";
import { randomDirective } from "../startup/random-directive.js";
import { linesOfValues, namesWithValues, startupLines, startupModules } from "../support/cases/startup-lines.js";
import { isRecording, runCount, sampleOf, seedOr } from "../support/depth.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { type Verdicts, verdictsOn } from "../support/httpd/startup-verdicts.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";
import { Random } from "../support/random/random.js";

const count = runCount(20, 300);
const seed = seedOr(20260302);

/** Tests lines, which are separated by pilcrows. Lines of messages count from the first of them. */
function testLines(folder: string, lines: string): Verdicts {
  const head = `${loadModules(startupModules)}ServerName x.test\nErrorLog /dev/null\nServerRoot "${folder}"\n`;
  const { server, ours } = verdictsOn(folder, `${head}${lines.replaceAll("¶", "\n")}\n`);
  const before = head.split("\n").length - 1;
  const fromFirst = (verdict: string) =>
    verdict.replace(/^AH00526 (\d+)/, (_, line: string) => `AH00526 ${Number(line) - before}`);
  // The available mechanisms depend on the system.
  return { server: fromFirst(server.replace(/ \(Mutex mechanisms are: .*/, "")), ours: fromFirst(ours) };
}

/** The server's verdicts by line, used in test/startup/startup-verdicts.test.ts; HTTPD_LINT_RECORD=1 records them again. */
const recordPath = join(import.meta.dirname, "../startup/startup-verdicts.json");
const recorded: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(recordPath, "utf8"),
);

describe.skipIf(!httpd)(liveTitle("rejected lines have the server's messages, and accepted lines have none"), () => {
  const topics = new Map<string, readonly string[]>(
    Object.entries(startupLines).map(([topic, lines]) => [topic, lines.trim().split("\n")]),
  );
  for (const name of namesWithValues) topics.set(name, linesOfValues(name));

  describe.each([...topics])("%s", (topic, lines) => {
    test.each(sampleOf(lines, 12))("%s", (line) => {
      const { server, ours } = inScratchFolder((folder) => testLines(folder, line));
      expect({ line, answer: ours }).toEqual({ line, answer: server });
      if (!isRecording) expect({ line, answer: recorded[topic]?.[line] }).toEqual({ line, answer: server });
      answers.set(topic, { ...answers.get(topic), [line]: server });
    });
  });

  const answers = new Map<string, Readonly<Record<string, string>>>();
  afterAll(() => {
    if (isRecording) writeFileSync(recordPath, `${JSON.stringify(Object.fromEntries(answers), undefined, 1)}\n`);
  });

  // The server lists the alternatives in no fixed order.
  test.each(["shm:/x", "dbm:/x", "Shmcb:/x", "none", "shmcb:/x(512000)"])("SSLSessionCache %s", (kind) => {
    const { server, ours } = inScratchFolder((folder) => testLines(folder, `SSLSessionCache ${kind}`));
    expect(server.replace(/ \(known names.*/, "")).toBe(ours);
  });

  test(`${count} random lines`, { timeout: 3_600_000 }, () => {
    const random = new Random(seed);
    let rejected = 0;
    inScratchFolder((folder) => {
      for (let done = 0; done < count; done++) {
        const line = randomDirective(random);
        const { server, ours } = testLines(folder, line);
        expect({ line, answer: ours }).toEqual({ line, answer: server });
        if (server !== "accepted") rejected++;
      }
    });
    expect(rejected).toBeGreaterThan(count / 4);
    expect(rejected).toBeLessThan((count * 9) / 10);
  });

  test(`reports no error for a pattern that compiles, in ${count} random patterns`, { timeout: 3_600_000 }, () => {
    const random = new Random(seed);
    const tally = { rejected: 0, predicted: 0 };
    inScratchFolder((folder) => {
      for (let done = 0; done < count; done++) {
        const pattern = randomPattern(random);
        const line = `<FilesMatch ${quoteArgument(pattern)}>¶</FilesMatch>`;
        const { server } = testLines(folder, line);
        const error = findPatternError(pattern);
        if (server !== "accepted") tally.rejected++;
        if (error === undefined) continue;
        tally.predicted++;
        expect({ pattern, error, server }).toMatchObject({
          server: expect.stringContaining("Regex could not be compiled"),
        });
      }
    });
    process.stdout.write(
      `the server rejects ${tally.rejected} of ${count} random patterns, and we predict ${tally.predicted}\n`,
    );
    expect(tally.predicted).toBeGreaterThan(tally.rejected / 2);
  });
});
