import { describe, expect, test } from "vitest";
import { expectFailure } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();
const base = "curl -sko /dev/null -w '%{http_code} %{redirect_url}\\n' -A '' -H Accept:";
const closed = '<Location "/x">\nRequire ip 10.0.0.0/8\n</Location>\n';
const expectations = [
  { path: "/x", host: "a.test", clientIp: "10.0.0.7", user: "bob", headers: { Cookie: "a=b" }, expect: "allowed" },
  { name: "others", path: "/x", host: "a.test", scheme: "https", serverIp: "192.0.2.9", expect: 403 },
  { path: "/y", host: "a.test", expect: "refused" },
];

describe("--curl", () => {
  test("shows the request of explain, with the answer", () => {
    write({ "httpd.conf": `${closed}Redirect /old https://b.test/new\n` });
    expect(lint(["explain", "httpd.conf", "http://a.test/x", "--curl"]).stdout).toBe(
      `${base} http://a.test/x  # expect 403 Forbidden\n`,
    );
    const moved = lint(["explain", "httpd.conf", "/old/z?q", "--client-ip", "203.0.113.7", "--curl"]);
    expect(moved.stdout).toBe(
      `${base} -0 -H Host: 'http://127.0.0.1/old/z?q'  # expect 302 → https://b.test/new/z?q; from 203.0.113.7\n`,
    );
    expectFailure(
      lint(["explain", "httpd.conf", "/x", "--curl", "--format", "json"]),
      2,
      /--curl has a format of its own/,
    );
    expectFailure(lint(["explain", "httpd.conf", "/x", "--curl", "--allow"]), 2, /cannot be used together/);
  });

  test("shows an example of each difference, of each scope of the map, and of each open scope", () => {
    write({ "httpd.conf": `ServerName a.test\n${closed}`, "after.conf": "ServerName a.test\n" });
    const compared = lint(["compare", "httpd.conf", "after.conf", "--curl"]);
    expect(compared.status).toBe(1);
    expect(compared.stdout).toMatch(
      /^curl .* http:\/\/a\.test\/x {2}# expect 403 before, 200 after; from 203\.0\.113\.7\n$/,
    );
    const mapped = lint(["map", "httpd.conf", "--release", "2.4", "--curl"]).stdout.trimEnd().split("\n");
    expect(mapped.length).toBeGreaterThan(1);
    for (const each of mapped) expect(each).toMatch(/^curl .*http:\/\/a\.test\/\S* {2}# expect (?:\d{3}|proxied) ?/);
    expect(mapped.some((each) => each.includes("# expect 403"))).toBe(true);
    expectFailure(lint(["map", "httpd.conf", "--curl", "--format", "json"]), 2, /--curl has a format of its own/);
    write({
      "httpd.conf": 'ServerName a.test\nDocumentRoot "www"\n<Directory />\nRequire all granted\n</Directory>\n',
    });
    expect(lint(["audit", "httpd.conf", "--curl"]).stdout).toMatch(/^curl .*# expect 200; from 203\.0\.113\.7\n/);
  });

  test("shows the requests of an expectations file", () => {
    write({ "httpd.conf": closed, "httpd-lint.expectations.json": JSON.stringify({ expectations }) });
    expect(lint(["test", "httpd.conf", "--curl"]).stdout.split("\n")).toEqual([
      `${base} -H 'Cookie: a=b' -u bob http://a.test/x  # expect allowed; from 10.0.0.7; with the password of bob`,
      `${base} --connect-to ::192.0.2.9:443 https://a.test/x  # expect 403`,
      `${base} http://a.test/y  # expect refused`,
      "",
    ]);
  });
});

describe("test --export hurl", () => {
  test("writes the expectations for hurl", () => {
    write({ "httpd.conf": closed, "httpd-lint.expectations.json": JSON.stringify({ expectations }) });
    const { status, stdout } = lint(["test", "httpd.conf", "--export", "hurl"]);
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        ...["# from 10.0.0.7", "# with the password of bob", "GET http://a.test/x", "Cookie: a=b", "[BasicAuth]"],
        ...["bob: {{password}}", "[Options]", "insecure: true", "path-as-is: true", "HTTP *", "[Asserts]"],
        ...["status != 400", "status != 401", "status != 403", "status < 500", ""],
        ...["# others", "GET https://a.test/x", "[Options]", "insecure: true", "path-as-is: true"],
        ...["connect-to: ::192.0.2.9:443", "HTTP 403", ""],
        ...["GET http://a.test/y", "[Options]", "insecure: true", "path-as-is: true", "HTTP *", "[Asserts]"],
        ...["status >= 401", "status <= 403", "status != 402", ""],
      ].join("\n"),
    );
    expectFailure(lint(["test", "httpd.conf", "--export", "hurl", "--curl"]), 2, /cannot be used together/);
  });
});
