import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { readFileStart } from "../../src/config/files/file-content.js";
import { fromReadable } from "../../src/text/source.js";
import { isDeep } from "../support/depth.js";
import { lintedFolder } from "../support/programs/test-folder.js";

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
    ["a parent directory", () => {}, "../outside/secret.conf"],
    [
      "a parent directory in the middle of a path",
      (inside: string) => mkdirSync(join(inside, "a")),
      "a/../../outside/secret.conf",
    ],
    ["an encoded parent directory", () => {}, "%2e%2e/outside/secret.conf"],
    ["a pattern in a parent directory", () => {}, "../out*/*.conf"],
    ["a variable", () => {}, "${up}/outside/secret.conf"],
    ["a directory name with the same prefix", () => {}, "../inside2/secret.conf"],
  ])("is not bypassed by %s", (_what, prepare, include) => {
    const main = `Define up ..\nIncludeOptional ${include}\nInclude ${include}\n`;
    write({ "inside/httpd.conf": main, "outside/secret.conf": secret, "inside2/secret.conf": secret });
    prepare(at("inside"));
    for (const command of [["check"], ["resolve"], ["map"], ["upgrade"]]) {
      const { stdout, stderr } = lint([...command, "inside/httpd.conf", "--confine", "inside"]);
      expect(stdout + stderr).not.toContain("Hunter2");
    }
    if (!include.includes("%2e")) expect(lint(["resolve", "inside/httpd.conf"]).stdout).toContain("Hunter2");
  });

  test("has the default value of HTTPD_LINT_CONFINE", () => {
    write({ "outside/secret.conf": secret, "inside/httpd.conf": "Include ../outside/secret.conf\n" });
    const env = { HTTPD_LINT_CONFINE: "inside" };
    expect(lint(["check", "inside/httpd.conf"]).stdout).toContain("Hunter2");
    expect(lint(["check", "inside/httpd.conf"], { env }).stdout).not.toContain("Hunter2");
    expect(lint(["check", "inside/httpd.conf", "--confine", "."], { env }).stdout).toContain("Hunter2");
    expect(lint(["rules", "unknown-directive"], { env }).status).toBe(0);
    expect(lint(["check", "--help"], { env })).toEqual(lint(["check", "--help"]));
  });

  test("is not bypassed by an absolute path or by files below a DocumentRoot", () => {
    write({ "outside/secret.conf": secret, "outside/.htaccess": secret });
    const outside = at("outside");
    write({ "inside/httpd.conf": `Include ${outside}/secret.conf\nDocumentRoot ${outside}\n` });
    expect(lint(["check", "inside/httpd.conf"]).stdout.match(/unknown directive `Hunter2`/g)).toHaveLength(2);
    expect(lint(["check", "inside/httpd.conf", "--confine", "inside"]).stdout).not.toContain("Hunter2");
  });

  describe("is not bypassed by a configuration file", () => {
    const writeInside = (settings: object, files: Readonly<Record<string, string>> = {}) =>
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
    ])("that sets %s", (name, path) => {
      writeInside({ entry: "httpd.conf", [name]: path });
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
        new RegExp(`^httpd-lint: .inside/.httpd-lint.json.: .${name}. names .*, which is outside .inside.`),
      );
      expect(existsSync(at("outside/cache"))).toBe(false);
    });

    test("that extends one outside", () => {
      writeInside({ extends: "../outside/secret.json" });
      const ran = lint(["check", "inside", "--confine", "inside"]);
      expect(ran.status).toBe(2);
      expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
      expect(ran.stderr).toContain(
        "`../outside/secret.json` in `extends` cannot be read: it is outside of the --confine",
      );
      writeInside({ extends: "base.json" });
      symlinkSync("../outside/secret.json", at("inside/base.json"));
      const linked = lint(["check", "inside", "--confine", "inside"]);
      expect(linked.status).toBe(2);
      expect(linked.stdout + linked.stderr).not.toContain("Hunter2");
      const flags = ["--confine", "inside", "--config", "inside/.httpd-lint.json"];
      expect(lint(["check", "inside", ...flags]).stderr).toContain("unknown option `Hunter2`");
    });

    test("but accepts one that extends a file inside", () => {
      writeInside({ extends: "base.json" }, { "inside/base.json": '{ "from": "2.2" }' });
      expect(lint(["check", "inside", "--confine", "inside"]).stdout).toContain("changed-default");
    });

    test("that is a link", () => {
      writeInside({});
      renameSync(at("inside/.httpd-lint.json"), at("outside/own.json"));
      symlinkSync("../outside/secret.json", at("inside/.httpd-lint.json"));
      const ran = lint(["check", "inside", "--confine", "inside"]);
      expect(ran.status).toBe(2);
      expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
    });

    test("or by a link next to the main file", () => {
      writeInside({});
      symlinkSync("../outside/envvars", at("inside/envvars"));
      symlinkSync("../outside/secret.json", at("inside/httpd-lint.expectations.json"));
      const shown = (...flags: string[]) => lint(["resolve", "inside/httpd.conf", ...flags]).stdout;
      expect(shown("--confine", "inside")).toContain("ServerAdmin ${UP}");
      expect(shown()).toContain("ServerAdmin Hunter2");
      const ran = lint(["test", "inside/httpd.conf", "--confine", "inside"]);
      expect(ran.status).toBe(3);
      expect(ran.stdout + ran.stderr).not.toContain("Hunter2");
    });

    test("but accepts flags, and files inside the directory", () => {
      writeInside(
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

  describe("is not bypassed while another process replaces a directory with a link to another", () => {
    /**
     * Repeatedly replaces `inside/real` with a link to `outside` and restores it, as fast as possible, until the action
     * ends.
     */
    async function whileSwapped(action: () => void): Promise<void> {
      write({ "outside/a.conf": secret, "outside/Hunter2.conf": secret, "inside/real/a.conf": "Listen 80\n" });
      symlinkSync("../outside", at("inside/link"));
      const swapping = `const fs = require("node:fs"); process.chdir(${JSON.stringify(at("inside"))});
        const move = (from, to) => { try { fs.renameSync(from, to); } catch {} };
        for (;;) { move("real", "away"); move("link", "real"); move("real", "link"); move("away", "real"); }`;
      const child = spawn(process.execPath, ["-e", swapping]);
      try {
        action();
      } finally {
        child.kill();
        await new Promise((ended) => child.once("close", ended));
        rmSync(at("inside"), { recursive: true });
      }
    }

    /** Repeats an action for a minimum time, until it has the expected number of different results. */
    function repeat(count: number, action: () => string): ReadonlySet<string> {
      const results = new Set<string>();
      const start = Date.now();
      const elapsed = () => Date.now() - start;
      while (elapsed() < (isDeep ? 3000 : 500) || (results.size < count && elapsed() < 20_000)) results.add(action());
      return results;
    }

    test("when a file is read", async () => {
      let results: ReadonlySet<string> = new Set();
      await whileSwapped(() => {
        const access = diskAccess({ confine: at("inside") });
        const path = fromReadable(at("inside/real/a.conf"));
        results = repeat(2, () => {
          const content = access.read(path);
          return content.ok ? content.value.text : "rejected";
        });
      });
      expect(results).toEqual(new Set(["Listen 80\n", "rejected"]));
    });

    test("when a directory is listed", async () => {
      let results: ReadonlySet<string> = new Set();
      await whileSwapped(() => {
        const access = diskAccess({ confine: at("inside") });
        const path = fromReadable(at("inside/real"));
        results = repeat(2, () => {
          const entries = access.list(path);
          return entries.ok ? entries.value.map(({ name }) => name).join(" ") : "rejected";
        });
      });
      expect(results).toEqual(new Set(["a.conf", "rejected"]));
    });

    test("when the existence of a file is checked", async () => {
      let results: ReadonlySet<string> = new Set();
      await whileSwapped(() => {
        const access = diskAccess({ confine: at("inside") });
        const path = fromReadable(at("inside/real/Hunter2.conf"));
        results = repeat(1, () => `${access.exists(path)} ${access.isDirectory(path)}`);
      });
      expect(results).toEqual(new Set(["false false"]));
    });

    test("when the start of a file is read", async () => {
      let results: ReadonlySet<string> = new Set();
      await whileSwapped(() => {
        results = repeat(2, () => readFileStart(at("inside/real/a.conf"), 100, at("inside")) ?? "rejected");
      });
      expect(results).toEqual(new Set(["Listen 80\n", "rejected"]));
    });

    test.each([
      ["is resolved", ["resolve", "inside/httpd.conf"]],
      ["is checked", ["check", "inside"]],
    ])("when a server %s", { timeout: 120_000 }, async (_what, args) => {
      const leaking: number[] = [];
      await whileSwapped(() => {
        write({ "inside/httpd.conf": "IncludeOptional real/*.conf\n".repeat(50), "outside/.httpd-lint.json": secret });
        for (let run = 0; run < (isDeep ? 10 : 4); run++) {
          const { stdout, stderr } = lint([...args, "--confine", "inside"]);
          if ((stdout + stderr).includes("Hunter2")) leaking.push(run);
        }
      });
      expect(leaking).toEqual([]);
    });
  });
});
