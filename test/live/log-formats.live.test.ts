import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ignoredValue } from "../../rules/ignored-value/ignored-value.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { statusOf, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf, wholeServer } from "../support/rules.js";

/** The name of a format in a CustomLog line, and the line of the log. */
const cases = [
  ["own", "of the host"],
  ["OWN", "of the host"],
  ["main", "of the server"],
  ["combined", "combined"],
  ["other", "other"],
  ["CLF", expect.stringMatching(/^127\.0\.0\.1 - - \[/)],
] as const;

describe.skipIf(!httpd)(liveTitle("formats of logs"), () => {
  const folder = sharedFolder();
  test("a log has the name of a format that no line of its server defines", async () => {
    const port = await freePort();
    const logs = cases.map(([name], index) => `CustomLog ${index}.log ${name}\n`).join("");
    const text = [
      loadModules(["mpm_event", "authz_core"]),
      `ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nListen 127.0.0.1:${port}`,
      `CustomLog access.log "%>s"`,
      'LogFormat "of the server" main',
      `<VirtualHost *:${port}>\nServerName a.test\nCustomLog access.log "%>s"\n${logs}LogFormat "of the host" own\n</VirtualHost>`,
      `<VirtualHost *:${port}>\nServerName b.test\nLogFormat "of another host" other\n</VirtualHost>\n`,
    ].join("\n");
    folder.write({ "httpd.conf": text });
    const served = await whileServing(folder.path, { address: "127.0.0.1", port }, () => statusOf({ port, path: "/" }));
    expect(served).toBeTypeOf("number");
    const linesIn = (index: number) =>
      readFileSync(folder.at(`${index}.log`), "latin1")
        .trim()
        .split("\n");
    for (const [index, [name, line]] of cases.entries()) expect([name, linesIn(index).at(-1)]).toEqual([name, line]);
    expect(
      findingsOf(
        [ignoredValue],
        wholeServer(text.replace(/^LoadModule.*\n/gm, "").replaceAll(folder.path, "/etc/httpd")),
      ).map((finding) => finding.text),
    ).toEqual(["combined", "other"]);
  });
});
