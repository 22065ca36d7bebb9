import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory } from "../../test/support/rules.js";
import { etagInode } from "./etag-inode.js";

const check = (text: string) => findingsOf([etagInode], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    "FileETag All",
    "FileETag INode",
    "FileETag MTime INode Size",
    "FileETag +INode",
    "FileETag -INode +inode",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([line]);
    expect(check(inDirectory(line))).toEqual([line]);
  });

  test("in a .htaccess file", () => {
    expect(findingsOf([etagInode], "FileETag All\n", { kind: "htaccess" })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    "FileETag MTime Size",
    "FileETag None",
    "FileETag -INode",
    "FileETag All -INode",
    "FileETag Digest",
    "FileETag All\nFileETag MTime",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});
