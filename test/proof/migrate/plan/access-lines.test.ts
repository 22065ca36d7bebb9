import { expect, test } from "vitest";
import { memoryAccess } from "../../../../src/config/files/file-access.js";
import { findInactiveLines } from "../../../../src/proof/migrate/plan/access-lines.js";
import { loadProject } from "../../../../src/startup/load-project.js";

/** Returns the inactive conditional sections with mod_access_compat directives, each with their line numbers. */
function inactiveLines(text: string, defines: readonly string[] = []): readonly string[] {
  const loaded = loadProject("/etc/httpd.conf", {
    kind: "server",
    access: memoryAccess({ "/etc/httpd.conf": text }),
    defines: new Map(defines.map((name) => [name, undefined])),
  });
  if (!loaded.ok) throw new Error(loaded.error);
  return findInactiveLines(loaded.value).map(({ guard, lines }) => {
    const numbers = lines.map(({ file, start }) => file.text.slice(0, start).split("\n").length);
    return `${guard.kind} ${guard.negated ? "!" : ""}${guard.argument}> ${numbers.join(" ")}`;
  });
}

const old = "<Location /x>\nOrder allow,deny\nSatisfy any\n</Location>\n";

test("reports mod_access_compat directives in conditional sections that are false", () => {
  expect(inactiveLines(`<IfDefine X>\n${old}</IfDefine>\n${old}`)).toEqual(["<ifdefine X> 3 4"]);
  expect(inactiveLines(`<IfVersion < 2.4>\n${old}</IfVersion>\n`)).toEqual(["<ifversion < 2.4> 3 4"]);
  expect(inactiveLines(`<IfDefine !X>\n<IfDefine Y>\n${old}</IfDefine>\n</IfDefine>\n`, ["X"])).toEqual([
    "<ifdefine !X> 4 5",
  ]);
});

test("ignores conditional sections that are true, contain other lines, or test for mod_access_compat", () => {
  expect(inactiveLines(`<IfDefine X>\n${old}</IfDefine>\n`, ["X"])).toEqual([]);
  expect(inactiveLines("<IfDefine X>\nRequire all denied\n# Order\n</IfDefine>\n")).toEqual([]);
  expect(inactiveLines(`<IfDefine X>\n<IfModule mod_access_compat.c>\n${old}</IfModule>\n</IfDefine>\n`)).toEqual([]);
});
