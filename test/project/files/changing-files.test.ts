import { spawn } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { diskAccess } from "../../../src/project/files/disk.js";
import type { FileAccess } from "../../../src/project/files/file-access.js";
import { loadProject } from "../../../src/project/load.js";
import { fromReadable } from "../../../src/text/source.js";
import { testFolder } from "../../support/programs/test-folder.js";
import { inForce, problemsOf } from "../../support/projects.js";

const { at, write } = testFolder();

beforeEach(() => {
  write({
    "httpd.conf": "Include conf.d\nServerAdmin me\n",
    "conf.d/a.conf": "Listen 80\n",
    "conf.d/b.conf": "Listen 81\n",
    "conf.d/c.conf": "Listen 82\n",
  });
});

/** Returns a disk that changes after the folder is listed and before the next file is read. */
function changing(change: () => void): FileAccess {
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

function loadedWhile(change: () => void) {
  const loaded = loadProject(at("httpd.conf"), { access: changing(change) });
  if ("failed" in loaded) throw new Error(loaded.failed);
  return loaded.project;
}

describe("a file that changes between being found and being read", () => {
  test("is reported if it was deleted, and the others are read", () => {
    const project = loadedWhile(() => rmSync(at("conf.d/b.conf")));
    expect(problemsOf(project)).toEqual([expect.stringMatching(/b\.conf` cannot be included: it does not exist/)]);
    expect(inForce(project)).toEqual(["Listen 80", "Listen 82", "ServerAdmin me"]);
  });

  test("is reported if a folder replaced it", () => {
    const project = loadedWhile(() => {
      rmSync(at("conf.d/b.conf"));
      mkdirSync(at("conf.d/b.conf"));
    });
    expect(problemsOf(project)).toEqual([expect.stringMatching(/b\.conf` cannot be included: it is a directory/)]);
    expect(inForce(project)).toEqual(["Listen 80", "Listen 82", "ServerAdmin me"]);
  });

  test("is read as it is then where it was cut or has grown", () => {
    const project = loadedWhile(() => {
      truncateSync(at("conf.d/b.conf"));
      writeFileSync(at("conf.d/c.conf"), "Listen 83\n".repeat(3));
    });
    expect(problemsOf(project)).toEqual([]);
    expect(inForce(project)).toEqual(["Listen 80", "Listen 83", "Listen 83", "Listen 83", "ServerAdmin me"]);
  });

  test("is reported if its folder was deleted", () => {
    const project = loadedWhile(() => rmSync(at("conf.d"), { recursive: true }));
    expect(problemsOf(project)).toHaveLength(3);
    expect(inForce(project)).toEqual(["ServerAdmin me"]);
  });

  test("reports nothing without changes", () => {
    const project = loadedWhile(() => {});
    expect(problemsOf(project)).toEqual([]);
    expect(inForce(project)).toEqual(["Listen 80", "Listen 81", "Listen 82", "ServerAdmin me"]);
  });
});

test("a file that is cut again and again while it is read is always a whole state or a part of one", async () => {
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
    if ("failed" in content) throw new Error(content.failed);
    expect(line.repeat(20000).startsWith(content.text)).toBe(true);
    sizes.add(content.text.length);
  }
  child.kill();
  await new Promise((ended) => child.once("close", ended));
  expect(sizes.size).toBeGreaterThan(1);
}, 90_000);
