import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { expectFailure } from "../support/programs/command-output.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

const modules = ["mpm_event", "unixd", "authz_core", "reqtimeout", "ssl"]
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join("");

/** The lines that meet each recommendation that the rules check completely, without TLS. */
const meeting: Readonly<Record<string, string>> = {
  "5.8": "TraceEnable Off",
  "5.15": "Listen 192.0.2.1:80",
  "8.1": "ServerTokens Prod",
  "8.2": "ServerSignature Off",
  "8.4": "FileETag MTime Size",
  "9.1": "Timeout 10",
  "9.2": "KeepAlive On",
  "9.3": "MaxKeepAliveRequests 100",
  "9.4": "KeepAliveTimeout 15",
  "9.5": "RequestReadTimeout header=20-40,MinRate=500",
  "9.6": "RequestReadTimeout body=20,MinRate=500",
  "10.2": "LimitRequestFields 100",
  "10.3": "LimitRequestFieldSize 1024",
  "10.4": "LimitRequestBody 102400",
};

/** Lines that violate each of these recommendations, and replace the line that meets it. */
const violating: Readonly<Record<string, string>> = {
  "5.8": "TraceEnable On",
  "5.15": "Listen 0.0.0.0:80",
  "8.1": "ServerTokens OS",
  "8.2": '<Location "/a">\nServerSignature On\n</Location>',
  "8.4": "FileETag All",
  "9.1": "Timeout 60",
  "9.2": "KeepAlive Off",
  "9.3": "MaxKeepAliveRequests 99",
  "9.4": "KeepAliveTimeout 16",
  "9.5": "RequestReadTimeout header=41",
  "9.6": "RequestReadTimeout body=0",
  "10.2": "LimitRequestFields 0",
  "10.3": "LimitRequestFieldSize 8190",
  "10.4": 'LimitRequestBody 102400\n<Directory "/srv">\nLimitRequestBody 0\n</Directory>',
};

const tls = "SSLEngine On\nSSLCertificateFile cert.pem\nSSLProtocol -all +TLSv1.2 +TLSv1.3";
const meetingLines = Object.values(meeting);

function writeServer(lines: readonly string[]): void {
  write({ "httpd.conf": `${modules}${lines.join("\n")}\n` });
}

interface Row {
  readonly number: string;
  readonly state: string;
  readonly reason?: string;
  readonly findings: readonly { readonly rule: string; readonly count: number }[];
}

/** Returns the rows of the JSON output by number. */
function judge(...args: readonly string[]): ReadonlyMap<string, Row> {
  const flags = ["--statistics", "--by", "reference", "--extend-select", "hardening", "--format", "json"];
  const { stdout } = lint(["check", "httpd.conf", "--no-config", ...flags, ...args]);
  const output: { readonly recommendations: readonly Row[] } = JSON.parse(stdout);
  return new Map(output.recommendations.map((row) => [row.number, row]));
}

/** Returns the numbers that are met. */
function listMet(...args: readonly string[]): readonly string[] {
  return [...judge(...args).values()].filter(({ state }) => state === "met").map(({ number }) => number);
}

describe("recommendations", () => {
  test("are met if their rules check them completely, ran on the whole server, and found nothing", () => {
    writeServer(meetingLines);
    expect(listMet()).toEqual(Object.keys(meeting));
    writeServer([...meetingLines, tls]);
    validJson("recommendations", lint(["httpd.conf", "--statistics", "--by", "reference", "--format", "json"]).stdout);
    expect(listMet().filter((number) => number.startsWith("7."))).toEqual(["7.4", "7.6", "7.7"]);
  });

  test.each(Object.entries(violating))("%s is not met: %s", (number, lines) => {
    writeServer([...meetingLines.filter((line) => line !== meeting[number]), lines]);
    const row = judge().get(number);
    expect(row).toMatchObject({ state: "not met", findings: [{ count: 1 }] });
    expect(allRules.find(({ id }) => id === row?.findings[0]?.rule)?.references?.cis).toContain(number);
  });

  test.each([
    ["7.4", "SSLProtocol all"],
    ["7.6", "SSLInsecureRenegotiation On"],
    ["7.7", "SSLCompression On"],
  ])("%s is not met: %s", (number, line) => {
    writeServer([...meetingLines, tls, line]);
    expect(judge().get(number)?.state).toBe("not met");
  });

  test("are not met if their findings are suppressed", () => {
    writeServer([...meetingLines.slice(1), "# httpd-lint-ignore-next-line trace-enabled accepted", "TraceEnable On"]);
    expect(judge().get("5.8")?.state).toBe("not met");
    writeServer([...meetingLines.slice(1), "TraceEnable On"]);
    expect(judge("--min-severity", "error").get("5.8")?.state).toBe("not met");
    lint(["check", "httpd.conf", "--extend-select", "hardening", "--baseline", "known.json", "--update-baseline"]);
    expect(lint(["check", "httpd.conf", "--select", "trace-enabled", "--baseline", "known.json"]).stdout).toContain(
      "no findings",
    );
    expect(judge("--baseline", "known.json").get("5.8")?.state).toBe("not met");
  });

  test("are decided for the whole server if only one of its files is named", () => {
    write({
      "httpd.conf": `${modules}${meetingLines.slice(1).join("\n")}\nTraceEnable On\nInclude site.conf\n`,
      "site.conf": "ServerName a.test\n",
    });
    const { stdout } = lint(["site.conf", "--statistics", "--by", "reference", "--select", "trace-enabled"]);
    expect(stdout).toContain("not met\n  5.8   Disable TRACE\n          1 finding of trace-enabled\n");
  });

  test.each([
    ["the rule is disabled", [], ["--disable", "trace-enabled"], "the rule `trace-enabled` did not run"],
    [
      "another rule is selected",
      [],
      ["--select", "etag-inode", "--disable", "hardening"],
      "`trace-enabled` did not run",
    ],
    ["a file is missing", ["Include more.conf"], [], "not all files or modules of the server are known"],
    ["a directory is empty", ["IncludeOptional none/*.conf"], [], "not all files or modules of the server are known"],
    ["a variable is not defined", ['Alias "/a" "/srv/${NAME}"'], [], "${NAME}"],
    ["httpd does not start", ["Optoins None"], [], "httpd does not start"],
    ["the version is 2.2", [], ["--release", "2.2"], "the benchmark is for 2.4"],
  ])("are not decidable if %s", (_, lines, args, reason) => {
    writeServer([...meetingLines, ...lines]);
    const row = judge(...args).get("5.8");
    expect(row).toMatchObject({ state: "not decidable", findings: [] });
    expect(row?.reason).toContain(reason);
  });

  test("are not decidable for a part of a server", () => {
    write({ "site.conf": `${meetingLines.filter((line) => !line.startsWith("Listen")).join("\n")}\n` });
    const { stdout } = lint(["site.conf", "--statistics", "--by", "reference", "--extend-select", "hardening"]);
    expect(stdout).not.toMatch(/^met$/m);
    expect(stdout).toContain("5.8   Disable TRACE\n          not all files of the server were checked\n");
  });

  test("about TLS are not decidable without TLS, or with commands of OpenSSL", () => {
    writeServer(meetingLines);
    expect(judge().get("7.4")?.reason).toBe("the configuration has no `SSLEngine` or `SSLCertificateFile`");
    writeServer([...meetingLines, tls, "SSLOpenSSLConfCmd MinProtocol TLSv1"]);
    expect(judge().get("7.4")?.reason).toBe("the effect of `SSLOpenSSLConfCmd` is not known");
  });

  test("are never met if a rule checks only a part of them", () => {
    writeServer(meetingLines);
    const rows = judge();
    for (const number of ["2.4", "5.10", "7.3"]) expect(rows.get(number)?.state).toBe("not decidable");
    expect(rows.get("1.1")?.reason).toBe("no rule checks it");
  });

  test("need --statistics, and cannot be used with --fix", () => {
    writeServer(meetingLines);
    expectFailure(
      lint(["check", "httpd.conf", "--by", "reference"]),
      2,
      "--by needs --statistics; use --statistics=reference",
    );
    const fixing = ["check", "httpd.conf", "--statistics=reference", "--fix"];
    expectFailure(lint(fixing), 2, "--statistics=reference cannot be used with --fix or --diff");
  });
});
