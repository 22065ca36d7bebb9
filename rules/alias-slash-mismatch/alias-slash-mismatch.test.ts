import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onServer, section } from "../../test/support/rules.js";
import { aliasSlashMismatch } from "./alias-slash-mismatch.js";

const granted = section('Directory "/srv"', "Require all granted");
const check = (...lines: readonly string[]) =>
  findingsOf([aliasSlashMismatch], onServer(granted, `${lines.join("\n")}\n`));

test("reports a slash only at the end of the URL path", () => {
  expect(check('Alias "/img/" "/srv/images"')).toEqual([
    {
      rule: "alias-slash-mismatch",
      severity: "error",
      at: "5:1-5:28",
      text: 'Alias "/img/" "/srv/images"',
      message: '`Alias "/img/" "/srv/images"` also serves files outside of its directory',
      notes: [
        "the request path follows `/srv/images` without a check",
        "GET `/img/-private/index.html` from 203.0.113.9 returns 200 if `/srv/images-private/index.html` exists",
      ],
      help: ["end both in a slash, or neither: `/img` and `/srv/images`"],
      related: [],
    },
  ]);
});

test("reports a pattern without a slash before the group", () => {
  expect(check('AliasMatch "^/img(.*)" "/srv/images/$1"').map(({ notes, help }) => [notes?.[1], help?.[0]])).toEqual([
    [
      "GET `/img../index.html` from 203.0.113.9 returns 200 if `/srv/index.html` exists",
      "add a slash to the pattern: `^/img/(.*)`",
    ],
  ]);
});

test.each([
  ['Alias "/img/" "/srv/images"', 'Alias "/img" "/srv/images"'],
  ["Alias /img/ /srv/images", "Alias /img /srv/images"],
  ['AliasMatch "^/img(.*)$" "/srv/images/$1"', 'AliasMatch "^/img/(.*)$" "/srv/images/$1"'],
])("fixes %s", (before, after) => {
  const text = onServer(granted, `${before}\n`);
  const [finding] = lintText([aliasSlashMismatch], text);
  expect(finding?.fix?.safety).toBe("unsafe");
  expect(applyEdits(text, finding?.fix?.edits ?? [])).toBe(onServer(granted, `${after}\n`));
  expect(check(after)).toEqual([]);
});

test.each([
  ['Alias "/img/" "/srv/images/"'],
  ['Alias "/img" "/srv/images"'],
  ['Alias "/img" "/srv/images/"'],
  ['Alias "/" "/srv/images"'],
  ['AliasMatch "^/img/(.*)" "/srv/images/$1"'],
  ['AliasMatch "^/img(/.*)" "/srv/images$1"'],
  ['Alias "/img/" "/srv/images"', section("Directory /srv", "Require all denied")],
  ['Alias "/img/" "/srv/images"', section('DirectoryMatch "^/srv/images-"', "Require all denied")],
  ['Alias "/img/" "/srv/images"', section("Location /img", "Require ip 10")],
  ['Alias "/img/" "/data/images"', section("Directory /data", "Require all denied")],
  ["Listen 127.0.0.1:80", 'Alias "/img/" "/srv/images"'],
])("does not report %s", (...lines) => {
  expect(check(...lines)).toEqual([]);
});

describe("a path with a slash at its end for one program", () => {
  const files = { "/srv/app.cgi": "x", "/srv/app/a.cgi": "x" };
  const found = (line: string) =>
    findingsOf([aliasSlashMismatch], onServer(granted, `${line}\n`), { files }).map(({ severity, help }) => [
      severity,
      help?.[0],
    ]);

  // A server answers `/app/` from the program, and `/app/x` with 404 (2.4.71).
  test.each([
    "ScriptAlias /app/ /srv/app.cgi",
    'ScriptAlias "/app/" "/srv/app.cgi"',
    "WSGIScriptAlias /app/ /srv/app.wsgi",
  ])("%s", (line) => {
    expect(found(line)).toEqual([["warning", "use `/app`, without the slash"]]);
  });

  test.each(["ScriptAlias /app /srv/app.cgi", "ScriptAlias /app/ /srv/app/", "WSGIScriptAlias / /srv/app.wsgi"])(
    "is not reported: %s",
    (line) => {
      expect(found(line)).toEqual([]);
    },
  );
});
