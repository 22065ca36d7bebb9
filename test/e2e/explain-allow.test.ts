import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectFailure } from "../support/programs/command-output.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";
import { writeRestrictedServer } from "../support/restricted-server.js";

const scratch = lintedFolder();
const { lint, write } = scratch;
const ask = ["explain", "httpd.conf", "/x", "--client-ip", "203.0.113.7"];

describe("explain --allow", () => {
  test("shows a patch, and writes nothing", () => {
    writeRestrictedServer(scratch);
    const before = readFileSync(join(scratch.path, "httpd.conf"), "utf8");
    const { status, stdout, stderr } = lint([...ask, "--allow"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("403 Forbidden: `Require` does not allow this request\n");
    const added = [
      `<Directory "${scratch.path}/www">`,
      "    Require ip 10.0.0.0/8",
      "    Require ip 203.0.113.7",
      "</Directory>",
    ];
    expect(stdout).toContain(added.map((line) => `+${line}\n`).join(""));
    expect(stdout).not.toContain("by default");
    expect(readFileSync(join(scratch.path, "httpd.conf"), "utf8")).toBe(before);
  });

  test("shows a patch that git and compare accept: only the client is allowed", () => {
    write({ "httpd.conf": '<Location "/x">\nRequire ip 10.0.0.0/8\n</Location>\n' });
    write({ "before/httpd.conf": readFileSync(join(scratch.path, "httpd.conf"), "utf8") });
    const patch = lint([...ask, "--allow"]).stdout;
    execFileSync("git", ["apply", "-p1", "-"], { cwd: scratch.path, input: patch });
    expect(readFileSync(join(scratch.path, "httpd.conf"), "utf8")).toContain("Require ip 10.0.0.0/8 203.0.113.7\n");
    expect(lint(ask).stdout).toContain("access is granted");
    const compared = lint(["compare", "before/httpd.conf", "httpd.conf", "--format", "json"]).stdout;
    const { differences } = JSON.parse(compared) as {
      differences: { change: string; region: { clients: string[] }[] }[];
    };
    expect(differences.map(({ change }) => change)).toEqual(["gain"]);
    expect(differences.flatMap(({ region }) => region.flatMap(({ clients }) => clients))).toEqual(
      differences.flatMap(({ region }) => region.map(() => "203.0.113.7")),
    );
  });

  test("writes JSON that matches its schema", () => {
    write({ "httpd.conf": '<Location "/x">\nRequire ip 10.0.0.0/8\n</Location>\n' });
    expect(validJson("explain-allow", lint([...ask, "--allow", "--format", "json"]).stdout)).toMatchObject({
      ...{ result: "found", reach: "client", before: { status: 403 }, after: { class: "allowed" } },
      files: [{ path: "httpd.conf", edits: [{ text: "Require ip 10.0.0.0/8 203.0.113.7\n" }] }],
    });
    const open = lint(["explain", "httpd.conf", "/y", "--allow", "--format", "json"]);
    expect(validJson("explain-allow", open.stdout)).toMatchObject({ result: "allowed", files: [] });
    expect(open.status).toBe(0);
  });

  test("names the default client, and says why no change is proposed", () => {
    write({
      "httpd.conf": [
        '<Location "/x">\nRequire ip 10.0.0.0/8\n</Location>',
        '<Location "/y">\nOrder allow,deny\nAllow from all\nDeny from 192.0.2\n</Location>\n',
      ].join("\n"),
    });
    const found = lint(["explain", "httpd.conf", "/x", "--allow"]);
    expect(found.stdout).toContain("note: the client is 192.0.2.1 by default; --client-ip names another\n");
    const none = lint(["explain", "httpd.conf", "/y", "--allow"]);
    expect(none.status).toBe(1);
    expect(none.stdout).toContain("no change: with `Order allow,deny`, no `Allow` line can except one client");
  });

  test("does not allow a client that nobody asked about if the answer has a cause", () => {
    write({ "httpd.conf": '<LocationMatch "/admin">\nRequire ip 10.0.0.0/8\n</LocationMatch>\n' });
    const asked = ["explain", "httpd.conf", "/tips/administration.html", "--allow"];
    const found = lint(asked);
    expect(found.status).toBe(1);
    expect(found.stdout).toContain(
      'help: to match only whole names in the path, use `<LocationMatch "/admin(?:/|$)">`',
    );
    expect(found.stdout).toMatch(
      /^no change: the help above is for the cause, and 192\.0\.2\.1 is only the default client/m,
    );
    expect(validJson("explain-allow", lint([...asked, "--format", "json"]).stdout)).toMatchObject({
      ...{ result: "none", files: [] },
      reason: expect.stringMatching(/--client-ip$/),
    });
    // Twins: the client is named; the pattern is for this path.
    expect(lint([...asked, "--client-ip", "192.0.2.1"]).stdout).toContain("+Require ip 10.0.0.0/8 192.0.2.1\n");
    expect(lint(["explain", "httpd.conf", "/admin/", "--allow"]).stdout).toContain(
      "+Require ip 10.0.0.0/8 192.0.2.1\n",
    );
  });

  test("does not allow a proxy, through which all clients come", () => {
    const section = '<Location "/x">\nRequire ip 203.0.113.0/24\n</Location>\n';
    const asked = ["explain", "httpd.conf", "/x", "--allow", "--peer-ip", "10.0.0.2"];
    const forwarded = ["--header", "X-Forwarded-For: 203.0.113.7"];
    for (const lines of ["", "RemoteIPHeader X-Real-IP\nRemoteIPInternalProxy 10.0.0.2\n"]) {
      write({ "httpd.conf": lines + section });
      const found = lint([...asked, ...forwarded]);
      expect(found.status).toBe(1);
      expect(found.stdout).toMatch(/^no change: 10\.0\.0\.2 is the proxy, and a line that allows it would/m);
    }
    write({ "httpd.conf": section });
    expect(lint(asked).stdout).toContain("+Require ip 203.0.113.0/24 10.0.0.2\n");
  });

  test("changes the lines of a virtual host file, whose answer other files may still change", () => {
    const host = (more = "") => `<VirtualHost *:80>
ServerName git.example.com
ProxyPass / http://127.0.0.1:3000/
<Proxy *>
Order deny,allow
Deny from all
Allow from 10.0.0.0/8${more}
</Proxy>
</VirtualHost>
`;
    write({ "git.conf": host() });
    const client = ["--client-ip", "192.0.2.1"];
    const { stdout, status } = lint(["explain", "git.conf", "http://git.example.com/", "--allow", ...client]);
    expect(status).toBe(0);
    expect(stdout).toContain("-Allow from 10.0.0.0/8\n+Allow from 10.0.0.0/8 192.0.2.1\n");
    expect(stdout).toContain("a backend answers if the `Require` lines of other files allow it");
    write({
      "git.conf": host()
        .replace("deny,allow", "allow,deny")
        .replace(/Allow from .*/, "Allow from all"),
    });
    const none = lint(["explain", "git.conf", "http://git.example.com/", "--allow"]);
    expect(none.stdout).toContain("no change: with `Order allow,deny`, no `Allow` line can except one client");
  });

  test("reads a configuration from standard input", () => {
    const input = '<Location "/x">\nRequire ip 10.0.0.0/8\n</Location>\n';
    const { status, stdout } = lint(["explain", "-", "/x", "--allow", "--client-ip", "203.0.113.7"], { input });
    expect(status).toBe(0);
    expect(stdout).toContain("+Require ip 10.0.0.0/8 203.0.113.7\n");
  });

  test("is for one request", () => {
    write({ "httpd.conf": "ServerName a.test\n", "access.log": "" });
    expectFailure(
      lint(["explain", "httpd.conf", "--requests", "access.log", "--allow"]),
      2,
      /--allow is for one request/,
    );
  });
});
