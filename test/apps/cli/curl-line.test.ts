import { describe, expect, test } from "vitest";
import { expandCurlLine } from "../../../src/apps/cli/inputs/argv.js";
import { translateCurlLine } from "../../../src/apps/cli/inputs/curl-line.js";

const own = ["--header=User-Agent: curl/8.14.1", "--header=Accept: */*"];

/** Splits a command line at spaces, as a shell does without quotes. */
const wordsOf = (line: string) => line.split(" ");

describe("a curl command line", () => {
  test.each<[line: string, args: readonly string[]]>([
    ["https://a.test/x?y#z", ["https://a.test/x?y#z", "--method", "GET", ...own, "--tls=name=a.test"]],
    ["-k https://127.0.0.1/", ["https://127.0.0.1/", "--method", "GET", ...own, "--tls=name=none"]],
    ["-k https://[::1]:8443/", ["https://[::1]:8443/", "--method", "GET", ...own, "--tls=name=none"]],
    [
      "-H Host:b.test https://A.test/",
      ["https://A.test/", "--method", "GET", ...own, "--host=b.test", "--tls=name=a.test"],
    ],
    ["-H host:b.test http://a.test/", ["http://a.test/", "--method", "GET", ...own, "--host=b.test"]],
    ["a.test", ["http://a.test/", "--method", "GET", ...own]],
    ["-sSkIL http://a.test/", ["http://a.test/", "--method", "HEAD", ...own]],
    ["http://a.test/a/../b/./c/..", ["http://a.test/b/", "--method", "GET", ...own]],
    ["--path-as-is http://a.test/a/../b", ["http://a.test/a/../b", "--method", "GET", ...own]],
    ["-XPURGE http://a.test/", ["http://a.test/", "--method", "PURGE", ...own]],
    [
      "-A x -e http://b.test/ -b a=b http://a.test/",
      [
        "http://a.test/",
        "--method",
        "GET",
        own[1] ?? "",
        "--header=User-Agent: x",
        "--header=Referer: http://b.test/",
        "--header=Cookie: a=b",
      ],
    ],
    [
      "-H Accept: -H X-Empty; http://a.test/",
      ["http://a.test/", "--method", "GET", own[0] ?? "", "--header=X-Empty: "],
    ],
    ["-u bob:x http://a.test/", ["http://a.test/", "--method", "GET", ...own, "--user=bob:x"]],
    ["http://bob:x@a.test/", ["http://a.test/", "--method", "GET", ...own, "--user=bob:x"]],
    [
      "-d a=b -d c http://a.test/",
      [
        ...["http://a.test/", "--method", "POST", ...own],
        ...["--header=Content-Type: application/x-www-form-urlencoded", "--header=Content-Length: 5"],
      ],
    ],
    ["-G -d a=b http://a.test/?c", ["http://a.test/?c&a=b", "--method", "GET", ...own]],
    [
      "--resolve a.test:443:[::1] https://a.test/",
      ["https://a.test/", "--method", "GET", ...own, "--server-ip=::1", "--tls=name=a.test"],
    ],
    [
      "--resolve b.test:443:127.0.0.1 https://a.test/",
      ["https://a.test/", "--method", "GET", ...own, "--tls=name=a.test"],
    ],
    [
      "--connect-to a.test:80:127.0.0.1:8080 http://a.test/",
      ["http://a.test/", "--method", "GET", ...own, "--server-ip=127.0.0.1", "--port=8080"],
    ],
  ])("%s", (line, args) => {
    expect(translateCurlLine(wordsOf(line))).toEqual({ ok: true, value: args });
  });

  test.each([
    ["-H", "`-H` needs a value"],
    ["--nope http://a.test/", "`--nope` is not supported"],
    ["-s", "the URL is missing"],
    ["http://a.test/ http://b.test/", "more than one URL: `http://a.test/` and `http://b.test/`"],
    ["-b jar.txt http://a.test/", "the cookies of the file `jar.txt` are not known; write NAME=VALUE"],
    ["-H nothing http://a.test/", "`nothing` is not a header: expected `Name: value`"],
    ["--resolve a.test http://a.test/", "`a.test` is not a valid value of `--resolve`"],
  ])("%s is an error", (line, error) => {
    expect(translateCurlLine(wordsOf(line))).toEqual({ ok: false, error: `the curl command line: ${error}` });
  });

  test("follows the two dashes of explain; other arguments stay", () => {
    const args = ["explain", "httpd.conf", "--all", "--", "curl", "http://a.test/"];
    expect(expandCurlLine(args)).toEqual({
      ok: true,
      value: ["explain", "httpd.conf", "--all", "http://a.test/", "--method", "GET", ...own],
    });
    for (const other of [
      ["check", "--", "curl"],
      ["explain", "--", "httpd.conf"],
      ["explain", "curl"],
    ])
      expect(expandCurlLine(other)).toEqual({ ok: true, value: other });
  });
});
