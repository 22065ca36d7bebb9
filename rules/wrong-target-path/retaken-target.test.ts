import { describe, expect, test } from "vitest";
import {
  findingsOf,
  fixFirst,
  lintText,
  onlyVariant,
  onServer,
  section,
  wholeServer,
} from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const rule = onlyVariant(wrongTargetPath, "retaken-target");
const given = { kind: "htaccess" } as const;
const check = (...lines: readonly string[]) => findingsOf([rule], `RewriteEngine On\n${lines.join("\n")}\n`, given);
const cached = [
  "RewriteCond %{DOCUMENT_ROOT}/site/cache/pages%{REQUEST_URI}/index.html -f",
  "RewriteRule ^(.*) %{DOCUMENT_ROOT}/site/cache/pages%{REQUEST_URI}/index.html [L]",
];

test("reports a target that another rule denies", () => {
  const lines = ["RewriteRule ^about$ site/cache/about.html [L]", "RewriteRule ^site/ - [F]"];
  expect(check(...lines)).toMatchObject([
    {
      text: lines[0],
      message: "another rule takes the target `/site/cache/about.html` of this one",
      notes: [
        "GET `http://www.example.com/about` from 203.0.113.9 returns 403",
        "in a directory, the rules run again for the target, and `RewriteRule ^site/ - [F]` applies to it",
      ],
      help: ["use `END` instead of `L`", "or exclude the target with a condition of the other rule"],
      related: [".htaccess:3:1: applies to the target"],
    },
  ]);
  expect(fixFirst(rule, `RewriteEngine On\n${lines.join("\n")}\n`, given)).toContain("about.html [END,L]");
});

// END does not hold for the subrequest for the index file of a directory.
test.each([
  ["a group", "RewriteRule ^(?!files/)(.*)$ files/$1 [L]"],
  ["a directory", "RewriteRule ^download$ files/ [L]"],
  ["a variable", "RewriteRule ^download files%{REQUEST_URI} [L]"],
])("has no fix with END for %s, which may be a directory", (_, line) => {
  const [finding] = check(line, "RewriteRule ^files/ - [F]");
  expect(finding?.help).toEqual(["exclude the target with a condition of the other rule"]);
  expect(lintText([rule], `RewriteEngine On\n${line}\nRewriteRule ^files/ - [F]\n`, given)[0]?.fix).toBeUndefined();
});

test.each([
  ["a file", "RewriteRule ^download$ files/list.html [L]"],
  ["a program", "RewriteRule ^download/(.*)$ files/list.php/$1 [L]"],
  ["a name with a group", "RewriteRule ^download/(\\w+)$ files/$1.html [L]"],
])("has a help with END for %s", (_, line) => {
  expect(check(line, "RewriteRule ^files/ - [F]")[0]?.help?.[0]).toBe("use `END` instead of `L`");
});

describe("reports", () => {
  test.each([
    ["a cache", [...cached, "RewriteRule ^content/(.*) index.html [L]", "RewriteRule ^site/(.*) index.html [L]"]],
    ["a rule before it", ["RewriteRule ^site/ - [F]", "RewriteRule ^about$ site/about.html [L]"]],
    ["a rule without flags", ["RewriteRule ^site/ - [G]", "RewriteRule ^about$ site/about.html"]],
    ["a group", ["RewriteRule ^download/(.*)$ files/$1 [L]", "RewriteRule ^files/ - [F]"]],
    ["a rule for an extension", ["RewriteRule ^about$ about.php [L]", "RewriteRule \\.php$ - [F]"]],
    [
      "an application that takes all",
      ["RewriteRule ^about$ about.html [L]", "RewriteRule !^(index\\.php|css/) index.php [L]"],
    ],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toHaveLength(1);
  });

  test("files of a server", () => {
    const files = { "/srv/index.html": "", "/srv/about.html": "" };
    const text = (flag: string) =>
      wholeServer(
        "LoadModule rewrite_module mod_rewrite.so",
        "Listen 80",
        onServer(
          section(
            'Directory "/srv"',
            "Options FollowSymLinks",
            "Require all granted",
            "RewriteEngine On",
            `RewriteRule ^about$ about.html [${flag}]`,
            "RewriteRule ^about\\.html$ - [G]",
          ),
        ),
      );
    expect(findingsOf([rule], text("L"), { files })).toHaveLength(1);
    expect(findingsOf([rule], text("END"), { files })).toEqual([]);
  });
});

describe("does not report", () => {
  test.each([
    ["END", ["RewriteRule ^about$ site/about.html [END]", "RewriteRule ^site/ - [F]"]],
    [
      "a rule about the request line",
      ["RewriteRule ^about$ about.html [L]", "RewriteCond %{THE_REQUEST} \\s/about\\.html", "RewriteRule ^ - [G]"],
    ],
    [
      "a rule for requests without a redirect",
      ["RewriteCond %{ENV:REDIRECT_STATUS} ^$", "RewriteRule ^site/ - [F]", "RewriteRule ^about$ site/about.html [L]"],
    ],
    [
      "a front controller",
      ["RewriteRule ^about$ about.php [L]", "RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule ^ index.php [L]"],
    ],
    [
      "an alias for a front controller",
      ["RewriteRule ^about$ pages/about [L]", "RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule ^ index.php [L]"],
    ],
    ["the same file", ["RewriteRule ^about$ index.php?page=about [L]", "RewriteRule ^index\\.php$ index.php [L]"]],
    ["a rule that keeps the target", ["RewriteRule ^index\\.php$ - [L]", "RewriteRule . index.php [L]"]],
    [
      "a directory that may have rules of its own",
      ["RewriteRule ^(?!public/)(.*)$ public/$1 [L]", "RewriteRule \\.log$ - [F]"],
    ],
    ["a denial of other paths", ["RewriteRule ^about$ about.html [L]", "RewriteRule ^site/ - [F]"]],
    ["a redirect", ["RewriteRule ^about$ /site/about.html [R,L]", "RewriteRule ^site/ - [F]"]],
    ["a backend", ["RewriteRule ^about$ http://127.0.0.1/site/ [P]", "RewriteRule ^site/ - [F]"]],
    ["rules that are off", ["RewriteEngine Off", "RewriteRule ^about$ site/a.html [L]", "RewriteRule ^site/ - [F]"]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });

  test("rules of a server", () => {
    const lines = ["RewriteEngine On", "RewriteRule ^/about$ /site/about.html [L]", "RewriteRule ^/site/ - [F]"];
    expect(findingsOf([rule], onServer(section("VirtualHost *:80", ...lines)))).toEqual([]);
  });
});
