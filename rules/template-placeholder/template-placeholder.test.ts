import { describe, expect, test } from "vitest";
import { findingsOf, type Given, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { templatePlaceholder } from "./template-placeholder.js";

const check = (text: string, given?: Given) => findingsOf([templatePlaceholder], text, given);
const messages = (text: string, given?: Given) => check(text, given).map(({ message }) => message);
const listRules = (text: string) => findingsOf(defaultRules, text).map(({ rule }) => rule);

describe("a placeholder", () => {
  test.each([
    "@@Port@@",
    "@PORT@",
    "@sslproto@",
    "##PORT##",
    "{{ port }}",
    "<%= port %>",
    "<?= $port ?>",
    "%port%",
    "%PORT%",
    "${buildout:port}",
    "{port}",
  ])("is reported: %s", (text) => {
    expect(messages(`Listen ${text}\n`)).toEqual([`\`${text}\` is the placeholder of a template`]);
    expect(listRules(`ServerName a\nListen ${text}\n`)).toEqual(["template-placeholder"]);
  });

  test.each([
    "SetEnvIf Request_URI ^/a{2}/[a-z]{b} x",
    'RewriteCond "%{https}" on',
    'SetEnv PATH "C:/php;%PATH%"',
    'SetEnv PATH "%PATH%;C:/php"',
    'LogFormat "%{referer}i" x',
    "RewriteMap m txt:m.txt\nRewriteRule ^/(.*) ${m:$1}",
    'Header set Report-To "{\\"group\\":\\"a\\"}"',
    'LocationMatch "^/(?<id>x){n}"',
    'SetEnv PATH "C:\\php;%PATH%"',
    'FcgidInitialEnv PATH "C:/php;%PATH%;%SYSTEMROOT%"',
  ])("is not found in %s", (line) => {
    expect(messages(`${line}\n`)).toEqual([]);
  });

  test("is reported in the value of a variable that a template fills in", () => {
    expect(messages("SetEnv PORT @@PORT@@\n")).toEqual(["`@@PORT@@` is the placeholder of a template"]);
  });

  test("is reported if it is split over two lines", () => {
    expect(messages("Listen @@PO\\\nRT@@\n")).toEqual(["`@@PORT@@` is the placeholder of a template"]);
  });

  test("is reported if it is the value of a variable", () => {
    const defines = new Map([["PORT", "@@PORT@@"]]);
    expect(messages("Listen ${PORT}\n", { defines })).toEqual(["`@@PORT@@` is the placeholder of a template"]);
  });

  test("is reported once for each file", () => {
    const files = { "/etc/httpd/a.conf": "ServerName @@A@@\nServerAdmin @@B@@\n" };
    expect(check("Include a.conf\nListen @@P@@\nListen @@Q@@\n", { files }).map(({ at }) => at)).toEqual([
      "1:1-1:17",
      "2:1-2:13",
    ]);
  });

  test("is reported in a fragment and in a `.htaccess` file", () => {
    for (const kind of ["fragment", "htaccess"] as const)
      expect(check("Require ip {{ office }}\n", { kind })).toHaveLength(1);
  });
});

describe("a tag", () => {
  test.each(["{% if ssl %}", "<% if @ssl %>", "{{ extra }}", "{# a comment #}", "@INCLUDES@", "@@Load@@", "%extra%"])(
    "%s is not read as a directive",
    (tag) => {
      const text = `ServerName a\n${section("Location /a", tag, "Require all granted")}`;
      expect(listRules(text)).toEqual(["template-placeholder"]);
      expect(messages(text)).toEqual([`\`${tag}\` is a tag of a template`]);
    },
  );
});

describe("a tag over several lines", () => {
  const tags = [
    "{% if ssl\n   and port %}",
    "{{- if\n .Values.ssl }}",
    "{# LogLevel\nError #}",
    "<% @ports.each do |port|\n  <Unknown\n-%>",
    "<% if ssl %> <%\n@ports.each do %>",
    "<?php\nforeach ($ports as $port) {\n?>",
    "<?= $a\n. $b ?>",
  ];

  test.each(tags)("%j is not read as lines", (tag) => {
    const text = `ServerName a\n${section("Location /a", tag, "Require all granted")}`;
    expect(check(text)).toHaveLength(1);
    expect(listRules(text)).toEqual(["template-placeholder"]);
  });

  test.each(tags)("%j is not read as lines in a section whose condition is false", (tag) => {
    const text = `ServerName a\n${section("IfVersion < 1.3", section("Location /a", tag))}`;
    expect(listRules(text)).toEqual(tag.startsWith("<?=") ? [] : ["template-placeholder"]);
  });

  test("is shown in one line", () => {
    expect(check("ServerName a\n<%- |\n  String $x,\n| -%>\n")).toMatchObject([
      { message: "`<%- | String $x, | -%>` is a tag of a template" },
    ]);
  });

  test("ends at its closing mark", () => {
    expect(listRules("ServerName a\n<%\nif x\n%>\nListne 80\n")).toEqual(["template-placeholder", "unknown-directive"]);
  });

  test("ends with its first line if another begins before it is closed", () => {
    expect(listRules("ServerName a\n{% if x\nListne 80\n{% end %}\n")).toEqual([
      "unknown-directive",
      "template-placeholder",
    ]);
  });

  test("ends with its first line if it is not closed", () => {
    expect(listRules("ServerName a\n{% if x\nListne 80\n")).toEqual(["template-placeholder", "unknown-directive"]);
  });

  test("of PHP may extend to the end of the file", () => {
    expect(listRules("ServerName a\n<?php\nListne 80\n")).toEqual(["template-placeholder"]);
  });
});

describe("does not report", () => {
  test.each([
    "LogFormat %h%lo%u common",
    'Header set X "%Dus%t"',
    "RewriteCond %{HTTP_HOST}%{REQUEST_URI} x",
    "Redirect /caf%c3%a9 http://b/",
    "ServerAdmin a@example.org",
    "ServerName ${NAME}",
    "RewriteRule ^ %1%2",
    "## a comment ##",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});
