import { describe, expect, it } from "vitest";
import { findDirectiveFacts, isAllowedIn, listDirectiveNames } from "../../src/facts/directives.js";
import { findModuleByName } from "../../src/facts/modules.js";
import { lineOf, listReleases } from "../../src/facts/release.js";
import { findFirstVersion, findLastVersion, findNewerWord } from "../../src/facts/versions.js";

describe("the directives of a version", () => {
  it.each([
    ["<IfFile", "2.4.34"],
    ["MergeSlashes", "2.4.39"],
    ["SSLOpenSSLConfCmd", "2.4.9"],
    ["H2MaxHeaderBlockLen", "2.4.64"],
  ] as const)("include %s from %s on", (name, first) => {
    const [, , patch = 0] = first.split(".").map(Number);
    expect(findDirectiveFacts(`2.4.${patch - 1}`, name)).toEqual([]);
    expect(findDirectiveFacts(first, name)).not.toEqual([]);
    expect(findDirectiveFacts("2.4", name)).not.toEqual([]);
    expect(findFirstVersion(name, "2.4")).toBe(first);
  });

  it("include those that were removed later", () => {
    expect(findDirectiveFacts("2.4.54", "H2AltSvc")).toMatchObject([{ argumentKind: "TAKE1", module: "mod_http2" }]);
    expect(findDirectiveFacts("2.4.55", "H2AltSvc")).toEqual([]);
    expect(findLastVersion("h2altsvc", "2.4")).toBe("2.4.54");
    expect(findDirectiveFacts("2.4.62", "AuthDigestNonceFormat")).toHaveLength(1);
    expect(findDirectiveFacts("2.4", "AuthDigestNonceFormat")).toEqual([]);
    expect(findDirectiveFacts("2.4.62", "TLSEngine")).toHaveLength(1);
    expect(findDirectiveFacts("2.4.63", "TLSEngine")).toEqual([]);
    expect(findDirectiveFacts("2.4", "TLSEngine")).toEqual([]);
  });

  it("have the arguments and contexts of that version", () => {
    expect(findDirectiveFacts("2.4.18", "Alias")[0]?.argumentKind).toBe("TAKE2");
    expect(findDirectiveFacts("2.4.20", "Alias")[0]?.argumentKind).toBe("TAKE12");
    const [old] = findDirectiveFacts("2.4.16", "Alias");
    const [now] = findDirectiveFacts("2.4", "Alias");
    expect(old && isAllowedIn(old, "location")).toBe(false);
    expect(now && isAllowedIn(now, "location")).toBe(true);
  });

  it("are those of the newest version, for it", () => {
    expect(listDirectiveNames("2.4.71")).toEqual(listDirectiveNames("2.4"));
    expect(listDirectiveNames("2.2.34")).toEqual(listDirectiveNames("2.2"));
  });

  it("are more in each version, but for those that were removed", () => {
    for (const [index, release] of listReleases().entries()) {
      const next = listReleases()[index + 1];
      if (!/^\d\.\d\.\d/.test(release) || next === undefined || lineOf(next) !== lineOf(release)) continue;
      // What the versions after the last one with a tag removed is known of the newest one only.
      if (next === "2.4.63") continue;
      const later = new Set(listDirectiveNames(next).map((name) => name.toLowerCase()));
      const removed = listDirectiveNames(release).filter((name) => !later.has(name.toLowerCase()));
      expect(removed.filter((name) => findLastVersion(name, lineOf(release)) === undefined)).toEqual([]);
    }
  });

  it("may include fixes of vulnerabilities in a distribution", () => {
    expect(findDirectiveFacts("2.4.6", "MergeSlashes")).toEqual([]);
    expect(findDirectiveFacts("rhel-7", "MergeSlashes")).toHaveLength(1);
    expect(findDirectiveFacts("rhel-7", "<IfFile")).toEqual([]);
  });
});

describe("the modules of a version", () => {
  it("are those that it has", () => {
    expect(findModuleByName("2.4.16", "http2_module")).toBeUndefined();
    expect(findModuleByName("2.4.17", "http2_module")).toBeDefined();
    expect(findModuleByName("2.4.6", "alias_module")).toBeDefined();
  });
});

describe("a word of a later version", () => {
  it.each([
    ["rewriterule", "BCTLS", "2.4.57"],
    ["require", "forward-dns", "2.4.20"],
    ["sslprotocol", "tlsv1.3", "2.4.37"],
    ["proxypass", "upgrade", "2.4.26"],
    ["requestheader", "setifempty", "2.4.7"],
  ] as const)("of %s is %s before %s", (subject, word, first) => {
    const [, , patch = 0] = first.split(".").map(Number);
    expect(findNewerWord(subject, word, `2.4.${patch - 1}`)).toBe(first);
    expect(findNewerWord(subject, word, first)).toBeUndefined();
    expect(findNewerWord(subject, word, "2.4")).toBeUndefined();
  });

  it("is none of those that each version knows", () => {
    expect(findNewerWord("rewriterule", "qsappend", "2.4.1")).toBeUndefined();
    expect(findNewerWord("require", "ip", "2.4.1")).toBeUndefined();
  });

  it("is not reported of a distribution that may have added it", () => {
    expect(findNewerWord("rewriterule", "unsafeallow3f", "2.4.52")).toBe("2.4.60");
    expect(findNewerWord("rewriterule", "unsafeallow3f", "ubuntu-22.04")).toBeUndefined();
    expect(findNewerWord("sslprotocol", "TLSv1.3", "rhel-7")).toBe("2.4.37");
  });
});
