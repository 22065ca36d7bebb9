import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createAssumedFiles, diskFiles } from "../../src/server/file-trees.js";
import type { FileTree } from "../../src/server/model/file-tree.js";
import {
  spellingFiles,
  spellingLines,
  spellingMethods,
  spellingModules,
  spellingModulesFirst,
  spellingPaths,
} from "../support/cases/spelling-cases.js";
import { RECORDED_DOCUMENTS, recordedServer } from "../support/httpd/recorded-server.js";

/** The statuses of 2.4, recorded and verified against the running server by test/live/spelling.live.test.ts. */
const recorded: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "spelling-answers.json"), "utf8"),
);

const files = Object.fromEntries(
  Object.entries(spellingFiles).map(([path, text]) => [`${RECORDED_DOCUMENTS}/${path}`, text]),
);
const disk = diskFiles(memoryAccess(files));

function decide(path: string, method: string, simulatedServer: SimulatedServer) {
  const [bare = "", query] = path.split("?");
  return simulatedServer.answer({
    path: bare,
    method,
    clientIp: "127.0.0.1",
    ...(query === undefined ? {} : { query }),
  });
}

describe("CheckSpelling", () => {
  test.each([
    ["after mod_dir", "last", spellingModules],
    ["before mod_dir", "first", spellingModulesFirst],
  ])("has the recorded results %s", (_, order, modules) => {
    const simulatedServer = new SimulatedServer(recordedServer(modules, spellingLines, files), disk);
    const answers = spellingPaths.map((path) => {
      const statuses = spellingMethods.map((method) => {
        const { status, unknown } = decide(path, method, simulatedServer);
        return [status, ...unknown].join(" ");
      });
      return [path, statuses.join(" ")];
    });
    expect(Object.fromEntries(answers)).toEqual(recorded[order]);
  });

  test("depends on unknown facts if the directory cannot be listed", () => {
    const server = recordedServer(spellingModules, spellingLines, files);
    const assumed: FileTree = { ...createAssumedFiles(server), kindOf: disk.kindOf };
    const decision = decide("/on/Document.html", "GET", new SimulatedServer(server, assumed));
    const file = `${RECORDED_DOCUMENTS}/on/Document.html`;
    expect(decision.unknown).toEqual([
      `whether CheckSpelling finds a file for \`${file}\``,
      `whether one file has a name that is most similar to \`${file}\``,
    ]);
    expect(decision.alternatives.map(({ status }) => status)).toEqual([301, 300, 404]);
    expect(decision.class).toBe("allowed");
  });

  test("names the line that redirects", () => {
    const simulatedServer = new SimulatedServer(recordedServer(spellingModules, spellingLines, files), disk);
    const { decidedBy, trace } = decide("/on/Document.html", "GET", simulatedServer);
    expect(decidedBy.map(({ key }) => key)).toEqual(["checkspelling"]);
    expect(trace.at(-1)?.effect).toBe("returns 301 after access is granted");
  });
});
