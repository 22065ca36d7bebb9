import { describe, expect, test } from "vitest";
import { findingsOf, section } from "../../test/support/rules.js";
import { ignoredDirective } from "./ignored-directive.js";

const host = (name: string, address: string, ...lines: readonly string[]) =>
  section(`VirtualHost ${address}`, `ServerName ${name}`, ...lines);
const check = (text: string) =>
  findingsOf([ignoredDirective], `Listen 80\nListen 81\n${text}`).map(({ text: line, help }) => [line, help?.[0]]);
const toMain = "move this line to the main server, or to the first virtual host of the address";
const toFirst = "set the limit in the first virtual host of the address";

describe("a limit of a virtual host that is not the first of its address is reported", () => {
  const first = host("a.test", "*:80");
  test.each([
    ["LimitRequestFieldSize 32768", first, toMain],
    ["LimitRequestLine 16384", first, toMain],
    ["LimitRequestFields 200", first, toMain],
    ["LimitRequestFieldSize 32768", host("a.test", "*:80", "LimitRequestFieldSize 100"), toFirst],
    ["LimitRequestFieldSize 32768", `LimitRequestFieldSize 16384\n${first}`, toMain],
    ["LimitRequestFieldSize 32768", host("x.test", "*:81") + first, toMain],
  ])("%s", (line, before, help) => {
    expect(check(before + host("b.test", "*:80", line))).toEqual([[line, help]]);
  });
});

describe("is not reported", () => {
  const line = "LimitRequestFieldSize 32768";
  test.each([
    ["in the first host", host("a.test", "*:80", line) + host("b.test", "*:80")],
    ["in the main server", line + host("\na.test", "*:80")],
    ["for another address", host("a.test", "*:80") + host("b.test", "*:81", line)],
    ["for one address of two", host("a.test", "*:80") + host("b.test", "*:80 *:81", line)],
    ["beside the same limit of the first host", host("a.test", "*:80", line) + host("b.test", "*:80", line)],
    ["beside the same limit of the server", `${line}\n${host("a.test", "*:80")}${host("b.test", "*:80", line)}`],
    ["of the body", host("a.test", "*:80") + host("b.test", "*:80", "LimitRequestBody 100")],
    ["with HTTP/2", host("a.test", "*:80") + host("b.test", "*:80", "Protocols h2 http/1.1", line)],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });
});
