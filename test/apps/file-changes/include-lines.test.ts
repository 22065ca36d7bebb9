import { describe, expect, test } from "vitest";
import { findLineIncluding } from "../../../src/apps/file-changes/include-lines.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { readEntry } from "../../../src/config/read-entry.js";

/** Returns the line by which a server would load a new file. */
function findLine(path: string, main: string): string | undefined {
  const access = memoryAccess({ "/srv/httpd.conf": main, "/srv/conf.d/a.conf": "", "/srv/.keep": "" });
  const loaded = readEntry("/srv/httpd.conf", { access, kind: "server", serverRoot: "/srv" });
  if (!loaded.ok) throw new Error(loaded.error);
  return findLineIncluding(path, loaded.value, access);
}

describe("a new file would be loaded by", () => {
  test.each([
    ["a directory", "Include conf.d\n", "/srv/conf.d/known.json"],
    ["a wildcard", "IncludeOptional conf.d/*\n", "/srv/conf.d/known.json"],
    ["a conditional section for another -D", "<IfDefine X>\nInclude conf.d/*\n</IfDefine>\n", "/srv/conf.d/known.json"],
    ["its name", "IncludeOptional known.json\n", "/srv/known.json"],
  ])("%s", (_, main, path) => {
    expect(findLine(path, main)).toMatch(/^`Include.*` in `\/srv\/httpd\.conf` line [12]$/);
  });

  test.each([
    ["a wildcard for other names", "Include conf.d/*.conf\n", "/srv/conf.d/known.json"],
    ["another directory", "Include conf.d\n", "/srv/known.json"],
    ["an empty file", "", "/srv/known.json"],
  ])("nothing if there is only %s", (_, main, path) => {
    expect(findLine(path, main)).toBeUndefined();
  });
});
