import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { askRaw } from "./raw-request.js";

const modules = ["authz_core", "rewrite"];

const host = [
  ...["<VirtualHost *>", "ServerName shop.test", "RewriteEngine on"],
  ...["RewriteCond %{HTTP_HOST} ^old\\.", "RewriteRule ^ - [G]", "RewriteRule ^ - [F]", "</VirtualHost>"],
];
const first = (...lines: readonly string[]) => ["<VirtualHost *>", "ServerName first.test", ...lines, "</VirtualHost>"];

describe.skipIf(!httpd)(liveTitle("the Host header"), () => {
  test.each([
    ["shop.test", "/", 403],
    ["SHOP.test.:81", "/", 403],
    // It leads to the first server.
    ["old.shop.test", "/", 404],
    ["old.shop.test", "http://shop.test/", 403],
  ])("%j with the target %s is a name of the server", async (name, target, expected) => {
    await withRunningHttpd(modules, [...first(), ...host], async (running) => {
      expect(await askRaw(running, [`GET ${target} HTTP/1.1`, `Host: ${name}`])).toBe(expected);
    });
  });

  test("may be another name if the first server at the address accepts it", async () => {
    await withRunningHttpd(modules, [...first("HttpProtocolOptions Unsafe"), ...host], async (running) => {
      expect(await askRaw(running, ["GET http://shop.test/ HTTP/1.1", "Host: old.shop.test"])).toBe(410);
    });
  });
});
