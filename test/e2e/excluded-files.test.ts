import { describe, expect, test } from "vitest";
import { expectFailure, findings } from "../support/programs/command-output.js";
import { git } from "../support/programs/scratch-repository.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, write } = scratch;

/** A file with one finding. */
const wrong = "ServerTokns Prod\n<Location /a>\nRequire all granted\n</Location>\n";

/** Returns the files with findings. */
function filesFound(...args: readonly string[]): string[] {
  return findings(lint(["--quiet", ...args])).map((line) => line.replace(/:.*/, ""));
}

function writeAll(...names: readonly string[]): void {
  write(Object.fromEntries(names.map((name) => [name, wrong])));
}

describe("Git's rules", () => {
  test("apply to the files of a folder, nested ones too", () => {
    writeAll("a.conf", "build/b.conf", "web/c.conf", "web/local.conf", "web/conf.d/d.local");
    write({ ".gitignore": "/build/\n", "web/.gitignore": "local.conf\n*.local\n" });
    expect(filesFound(".")).toHaveLength(5);
    git(scratch.path, "init", "--quiet");
    expect(filesFound(".")).toEqual(["a.conf", "web/c.conf"]);
    expect(filesFound("web")).toEqual(["web/c.conf"]);
    expect(filesFound(".", "--no-ignore")).toHaveLength(5);
  });

  test("do not apply to a file that is named, to a folder that is named, and to a file that a server reads", () => {
    writeAll("build/b.conf", "parts/local.conf");
    write({
      ".gitignore": "/build/\nlocal.conf\n",
      "httpd.conf": "ServerRoot .\nListen 80\nInclude parts/local.conf\n",
    });
    git(scratch.path, "init", "--quiet");
    expect(filesFound(".")).toEqual(["parts/local.conf"]);
    expect(filesFound("build/b.conf")).toEqual(["build/b.conf"]);
    expect(filesFound("build")).toEqual(["build/b.conf"]);
  });

  test("come from the file that the user's settings name", () => {
    writeAll("a.conf", "b.conf");
    write({
      "home/rules": "a.conf\n",
      "home/.gitconfig": "[core]\n\texcludesFile = ~/rules\n",
      "home/git/ignore": "b.conf\n",
    });
    git(scratch.path, "init", "--quiet");
    const filesAs = (env: Readonly<Record<string, string>>) =>
      findings(lint(["--quiet", "."], { env })).map((line) => line.replace(/:.*/, ""));
    expect(filesAs({ HOME: at("home"), XDG_CONFIG_HOME: at("none") })).toEqual(["b.conf"]);
    expect(filesAs({ HOME: at("none"), XDG_CONFIG_HOME: at("home") })).toEqual(["a.conf"]);
    expect(filesAs({ HOME: at("home"), XDG_CONFIG_HOME: at("none"), PATH: "/nonexistent" })).toEqual([
      "a.conf",
      "b.conf",
    ]);
  });
});

describe("`exclude`", () => {
  test("replaces the default patterns, and `extendExclude` and --exclude add to them", () => {
    writeAll("a.conf", "vendor/b.conf", "node_modules/c/d.conf", "x/e.conf");
    const all = ["a.conf", "node_modules/c/d.conf", "vendor/b.conf", "x/e.conf"];
    const without = (...names: readonly string[]) => all.filter((name) => !names.some((each) => name.startsWith(each)));
    expect(filesFound(".")).toEqual(without("node_modules"));
    expect(filesFound(".", "--exclude", "vendor", "--exclude", "x/*.conf")).toEqual(["a.conf"]);
    write({ ".httpd-lint.json": { exclude: ["vendor"] } });
    expect(filesFound(".")).toEqual(without("vendor"));
    write({ ".httpd-lint.json": { extendExclude: ["./vendor/**"] } });
    expect(filesFound(".")).toEqual(without("vendor", "node_modules"));
    write({ ".httpd-lint.json": { "extend-exclude": ["vendor"], extendExclude: ["x"] } });
    expect(filesFound(".")).toEqual(["a.conf"]);
    expect(filesFound(".", "--exclude", "!vendor")).toEqual(["a.conf", "vendor/b.conf"]);
    expect(filesFound(".", "--no-ignore")).toEqual(["a.conf"]);
  });

  test("is relative to the configuration file, and leaves out folders with their own one", () => {
    writeAll("web/a.conf", "web/old/b.conf", "old/c.conf");
    write({ "web/.httpd-lint.json": { extendExclude: ["/old"] } });
    expect(filesFound(".")).toEqual(["old/c.conf", "web/a.conf"]);
    write({ ".httpd-lint.json": { extendExclude: ["web"] } });
    expect(filesFound(".")).toEqual(["old/c.conf"]);
    expect(filesFound("web")).toEqual(["web/a.conf"]);
  });

  test("does not apply to a file that is named, unless a hook names it", () => {
    writeAll("vendor/b.conf", "a.conf");
    write({ ".httpd-lint.json": { extendExclude: ["vendor/"] } });
    expect(filesFound("vendor/b.conf", "a.conf")).toEqual(["a.conf", "vendor/b.conf"]);
    expect(filesFound("--skip-unrecognized", "vendor/b.conf", "a.conf")).toEqual(["a.conf"]);
  });

  test("of all files is a mistake that the message explains", () => {
    writeAll("vendor/b.conf");
    expectFailure(
      lint([".", "--exclude", "vendor"]),
      3,
      "no httpd configuration was found in `.`; 1 path there is excluded",
    );
  });
});
