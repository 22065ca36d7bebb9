import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import type { Answer } from "../../src/server/model/answer.js";
import type { FileTree } from "../../src/server/model/file-tree.js";
import { readCases } from "../conformance/conformance.js";
import { loadCase } from "../support/cases/recorded-cases.js";

const folder = join(import.meta.dirname, "../conformance/truth");

function answerText({ status, log }: Pick<Answer, "status" | "log">): string {
  return [status, ...log].join(" ");
}

/** Makes the files below the document roots unknown. */
function withoutDocuments(files: FileTree): FileTree {
  return { ...files, kindOf: (path) => (/\/(htdocs|other)(\/|$)/.test(path) ? "unknown" : files.kindOf(path)) };
}

describe("the possible results include the server's if files are unknown", () => {
  test.each(["2.4-mixed.jsonl", "2.4-new.jsonl", "2.4-extras.jsonl", "2.2-old.jsonl"])("%s", (name) => {
    const cases = readCases(join(folder, name)).filter(
      ({ startup }, index) => startup === undefined && index % 10 === 0,
    );
    for (const each of cases) {
      const { project, files } = loadCase(each);
      const unsure = new SimulatedServer(project, withoutDocuments(files));
      for (const request of each.requests) {
        const decision = unsure.answer(request);
        const answers = decision.alternatives.length > 0 ? decision.alternatives : [decision];
        const expected = answerText(new SimulatedServer(project, files).answer(request));
        expect(answers.map(answerText), `${each.id}: ${JSON.stringify(request)}`).toContain(expected);
        expect(decision.alternatives.length > 0).toBe(decision.unknown.length > 0);
      }
    }
  });
});
