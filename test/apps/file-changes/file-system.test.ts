import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { delimiter } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { copyExtendedAttributes, readExtendedAttributes } from "../../../src/apps/file-changes/file-system.js";
import { testFolder } from "../../support/programs/test-folder.js";

const { at, write } = testFolder();
const path = process.env["PATH"] ?? "";
afterEach(() => {
  process.env["PATH"] = path;
});

/** Puts a program first on the PATH. */
function install(name: string, script: string): void {
  write({ [`bin/${name}`]: `#!/bin/sh\n${script}\n` });
  chmodSync(at(`bin/${name}`), 0o755);
  process.env["PATH"] = `${at("bin")}${delimiter}${path}`;
}

/** Limits the PATH to these programs. */
function installOnly(programs: Readonly<Record<string, string>>): void {
  for (const [name, script] of Object.entries(programs)) install(name, script);
  process.env["PATH"] = at("bin");
}

describe("extended attributes", () => {
  test("from getfattr are compared without the name of the file and in any order", () => {
    install("getfattr", "for last; do :; done; printf '# file: %s\\nuser.b=0x02\\nuser.a=0x01\\n\\n' \"$last\"");
    expect(readExtendedAttributes("/x")).toEqual({ text: "user.a=0x01\nuser.b=0x02", isComplete: true });
    expect(readExtendedAttributes("/y")).toEqual(readExtendedAttributes("/x"));
  });

  test("are empty if getfattr prints nothing", () => {
    install("getfattr", "exit 0");
    expect(readExtendedAttributes("/x")).toEqual({ text: "", isComplete: true });
  });

  test.each([
    ["-rw-r--r-- 1 root root 0 Jan 1 00:00 x", ""],
    ["-rw-r--r--+ 1 root root 0 Jan 1 00:00 x", "+ /x"],
    ["-rw-r--r--@ 1 root root 0 Jan 1 00:00 x", "@ /x"],
  ])("from ls: %s", (line, text) => {
    installOnly({ ls: `echo '${line}'` });
    expect(readExtendedAttributes("/x")).toEqual({ text, isComplete: false });
  });

  test("from ls include the SELinux label", () => {
    const list =
      'case $1 in -ld) echo "-rw-r--r--. 1 root root 0 x";; *) echo "system_u:object_r:httpd_config_t:s0 x";; esac';
    installOnly({ ls: list });
    expect(readExtendedAttributes("/x").text).toBe("system_u:object_r:httpd_config_t:s0");
  });

  test("are unknown without these programs", () => {
    installOnly({});
    expect(readExtendedAttributes("/x")).toEqual({ text: "", isComplete: false });
    expect(() => copyExtendedAttributes("/x", "/y")).not.toThrow();
  });

  test("are copied", () => {
    write({ a: "", b: "unchanged" });
    const python = (script: string) => spawnSync("python3", ["-c", script, at("a"), at("b")], { encoding: "utf8" });
    if (python("import os, sys; os.setxattr(sys.argv[1], 'user.x', b'1')").status !== 0) return;
    copyExtendedAttributes(at("a"), at("b"));
    expect(python("import os, sys; print(os.getxattr(sys.argv[2], 'user.x'), open(sys.argv[2]).read())").stdout).toBe(
      "b'1' unchanged\n",
    );
  });
});
