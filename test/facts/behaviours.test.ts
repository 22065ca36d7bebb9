import { expect, test } from "vitest";
import { behaves, listBehaviours, listUncomparedRequests, listUnprovedRequests } from "../../src/facts/behaviours.js";
import { isBefore, isSince, listReleases } from "../../src/facts/release.js";

test.each([
  ["2.4", true],
  ["2.4.39", true],
  ["2.4.38", false],
  ["2.4.6", false],
  ["2.2", false],
  ["2.2.34", false],
] as const)("%s merges slashes: %s", (release, expected) => {
  expect(behaves(release, "slashes-merged")).toBe(expected);
});

test("the last versions of 2.2 check the `Host` header as 2.4.25 does", () => {
  for (const id of ["strict-requests", "underscores-rejected"] as const) {
    expect(behaves("2.2", id)).toBe(true);
    expect(behaves("2.2.32", id)).toBe(true);
    expect(behaves("2.2.31", id)).toBe(false);
  }
});

test("a behaviour of some versions ends", () => {
  const answers = (["2.4.23", "2.4.25", "2.4.29", "2.4.33", "2.4.34", "2.4"] as const).map((release) =>
    behaves(release, "underscores-rejected"),
  );
  expect(answers).toEqual([false, true, true, true, false, false]);
});

test("a distribution may have the correction of a vulnerability, and no other change", () => {
  expect(behaves("rhel-7", "slashes-merged")).toBe("unknown");
  expect(behaves("ubuntu-20.04", "slashes-merged")).toBe(true);
  expect(behaves("rhel-7", "handler-expressions")).toBe(false);
  expect(behaves("ubuntu-18.04", "underscores-rejected")).toBe("unknown");
  expect(behaves("debian-10", "underscores-rejected")).toBe(false);
});

test("each behaviour has a beginning after the first version of 2.4, and a source", () => {
  for (const { since, until, does, source } of listBehaviours()) {
    expect(isSince(since, "2.4.1")).toBe(true);
    expect(until === undefined || isBefore(since, until)).toBe(true);
    expect(does).toMatch(/^[a-z].*[^.]$/);
    expect(source).not.toBe("");
  }
});

test("the newest version has all behaviours without an end", () => {
  expect(listReleases()).toContain("2.4");
  expect(behaves("2.4", "escaped-dots-kept")).toBe(false);
  expect(behaves("2.4", "first-folder-of-rule")).toBe(true);
});

test("the requests that proofs leave out are those that two versions may answer differently", () => {
  expect(listUnprovedRequests("2.4.29", "2.4.41")).toEqual([
    "with an underscore in the `Host` header",
    "with repeated slashes in the path",
  ]);
  expect(listUnprovedRequests("2.4.41", "2.4.29")).toEqual(listUnprovedRequests("2.4.29", "2.4.41"));
  expect(listUnprovedRequests("rhel-8", "rhel-8")).toEqual([]);
  expect(listUnprovedRequests("2.4.62", "2.4.62")).toEqual([]);
  expect(listUnprovedRequests("2.2", "2.4")).toEqual([]);
});

test("a comparison of 2.2 with 2.4 leaves out the requests that they answer differently whatever the configuration is", () => {
  expect(listUncomparedRequests("2.2", "2.4")).toContain("with repeated slashes in the path");
  expect(listUncomparedRequests("2.4", "2.2")).toEqual(listUncomparedRequests("2.2", "2.4"));
  expect(listUncomparedRequests("2.2", "2.4.38")).not.toContain("with repeated slashes in the path");
  expect(listUncomparedRequests("2.2", "2.4")).toContain("with an underscore in the `Host` header");
  expect(listUncomparedRequests("2.2", "2.4")).not.toContain("with a `Host` header that is not a host name");
  expect(listUncomparedRequests("2.4.29", "2.4.62")).toEqual([]);
  expect(listUncomparedRequests("2.2", "2.2.15")).toEqual([]);
});
