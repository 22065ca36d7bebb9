import { expect, test } from "vitest";
import { checkConfiguration } from "../../../src/apps/browser/check-task.js";
import type { PlaygroundFinding, PlaygroundVersion } from "../../../src/apps/browser/messages.js";
import { hostileConfiguration, secret } from "../../support/hostile-configuration.js";

const main = "/etc/httpd/httpd.conf";

function check(files: Readonly<Record<string, string>>, version: PlaygroundVersion = "2.4", isProved = false) {
  const answer = checkConfiguration({ kind: "check", configuration: { main, files }, version, isProved });
  if (answer.kind !== "findings") throw new Error(`${answer.kind}: not findings`);
  return answer;
}

function findRule(findings: readonly PlaygroundFinding[], rule: string): PlaygroundFinding {
  const found = findings.find((each) => each.rule === rule);
  if (found === undefined) throw new Error(`no finding of ${rule}`);
  return found;
}

test.each(["# plain\n", "# ü “quotes” 🦊 \u{1f600}\n", "# \ud800 lone\n", "ServerName é🦊.example\nServerAdmin ü@x "])(
  "places are in UTF-16 units after %j",
  (before) => {
    const text = `${before}\nListen 80\nKeepAlive 5\n`;
    const { findings } = check({ [main]: text });
    const { from, to, line, fix, path } = findRule(findings, "refused-at-start");
    expect(text.slice(from, to)).toBe("5");
    expect(line).toBe(text.split("\n").indexOf("KeepAlive 5") + 1);
    expect(path).toBe(main);
    expect(fix?.edits.map((edit) => text.slice(0, edit.from) + edit.insert + text.slice(edit.to))).toEqual([
      text.replace("KeepAlive 5", "KeepAlive On"),
    ]);
  },
);

test("a finding in another file has its path", () => {
  const file = "/etc/httpd/conf.d/a.conf";
  const { findings } = check({
    [main]: "ServerRoot /etc/httpd\nListen 80\nInclude conf.d/*.conf\n",
    [file]: "KeepAlive 5\n",
  });
  expect(findRule(findings, "refused-at-start")).toMatchObject({ path: file, line: 1, hasMarker: true });
});

test("markers of macro lines are inside the file", () => {
  const text = "Listen 80\n<Macro m>\nKeepAlive 5\n</Macro>\nUse m\n";
  for (const { from, to, hasMarker, fix } of check({ [main]: text }).findings) {
    if (hasMarker) expect(to).toBeLessThanOrEqual(text.length);
    for (const edit of fix?.edits ?? []) expect(edit.to).toBeLessThanOrEqual(text.length);
    expect(from).toBeLessThanOrEqual(to);
  }
});

test("proofs are requested and then included", () => {
  const text = 'Listen 80\n<Directory "/srv">\nOrder allow,deny\nAllow from all\nAllow from 10.0.0.1\n</Directory>\n';
  const first = check({ [main]: text }, "from 2.2");
  const second = check({ [main]: text }, "from 2.2", true);
  expect(first.needsProofs).toBe(true);
  expect(second.needsProofs).toBe(false);
  expect(second.findings.map(({ rule }) => rule)).toContain("shadowed-rule");
});

test("the tab lists a limited number of findings, and the editor marks all", () => {
  const { findings, html } = check({ [main]: Array.from({ length: 400 }, (_, at) => `Unknown${at} x\n`).join("") });
  expect(findings.length).toBeGreaterThanOrEqual(400);
  expect(html.match(/<article/g)).toHaveLength(300);
  expect(html).toContain("The first 300 findings are listed");
});

test("a missing main file is reported", () => {
  const configuration = { main, files: {} };
  expect(checkConfiguration({ kind: "check", configuration, version: "2.4", isProved: false }).kind).toBe("failed");
});

test("text is escaped, and secrets are masked", () => {
  const { findings, html } = check({ [main]: hostileConfiguration("/srv/www") }, "from 2.2");
  expect(findings.length).toBeGreaterThan(5);
  for (const text of [html, ...findings.map(({ hover }) => hover)]) {
    expect(text).not.toMatch(/<(?:script|img|iframe|svg)/i);
    expect(text).not.toContain(secret);
  }
  for (const { message } of findings) expect(message).not.toContain(secret);
});
