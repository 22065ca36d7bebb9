import { describe, expect, test } from "vitest";
import { locateDocument, uriOf } from "../../../src/apps/lsp/documents/protocol-conversion.js";

describe("the location of a document", () => {
  test.each([
    ["file:///etc/httpd/httpd.conf", "/etc/httpd/httpd.conf", true],
    ["file:///my%20site/100%25/%C3%BC.conf", "/my site/100%/ü.conf", true],
    ["file:///c%3A/conf/httpd.conf", "/C:/conf/httpd.conf", true],
    ["untitled:Untitled-1", "/work/Untitled-1", false],
    ["git:/srv/.htaccess?ref", "/work/.htaccess", false],
    ["file://other.host/httpd.conf", "/work/untitled", false],
    ["no address", "/work/untitled", false],
    ["x:%E0%A4%A", "/work/untitled", false],
  ])("%s", (uri, path, isFile) => {
    expect(locateDocument(uri, "/work")).toEqual({ path, isFile });
  });

  test("is restored from the URI of a path", () => {
    for (const path of ["/a b/c#d?e/%41.conf", "/ü/😀"]) expect(locateDocument(uriOf(path), "/").path).toBe(path);
  });
});
