import { describe, expect, test } from "vitest";
import { compare } from "../../src/proof/compare/compare.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

const files = createListedFiles(["/srv/a"]);

function serverWith(line: string) {
  const main = ["ServerName x.test", 'DocumentRoot "/srv"', line, ""].join("\n");
  return load({ "/etc/httpd/httpd.conf": main }, { kind: "server", modules: ["authz_core", "setenvif"] });
}

/**
 * httpd fills in groups that no pattern has set from memory that nothing has written (mod_setenvif.c `match_headers`,
 * util_expr_eval.c `ap_expr_eval_comp`): 2.4.71 with the first of these lines answered 500 after some starts, and 200
 * after others.
 */
describe("a value with groups that no pattern sets is unknown", () => {
  test.each([
    'SetEnvIfExpr "%{REQUEST_URI} =~ m#^/a#" captured=$0',
    'SetEnvIfExpr "true" captured=$1',
    "SetEnvIfExpr \"%{REQUEST_URI} == '/a' || %{REQUEST_URI} =~ m#^/(a)#\" captured=$1",
  ])("%s", (line) => {
    const project = serverWith(line);
    const { access, unknown } = answer(project, { method: "GET", path: "/a", clientIp: "192.0.2.7" }, { files });
    expect([access, unknown]).toEqual(["unknown", [expect.stringMatching(/^the value of `captured=\$\d`/)]]);
    expect(compareWith(line)).toBe("unknown");
  });
});

describe("a value whose groups are set, or that has none", () => {
  test.each([
    'SetEnvIfExpr "%{REQUEST_URI} =~ m#^/(a)#" captured=$0',
    'SetEnvIfExpr "%{REQUEST_URI} =~ m#^/(a)# || true" captured=$1',
    'SetEnvIfExpr "! (%{REQUEST_URI} =~ m#^/(b)#)" captured=$1',
    'SetEnvIfExpr "true && %{REQUEST_URI} =~ m#^/(a)#" captured=$1',
    'SetEnvIfExpr "true" captured=$',
    "SetEnvIf Request_URI ^/a captured=$0",
  ])("%s", (line) => {
    const project = serverWith(line);
    expect(answer(project, { method: "GET", path: "/a", clientIp: "192.0.2.7" }, { files }).access).not.toBe("unknown");
    expect(compareWith(line)).toBe("equivalent");
  });
});

function compareWith(line: string) {
  const [before, after] = [serverWith(""), serverWith(line)];
  return compare({ project: before, semantics: "server" }, { project: after, semantics: "server" }).verdict;
}
