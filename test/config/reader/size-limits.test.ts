import { spawn } from "node:child_process";
import { closeSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MAX_LOG_LINE_LENGTH, openLog } from "../../../src/apps/cli/inputs/log-lines.js";
import { diskAccess } from "../../../src/config/files/disk.js";
import { type FileAccess, MAX_CONFIG_BYTES, MAX_CONFIG_LINES } from "../../../src/config/files/file-access.js";
import { MAX_FILE_BYTES, readNamedFile } from "../../../src/config/files/file-content.js";
import { MAX_DIRECTORY_DEPTH } from "../../../src/config/reader/include.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { isDeep } from "../../support/depth.js";
import { run } from "../../support/programs/command.js";
import { testFolder } from "../../support/programs/test-folder.js";
import { applyingLines, load, problemsOf } from "../../support/projects.js";

const main = "/etc/httpd/httpd.conf";
const { at } = testFolder();

/** Creates a file that does not use disk space. */
function sparse(name: string, size: number): string {
  const path = at(name);
  const handle = openSync(path, "w");
  ftruncateSync(handle, size);
  closeSync(handle);
  return path;
}

describe("a file that is too large", () => {
  test("is not read, and the Include reports it", () => {
    const large = sparse("large.conf", MAX_FILE_BYTES + 1);
    const path = at("httpd.conf");
    writeFileSync(path, `Include ${large}\nListen 80\n`);
    const loaded = loadProject(path);
    if (!loaded.ok) throw new Error(loaded.error);
    expect(problemsOf(loaded.value)).toEqual([expect.stringContaining("large.conf` cannot be included: it is larger")]);
    expect(applyingLines(loaded.value)).toEqual(["Listen 80"]);
    expect(loadProject(large)).toEqual({ ok: false, error: "it is larger than 512 MB" });
  });

  test("twin: is read if it is smaller", () => {
    const content = diskAccess().read(sparse("small.conf", 1 << 20));
    expect(content.ok && content.value.text.length).toBe(1 << 20);
  });

  test.skipIf(!isDeep)("is read only up to the limit if its size is unknown", { timeout: 60_000 }, () => {
    run("mkfifo", [at("pipe")]);
    const writer = spawn("sh", ["-c", 'head -c 600000000 /dev/zero >"$0"', at("pipe")]);
    expect(readNamedFile(at("pipe"))).toEqual({ ok: false, error: { message: "it is larger than 512 MB" } });
    writer.kill();
  });
});

describe("a configuration of too many files", () => {
  const lines = MAX_CONFIG_LINES / 4;
  const quarter = "#\n".repeat(lines);

  test.runIf(isDeep)(
    "is read up to a number of lines, and the Include beyond the limit is reported",
    { timeout: 60_000 },
    () => {
      const files = {
        "/etc/httpd/1": quarter,
        "/etc/httpd/2": quarter,
        "/etc/httpd/3": quarter,
        "/etc/httpd/4": quarter,
      };
      const project = load({ ...files, [main]: "Include 1\nInclude 2\nInclude 3\nInclude 4\nListen 80\n" });
      expect(problemsOf(project)).toEqual([
        expect.stringContaining(
          "`/etc/httpd/4` cannot be included: the configuration would have more than 6,000,000 lines",
        ),
      ]);
      expect(applyingLines(project)).toEqual(["Listen 80"]);
      const twin = load({ ...files, [main]: "Include 1\nInclude 2\nInclude 3\n" });
      expect(problemsOf(twin)).toEqual([]);
    },
  );

  test.runIf(isDeep)("is read up to a number of bytes", { timeout: 60_000 }, () => {
    const text = `#${" ".repeat((1 << 20) - 2)}\n`.repeat(MAX_CONFIG_BYTES / 8 / (1 << 20));
    const access: FileAccess = {
      read: (path) => ({
        ok: true,
        value: { text: path === main ? "Include a\n".replace("a", "/x/*") : text, realPath: path },
      }),
      exists: () => true,
      isDirectory: (path) => path === "/x" || path === "/",
      list: () => ({ ok: true, value: Array.from({ length: 8 }, (_, n) => ({ name: String(n), kind: "file" })) }),
      linkAt: () => undefined,
      realPath: (path) => path,
    };
    const loaded = loadProject(main, { access });
    if (!loaded.ok) throw new Error(loaded.error);
    expect(problemsOf(loaded.value)[0]).toContain(
      "`/x/7` cannot be included: the configuration would have more than 512 MB",
    );
  });
});

describe("nested directories below an Include", () => {
  const below = (depth: number) => `/etc/httpd/${Array.from({ length: depth }, () => "d").join("/")}/a.conf`;

  test("are read to the same depth as by the server", () => {
    const project = load({ [main]: "Include d\nListen 80\n", [below(MAX_DIRECTORY_DEPTH + 1)]: "Listen 81\n" });
    expect(problemsOf(project)).toEqual([
      expect.stringContaining(`is nested more than ${MAX_DIRECTORY_DEPTH} directories deep`),
    ]);
    expect(applyingLines(project)).toEqual(["Listen 80"]);
    const twin = load({ [main]: "Include d\n", [below(MAX_DIRECTORY_DEPTH)]: "Listen 81\n" });
    expect(applyingLines(twin)).toEqual(["Listen 81"]);
  });
});

test("a line of an access log is limited in length, and later lines are read", () => {
  const path = at("access.log");
  const texts = [
    "a".repeat(MAX_LOG_LINE_LENGTH + 1),
    "b",
    "c".repeat(MAX_LOG_LINE_LENGTH),
    "d".repeat(3 * MAX_LOG_LINE_LENGTH),
    "e",
  ];
  writeFileSync(path, texts.join("\n"));
  const log = openLog(path);
  if (!log.ok) throw new Error(log.error);
  expect([...log.value].map(({ number, text }) => [number, text?.length])).toEqual([
    [1, undefined],
    [2, 1],
    [3, MAX_LOG_LINE_LENGTH],
    [4, undefined],
    [5, 1],
  ]);
});
