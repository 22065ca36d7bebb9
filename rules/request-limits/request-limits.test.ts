import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { requestLimits } from "./request-limits.js";

const check = (text: string) => findingsOf([requestLimits], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    "Timeout 11",
    "Timeout 1min",
    "KeepAlive Off",
    "MaxKeepAliveRequests 99",
    "KeepAliveTimeout 16",
    "LimitRequestFields 0",
    "LimitRequestFields 101",
    "LimitRequestFieldSize 8190",
    "LimitRequestBody 0",
    "LimitRequestBody 102401",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([line]);
    expect(check(section("VirtualHost *", line))).toEqual([line]);
  });

  test.each(["header=41", "header=20-41", "header=20,MinRate=500", "header=0", "body=0", "body=21,MinRate=500"])(
    "RequestReadTimeout %s",
    (word) => {
      expect(check(`RequestReadTimeout ${word}\n`)).toEqual([word]);
    },
  );

  test("the defaults of a whole server, and a missing mod_reqtimeout", () => {
    const messages = findingsOf([requestLimits], wholeServer("Listen 80", "Timeout 10")).map(({ message }) => message);
    expect(messages).toEqual([
      "mod_reqtimeout is not loaded, so that clients can send requests slowly",
      "the defaults of `LimitRequestFieldSize` and `LimitRequestBody` are outside of the recommended range",
    ]);
  });
});

test("reports exactly the defaults of 2.4 that are outside of the recommended range", () => {
  const [, message] = findingsOf([requestLimits], wholeServer("Listen 80")).map((finding) => finding.message);
  expect(message).toContain("`Timeout`, `LimitRequestFieldSize` and `LimitRequestBody`");
});

test("reports the limit of a directory, and of a `.htaccess` file", () => {
  const text = section("Directory /srv", "LimitRequestBody 102400", "LimitRequestBody 0");
  expect(check(text)).toEqual(["LimitRequestBody 0"]);
  expect(findingsOf([requestLimits], "LimitRequestBody 0\n", { kind: "htaccess" })).toHaveLength(1);
});

describe("does not report", () => {
  test.each([
    "Timeout 10",
    "Timeout 9000ms",
    "KeepAlive On",
    "MaxKeepAliveRequests 0",
    "MaxKeepAliveRequests 100",
    "KeepAliveTimeout 15",
    "LimitRequestFields 100",
    "LimitRequestFieldSize 1024",
    "LimitRequestBody 102400",
    "LimitRequestBody ${BODY}",
    "RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500",
    "RequestReadTimeout header=40 body=20",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });

  test("a whole server within the range", () => {
    const lines = ["Timeout 10", "LimitRequestFieldSize 1024", "LimitRequestBody 102400"];
    expect(check(wholeServer("LoadModule reqtimeout_module mod_reqtimeout.so", "Listen 80", ...lines))).toEqual([]);
  });
});
