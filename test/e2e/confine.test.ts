import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskAccess } from "../../src/project/disk.js";
import { fromReadable } from "../../src/text/source.js";
import { lintedFolder } from "../support/test-folder.js";

const { at, lint, write } = lintedFolder();

describe("--confine", () => {
  const secret = "Hunter2 x\n";

  test.each([
    [
      "a link to a file",
      (inside: string) => symlinkSync("../outside/secret.conf", join(inside, "link.conf")),
      "link.conf",
    ],
    ["a link to a folder", (inside: string) => symlinkSync("../outside", join(inside, "link")), "link/secret.conf"],
    ["a link and a pattern", (inside: string) => symlinkSync("../outside", join(inside, "link")), "link/*.conf"],
    ["a way up", () => {}, "../outside/secret.conf"],
    ["a way up in the middle", (inside: string) => mkdirSync(join(inside, "a")), "a/../../outside/secret.conf"],
    ["an escaped way up", () => {}, "%2e%2e/outside/secret.conf"],
    ["a pattern that goes up", () => {}, "../out*/*.conf"],
    ["a variable", () => {}, "${up}/outside/secret.conf"],
    ["a folder's name that begins alike", () => {}, "../inside2/secret.conf"],
  ])("is not left by %s", (_what, prepare, include) => {
    const main = `Define up ..\nIncludeOptional ${include}\nInclude ${include}\n`;
    write({ "inside/httpd.conf": main, "outside/secret.conf": secret, "inside2/secret.conf": secret });
    prepare(at("inside"));
    for (const command of [["check"], ["resolve"], ["map"], ["upgrade"]]) {
      const { stdout, stderr } = lint([...command, "inside/httpd.conf", "--confine", "inside"]);
      expect(stdout + stderr).not.toContain("Hunter2");
    }
    if (!include.includes("%2e")) expect(lint(["resolve", "inside/httpd.conf"]).stdout).toContain("Hunter2");
  });

  test("is not left by an absolute path, nor by what lies below a DocumentRoot", () => {
    write({ "outside/secret.conf": secret, "outside/.htaccess": secret });
    const outside = at("outside");
    write({ "inside/httpd.conf": `Include ${outside}/secret.conf\nDocumentRoot ${outside}\n` });
    expect(lint(["check", "inside/httpd.conf"]).stdout.match(/Hunter2` is no directive/g)).toHaveLength(2);
    expect(lint(["check", "inside/httpd.conf", "--confine", "inside"]).stdout).not.toContain("Hunter2");
  });

  describe("is not left by settings that were found", () => {
    const inside = (settings: object, files: Readonly<Record<string, string>> = {}) =>
      write({
        "outside/secret.conf": secret,
        "outside/secret.json": '{ "Hunter2": 1 }',
        "outside/envvars": "export UP=Hunter2\n",
        "inside/httpd.conf": "Listen 80\nServerAdmin ${UP}\n",
        "inside/.httpd-lint.json": settings,
        ...files,
      });

    test.each([
      ["envvars", "../outside/envvars"],
      ["baseline", "../outside/secret.json"],
      ["cache", "../outside/cache"],
      ["expectations", "../outside/secret.json"],
      ["files", "../outside/secret.conf"],
      ["entry", "../outside/secret.conf"],
    ])("which name %s", (name, path) => {
      inside({ entry: "httpd.conf", [name]: path });
      for (const args of [
        ["check", "inside"],
        ["test", "inside/httpd.conf"],
        ["resolve", "inside/httpd.conf"],
      ]) {
        const ran = lint([...args, "--confine", "inside"]);
        expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
        expect(ran.status).toBe(2);
      }
      const ran = lint(["check", "inside", "--confine", "inside"]);
      expect(ran.stderr).toMatch(
        new RegExp(
          `^httpd-lint: .inside/.httpd-lint.json.: .${name}. names .*, which lies outside .inside., where reading is`,
        ),
      );
      expect(existsSync(at("outside/cache"))).toBe(false);
    });

    test("which are a link", () => {
      inside({});
      renameSync(at("inside/.httpd-lint.json"), at("outside/own.json"));
      symlinkSync("../outside/secret.json", at("inside/.httpd-lint.json"));
      const ran = lint(["check", "inside", "--confine", "inside"]);
      expect(ran.status).toBe(2);
      expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
    });

    test("nor by what lies beside the main file as a link", () => {
      inside({});
      symlinkSync("../outside/envvars", at("inside/envvars"));
      symlinkSync("../outside/secret.json", at("inside/httpd-lint.expectations.json"));
      const shown = (...flags: string[]) => lint(["resolve", "inside/httpd.conf", ...flags]).stdout;
      expect(shown("--confine", "inside")).toContain("ServerAdmin ${UP}");
      expect(shown()).toContain("ServerAdmin Hunter2");
      const ran = lint(["test", "inside/httpd.conf", "--confine", "inside"]);
      expect(ran.status).toBe(3);
      expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
    });

    test("twin: the same by flags, and within", () => {
      inside(
        { entry: "httpd.conf", envvars: "own", baseline: "known.json" },
        { "inside/own": "export UP=me\n", "inside/known.json": '{ "version": 1, "findings": [] }' },
      );
      expect(lint(["resolve", "inside/httpd.conf", "--confine", "inside"]).stdout).toContain("ServerAdmin me");
      const flags = ["--confine", "inside", "--envvars", "outside/envvars"];
      expect(lint(["resolve", "inside/httpd.conf", ...flags]).stdout).toContain("ServerAdmin Hunter2");
      expect(
        lint(["resolve", "inside/httpd.conf", "--confine", "inside", "--config", "inside/.httpd-lint.json"]).status,
      ).toBe(0);
    });
  });

  test("is not left while links are laid anew", async () => {
    write({ "outside/a.conf": secret, "inside/real/a.conf": "Listen 80\n" });
    const inside = at("inside");
    const swapping = `const fs = require("node:fs"); process.chdir(${JSON.stringify(inside)});
      for (let n = 0; ; n++) { fs.symlinkSync(n % 2 ? "real" : "../outside", "next"); fs.renameSync("next", "link"); }`;
    symlinkSync("real", join(inside, "link"));
    const child = spawn(process.execPath, ["-e", swapping]);
    const access = diskAccess({ confine: inside });
    const path = fromReadable(join(inside, "link/a.conf"));
    const seen = new Set<string>();
    const until = Date.now() + 1500;
    while (Date.now() < until) {
      const content = access.read(path);
      seen.add("failed" in content ? "refused" : content.text);
    }
    child.kill();
    await new Promise((ended) => child.once("close", ended));
    expect(seen).not.toContain(secret);
    expect(seen).toContain("Listen 80\n");
    expect(seen).toContain("refused");
    renameSync(join(inside, "link"), join(inside, "gone"));
  });
});
