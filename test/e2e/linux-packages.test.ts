import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { makeDebianPackage, makeRpmPackage, type PackageRequest } from "../../scripts/artifacts/linux-packages.js";
import { ensureBuilt, run } from "../support/programs/command.js";
import { sharedFolder } from "../support/programs/test-folder.js";

/** What is installed, besides the folders of documentation, in which the packages differ. */
const installed = [
  "usr/bin/httpd-lint",
  "usr/share/bash-completion/completions/httpd-lint",
  "usr/share/fish/vendor_completions.d/httpd-lint.fish",
  "usr/share/man/man1/httpd-lint.1.gz",
];

const has = (program: string) => run("sh", ["-c", `command -v ${program}`]).status === 0;
const isRoot = process.getuid?.() === 0;

const scratch = sharedFolder();
/** The executable of the packages: HTTPD_LINT_EXECUTABLE, or a script, which is small. */
const executable = () => process.env["HTTPD_LINT_EXECUTABLE"] ?? scratch.at("program");
const request = (): PackageRequest => ({
  executable: executable(),
  version: "1.2.3",
  date: "2026-02-03",
  depends: [],
  target: scratch.path,
});

beforeAll(() => {
  // The licenses in the packages are files of the build.
  ensureBuilt();
  scratch.write({ program: "#!/bin/sh\necho ran with $*\n" });
  chmodSync(scratch.at("program"), 0o755);
});

/** Runs the installed program and returns its first line. */
function runInstalled(root: string): string {
  return run(scratch.at(`${root}/usr/bin/httpd-lint`), ["--version"]).stdout.split("\n")[0] ?? "";
}
const expectedLine = () => run(executable(), ["--version"]).stdout.split("\n")[0];

describe.skipIf(!has("dpkg-deb"))("the package for Debian", () => {
  const dpkg = (...args: readonly string[]) => {
    const options = ["--root", scratch.at("deb"), "--force-not-root", "--force-depends", "--force-script-chrootless"];
    return run("dpkg", [...options, "--log=/dev/null", ...args]);
  };
  let path = "";

  beforeAll(() => {
    scratch.write({ "deb/var/lib/dpkg/status": "", "deb/var/lib/dpkg/info/format": "1\n" });
    for (const folder of ["updates", "triggers"]) scratch.write({ [`deb/var/lib/dpkg/${folder}/.keep`]: "" });
    path = makeDebianPackage(request());
  });

  test("is installed, runs, and is removed without a rest", () => {
    const before = readdirSync(scratch.at("deb"));
    expect(dpkg("--install", path)).toMatchObject({ status: 0 });
    for (const file of [...installed, "usr/share/zsh/vendor-completions/_httpd-lint"])
      expect(existsSync(scratch.at(`deb/${file}`)), file).toBe(true);
    expect(runInstalled("deb")).toBe(expectedLine());
    expect(dpkg("--purge", "httpd-lint")).toMatchObject({ status: 0 });
    for (const file of installed) expect(existsSync(scratch.at(`deb/${file}`)), file).toBe(false);
    expect(readdirSync(scratch.at("deb")).filter((name) => name !== "usr")).toEqual(before);
  });

  test("names its version and its license", () => {
    expect(run("dpkg-deb", ["--field", path, "Version"]).stdout).toBe("1.2.3\n");
    const { stdout } = run("sh", [
      "-c",
      `dpkg-deb --fsys-tarfile ${path} | tar -xO ./usr/share/doc/httpd-lint/copyright`,
    ]);
    expect(stdout).toContain("License: Apache-2.0");
  });

  test("is the same for the same input", () => {
    const first = readFileSync(path);
    expect(makeDebianPackage(request())).toBe(path);
    expect(first.equals(readFileSync(path))).toBe(true);
  });

  test.skipIf(!has("lintian"))(
    "satisfies lintian",
    () => {
      const { stdout } = run("lintian", ["--allow-root", "--fail-on", "error,warning", path]);
      // The script that replaces the program here needs no library.
      expect(stdout.split("\n").filter((line) => /^[EW]:/.test(line) && !line.includes("script-"))).toEqual([]);
    },
    120_000,
  );
});

describe.skipIf(!has("rpmbuild") || !isRoot)("the package for Red Hat", () => {
  const rpm = (...args: readonly string[]) => run("rpm", ["--root", scratch.at("rpm"), ...args]);

  test("is installed, runs, and is removed", () => {
    scratch.write({ "rpm/.keep": "" });
    const path = makeRpmPackage(request());
    expect(rpm("--install", "--nodeps", "--nosignature", path)).toMatchObject({ status: 0 });
    for (const file of [...installed, "usr/share/zsh/site-functions/_httpd-lint"])
      expect(existsSync(scratch.at(`rpm/${file}`)), file).toBe(true);
    expect(runInstalled("rpm")).toBe(expectedLine());
    expect(rpm("--query", "httpd-lint").stdout).toBe("httpd-lint-1.2.3-1.x86_64\n");
    expect(rpm("--erase", "--nodeps", "httpd-lint")).toMatchObject({ status: 0 });
    for (const file of installed) expect(existsSync(scratch.at(`rpm/${file}`)), file).toBe(false);
  }, 120_000);
});
