import { expect, test } from "vitest";
import { renderConfigurationMap, renderExplainedRequest } from "../../../src/apps/browser/workbench.js";

const main = "/etc/httpd/httpd.conf";
const sound = "Listen 80\n<Directory />\n    Require all denied\n</Directory>\n";
const request = { url: "/a" };

/** Returns the versions that a page says do not start. */
const listRejecting = (page: { toString(): string }) =>
  [...page.toString().matchAll(/(2\.\d) does not start with this configuration/g)].map(([, release]) => release);

test.each([
  ["Optoins None\n", ["2.2", "2.4"]],
  ["TraceEnable off\n", []],
  ["SSLMutex default\n", ["2.4"]],
])("after %j, the map and an explained request show which versions do not start", (line, expected) => {
  const bench = { main, files: { [main]: `${line}${sound}` } };
  const map = renderConfigurationMap(bench);
  expect(listRejecting(map)).toEqual(expected);
  const explained = renderExplainedRequest(bench, request, "from 2.2");
  expect(listRejecting(explained)).toEqual(expected);
  if (expected.length > 0) expect(explained.toString()).toContain("The answer ignores the rejected lines.");
});

test("the answer of the chosen version is first", () => {
  const bench = { main, files: { [main]: "Listen 80\n" } };
  const orderFor = (version: "2.2" | "2.4" | "from 2.2") =>
    [
      ...renderExplainedRequest(bench, request, version)
        .toString()
        .matchAll(/<h3><span>(2\.\d)/g),
    ].map(([, release]) => release);
  expect(orderFor("2.4")).toEqual(["2.4", "2.2"]);
  expect(orderFor("2.2")).toEqual(["2.2", "2.4"]);
  expect(orderFor("from 2.2")).toEqual(["2.2", "2.4"]);
});
