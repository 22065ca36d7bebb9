import type { Log } from "sarif";
import { describe, expect, it } from "vitest";
import { compatPrecedence } from "../../../rules/compat-precedence/compat-precedence.js";
import type { Severity } from "../../../src/lint/finding.js";
import type { ReportInput } from "../../../src/report/index.js";
import { sourceFile } from "../../../src/text/source.js";
import { githubComplaints } from "../../support/programs/github-sarif.js";
import { lintText, onServer, section } from "../../support/rules.js";
import { at, finding, ignoredFinding, renderReport, rule } from "../samples.js";
import { sarifValidator } from "../sarif-schema.js";

const validate = sarifValidator();
const schemaHere = validate ? "" : " (skipped: the package that ships the schema is not installed here)";

const main = sourceFile("/srv/conf/site 1#ü.conf", "# 日本\n\tOrder deny,allow \\\r\n  # more\nDeny from all\n");
const order = at(main, "Order deny,allow \\\r\n  # more");
const deny = at(main, "Deny from all\n");

function sarif(findings: Parameters<typeof renderReport>[1], other: Partial<ReportInput> = {}): Log {
  const log: Log = JSON.parse(renderReport("sarif", findings, other));
  return log;
}

/** Returns a log with all properties that a finding may have. */
function fullLog(): Log {
  const findings = [
    finding(order, {
      message: "`Order` is old",
      related: [
        { message: "the list [of `x`]", span: deny },
        { message: "", span: order },
      ],
      fix: {
        title: "use `Require`",
        safety: "unsafe",
        edits: [
          { span: order, text: "Require all denied" },
          { span: deny, text: "" },
          { span: { file: main, start: main.text.length, end: main.text.length }, text: "\xff" },
        ],
      },
    }),
    finding(deny, {
      rule: "advice",
      severity: "info",
      message: "",
      witness: {
        request: { method: "GET", path: "/", clientIp: "192.0.2.7" },
        steps: [
          { message: "`Order` is merged", span: order },
          { message: "", span: deny },
        ],
      },
    }),
  ];
  const rules = [
    rule("old-access-control", "error", { securitySeverity: 8, tags: ["access"] }),
    rule("advice", "info", { title: "", description: "", help: "" }),
  ];
  return sarif(findings, { rules, category: "vhosts", helpUri: (id) => `https://lint.example/${id}` });
}

describe("sarif", () => {
  it("writes all properties of a finding", () => {
    expect(fullLog()).toMatchInlineSnapshot(`
      {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "runs": [
          {
            "automationDetails": {
              "id": "vhosts/",
            },
            "columnKind": "utf16CodeUnits",
            "invocations": [
              {
                "executionSuccessful": true,
              },
            ],
            "originalUriBaseIds": {
              "%SRCROOT%": {
                "description": {
                  "text": "The working directory of httpd-lint: the root of the repository.",
                },
              },
            },
            "results": [
              {
                "fixes": [
                  {
                    "artifactChanges": [
                      {
                        "artifactLocation": {
                          "uri": "conf/site%201%23%C3%BC.conf",
                          "uriBaseId": "%SRCROOT%",
                        },
                        "replacements": [
                          {
                            "deletedRegion": {
                              "endColumn": 9,
                              "endLine": 3,
                              "startColumn": 2,
                              "startLine": 2,
                            },
                            "insertedContent": {
                              "text": "Require all denied",
                            },
                          },
                          {
                            "deletedRegion": {
                              "endColumn": 1,
                              "endLine": 5,
                              "startColumn": 1,
                              "startLine": 4,
                            },
                          },
                          {
                            "deletedRegion": {
                              "byteLength": 0,
                              "byteOffset": 53,
                            },
                            "insertedContent": {
                              "binary": "/w==",
                            },
                          },
                        ],
                      },
                    ],
                    "description": {
                      "text": "use \`Require\`",
                    },
                    "properties": {
                      "safety": "unsafe",
                    },
                  },
                ],
                "level": "error",
                "locations": [
                  {
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "conf/site%201%23%C3%BC.conf",
                        "uriBaseId": "%SRCROOT%",
                      },
                      "region": {
                        "endColumn": 20,
                        "endLine": 2,
                        "startColumn": 2,
                        "startLine": 2,
                      },
                    },
                  },
                ],
                "message": {
                  "markdown": "\`Order\` is old

      - related: [the list \`[of\` \`x\`\`]\`](1)
      - related: [this location](2)
      - fix: use \`Require\` (unsafe)",
                  "text": "\`Order\` is old",
                },
                "partialFingerprints": {
                  "httpdLintFinding/v1": "2a6c97792c4fec4f:1",
                },
                "relatedLocations": [
                  {
                    "id": 1,
                    "message": {
                      "text": "the list [of \`x\`]",
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "conf/site%201%23%C3%BC.conf",
                        "uriBaseId": "%SRCROOT%",
                      },
                      "region": {
                        "endColumn": 14,
                        "endLine": 4,
                        "startColumn": 1,
                        "startLine": 4,
                      },
                    },
                  },
                  {
                    "id": 2,
                    "message": {
                      "text": "this location",
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "conf/site%201%23%C3%BC.conf",
                        "uriBaseId": "%SRCROOT%",
                      },
                      "region": {
                        "endColumn": 20,
                        "endLine": 2,
                        "startColumn": 2,
                        "startLine": 2,
                      },
                    },
                  },
                ],
                "ruleId": "old-access-control",
                "ruleIndex": 0,
              },
              {
                "codeFlows": [
                  {
                    "threadFlows": [
                      {
                        "locations": [
                          {
                            "location": {
                              "message": {
                                "text": "\`Order\` is merged",
                              },
                              "physicalLocation": {
                                "artifactLocation": {
                                  "uri": "conf/site%201%23%C3%BC.conf",
                                  "uriBaseId": "%SRCROOT%",
                                },
                                "region": {
                                  "endColumn": 20,
                                  "endLine": 2,
                                  "startColumn": 2,
                                  "startLine": 2,
                                },
                              },
                            },
                          },
                          {
                            "location": {
                              "message": {
                                "text": "this location",
                              },
                              "physicalLocation": {
                                "artifactLocation": {
                                  "uri": "conf/site%201%23%C3%BC.conf",
                                  "uriBaseId": "%SRCROOT%",
                                },
                                "region": {
                                  "endColumn": 14,
                                  "endLine": 4,
                                  "startColumn": 1,
                                  "startLine": 4,
                                },
                              },
                            },
                          },
                        ],
                      },
                    ],
                  },
                ],
                "level": "note",
                "locations": [
                  {
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "conf/site%201%23%C3%BC.conf",
                        "uriBaseId": "%SRCROOT%",
                      },
                      "region": {
                        "endColumn": 14,
                        "endLine": 4,
                        "startColumn": 1,
                        "startLine": 4,
                      },
                    },
                  },
                ],
                "message": {
                  "markdown": "advice",
                  "text": "advice",
                },
                "partialFingerprints": {
                  "httpdLintFinding/v1": "a09825a2b05f3d92:1",
                },
                "ruleId": "advice",
                "ruleIndex": 1,
              },
            ],
            "tool": {
              "driver": {
                "name": "httpd-lint",
                "rules": [
                  {
                    "defaultConfiguration": {
                      "level": "error",
                    },
                    "fullDescription": {
                      "text": "What \`old-access-control\` finds.",
                    },
                    "help": {
                      "markdown": "What \`old-access-control\` finds.

      What to do about it.",
                      "text": "What to do about it.",
                    },
                    "helpUri": "https://lint.example/old-access-control",
                    "id": "old-access-control",
                    "name": "OldAccessControl",
                    "properties": {
                      "precision": "high",
                      "problem.severity": "error",
                      "security-severity": "8.0",
                      "tags": [
                        "access",
                        "security",
                      ],
                    },
                    "shortDescription": {
                      "text": "Title of old-access-control",
                    },
                  },
                  {
                    "defaultConfiguration": {
                      "level": "note",
                    },
                    "fullDescription": {
                      "text": "advice",
                    },
                    "help": {
                      "markdown": "advice",
                      "text": "advice",
                    },
                    "helpUri": "https://lint.example/advice",
                    "id": "advice",
                    "name": "Advice",
                    "properties": {
                      "precision": "high",
                      "problem.severity": "recommendation",
                      "tags": [],
                    },
                    "shortDescription": {
                      "text": "advice",
                    },
                  },
                ],
                "version": "1.2.3",
              },
            },
          },
        ],
        "version": "2.1.0",
      }
    `);
    expect(githubComplaints(fullLog())).toEqual([]);
  });

  it.skipIf(!validate)(`conforms to the schema${schemaHere}`, () => {
    expect(validate?.(fullLog()), JSON.stringify(validate?.errors)).toBe(true);
    expect(validate?.(sarif([])), JSON.stringify(validate?.errors)).toBe(true);
  });

  it.skipIf(!validate)(`is checked by a schema that rejects a wrong level${schemaHere}`, () => {
    const text = renderReport("sarif", [finding(order)]).replace('"level":"error"', '"level":"fatal"');
    expect(validate?.(JSON.parse(text))).toBe(false);
  });

  it("declares every rule in a report without findings", () => {
    const log = sarif([], { rules: [rule("one"), rule("two")] });
    expect(log.runs[0]?.tool.driver.rules?.map((each) => each.id)).toEqual(["one", "two"]);
    expect(log.runs[0]?.results).toEqual([]);
    expect(githubComplaints(log)).toEqual([]);
  });

  it("refers to the catalogues of CIS, DISA and MITRE", () => {
    const listing = rule("listing", "error", { references: { cis: ["5.10", "2.5"], cwe: [548] } });
    const key = rule("key", "warning", { securitySeverity: 9, references: { stig: ["V-214274"], cwe: [22, 548] } });
    const log = sarif([], { rules: [rule("plain"), listing, key] });
    const [run] = log.runs;
    expect(run?.taxonomies?.map(({ name, version, taxa = [] }) => [name, version, taxa.map(({ id }) => id)])).toEqual([
      ["CIS", "2.3.0", ["2.5", "5.10"]],
      ["STIG", undefined, ["V-214274"]],
      ["CWE", undefined, ["22", "548"]],
    ]);
    const { supportedTaxonomies, rules = [] } = run?.tool.driver ?? {};
    expect(supportedTaxonomies).toEqual([
      { name: "CIS", index: 0 },
      { name: "STIG", index: 1 },
      { name: "CWE", index: 2 },
    ]);
    const [, , described] = rules;
    expect(rules[0]?.relationships).toBeUndefined();
    expect(described?.relationships).toEqual([
      { target: { id: "V-214274", toolComponent: { name: "STIG", index: 1 } }, kinds: ["relevant"] },
      { target: { id: "22", toolComponent: { name: "CWE", index: 2 } }, kinds: ["relevant"] },
      { target: { id: "548", toolComponent: { name: "CWE", index: 2 } }, kinds: ["relevant"] },
    ]);
    expect(described?.properties).toMatchObject({
      tags: ["security", "external/cwe/cwe-022", "external/cwe/cwe-548"],
      "security-severity": "9.0",
    });
    expect(githubComplaints(log)).toEqual([]);
    if (validate) expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
  });

  it("writes one result per line, the most severe first", () => {
    const severities: Severity[] = ["info", "error", "warning", "error"];
    const findings = severities.map((severity) => finding(order, { severity }));
    const lines = renderReport("sarif", findings).trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    const levels = sarif(findings).runs[0]?.results?.map((result) => result.level);
    expect(levels).toEqual(["error", "error", "warning", "note"]);
  });

  it("reports ignored findings as suppressed on request", () => {
    const findings = [finding(order)];
    const ignored = [ignoredFinding(deny), ignoredFinding(deny, "until May")];
    expect(sarif(findings, { ignored }).runs[0]?.results).toHaveLength(1);
    const both = sarif(findings, { ignored, reportIgnored: true });
    expect(both.runs[0]?.results?.map((result) => result.suppressions)).toEqual([
      [],
      [{ kind: "inSource" }],
      [{ kind: "inSource", justification: "until May" }],
    ]);
    expect(githubComplaints(both)).toEqual([]);
  });

  it("omits results that exceed GitHub's limit, and reports it", () => {
    const findings = Array.from({ length: 25_010 }, (_, index) =>
      finding(deny, { severity: index === 25_009 ? "error" : "info" }),
    );
    const run = sarif(findings).runs[0];
    expect(run?.results).toHaveLength(25_000);
    expect(run?.results?.[0]?.level).toBe("error");
    expect(run?.invocations?.[0]?.toolExecutionNotifications).toMatchInlineSnapshot(`
      [
        {
          "level": "warning",
          "message": {
            "text": "10 of 25010 results are omitted, those with the lowest severity. GitHub rejects a run with more than 25000.",
          },
        },
        {
          "level": "note",
          "message": {
            "text": "GitHub shows 5000 of the results in a run, those with the highest severity.",
          },
        },
      ]
    `);
    expect(sarif(findings.slice(0, 5000)).runs[0]?.invocations).toEqual([{ executionSuccessful: true }]);
  });

  it("writes at most a thousand locations per result", () => {
    const related = Array.from({ length: 1500 }, () => ({ message: "here", span: deny }));
    const log = sarif([finding(order, { related })]);
    expect(log.runs[0]?.results?.[0]?.relatedLocations).toHaveLength(999);
    expect(githubComplaints(log)).toEqual([]);
  });

  it("has all places of one cause, and links to the shown ones", () => {
    const related = [{ message: "here", span: deny }];
    const places = (count: number) => Array.from({ length: count }, () => ({ message: "there", span: deny }));
    const [result] = sarif([finding(order, { related, additionalLocations: places(2) })]).runs[0]?.results ?? [];
    expect(result?.relatedLocations?.map(({ id, message }) => [id, message?.text])).toEqual([
      [1, "here"],
      [2, "there"],
      [3, "there"],
    ]);
    expect(result?.message).toEqual({ text: "it is wrong", markdown: "it is wrong\n\n- related: [here](1)" });
    const many = sarif([finding(order, { related, additionalLocations: places(1500) })]);
    expect(many.runs[0]?.results?.[0]?.relatedLocations).toHaveLength(999);
  });

  it("separates the parts: the header as text, all of them as Markdown, the label at the span", () => {
    const log = sarif([
      finding(order, {
        ...{ label: "set here", notes: ["httpd will not start"], help: ["delete `Order`"] },
        related: [{ message: "overridden here", span: deny }],
        fix: { title: "Delete this line", safety: "safe", edits: [{ span: order, text: "" }] },
      }),
    ]);
    const [result] = log.runs[0]?.results ?? [];
    expect(result?.message.text).toBe("it is wrong");
    expect(result?.message.markdown?.split("\n")).toEqual([
      ...["it is wrong", "", "- set here", "- related: [overridden here](1)", "- note: httpd will not start"],
      ...["- help: delete `Order`", "- fix: Delete this line (safe)"],
    ]);
    expect(result?.locations?.[0]?.message?.text).toBe("set here");
    expect(githubComplaints(log)).toEqual([]);
    if (validate) expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
  });

  it("omits the page of a rule if its URL is unknown", () => {
    const [known, unknown] = [() => "https://a.example/x", () => undefined].map(
      (helpUri) => sarif([], { helpUri }).runs[0]?.tool.driver.rules?.[0],
    );
    expect(known?.helpUri).toBe("https://a.example/x");
    expect(unknown).not.toHaveProperty("helpUri");
  });

  it("writes at most a thousand locations per flow, and omits an empty one", () => {
    const request = { method: "GET", path: "/", clientIp: "192.0.2.7" };
    const steps = Array.from({ length: 1500 }, (_, index) => ({ message: `step ${index}`, span: deny }));
    const log = sarif([
      finding(order, { witness: { request, steps } }),
      finding(deny, { witness: { request, steps: [] } }),
    ]);
    const [long, empty] = log.runs[0]?.results ?? [];
    expect(long?.codeFlows?.map(({ threadFlows }) => threadFlows[0]?.locations.length)).toEqual([1000]);
    expect(empty).not.toHaveProperty("codeFlows");
    expect(githubComplaints(log)).toEqual([]);
  });

  it("has the trace of a real finding's witness as a flow", () => {
    const text = onServer(section("Location /a", "Deny from all"), section("Location /a/b", "Require ip 10"));
    const log = sarif(lintText([compatPrecedence], text), { rules: [compatPrecedence], base: "/etc/httpd" });
    const [flow] = log.runs[0]?.results?.[0]?.codeFlows ?? [];
    const steps = flow?.threadFlows[0]?.locations.map(({ location }) => [
      location?.physicalLocation?.region?.startLine,
      location?.message?.text,
    ]);
    expect(steps).toMatchInlineSnapshot(`
      [
        [
          1,
          "\`DocumentRoot "/srv"\` maps to \`/srv/a/b\`",
        ],
        [
          2,
          "\`<Location /a>\` sets \`Deny from all\`",
        ],
        [
          5,
          "\`<Location /a/b>\` sets \`Require ip 10\`",
        ],
        [
          3,
          "\`Deny from all\` decides: 403 AH01797",
        ],
      ]
    `);
    expect(githubComplaints(log)).toEqual([]);
    if (validate) expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
  });

  it("does not interpret text of the configuration as a link", () => {
    const message = "`RewriteRule ^[a-z](1) [x](https://a.example) [^/](.*)` is wrong";
    const log = sarif([finding(order, { message })]);
    expect(log.runs[0]?.results?.[0]?.message).toEqual({
      text: "`RewriteRule ^[a-z] (1) [x] (https://a.example) [^/](.*)` is wrong",
      markdown: message,
    });
    expect(githubComplaints(log)).toEqual([]);
  });

  it("writes absolute URIs for files outside the base", () => {
    const outside = sourceFile("/etc/apache 2/a.conf", "Order\n");
    const log = sarif([finding(at(outside, "Order"))]);
    const location = log.runs[0]?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation;
    expect(location).toEqual({ uri: "file:///etc/apache%202/a.conf" });
    expect(githubComplaints(log)).toEqual([
      "run 0: result 0: file:///etc/apache%202/a.conf is not relative to the repository",
    ]);
  });

  it("writes only valid Unicode without NUL", () => {
    const file = sourceFile("/srv/\ud800\0.conf", "Order\n");
    const log = sarif([finding(at(file, "Order"), { message: "half \ud83d, NUL \0, escape \x1b" })]);
    expect(log.runs[0]?.results?.[0]?.message.text).toBe("half \ufffd, NUL ␀, escape ␛");
    expect(githubComplaints(log)).toEqual([]);
  });
});

describe("githubComplaints", () => {
  it("reports everything that GitHub rejects", () => {
    const broken: Log = {
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              name: "x",
              rules: [{ id: "r", shortDescription: { text: "" }, properties: { "security-severity": 9 } }],
            },
          },
          automationDetails: { id: "x" },
          results: [
            {
              ruleId: "other",
              message: { text: "see [this](2)" },
              partialFingerprints: { primaryLocationLineHash: "x" },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: "../a b" },
                    region: { startLine: 1, startColumn: 1, endLine: 2, endColumn: 1 },
                  },
                },
              ],
              relatedLocations: [{ id: 1 }],
            },
          ],
        },
        { tool: { driver: { name: "x" } }, columnKind: "utf16CodeUnits" },
      ],
    };
    expect(githubComplaints(broken)).toMatchInlineSnapshot(`
      [
        "no $schema",
        "run 0: columns count undefined",
        "run 0: the category does not end in a slash",
        "run 0: rule r: no shortDescription",
        "run 0: rule r: no fullDescription",
        "run 0: rule r: no help.text",
        "run 0: rule r: level undefined",
        "run 0: rule r: precision undefined",
        "run 0: rule r: problem.severity undefined",
        "run 0: rule r: security-severity is no string",
        "run 0: rule r: security-severity is heeded only with the tag \`security\`",
        "run 0: result 0: level undefined",
        "run 0: result 0: rule other is not declared",
        "run 0: result 0: primaryLocationLineHash is for the uploader to fill in",
        "run 0: result 0: ../a b is not encoded",
        "run 0: result 0: ../a b is relative to undefined",
        "run 0: result 0: ../a b is not in its shortest form",
        "run 0: result 0: a region of 2 lines: pull requests show it only if all have changed",
        "run 0: result 0: a location without a file",
        "run 0: result 0: a location without a region",
        "run 0: result 0: the message has no link to 1",
        "run 0: result 0: related location 1 has no message",
        "run 0: result 0: the message links to 2, which is nowhere",
        "run 1: no rule is declared",
        "run 1: no results: alerts would never close",
        "log.runs.0.tool.driver.rules.0.shortDescription.text is empty",
      ]
    `);
  });
});
