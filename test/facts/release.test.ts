import { describe, expect, it } from "vitest";
import {
  isNewest,
  isSince,
  lineOf,
  listReleases,
  nameRelease,
  parseRelease,
  type Release,
  releaseOf,
  versionOf,
} from "../../src/facts/release.js";

describe("a release", () => {
  it.each([
    ["2.4", "2.4"],
    ["2.4.29", "2.4.29"],
    ["2.2.15", "2.2.15"],
    ["httpd:2.4.57", "2.4.57"],
    ["httpd:2.4.57-alpine", "2.4.57"],
    ["Apache/2.4.6", "2.4.6"],
    ["rhel-7", "rhel-7"],
    ["centos:7", "rhel-7"],
    ["rockylinux:8.9", "rhel-8"],
    ["ubuntu:22.04", "ubuntu-22.04"],
    ["Debian-11", "debian-11"],
  ])("is read from %s", (text, name) => {
    expect(parseRelease(text)).toBe(name);
  });

  it.each(["", "2", "2.0", "2.5", "2.4.", "2.4.x", "2.4.1000", "rhel", "rhel-1", "ubuntu-22", "arch-1", "-2.4"])(
    "is not read from `%s`",
    (text) => {
      expect(parseRelease(text)).toBeUndefined();
    },
  );

  it("has the order of its version", () => {
    const sorted: Release[] = ["2.2.3", "2.2.34", "2.4.1", "rhel-7", "2.4.29", "ubuntu-22.04", "2.4.62", "2.4"];
    for (const [index, release] of sorted.entries())
      for (const [other, first] of sorted.entries())
        if (first !== "2.4")
          expect([release, first, isSince(release, first)]).toEqual([release, first, index >= other]);
  });

  it("is of 2.4 from the first version of that line on", () => {
    expect(listReleases().filter((release) => isSince(release, "2.4") !== (lineOf(release) === "2.4"))).toEqual([]);
    expect(isSince("2.4.0", "2.4")).toBe(true);
    expect(isSince("2.2", "2.4")).toBe(false);
  });

  it("is the newest version of its line if no patch is named", () => {
    expect(versionOf("2.4")).toEqual(versionOf("2.4.71"));
    expect(["2.2", "2.2.34", "2.4", "2.4.71", "2.4.80"].map((each) => isNewest(parseRelease(each) ?? "2.2.0"))).toEqual(
      [true, true, true, true, true],
    );
    expect((["2.2.31", "2.4.62", "rhel-9"] as const).map(isNewest)).toEqual([false, false, false]);
  });

  it("is the nearest one of a version that is not modeled", () => {
    expect(releaseOf([2, 4, 7])).toBe("2.4.7");
    expect(releaseOf([2, 3, 9])).toBe("2.4");
    expect(releaseOf([2, 0, 65])).toBe("2.2");
  });

  it("has a name for messages, with the version of a distribution", () => {
    expect(nameRelease("2.4.29")).toBe("httpd 2.4.29");
    expect(nameRelease("rhel-7")).toBe("httpd 2.4.6 of rhel-7");
  });
});
