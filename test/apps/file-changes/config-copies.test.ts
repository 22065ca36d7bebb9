import { describe, expect, test } from "vitest";
import { type ConfigCopies, planCopies } from "../../../src/apps/file-changes/config-copies.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Project } from "../../../src/config/model/project.js";
import { loadProject } from "../../../src/startup/load-project.js";
import type { Result } from "../../../src/text/result.js";
import type { Span } from "../../../src/text/source.js";

function projectOf(files: Readonly<Record<string, string>>): Project {
  const loaded = loadProject("/etc/httpd.conf", { kind: "server", access: memoryAccess(files) });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

type Copies = Result<ConfigCopies, Span>;

function copyChanged(files: Readonly<Record<string, string>>, ...changed: readonly string[]): Copies {
  return planCopies(projectOf(files), (path) => changed.includes(path), [], "/tmp/x");
}

/** Returns the lines that the server reads from the copies. */
function linesReadFrom(copies: Copies, disk: Readonly<Record<string, string>>): string {
  if (!copies.ok) return "not copied";
  const { entry, texts } = copies.value;
  const read = (path: string): string =>
    (texts.get(path) ?? disk[path] ?? "?").replace(/^[ \t]*Include "(\/tmp\/x\/[^"]*)".*\n/gm, (_, inner: string) =>
      read(inner),
    );
  return read(entry);
}

const main = "ServerRoot /etc\nInclude a.conf\nInclude d/*.conf\n";

describe("copies for a configuration test", () => {
  const disk = { "/etc/httpd.conf": main, "/etc/a.conf": "A x\n", "/etc/d/1.conf": "B 1\n", "/etc/d/2.conf": "B 2\n" };

  test("contain the changed files and the files that include them, with all other lines unchanged", () => {
    const copies = copyChanged(disk, "/etc/d/2.conf");
    expect(linesReadFrom(copies, disk)).toBe("ServerRoot /etc\nInclude a.conf\nB 1\nB 2\n");
    expect(copies.ok && [...copies.value.originals.values()].filter((each) => each !== undefined).sort()).toEqual([
      "/etc/d/1.conf",
      "/etc/d/2.conf",
      "/etc/httpd.conf",
    ]);
  });

  test("are not created if the server reads no changed file", () => {
    const files = { ...disk, "/srv/.htaccess": "Require all denied\n" };
    const withDocumentRoot = { ...files, "/etc/httpd.conf": `${main}DocumentRoot /srv\n` };
    const copies = copyChanged(withDocumentRoot, "/srv/.htaccess");
    expect(copies.ok && [copies.value.entry, copies.value.texts.size]).toEqual(["/etc/httpd.conf", 0]);
  });

  test("include files that are read twice only once", () => {
    const files = {
      "/etc/httpd.conf": "Include /etc/m\nInclude /etc/m\n",
      "/etc/m": "M x\nInclude /etc/n\n",
      "/etc/n": "N x\n",
    };
    expect(linesReadFrom(copyChanged(files, "/etc/n"), files)).toBe("M x\nN x\nM x\nN x\n");
  });

  test("preserve the line numbers after a continued line", () => {
    const files = { "/etc/httpd.conf": "Include \\\n  /etc/a \\\n\nLast x\n", "/etc/a": "A x\n" };
    const copies = copyChanged(files, "/etc/a");
    const text = copies.ok ? copies.value.texts.get(copies.value.entry) : undefined;
    expect(text?.split("\n").indexOf("Last x")).toBe(files["/etc/httpd.conf"].split("\n").indexOf("Last x"));
  });

  test("are not possible for an Include with changing paths, or in a macro", () => {
    const uses = "Define P /etc/a\nInclude /etc/m\nUnDefine P\nDefine P /etc/b\nInclude /etc/m\n";
    const files = { "/etc/httpd.conf": uses, "/etc/m": "Include ${P}\n", "/etc/a": "A x\n", "/etc/b": "B x\n" };
    expect(copyChanged(files, "/etc/a")).toMatchObject({ ok: false });
    const macro = "<Macro m $p>\nInclude $p\n</Macro>\nUse m /etc/a\n";
    expect(copyChanged({ ...files, "/etc/httpd.conf": macro }, "/etc/a")).toMatchObject({ ok: false });
    expect(copyChanged({ ...files, "/etc/httpd.conf": macro }, "/etc/b")).toMatchObject({ ok: true });
  });

  test("can contain a directive as a comment", () => {
    const project = projectOf({ "/etc/httpd.conf": "LoadModule access_compat_module x.so\nTimeout 5\n" });
    const spans = project.loadModules.map(({ span }) => span);
    const copies = planCopies(project, () => false, spans, "/tmp/x");
    expect(copies.ok && copies.value.texts.get(copies.value.entry)).toBe(
      "#LoadModule access_compat_module x.so\nTimeout 5\n",
    );
  });
});
