import { spawn } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { diskAccess } from "../../../src/config/files/disk.js";
import type { FileAccess } from "../../../src/config/files/file-access.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { fromReadable } from "../../../src/text/source.js";
import { testFolder } from "../../support/programs/test-folder.js";
import { applyingLines, problemsOf } from "../../support/projects.js";

const { at, write } = testFolder();

beforeEach(() => {
  write({
    "httpd.conf": "Include conf.d\nServerAdmin me\n",
    "conf.d/a.conf": "Listen 80\n",
    "conf.d/b.conf": "Listen 81\n",
    "conf.d/c.conf": "Listen 82\n",
  });
});

/** Returns a file system that changes after the directory is listed and before the next file is read. */
function diskWithChange(change: () => void): FileAccess {
  const disk = diskAccess();
  let isListed = false;
  return {
    ...disk,
    list: (path) => {
      const entries = disk.list(path);
      isListed ||= path === fromReadable(at("conf.d"));
      return entries;
    },
    read: (path) => {
      if (isListed) change();
      isListed = false;
      return disk.read(path);
    },
  };
}

function loadDuring(change: () => void) {
  const loaded = loadProject(at("httpd.conf"), { access: diskWithChange(change) });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

describe("a file that changes after it was listed", () => {
  test("is reported if it was deleted, and the others are read", () => {
    const project = loadDuring(() => rmSync(at("conf.d/b.conf")));
    expect(problemsOf(project)).toEqual([expect.stringMatching(/b\.conf` cannot be included: it does not exist/)]);
    expect(applyingLines(project)).toEqual(["Listen 80", "Listen 82", "ServerAdmin me"]);
  });

  test("is reported if a directory replaced it", () => {
    const project = loadDuring(() => {
      rmSync(at("conf.d/b.conf"));
      mkdirSync(at("conf.d/b.conf"));
    });
    expect(problemsOf(project)).toEqual([expect.stringMatching(/b\.conf` cannot be included: it is a directory/)]);
    expect(applyingLines(project)).toEqual(["Listen 80", "Listen 82", "ServerAdmin me"]);
  });

  test("is read with its new contents if it was truncated or extended", () => {
    const project = loadDuring(() => {
      truncateSync(at("conf.d/b.conf"));
      writeFileSync(at("conf.d/c.conf"), "Listen 83\n".repeat(3));
    });
    expect(problemsOf(project)).toEqual([]);
    expect(applyingLines(project)).toEqual(["Listen 80", "Listen 83", "Listen 83", "Listen 83", "ServerAdmin me"]);
  });

  test("is reported if its directory was deleted", () => {
    const project = loadDuring(() => rmSync(at("conf.d"), { recursive: true }));
    expect(problemsOf(project)).toHaveLength(3);
    expect(applyingLines(project)).toEqual(["ServerAdmin me"]);
  });

  test("twin: is not reported without changes", () => {
    const project = loadDuring(() => {});
    expect(problemsOf(project)).toEqual([]);
    expect(applyingLines(project)).toEqual(["Listen 80", "Listen 81", "Listen 82", "ServerAdmin me"]);
  });
});

test("a file that is repeatedly truncated has its whole contents or a prefix of them", async () => {
  const path = at("big.conf");
  const line = "Listen 80\n";
  const program = `const fs = require("node:fs"); for (;;) { fs.writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(line)}.repeat(20000)); fs.truncateSync(${JSON.stringify(path)}); }`;
  writeFileSync(path, line);
  const child = spawn(process.execPath, ["-e", program]);
  const access = diskAccess();
  const sizes = new Set<number>();
  // A loaded machine may start the other program late.
  const deadline = Date.now() + 60_000;
  for (let reads = 0; (reads < 1000 || sizes.size < 2) && Date.now() < deadline; reads++) {
    const content = access.read(fromReadable(path));
    if (!content.ok) throw new Error(content.error.message);
    expect(line.repeat(20000).startsWith(content.value.text)).toBe(true);
    sizes.add(content.value.text.length);
  }
  child.kill();
  await new Promise((ended) => child.once("close", ended));
  expect(sizes.size).toBeGreaterThan(1);
}, 90_000);
