import { expect, test } from "vitest";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { removedDirective } from "./removed-directive.js";

const fixed = (text: string, given?: Given) =>
  applyFixes(lintText([removedDirective], text, given), () => true).texts.get("/etc/httpd/httpd.conf");

const prefork: Given = { modules: ["mpm_prefork_module", "ssl_module", "rewrite_module", "dumpio_module"] };

test.each([
  ["AcceptMutex default", ""],
  ["AcceptMutex sysvsem", "Mutex sysvsem mpm-accept\n"],
  ["LockFile /var/lock/accept.lock", ""],
  ["\tAcceptMutex flock\nListen 80\nLockFile ${DIR}/accept.lock", "\tMutex flock:${DIR} mpm-accept\nListen 80\n"],
  ["LockFile logs/a\nAcceptMutex fcntl", "Mutex fcntl:logs mpm-accept\n"],
  ["LockFile a\nAcceptMutex fcntl", "Mutex fcntl:. mpm-accept\n"],
  ["LockFile a\nAcceptMutex pthread", "Mutex pthread mpm-accept\n"],
  ["SSLMutex default", ""],
  ["SSLMutex none", ""],
  ["SSLMutex sem", "Mutex sem ssl-cache\n"],
  ["SSLMutex file:/var/run/ssl_mutex", "Mutex file:/var/run ssl-cache\n"],
  ['SSLMutex "file:/var/my run/m"', 'Mutex "file:/var/my run" ssl-cache\n'],
  ["RewriteLock /x", ""],
  ["RewriteLog /x\nRewriteLogLevel 3", "LogLevel rewrite:trace3\n"],
  ["RewriteLog /x\nRewriteLogLevel 9\nLogLevel warn", "LogLevel warn rewrite:trace8\n"],
  ["RewriteLog /x\nRewriteLogLevel 0\nLogLevel warn", "LogLevel warn\n"],
  ["RewriteLogLevel 3", ""],
  [
    "LogLevel info\nRewriteLog /x\n<VirtualHost *>\nRewriteLogLevel 2\n</VirtualHost>",
    "LogLevel info\n<VirtualHost *>\nLogLevel rewrite:trace2\n</VirtualHost>\n",
  ],
  ["DumpIOInput On\nLogLevel debug\nDumpIOLogLevel debug", "DumpIOInput On\nLogLevel debug dumpio:trace7\n"],
  ["DumpIOInput On\nDumpIOLogLevel notice", "DumpIOInput On\n"],
  ["DumpIOLogLevel warn", ""],
  ["MCacheSize 1000", ""],
  ["  Win32DisableAcceptEx", "  AcceptFilter http none\n  AcceptFilter https none\n"],
])("fixes %j as %j, which httpd accepts", (text, after) => {
  expect(fixed(`${text}\n`, prefork) ?? "").toBe(after);
  expect(findingsOf([removedDirective, refusedAtStart], after, prefork)).toEqual([]);
});

test("deletes the lock option for mod_mpm_event", () => {
  expect(fixed("AcceptMutex pthread\n", { modules: ["mpm_event_module"] })).toBe("");
});

test.each([
  "CookieLog x",
  "AcceptMutex beossem",
  "RewriteLogLevel high\nRewriteEngine on",
  "SSLMutex \\\nfile:/x",
  "<Directory /srv>\nAuthzUserAuthoritative Off\n</Directory>",
  "<Directory /srv>\nAuthzDefaultAuthoritative Off\n</Directory>",
])("does not offer a fix for %j", (text) => {
  expect(lintText([removedDirective], `${text}\n`, prefork)).toHaveLength(1);
  expect(fixed(`${text}\n`, prefork)).toBeUndefined();
});
