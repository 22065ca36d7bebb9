import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createAssumedFiles, diskFiles } from "../../src/server/file-trees.js";
import { createListedFiles, type FileTree } from "../../src/server/model/file-tree.js";
import {
  groupByPath,
  negotiationCases,
  negotiationFiles,
  negotiationLines,
  negotiationModules,
  requestOf,
  servedName,
} from "../support/cases/negotiation-cases.js";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { RECORDED_DOCUMENTS, recordedServer } from "../support/httpd/recorded-server.js";

/** The responses of 2.4, recorded and verified against the running server by test/live/negotiation.live.test.ts. */
const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "negotiation-answers.json"), "utf8"),
);

const files = {
  ...Object.fromEntries(
    Object.entries(negotiationFiles).map(([path, text]) => [`${RECORDED_DOCUMENTS}/${path}`, text]),
  ),
  [`${CASE_ROOT}/users`]: "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n",
};
const server = recordedServer(negotiationModules, negotiationLines, files);
const disk = diskFiles(memoryAccess(files));

function decideAll(tree: FileTree, isIncluded: (path: string) => boolean = () => true) {
  const simulatedServer = new SimulatedServer(server, tree);
  return negotiationCases()
    .filter(({ path }) => isIncluded(path))
    .map((each) => [each.path, simulatedServer.answer(requestOf(each))] as const);
}

describe("negotiation", () => {
  test("is recorded for each path", () => {
    expect(Object.keys(recorded)).toEqual([...new Set(negotiationCases().map(({ path }) => path))]);
  });

  test.each(Object.entries(recorded))("has the recorded results for %s", (recordedPath, results) => {
    const expected = results.split("; ");
    const answers = decideAll(disk, (path) => path === recordedPath).map(
      ([path, decision]): readonly [string, string] => {
        const { status, log, unknown } = decision;
        // The server names the file only in some responses.
        const isNamed = / [a-z]/.test(expected.shift() ?? "");
        return [path, [status, ...log, ...unknown, ...(isNamed ? [servedName(decision)] : [])].join(" ")];
      },
    );
    expect(groupByPath(answers)).toEqual({ [recordedPath]: results });
  });

  test("is unknown if the directory cannot be listed", () => {
    const [first] = decideAll(createAssumedFiles(server), (path) => path === "/types/a");
    const unknown = [`whether MultiViews finds a file for \`${RECORDED_DOCUMENTS}/types/a\``];
    expect(first?.[1]).toMatchObject({ status: undefined, class: "unknown", unknown });
  });

  test("depends on the lengths of files that cannot be read", () => {
    const listed = createListedFiles(Object.keys(files));
    const tree = {
      ...disk,
      ...listed,
      textOf: (path: string) => (path.endsWith("mime.types") ? disk.textOf?.(path) : undefined),
    };
    const [first] = decideAll(tree, (path) => path === "/languages/a.html");
    expect(first?.[1]).toMatchObject({ status: 200, unknown: [] });
    const [map] = decideAll(tree, (path) => path === "/maps/a.var");
    expect(map?.[1].unknown).toEqual([`the content of the type map \`${RECORDED_DOCUMENTS}/maps/a.var\``]);
  });
});
