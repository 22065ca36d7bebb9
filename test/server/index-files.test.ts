import { describe, expect, test } from "vitest";
import type { Release } from "../../src/facts/release.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

const modules = ["authz_host", "alias", "dir", "mime", "autoindex"];

/** Returns the statuses for requests of the form `METHOD PATH`. */
function statusesOf(lines: readonly string[], requests: readonly string[], release: Release) {
  const text = `${["ServerName x.test", "ServerRoot /srv", "DocumentRoot /srv/www", ...lines].join("\n")}\n`;
  const project = load(
    { "/etc/httpd/httpd.conf": text },
    { kind: "server", release, modules: release === "2.4" ? [...modules, "authz_core"] : modules },
  );
  const files = ["/srv/www/a/index.html", "/srv/www/b/index.html/x", "/srv/www/c/x.html", "/srv/www/x.html"];
  const server = new SimulatedServer(project, createListedFiles(files));
  return requests.map((each) => {
    const [method = "", path = ""] = each.split(" ");
    return server.answer({ method, path, host: "x.test", clientIp: "192.0.2.7" }).status;
  });
}

describe("2.2 checks access to an index file as a GET request", () => {
  const closed = [
    "<Directory /srv/www>",
    "<Limit GET>",
    "Order deny,allow",
    "Deny from all",
    "</Limit>",
    "</Directory>",
  ];

  test("if it is missing or a directory", () => {
    const requests = ["POST /c/", "PUT /c/", "OPTIONS /c/", "POST /b/", "PUT /b/"];
    expect(statusesOf(closed, requests, "2.2")).toEqual(requests.map(() => 403));
  });

  test("twin: not if it exists, because its sections are those of the directory", () => {
    expect(statusesOf(closed, ["POST /a/", "PUT /a/", "GET /a/"], "2.2")).toEqual([200, 405, 403]);
  });

  test("again if a Files section is for it", () => {
    const named = ["<Files index.html>", "Order allow,deny", "Allow from all", "</Files>"];
    const ofFile = ["<Files index.html>", "<Limit GET>", "Order deny,allow", "Deny from all", "</Limit>", "</Files>"];
    expect(statusesOf(ofFile, ["POST /a/"], "2.2")).toEqual([403]);
    expect(statusesOf(named, ["POST /a/"], "2.2")).toEqual([200]);
  });
});

describe("DirectoryIndex disabled", () => {
  const lines = ["FallbackResource /x.html", "DirectoryIndex disabled"];

  test("is the name of a file in 2.2, whose fallback answers", () => {
    expect(statusesOf(lines, ["GET /c/"], "2.2")).toEqual([200]);
    expect(statusesOf(["DirectoryIndex disabled x.html"], ["GET /c/"], "2.2")).toEqual([200]);
    expect(statusesOf(["DirectoryIndex x.html", "DirectoryIndex disabled"], ["GET /c/"], "2.2")).toEqual([200]);
  });

  test("twin: leaves no index file in 2.4", () => {
    expect(statusesOf(lines, ["GET /c/"], "2.4")).toEqual([403]);
    expect(statusesOf(["DirectoryIndex x.html", "DirectoryIndex disabled"], ["GET /c/"], "2.4")).toEqual([403]);
    expect(statusesOf(["DirectoryIndex disabled x.html"], ["GET /c/"], "2.4")).toEqual([200]);
  });
});
