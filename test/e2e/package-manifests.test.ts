import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type Release,
  renderHomebrewFormula,
  renderScoopManifest,
  webAddressOf,
} from "../../scripts/artifacts/package-manifests.js";
import { programFormatOf } from "../../scripts/artifacts/program-format.js";
import { testFolder } from "../support/programs/test-folder.js";

const platforms = [
  "darwin-arm64.tar.xz",
  "darwin-x64.tar.xz",
  "linux-arm64.tar.xz",
  "linux-x64.tar.xz",
  "windows-x64.zip",
];
const release: Release = {
  version: "1.2.3",
  repository: "https://github.com/someone/httpd-lint",
  files: platforms.map((end, index) => ({ name: `httpd-lint-1.2.3-${end}`, digest: String(index).repeat(64) })),
};

describe("the files for package managers", () => {
  test("the formula for Homebrew names each archive with its checksum", () => {
    const formula = renderHomebrewFormula(release);
    for (const [index, end] of platforms.slice(0, 4).entries())
      expect(formula).toContain(
        `url "${release.repository}/releases/download/v1.2.3/httpd-lint-1.2.3-${end}"\n      sha256 "${String(index).repeat(64)}"`,
      );
    expect(formula.match(/\bdo\b|^class|^ {2}def/gm)?.length).toBe(formula.match(/^\s*end$/gm)?.length);
  });

  test("the manifest for Scoop names the program in the archive", () => {
    expect(JSON.parse(renderScoopManifest(release))).toMatchObject({
      version: "1.2.3",
      architecture: {
        "64bit": { hash: "4".repeat(64), extract_dir: "httpd-lint-1.2.3-windows-x64", bin: "bin/httpd-lint.exe" },
      },
    });
  });

  test("an archive that was not made is an error", () => {
    expect(() => renderScoopManifest({ ...release, files: [] })).toThrow("httpd-lint-1.2.3-windows-x64.zip is missing");
  });

  test.each([
    ["git+https://github.com/someone/httpd-lint.git", "https://github.com/someone/httpd-lint"],
    ["https://git.example.org/a/b", "https://git.example.org/a/b"],
    ["git@github.com:someone/httpd-lint.git", undefined],
    ["https://github.com/someone", undefined],
  ])("the address of %s is %s", (url, address) => {
    expect(webAddressOf({ url })).toBe(address);
    expect(webAddressOf(url)).toBe(address);
  });
});

describe("the format of a program", () => {
  const scratch = testFolder();
  const words = (...values: readonly number[]) =>
    Buffer.concat(values.map((value) => Buffer.from(Uint32Array.of(value).buffer)));
  const elf = (machine: number) => {
    const header = Buffer.alloc(64);
    header.write("\u007fELF\u0002\u0001", "latin1");
    header.writeUInt16LE(machine, 18);
    return header;
  };
  const pe = (machine: number) => {
    const header = Buffer.alloc(256);
    header.write("MZ", "latin1");
    header.writeUInt32LE(128, 0x3c);
    header.write("PE\0\0", 128, "latin1");
    header.writeUInt16LE(machine, 132);
    return header;
  };

  test.each([
    ["linux-x64", elf(62)],
    ["linux-arm64", elf(183)],
    ["darwin-x64", words(0xfeedfacf, 0x01000007)],
    ["darwin-arm64", words(0xfeedfacf, 0x0100000c)],
    ["windows-x64", pe(0x8664)],
    [undefined, elf(40)],
    [undefined, Buffer.from("#!/bin/sh\n")],
    [undefined, Buffer.from("MZ")],
  ])("is %s", (format, header) => {
    writeFileSync(scratch.at("program"), header);
    expect(programFormatOf(scratch.at("program"))).toBe(format);
  });

  test("of the running Node.js is that of this machine", () => {
    expect(programFormatOf(process.execPath)).toBe(`${process.platform}-${process.arch}`);
  });
});
