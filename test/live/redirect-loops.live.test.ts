import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "alias", "dir", "rewrite"];

describe.skipIf(!httpd)(liveTitle("redirects that lead back to the requested URL"), () => {
  test("a condition that is true for the target, too", async () => {
    const lines = [
      "RewriteEngine On",
      "RewriteCond %{HTTP_HOST} !^a\\.test$",
      "RewriteRule ^/(.*)$ http://www.a.test/$1 [R=301,L]",
    ];
    await withRunningHttpd(modules, ["ServerName a.test", ...lines], async (running) => {
      const found = await running.ask({ path: "/x", headers: { Host: "www.a.test" } });
      expect([found.status, found.headers.location]).toEqual([301, "http://www.a.test/x"]);
    });
  });

  test("a Redirect to https for a request that a balancer decrypted", async () => {
    await withRunningHttpd(modules, ["ServerName a.test", "Redirect / https://a.test/"], async (running) => {
      const headers = { Host: "a.test", "X-Forwarded-Proto": "https" };
      expect((await running.ask({ path: "/x", headers })).headers.location).toBe("https://a.test/x");
    });
  });
});
