import { describe, expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Release } from "../../../src/facts/release.js";
import { listChangesBetween, listVersionChanges } from "../../../src/facts/version-changes.js";
import { findVersionDifferences } from "../../../src/lint/probes/version-differences.js";
import { type Upgrade, upgrade } from "../../../src/lint/runner/upgrade.js";
import { describeRequest } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { section } from "../../support/rules.js";

const main = "/etc/httpd/httpd.conf";

function loadAs(text: string, release: Release) {
  const access = memoryAccess({ [main]: text });
  const loaded = loadProject(main, { access, kind: "server", release });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

const modules = ["authz_core", "authz_host", "unixd", "dir", "alias", "mpm_event"];
const open = `${section('Directory "/srv/www"', "Require all granted\n")}`;

/** Returns a server with lines and modules besides the usual ones. */
function server(lines: readonly string[], more: readonly string[] = []): string {
  const loads = [...modules, ...more].map((name) => `LoadModule ${name}_module modules/mod_${name}.so`);
  return [...loads, "Listen 80", "ServerName x.test", 'DocumentRoot "/srv/www"', open, ...lines, ""].join("\n");
}

/** Returns the witnesses between two versions: the version, the request, and both statuses. */
function witnesses(lines: readonly string[], from: Release, to: Release, more: readonly string[] = []): string[] {
  const text = server(lines, more);
  const { differences } = findVersionDifferences(loadAs(text, from), loadAs(text, to));
  return differences.map(
    ({ behaviours, request, before, after }) =>
      `${behaviours.map(({ since }) => since).join(" ")}: ${describeRequest(request).replace(/ from .*/, "")}: ${before.status} ${after.status}`,
  );
}

function upgraded(text: string, from: Release, to: Release): Upgrade {
  return upgrade(loadAs(text, from), { project: loadAs(text, to), withModules: () => loadAs(text, to) }, defaultRules);
}

const rules = ["RewriteEngine On", 'RewriteRule "^/q/(.*)" "/a.html?x=$1" [L]'];
const denied = section("LocationMatch ^/a/b", "Require all denied\n");

describe("requests that two versions of 2.4 answer differently", () => {
  test("are found for each change that the lines show", () => {
    const found = witnesses([...rules, denied], "2.4.52", "2.4.62", ["rewrite"]);
    expect(found).toEqual([
      expect.stringMatching(/^2\.4\.54: POST .*: \d+ 413$/),
      "2.4.56: GET `http://x.test/q/%20x`: 200 403",
      "2.4.60: GET `http://x.test/q/%3fx`: 200 403",
    ]);
  });

  test("are found for repeated slashes in front of a section, with another status", () => {
    const found = witnesses([denied], "2.4.37", "2.4.41");
    expect(found).toEqual([expect.stringMatching(/^2\.4\.39: GET `http:\/\/x\.test\/+a\/+b[^`]*`: 200 403$/)]);
  });

  test.each([
    ["2.4.57", "2.4.58"],
    ["2.4.65", "2.4.66"],
    ["2.4.29", "2.4.29"],
  ] as const)("are none from %s to %s", (from, to) => {
    expect(witnesses([...rules, denied], from, to, ["rewrite"])).toEqual([]);
  });

  test("are found for the one version that takes each expression of a condition as true", () => {
    const lines = ["RewriteEngine On", `RewriteCond expr "%{HTTP_HOST} == 'none'"`, 'RewriteRule "^/x" "-" [F]'];
    expect(witnesses(lines, "2.4.63", "2.4.64", ["rewrite"])).toEqual([
      expect.stringMatching(/^2\.4\.64: GET `http:\/\/x\.test\/x[^`]*`: 200 403$/),
    ]);
    expect(witnesses(lines, "2.4.64", "2.4.65", ["rewrite"])).toEqual([
      expect.stringMatching(/^2\.4\.64: GET `http:\/\/x\.test\/x[^`]*`: 403 200$/),
    ]);
    expect(witnesses(lines, "2.4.63", "2.4.66", ["rewrite"])).toEqual([]);
  });

  test("are not claimed of a distribution that may have the change", () => {
    const text = server([...rules, denied], ["rewrite"]);
    const { differences, uncertain } = findVersionDifferences(loadAs(text, "ubuntu-22.04"), loadAs(text, "2.4.62"));
    expect(differences).toEqual([]);
    expect(uncertain.map(({ since }) => since)).toContain("2.4.56");
  });

  test("are counted, and what none showed is listed", () => {
    const text = server([]);
    const { tried, unseen, isLimited } = findVersionDifferences(loadAs(text, "2.4.41"), loadAs(text, "2.4.42"));
    expect({ isLimited, unseen: unseen.map(({ since }) => since) }).toEqual({ isLimited: false, unseen: ["2.4.42"] });
    expect(tried).toBeGreaterThan(0);
  });
});

describe("the upgrade between two versions of 2.4", () => {
  test("reports only what the first version does not reject or report", () => {
    const lines = [...rules, "<Location /x>", "Require forward-dns a.test", "</Location>", "TypoHere On"];
    const { findings } = upgraded(server(lines, ["rewrite"]), "2.4.29", "2.4.62");
    expect(Object.values(findings).flat()).toEqual([]);
  });

  test("reports what the target rejects", () => {
    const { findings } = upgraded(server(["H2AltSvc h2=:443"], ["http2"]), "2.4.52", "2.4.62");
    expect(findings.start.map(({ message }) => message)).toEqual([expect.stringContaining("H2AltSvc")]);
  });

  test("lists changes of what the configuration uses", () => {
    const since = (lines: readonly string[], more: readonly string[] = []) =>
      upgraded(server(lines, more), "2.4.6", "2.4.62").versions?.changes.map(({ change }) => change.does) ?? [];
    const tls = "rejects SSLv3: `SSLProtocol` is `all -SSLv3`";
    const backends = "encodes the path again before it sends it to a backend";
    expect(since(["SSLEngine On"], ["ssl"])).toContain(tls);
    expect(since(["SSLEngine On", "SSLProtocol TLSv1.2"], ["ssl"])).not.toContain(tls);
    expect(since([])).not.toContain(tls);
    expect(since(["ProxyPass /b http://b/"], ["proxy", "proxy_http"])).toContain(backends);
    expect(since(rules, ["rewrite"])).not.toContain(backends);
  });

  test("has no such part from 2.2", () => {
    expect(upgraded(server([]), "2.2", "2.4").versions).toBeUndefined();
  });
});

test("a change that a later version ended is not one of an upgrade past both", () => {
  const does = (from: Release, to: Release) =>
    listChangesBetween(from, to).map(({ change: { since, until }, isNew }) => `${since} ${until ?? ""} ${isNew}`);
  expect(does("2.4.59", "2.4.60")).toContain("2.4.60 2.4.61 true");
  expect(does("2.4.60", "2.4.61")).toEqual(["2.4.60 2.4.61 false", "2.4.61 2.4.62 true"]);
  expect(does("2.4.59", "2.4.62").filter((each) => each.includes("2.4.61"))).toEqual([]);
  expect(listChangesBetween("rhel-7", "2.4.62").filter(({ isUncertain }) => isUncertain)).not.toEqual([]);
});

test("each change has a source and ends no sentence", () => {
  for (const { does, source } of listVersionChanges()) {
    expect(does).toMatch(/^[a-z].*[^.]$/);
    expect(source).not.toBe("");
  }
});
