import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { explainAnswer, formatCondition, formatTitle } from "../../../src/report/answers/answer-words.js";
import { answer } from "../../../src/server/answer.js";
import type { Answer } from "../../../src/server/model/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { unknownFact } from "../../../src/server/model/unknown-facts.js";
import { loadProject } from "../../../src/startup/load-project.js";

const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];

function decideWith(lines: readonly string[], more: Partial<Request> = {}): Answer {
  const text = ['DocumentRoot "/srv/www"', "<Location />", ...lines, "</Location>\n"].join("\n");
  const access = memoryAccess({ "/etc/httpd.conf": text });
  const loaded = loadProject("/etc/httpd.conf", { access, kind: "server", release: "2.4" });
  if (!loaded.ok) throw new Error(loaded.error);
  const request: Request = { method: "GET", path: "/x.txt", clientIp: "192.0.2.7", ...more };
  return answer(loaded.value, request, { files: createListedFiles(["/srv/www/x.txt"]) });
}

describe("the reason for a response", () => {
  test.each<[readonly string[], string]>([
    [["Deny from all"], "`Deny from all` denies this client, and `Require` cannot override that"],
    [
      ["Deny from all", "Satisfy any", ...login],
      "`Order`, `Allow` and `Deny` deny this client; under `Satisfy any`, only a login grants access",
    ],
    [
      ["SSLRequireSSL", "Satisfy any", ...login],
      "`SSLRequireSSL` requires TLS, but the request does not use it; under `Satisfy any`, only a login grants access",
    ],
    [
      ["Deny from all", "Satisfy any", "Require ip 192.0.2.7"],
      "`Order`, `Allow` and `Deny` deny this client, but `Satisfy any` makes `Require` sufficient",
    ],
    [
      ["Order allow,deny", "Require all granted"],
      "`Order allow,deny` denies this client, which no `Allow` line allows, and `Require` cannot override that",
    ],
    [["Require ip 10"], "`Require` does not allow this request"],
    [
      ["Deny from all", "Satisfy any", "Require ip 10"],
      "neither `Order`, `Allow` and `Deny` nor `Require` allows this request",
    ],
    [login, "a login is required, but the request has none"],
    [["AllowMethods GET"], "access is granted; nothing restricts it"],
  ])("is given for %j", (lines, reason) => {
    expect(explainAnswer(decideWith(lines))).toBe(reason);
  });
});

test("a backend answers with a status of its own", () => {
  const proxy = ["ProxyPass http://127.0.0.1:3000/"];
  const decision = decideWith(["Require ip 192.0.2.7", ...proxy]);
  expect(formatTitle(decision)).toBe("allowed");
  expect(explainAnswer(decision)).toBe("access is granted; a backend answers, with a status of its own");
  // Twins: a denial, and a file.
  expect(formatTitle(decideWith(["Require ip 10", ...proxy]))).toBe("403 Forbidden");
  expect(formatTitle(decideWith(["Require ip 192.0.2.7"]))).toBe("200 OK");
});

test("a condition of a possible response is a statement", () => {
  expect(formatCondition({ fact: unknownFact("exists", "/srv/x"), answer: false })).toBe("`/srv/x` exists: no");
});
