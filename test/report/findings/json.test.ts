import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { compatPrecedence } from "../../../rules/compat-precedence/compat-precedence.js";
import type { Request } from "../../../src/server/model/request.js";
import { sourceFile } from "../../../src/text/source.js";
import { lintText, onServer, section } from "../../support/rules.js";
import { at, finding, renderReport } from "../samples.js";

const schema = JSON.parse(readFileSync("src/report/schema/check.schema.json", "utf8"));
const isValid = new Ajv2020({ allErrors: true }).compile(schema);

const file = sourceFile("/srv/conf/httpd.conf", "# 日本\nOrder deny,allow \\\n # 👩‍💻 é\nDeny from all\n");
const order = at(file, "Order deny,allow \\\n # 👩‍💻 é");

describe("json", () => {
  it("has the documented shape", () => {
    const findings = [
      finding(order, {
        message: "`Order` is old",
        related: [{ message: "here too", span: at(file, "Deny from all") }],
        fix: {
          title: "use `Require`",
          safety: "safe",
          edits: [
            { span: order, text: "Require all denied" },
            { span: at(file, "Deny from all\n"), text: "" },
            { span: { file, start: file.text.length, end: file.text.length }, text: "\xff" },
          ],
        },
      }),
      finding(at(file, "本"), { severity: "info" }),
    ];
    const text = renderReport("json", findings, { lines: 4 });
    expect(text).toMatchInlineSnapshot(`
      "{"version":"1.2.3","findings":[
      {"rule":"old-access-control","severity":"error","message":"\`Order\` is old","notes":[],"help":[],"path":"conf/httpd.conf","start":{"line":2,"column":1},"end":{"line":3,"column":11},"related":[{"message":"here too","path":"conf/httpd.conf","start":{"line":4,"column":1},"end":{"line":4,"column":14}}],"fix":{"title":"use \`Require\`","safety":"safe","edits":[{"path":"conf/httpd.conf","start":{"line":2,"column":1},"end":{"line":3,"column":11},"text":"Require all denied"},{"path":"conf/httpd.conf","start":{"line":4,"column":1},"end":{"line":5,"column":1},"text":""},{"path":"conf/httpd.conf","start":{"line":5,"column":1},"end":{"line":5,"column":1},"base64":"/w=="}]}},
      {"rule":"old-access-control","severity":"info","message":"it is wrong","notes":[],"help":[],"path":"conf/httpd.conf","start":{"line":1,"column":4},"end":{"line":1,"column":5},"related":[]}
      ],"summary":{"error":1,"warning":0,"info":1,"fixable":1,"files":1,"lines":4}}
      "
    `);
    expect(isValid(JSON.parse(text)), JSON.stringify(isValid.errors)).toBe(true);
  });

  it("writes a report without findings", () => {
    const text = renderReport("json", [], { files: 3, lines: 70 });
    expect(text).toBe(
      '{"version":"1.2.3","findings":[],"summary":{"error":0,"warning":0,"info":0,"fixable":0,"files":3,"lines":70}}\n',
    );
    expect(isValid(JSON.parse(text))).toBe(true);
  });

  it("separates the parts, and includes the URL of the rule's page if it is known", () => {
    const parts = { label: "set here", notes: ["httpd will not start"], help: ["delete `Order`"] };
    const fix = { title: "Delete this line", safety: "unsafe", edits: [{ span: order, text: "" }] } as const;
    const findings = [finding(order, { ...parts, isAboutServer: true, fix }), finding(order)];
    const log = JSON.parse(renderReport("json", findings, { helpUri: (id) => `https://lint.example/${id}` }));
    const url = "https://lint.example/old-access-control";
    expect(log.findings).toMatchObject([
      { ...parts, url, isAboutServer: true, path: "conf/httpd.conf", start: { line: 2, column: 1 } },
      { notes: [], help: [], url },
    ]);
    expect(log.findings[1]).not.toHaveProperty("label");
    expect(log.findings[1]).not.toHaveProperty("isAboutServer");
    expect(log.summary.fixable).toBe(0);
    expect(isValid(log), JSON.stringify(isValid.errors)).toBe(true);
  });

  it("includes the witness of a finding, without its trace", () => {
    const request: Request = {
      ...{ method: "POST", path: "/a%20b", query: "c=d", scheme: "https", host: "a.test", port: 8443 },
      ...{ serverIp: "192.0.2.1", clientIp: "203.0.113.9", clientHost: "x.test", user: "bob", groups: ["staff"] },
      ...{ dbmGroups: ["ops"], env: ["ok"], grants: ["ldap-group x"], headers: { Referer: "http://b.test/" } },
    };
    const steps = () => {
      throw new Error("the steps are not needed");
    };
    const witness = Object.defineProperty({ request, steps: [] }, "steps", { get: steps, enumerable: true });
    const log = JSON.parse(renderReport("json", [finding(order, { witness })]));
    expect(log.findings[0].witness).toEqual(request);
    expect(isValid(log), JSON.stringify(isValid.errors)).toBe(true);
  });

  it("includes the witness of a real finding", () => {
    const text = onServer(section("Location /a", "Deny from all"), section("Location /a/b", "Require ip 10"));
    const log = JSON.parse(renderReport("json", lintText([compatPrecedence], text)));
    expect(log.findings[0].witness).toEqual({ method: "GET", path: "/a/b", clientIp: "10.0.0.1" });
    expect(isValid(log), JSON.stringify(isValid.errors)).toBe(true);
  });

  it("lists all places of one cause, without secrets", () => {
    const ldap = sourceFile("/srv/conf/ldap.conf", "AuthLDAPBindPassword hunter2\n");
    const related = [{ message: "shown", span: order }];
    const further = [{ message: "`hunter2`, too", span: at(ldap, "AuthLDAPBindPassword hunter2") }];
    const log = JSON.parse(renderReport("json", [finding(order, { related, additionalLocations: further })]));
    expect(log.findings[0].related).toMatchObject([
      { message: "shown", path: "conf/httpd.conf" },
      { message: "`********`, too", path: "conf/ldap.conf", start: { line: 1, column: 1 } },
    ]);
    expect(isValid(log), JSON.stringify(isValid.errors)).toBe(true);
    const findings = [finding(order, { related, additionalLocations: further })];
    for (const format of ["text", "github"] as const)
      expect(renderReport(format, findings)).toBe(renderReport(format, [finding(order, { related })]));
  });

  it("has a schema that rejects unknown properties", () => {
    const log = JSON.parse(renderReport("json", [finding(order)]));
    log.findings[0].witness = { method: "GET", path: "/", clientIp: "192.0.2.7" };
    expect(isValid(log)).toBe(true);
    log.findings[0].witness.more = 1;
    expect(isValid(log)).toBe(false);
    delete log.findings[0].witness;
    log.findings[0].severity = "fatal";
    expect(isValid(log)).toBe(false);
    log.findings[0].severity = "error";
    log.more = 1;
    expect(isValid(log)).toBe(false);
  });
});
