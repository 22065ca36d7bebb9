import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, inDirectory, lintText, section } from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const rule = "RewriteRule ^ - [F]";
const check = (...conditions: readonly string[]) =>
  findingsOf([constantCondition], `${conditions.map((each) => `RewriteCond ${each}`).join("\n")}\n${rule}\n`, {
    kind: "htaccess",
  });

describe("reports a condition that never holds", () => {
  test.each([
    "%{HTTPS} =ON",
    "%{HTTPS} ^1$",
    "%{https} =true",
    "%{REQUEST_SCHEME} =HTTPS",
    "%{SERVER_PORT} ^https$",
    "%{REQUEST_METHOD} ^post$",
    "%{HTTP_HOST} ^Example\\.org$",
    "%{HTTP_HOST} ^https?://example\\.org",
    "%{HTTP_HOST} example\\.org/shop",
    "%{SERVER_PROTOCOL} ^HTTPS",
    "%{REQUEST_URI} ^index\\.php",
    "%{REQUEST_URI} ^$",
    "%{REQUEST_URI} index\\.php\\?id=",
    "%{QUERY_STRING} ^\\?id=",
    "%{THE_REQUEST} ^/index\\.php",
    "%{REQUEST_FILENAME} ^index\\.php$",
    "%{REMOTE_ADDR} ^localhost$",
  ])("%s", (condition) => {
    const isUsual = /HTTP_HOST|REQUEST_METHOD|REQUEST_URI|QUERY_STRING/.test(condition);
    expect(check(condition).map(({ message }) => message)).toEqual([
      `\`${condition}\` never holds${isUsual ? " for a usual request" : ""}`,
    ]);
  });
});

describe("reports a condition that always holds", () => {
  test.each(["%{HTTPS} !=ON", "%{HTTPS} !^$", "%{SERVER_PROTOCOL} !^HTTPS", "%{REQUEST_URI} !^index\\.php$"])(
    "%s",
    (condition) => {
      const end = condition.includes("REQUEST_URI") ? " for a usual request" : "";
      expect(check(condition).map(({ message }) => message)).toEqual([`\`${condition}\` always holds${end}`]);
    },
  );
});

describe("reports a pair", () => {
  test("that never holds", () => {
    expect(check("%{HTTP_HOST} ^a\\.test$", "%{HTTP_HOST} ^b\\.test$ [NC]")).toMatchObject([
      { message: "`RewriteCond` lines that never hold together", related: [".htaccess:1:1: the condition before"] },
    ]);
  });

  test("that always holds", () => {
    expect(check("%{HTTP_HOST} !^a\\.test$ [OR]", "%{HTTP_HOST} !=b.test").map(({ message }) => message)).toEqual([
      "`RewriteCond` lines of which one always holds",
    ]);
  });
});

describe("reports a file test", () => {
  test.each(["%{REQUEST_URI} !-f", "%{REQUEST_URI} -d"])("%s", (condition) => {
    expect(check(condition).map(({ message }) => message)).toEqual(["`%{REQUEST_URI}` is not the path of a file"]);
  });

  test("in a virtual host", () => {
    const text = section("VirtualHost *", `RewriteCond %{REQUEST_FILENAME} !-f\n${rule}`);
    expect(findingsOf([constantCondition], text).map(({ message }) => message)).toEqual([
      "`%{REQUEST_FILENAME}` is not the path of a file here",
    ]);
  });
});

describe("does not report", () => {
  test.each([
    // httpd rejects the line.
    ["%{HTTP_HOST} # ^a$"],
    ["%{HTTPS} =on"],
    ["%{HTTPS} ^ON$ [NC]"],
    ["%{HTTPS} (.*)"],
    ["%{REQUEST_METHOD} ^POST$"],
    ["%{HTTP_HOST} ^Example\\.org$ [NC]"],
    ["%{HTTP_HOST} !^$"],
    ["%{REQUEST_URI} ^/index\\.php"],
    ["%{REQUEST_URI} !^$"],
    ["%{QUERY_STRING} ^$"],
    ["%{THE_REQUEST} \\?id="],
    ["%{THE_REQUEST} \\s/index"],
    ["%{REQUEST_FILENAME} !-f"],
    ["%{DOCUMENT_ROOT}%{REQUEST_URI} -f"],
    ["%{HTTP_HOST} =@HOST@"],
    ["%{ENV:HTTPS} =ON"],
    ["%{HTTP_HOST} ^a\\.test$ [OR]", "%{HTTP_HOST} ^b\\.test$"],
    ["%{HTTP_HOST} !^a\\.test$", "%{HTTP_HOST} !^b\\.test$"],
    ["%{HTTP_HOST} ^(a|b)\\.test$", "%{HTTP_HOST} ^a\\.test$"],
    ["%{HTTP_HOST} a\\.test$", "%{HTTP_HOST} ^b\\."],
  ])("%j", (...conditions) => {
    expect(check(...conditions)).toEqual([]);
  });

  test("URLs of a forward proxy", () => {
    const text = `ProxyRequests On\nRewriteCond %{REQUEST_URI} ^http:\n${rule}\n`;
    expect(findingsOf([constantCondition], `RewriteOptions AllowAnyURI\n${text}`)).toEqual([]);
    expect(
      findingsOf([constantCondition], `${section("LocationMatch ^", text.replace(/.*\n/, ""))}ProxyRequests On\n`),
    ).toEqual([]);
    // Without the option, the rules of a server do not apply to such requests. No directory does.
    expect(findingsOf([constantCondition], text)).toHaveLength(1);
    expect(findingsOf([constantCondition], `${inDirectory(text.replace(/.*\n/, ""))}ProxyRequests On\n`)).toHaveLength(
      1,
    );
  });
});

describe("the fix", () => {
  test.each([
    ["%{HTTPS} =ON", "%{HTTPS} =on"],
    ['%{HTTP_HOST} "^Example\\.org$"', '%{HTTP_HOST} "^example\\.org$"'],
    ["%{REQUEST_METHOD} ^(get|head)$", "%{REQUEST_METHOD} ^(GET|HEAD)$"],
    ["%{HTTP_HOST} '^Example\\.org$'", "%{HTTP_HOST} '^example\\.org$'"],
    ["%{REQUEST_URI} !-f", "%{REQUEST_FILENAME} !-f"],
  ])("of %s", (before, after) => {
    const text = `RewriteCond ${before}\n${rule}\n`;
    const [finding] = lintText([constantCondition], text, { kind: "htaccess" });
    expect(finding?.fix && applyEdits(text, finding.fix.edits)).toBe(`RewriteCond ${after}\n${rule}\n`);
  });

  test("is not offered if the other case has another meaning", () => {
    const [finding] = lintText([constantCondition], `RewriteCond %{HTTP_HOST} ^\\w+\\.Example\\.org$\n${rule}\n`);
    expect(finding?.fix).toBeUndefined();
  });
});
