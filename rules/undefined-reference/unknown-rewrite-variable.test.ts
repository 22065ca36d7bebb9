import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, fixFirst, lintText, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { undefinedReference } from "./undefined-reference.js";

const unknownRewriteVariable = onlyVariant(undefinedReference, "unknown-rewrite-variable");

const check = (text: string) =>
  findingsOf([unknownRewriteVariable], text, { kind: "htaccess" }).map(({ text, help }) => [text, help?.[0]]);

describe("reports", () => {
  test.each([
    ["USER_AGENT", "use `%{HTTP_USER_AGENT}`"],
    ["REFERER", "use `%{HTTP_REFERER}`"],
    ["HTTP_HOSTS", "use `%{HTTP_HOST}`"],
    ["REQUEST_FILENAMES", "use `%{REQUEST_FILENAME}`"],
    ["HTTP_X_FORWARDED_PROTO", "use `%{HTTP:X-Forwarded-Proto}`"],
    ["HTTP_ACCEPT_LANGUAGE", "use `%{HTTP:Accept-Language}`"],
    ["SSL_PROTOCOL", "use `%{SSL:SSL_PROTOCOL}`"],
    ["REDIRECT_STATUS", "use `%{ENV:REDIRECT_STATUS}`"],
    ["MY_VARIABLE", "use `%{ENV:NAME}` for a variable of the environment"],
  ])("%s", (name, help) => {
    expect(check(`RewriteCond %{${name}} ^$\nRewriteRule ^ - [F]\n`)).toEqual([[name, help]]);
    expect(check(`RewriteRule ^ /a/%{${name}}\n`)).toEqual([[name, help]]);
    expect(check(`RewriteRule ^ - [E=A:%{${name}}]\n`)).toEqual([[name, help]]);
  });
});

test("reports a variable without its `%`", () => {
  const text = "RewriteRule .* ws://127.0.0.1:81/{REQUEST_URI} [P]\n";
  expect(check(text)).toEqual([["{REQUEST_URI}", "use `%{REQUEST_URI}`, without the slash before it"]]);
  expect(check("RewriteCond {HTTP_HOST} ^a\nRewriteRule ^ - [F]\n")).toEqual([["{HTTP_HOST}", "use `%{HTTP_HOST}`"]]);
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^ /{id}/{}/{OTHER}",
    "RewriteRule ^a{3}$ /%{REQUEST_URI}/\\{REQUEST_URI}",
    "RewriteRule ^ /{request_uri}",
    "RewriteCond %{HTTP_HOST} ^a",
    "RewriteCond %{http_user_agent} ^a",
    "RewriteCond %{ENV:REDIRECT_STATUS} ^$",
    "RewriteCond %{HTTP:X-Forwarded-Proto} ^a",
    "RewriteCond %{SSL:SSL_PROTOCOL} ^a",
    "RewriteCond %{LA-U:REMOTE_USER} ^a",
    "RewriteCond %{TIME_HOUR} >7",
    'RewriteCond expr "%{REQUEST_STATUS} == 404"',
    "RewriteRule ^ ${map:%1}",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test("the fix replaces the name", () => {
  const [finding] = lintText([unknownRewriteVariable], "RewriteCond %{HTTP_HOSTS} ^a\n");
  expect(finding?.fix?.edits[0]?.text).toBe("HTTP_HOST");
});

describe("a request header with the name of a variable", () => {
  const redirect = "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]";
  const given = { kind: "htaccess" } as const;
  const found = (...lines: readonly string[]) =>
    findingsOf([unknownRewriteVariable], `${lines.join("\n")}\n`, given).map(({ text, help }) => [text, help?.[0]]);

  test("loops in a redirect to https behind a proxy", () => {
    const condition = "RewriteCond %{HTTP:HTTP_X_FORWARDED_PROTO} !https [NC]";
    expect(
      findingsOf([unknownRewriteVariable], `RewriteCond %{HTTPS} !=on\n${condition}\n${redirect}\n`, given),
    ).toMatchObject([
      {
        text: "HTTP_X_FORWARDED_PROTO",
        message:
          "`%{HTTP:HTTP_X_FORWARDED_PROTO}` is empty in usual requests: clients and proxies send `X-Forwarded-Proto`",
        notes: [
          "the name of the header has hyphens; only programs get a variable with underscores, such as `HTTP_X_FORWARDED_PROTO`",
          "the condition holds for usual requests",
          "behind a proxy with TLS, GET `https://…/` is redirected to `https://…/`, without an end",
        ],
        help: ["use `%{HTTP:X-Forwarded-Proto}`"],
      },
    ]);
    // Twin: the target is not redirected again.
    const once = "RewriteRule ^old$ https://%{HTTP_HOST}/new [R=301,L]";
    expect(JSON.stringify(findingsOf([unknownRewriteVariable], `${condition}\n${once}\n`, given))).not.toContain(
      "without an end",
    );
  });

  test.each([
    ["HTTP:X_FORWARDED_PROTO", "X-Forwarded-Proto"],
    ["HTTP:http_x_forwarded_ssl", "X-Forwarded-SSL"],
    ["HTTP:X_Real_IP", "X-Real-IP"],
    ["HTTP:HTTP_X_API_KEY", "X-Api-Key"],
    ["HTTP:USER_AGENT", "User-Agent"],
  ])("%s in a condition, a target or a flag", (variable, header) => {
    const [, name = ""] = variable.split(":");
    const expected = [[name, `use \`%{HTTP:${header}}\``]];
    expect(found(`RewriteCond %{${variable}} ^a`, "RewriteRule ^ - [F]")).toEqual(expected);
    expect(found(`RewriteRule ^(.*)$ /%{${variable}}/$1 [L]`)).toEqual(expected);
    expect(found(`RewriteRule ^ - [E=A:%{${variable}}]`)).toEqual(expected);
  });

  test.each([
    [`<If "%{HTTP:X_FORWARDED_PROTO} != 'https'">\nRedirect / https://a.test/\n</If>`, "%{HTTP:X-Forwarded-Proto}"],
    [`<If "req('HTTP_X_FORWARDED_PROTO') != 'https'">\nRedirect / https://a.test/\n</If>`, "req('X-Forwarded-Proto')"],
    ["Header set A b \"expr=%{req:X_FORWARDED_FOR} == '1'\"", "%{req:X-Forwarded-For}"],
    ["SetEnvIfExpr \"%{req:HTTP_X_REAL_IP} == '1'\" A", "%{req:X-Real-IP}"],
    ['RequestHeader set A "expr=%{req:X_FORWARDED_FOR}"', "%{req:X-Forwarded-For}"],
  ])("in the expression of %s", (lines, remedy) => {
    expect(found(lines).map(([, help]) => help)).toEqual([`use \`${remedy}\``]);
  });

  test.each([
    ["the header", ["RewriteCond %{HTTP:X-Forwarded-Proto} !https", redirect]],
    ["a header of its own", ["RewriteCond %{HTTP:api_key} !^a", "RewriteRule ^ - [F]"]],
    ["a header of its own in capitals", ["RewriteCond %{HTTP:X_API_KEY} !^a", "RewriteRule ^ - [F]"]],
    ["a variable of programs", ["RewriteCond %{HTTP_USER_AGENT} ^a", "RewriteRule ^ - [F]"]],
    ["a variable of the environment", ["RewriteCond %{ENV:HTTP_X_FORWARDED_PROTO} ^a", "RewriteRule ^ - [F]"]],
    ["a variable of an expression", ["<If \"env('HTTP_X_REAL_IP') == '1'\">", "Header set A b", "</If>"]],
    [
      "a header that a line sets",
      [
        "RequestHeader set X_FORWARDED_PROTO https early",
        "RewriteCond %{HTTP:X_FORWARDED_PROTO} !https",
        "RewriteRule ^ - [F]",
      ],
    ],
    ["a word without underscores", ["RewriteCond %{HTTP:Host} ^a", "RewriteRule ^ - [F]"]],
    ["a comment", ["# RewriteCond %{HTTP:HTTP_X_FORWARDED_PROTO} !https"]],
  ])("not %s", (_, lines) => {
    expect(found(...lines)).toEqual([]);
  });

  test("the fix replaces the name", () => {
    const text = `RewriteCond %{HTTP:HTTP_X_FORWARDED_PROTO} !https\n${redirect}\n`;
    const fixed = `RewriteCond %{HTTP:X-Forwarded-Proto} !https\n${redirect}\n`;
    expect(fixFirst(unknownRewriteVariable, text, given)).toBe(fixed);
  });
});

test("the fix adds a missing `%`, in place of a slash that the value has", () => {
  const fixed = (line: string) => {
    const [finding] = lintText([unknownRewriteVariable], `${line}\n`);
    return applyEdits(line, finding?.fix?.edits ?? []);
  };
  for (const [line, expected] of [
    ["RewriteRule .* ws://b.test:81/{REQUEST_URI} [P]", "RewriteRule .* ws://b.test:81%{REQUEST_URI} [P]"],
    ['RewriteRule ^ "https://b.test/x/{REQUEST_URI}" [R]', 'RewriteRule ^ "https://b.test/x%{REQUEST_URI}" [R]'],
    ["RewriteRule ^ /{REQUEST_URI}", "RewriteRule ^ %{REQUEST_URI}"],
    ["RewriteCond %{DOCUMENT_ROOT}/{REQUEST_URI} -f", "RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} -f"],
    ["RewriteRule ^ https://b.test{REQUEST_URI} [R]", "RewriteRule ^ https://b.test%{REQUEST_URI} [R]"],
    ["RewriteRule ^ https://b.test/{HTTP_HOST} [R]", "RewriteRule ^ https://b.test/%{HTTP_HOST} [R]"],
    ["RewriteRule ^ https://{HTTP_HOST}/a [R]", "RewriteRule ^ https://%{HTTP_HOST}/a [R]"],
    ["RewriteRule ^ /a?from={REQUEST_URI} [R]", "RewriteRule ^ /a?from=%{REQUEST_URI} [R]"],
  ] as const)
    expect(fixed(line)).toBe(expected);
});

describe("variables in Redirect", () => {
  const found = (line: string, kind?: "htaccess") =>
    findingsOf([unknownRewriteVariable], `${line}\n`, kind ? { kind } : {}).map(({ message }) => message);

  test.each([
    ["Redirect permanent / https://%{HTTP_HOST}%{REQUEST_URI}", "`%{HTTP_HOST}` is literal text in `Redirect`"],
    ["Redirect / https://{SERVER_NAME}/", "`{SERVER_NAME}` is literal text in `Redirect`"],
    ["RedirectMatch 301 ^/a(.*)$ https://%{HTTP:Host}$1", "`%{HTTP:Host}` is literal text in `RedirectMatch`"],
    ['RedirectPermanent "/a" "https://%{SERVER_NAME}/b"', "`%{SERVER_NAME}` is literal text in `RedirectPermanent`"],
  ])("%s", (line, message) => {
    expect(found(line)).toEqual([message]);
    expect(found(line, "htaccess")).toEqual([message]);
    expect(found(`<VirtualHost *:80>\n${line}\n</VirtualHost>`)).toEqual([message]);
  });

  test.each([
    "<Location /a>\nRedirect permanent https://%{HTTP_HOST}/b\n</Location>",
    "<LocationMatch ^/(?<name>[^/]+)/b>\nRedirect https://b.test/%{env:MATCH_NAME}\n</LocationMatch>",
    "Redirect / https://www.example.org/",
    "Redirect / https://www.example.org/%7Bx%7D",
    "Redirect gone /{HTTP_HOST}",
    "Redirect / https://{{ DOMAIN }}/",
    "Redirect /a https://www.example.org/{NAME}",
    "ErrorDocument 404 https://%{HTTP_HOST}/",
  ])("not %s", (line) => {
    expect(found(line)).toEqual([]);
  });
});

describe("a map", () => {
  const maps = (text: string, kind: "fragment" | "htaccess" | "server" = "fragment") =>
    findingsOf([unknownRewriteVariable], text, kind === "server" ? {} : { kind }).map(({ message, help }) => [
      message,
      help?.[0],
    ]);
  const inHost = (...lines: readonly string[]) => section("VirtualHost *:80", "RewriteEngine On", ...lines);
  const rule = "RewriteRule ^/(.*) /${lc:$1} [R]";
  const define = "RewriteMap lc int:tolower";
  const unknown = [["no `RewriteMap` defines the map `lc`", `add \`${define}\` to the server or virtual host`]];

  test("that is not defined in a virtual host", () => {
    expect(maps(inHost(rule))).toEqual(unknown);
    expect(maps(inHost("RewriteCond ${lc:%{HTTP_HOST}} ^a", "RewriteRule ^ - [F]"))).toEqual(unknown);
    expect(maps(inHost("RewriteRule ^/(.*) ${hosts:$1|/none} [R]"))).toMatchObject([
      ["no `RewriteMap` defines the map `hosts`", expect.stringContaining("RewriteMap hosts")],
    ]);
    expect(maps(inHost(define, rule))).toEqual([]);
    expect(maps(inHost(rule, define))).toEqual([]);
  });

  test("of another virtual host, or of the main server", () => {
    expect(maps(inHost(define) + inHost(rule))).toEqual(unknown);
    const message = "the map `lc` of the main server is not inherited here";
    expect(maps(`${define}\n${inHost(rule)}`)).toEqual([[message, "move the `RewriteMap` line to the virtual host"]]);
    expect(maps(`${define}\n${inHost("RewriteOptions Inherit", rule)}`)).toEqual([]);
    expect(maps(`${define}\n${inHost(`RewriteRule ^ /$\{a} [R]`)}`)).toEqual([]);
  });

  test("of a file on its own may be defined in another one", () => {
    expect(maps(`RewriteEngine On\n${rule}\n`, "htaccess")).toEqual([]);
    expect(maps(`RewriteEngine On\n${rule}\n`)).toEqual([]);
    expect(maps(inHost("Include maps.conf", rule))).toEqual([]);
    expect(maps(wholeServer("Listen 80", "RewriteEngine On", rule), "server")).toHaveLength(1);
    expect(maps(wholeServer("Listen 80", "RewriteEngine On", define, rule), "server")).toEqual([]);
  });

  test("is not a variable of the configuration", () => {
    expect(maps(inHost("RewriteRule ^/a$ /\\${lc:x}/${LC}/$1 [R]"))).toEqual([]);
  });
});
