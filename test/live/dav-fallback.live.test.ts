import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

const modules = ["authn_core", "authz_core", "dir", "dav", "dav_fs"];

const lines = [
  "DavLockDB DOCROOT/../dav.lock",
  ...["<Directory DOCROOT>", "FallbackResource /none.php", "</Directory>"],
  ...["<Directory DOCROOT/dav>", "Dav On", "</Directory>"],
];

describe.skipIf(!httpd)(liveTitle("WebDAV below a FallbackResource that does not exist"), () => {
  test("handles its own methods", async () => {
    const methods = ["GET", "HEAD", "POST", "DELETE", "SEARCH", "FOO", "PROPFIND"];
    const paths = ["/dav/none.txt", "/dav/none.txt/x", "/none.txt"];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const requests = methods.flatMap((method) => paths.map((path) => ({ method, path })));
        expect(await findDifferingAnswers(running, requests)).toEqual([]);
      },
      { "dav/index.html": "x\n" },
    );
  });
});
