import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { dumpConfig } from "../../src/config/dump.js";
import { formatRefusal } from "../../src/config/refusals/refusal.js";
import { loadProject } from "../../src/startup/load-project.js";
import { toBytes } from "../../src/text/bytes.js";
import { fromReadable } from "../../src/text/source.js";
import { runCount, seedOr } from "../support/depth.js";
import { httpd, liveTitle, runHttpd } from "../support/httpd/httpd.js";
import { inScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";
import { type RandomProject, randomProject } from "../support/random/random-project.js";

const projects = runCount(25, 600);
const seed = seedOr(20260101);

function write(project: RandomProject, folder: string): string {
  writeFiles(folder, Object.fromEntries(project.files));
  for (const [path, target] of project.links) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(folder, target), join(folder, path));
  }
  return join(folder, "httpd.conf");
}

/** Returns the server's error message, without the name and path of the program. */
function errorMessageOf(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("["));
  return lines.join(" | ").replace(/^(?:apache2|httpd): /, "");
}

function compare(seedOfProject: number, risk: number): "loaded" | "rejected" {
  return inScratchFolder((folder) => {
    const project = randomProject(seedOfProject, folder, risk);
    const entry = write(project, folder);
    const server = runHttpd(entry, "-DDUMP_CONFIG");
    const loaded = loadProject(entry, { defines: new Map([["DUMP_CONFIG", undefined]]) });
    if (!loaded.ok) throw new Error(loaded.error);
    const errors = loaded.value.problems.filter((problem) => problem.server !== undefined);
    const context = `seed ${seedOfProject}`;
    if (server.status === 0) {
      expect({ context, errors: errors.map(formatRefusal) }).toEqual({ context, errors: [] });
      const expected = server.stdout;
      const actual = toBytes(dumpConfig(loaded.value.directives)).toString("latin1");
      expect({ context, text: actual }).toEqual({ context, text: expected });
      return "loaded";
    }
    const message = errorMessageOf(server.stderr);
    const first = fromReadable(errors[0]?.server ?? "nothing is wrong");
    // The server names the line of the error last, after the lines of the Includes that lead to it.
    expect({ context, message: message.includes(first) ? first : message }).toEqual({ context, message: first });
    return "rejected";
  });
}

describe.skipIf(!httpd)(liveTitle("the resolved configuration"), () => {
  test(`equals that of the live server for ${projects} random projects that load`, { timeout: 600_000 }, () => {
    let loaded = 0;
    for (let each = seed; loaded < projects; each++) if (compare(each, 0) === "loaded") loaded++;
  });

  test("is rejected with the server's message if the server rejects it", { timeout: 600_000 }, () => {
    let rejected = 0;
    for (let each = seed + 1_000_000; rejected < projects / 5; each++)
      if (compare(each, 0.08) === "rejected") rejected++;
  });
});
