import { expect, test } from "vitest";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

/** Returns the unknown facts that the result of an expression depends on. */
function unknownIn(condition: string): readonly string[] {
  const text = `DocumentRoot /srv\n<Location />\nRequire expr "${condition}"\n</Location>\n`;
  const request = { method: "GET", path: "/x", clientIp: "192.0.2.1" };
  return answer(load({ "/etc/httpd/httpd.conf": text }), request, { files: createListedFiles(["/srv/x"]) }).unknown;
}

const time = "whether the test `%{TIME} == '1'` holds, which depends on `%{TIME}`";

test.each<[string, readonly string[]]>([
  ["%{TIME} == '1'", [time]],
  ["'1' == %{TIME}", ["whether the test `'1' == %{TIME}` holds, which depends on `%{TIME}`"]],
  ["%{TIME} == %{TIME_DAY}", ["whether the test `%{TIME} == %{TIME_DAY}` holds, which depends on `%{TIME}`"]],
  ["'a%{TIME}' == '1'", ["whether the test `'a%{TIME}' == '1'` holds, which depends on `%{TIME}`"]],
  ["tolower(%{TIME}) == '1'", ["whether the test `%{tolower:%{TIME}} == '1'` holds, which depends on `%{TIME}`"]],
  ["file('/x') == '1'", ["whether the test `%{file:'/x'} == '1'` holds, which depends on `file`"]],
  ["-s '/srv/x'", ["whether the test `-s '/srv/x'` holds"]],
  ["-x '/srv/x'", ["whether the test `-x '/srv/x'` holds"]],
  ["%{TIME} =~ /1/", ["whether the test `%{TIME} =~ m/1/` holds, which depends on `%{TIME}`"]],
  ["-n %{TIME}", ["whether the test `-n %{TIME}` holds, which depends on `%{TIME}`"]],
  ["-e '/x'", []],
  ["-F '/x'", ["whether the test `-F '/x'` holds"]],
  ["%{TIME} -strmatch 'a'", ["whether the test `%{TIME} -strmatch 'a'` holds, which depends on `%{TIME}`"]],
  ["'a' -fnmatch %{TIME}", ["whether the test `'a' -fnmatch %{TIME}` holds, which depends on `%{TIME}`"]],
  ["-R 'host.test'", ["whether the test `-R 'host.test'` holds"]],
  ["%{TIME} in {'a'}", ["whether the test `%{TIME} -in { 'a' }` holds, which depends on `%{TIME}`"]],
  ["'a' in {%{TIME}, 'b'}", ["whether the test `'a' -in { %{TIME}, 'b' }` holds, which depends on `%{TIME}`"]],
  ["'a' in {%{TIME}, 'a'}", []],
  ["'a' in split('a')", ["whether the test `'a' -in split('a')` holds"]],
  ["true || %{TIME} == '1'", []],
  ["false && %{TIME} == '1'", []],
  ["%{TIME} == '1' && -F '/x'", [time, "whether the test `-F '/x'` holds"]],
])("lists the unknown facts that %s depends on", (condition, unknown) => {
  expect(unknownIn(condition)).toEqual(unknown);
});
