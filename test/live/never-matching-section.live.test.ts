import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { askServer } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf, onlyVariant, section } from "../support/rules.js";

const neverMatchingSection = onlyVariant(neverMatchingPath, "never-matching-section");

const modules = "mpm_event authz_core".split(" ");
const denied = "Require all denied";

/** Sections with a requested path: `N` is the number of the case, whose file is `/dN/x`. */
const cases: readonly (readonly [string, string])[] = [
  [section('Location "dN"', denied), "/dN/x"],
  [section('Location "*N"', denied), "/dN/x"],
  [section('Location "http://localhost/dN"', denied), "/dN/x"],
  [section('Location "/dN/x?y=1"', denied), "/dN/x?y=1"],
  [section('Directory "www/dN"', denied), "/dN/x"],
  [section('Directory "*/dN"', denied), "/dN/x"],
  [section('Files "dN/x"', denied), "/dN/x"],
  [section('Directory "http://localhost/dN"', denied), "/dN/x"],
  [section('Files "^x"', denied), "/dN/x"],
  [section('Files "x, y"', denied), "/dN/x"],
  [section("Location /dN", "<Limit get post>", denied, "</Limit>"), "/dN/x"],
  [section("Files x", section("Files x", denied)), "/dN/x"],
  [section('If "true"', section("FilesMatch x", denied)), "/dN/x"],
  [section("Files x", section("If true", section("Files x", denied))), "/dN/x"],
  [section("If true", "Options FollowSymLinks") + section("ElseIf true", denied), "/dN/x"],
  [section('DirectoryMatch "/dN$"', denied), "/dN/x"],
  [section('Directory ~ "/dN/$"', denied), "/dN/x"],
  [section('Location "/dN"', denied), "/dN/x"],
  [section('Location "*/dN/x"', denied), "/dN/x"],
  [section('Location "/dN/?"', denied), "/dN/x"],
  [section('Location ~ "dN"', denied), "/dN/x"],
  [section("Location /dN", "<Limit get GET>", denied, "</Limit>"), "/dN/x"],
  [section("Directory /FOLDER/www/dN", section("Files x", section("If true", denied))), "/dN/x"],
  [section('DirectoryMatch "/dN(/|$)"', denied), "/dN/x"],
  [section("Location /dN", section('If "%{REQUEST_URI} =~ m#^/public#"', denied)), "/dN/x"],
  [section("Location /dN", section('If "%{REQUEST_URI} =~ m#^/dN/x#"', denied)), "//dN//x"],
  [section('LocationMatch "^/dN/x"', section("If \"%{REQUEST_URI} == '/dN/y'\"", denied)), "/dN/x"],
  [section('LocationMatch "^/dN/x"', section("If \"%{REQUEST_URI} == '/dN/x'\"", denied)), "/dN/x"],
  [section("Files x", section('If "%{REQUEST_FILENAME} =~ m#/dN/y$#"', denied)), "/dN/x"],
  [section("Files x", section('If "%{REQUEST_FILENAME} =~ m#/dN/x$#"', denied)), "/dN/x"],
  [section("Directory /FOLDER/www/dN", section('If "%{REQUEST_FILENAME} =~ m#^/FOLDER/app#"', denied)), "/dN/x"],
  [section("Directory /FOLDER/www/dN", section('If "%{REQUEST_FILENAME} =~ m#^/FOLDER/www#"', denied)), "/dN/x"],
  [section("Location /dN", section("If \"%{REQUEST_METHOD} == 'POST'\"", section("Limit GET", denied))), "/dN/x"],
  [section("Location /dN", section("If \"%{REQUEST_METHOD} == 'GET'\"", section("Limit GET", denied))), "/dN/x"],
  [section("Location /dN", section("If \"%{HTTPS} == 'OFF'\"", denied)), "/dN/x"],
  [section("Location /dN", section("If \"%{HTTPS} == 'off'\"", denied)), "/dN/x"],
  [section('Directory "^/FOLDER/www/dN"', denied), "/dN/x"],
  [
    section(
      "Location /dN",
      section('If "%{REQUEST_URI} =~ m#^/dN#"', "Options None"),
      section('ElseIf "%{REQUEST_URI} =~ m#^/dN/x#"', denied),
    ),
    "/dN/x",
  ],
];

describe.skipIf(!httpd)(liveTitle("sections that never match, on the live server"), () => {
  const folder = sharedFolder();
  let statuses: readonly number[] = [];

  beforeAll(async () => {
    const port = await freePort();
    const root = folder.at("www");
    for (const index of cases.keys()) {
      mkdirSync(join(root, `d${index}`), { recursive: true });
      writeFileSync(join(root, `d${index}`, "x"), "x");
    }
    const numbered = (text: string, index: number) =>
      text.replaceAll("dN", `d${index}`).replaceAll("*N", `*d${index}`).replaceAll("/FOLDER", folder.path);
    const sections = cases.map(([text], index) => numbered(text, index));
    const head = `ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nListen 127.0.0.1:${port}\nDocumentRoot "${root}"\n`;
    writeFileSync(folder.at("httpd.conf"), loadModules(modules) + head + sections.join(""));
    const result = await askServer(
      folder.path,
      cases.map(([, path], index) => ({
        address: "127.0.0.1",
        port,
        text: `GET ${numbered(path, index)} HTTP/1.0\r\n\r\n`,
      })),
    );
    if ("answers" in result) statuses = result.answers.map(({ status }) => status);
  });

  test.each(cases.map(([text], index) => [text, index] as const))("%j", (text, index) => {
    const isReported = findingsOf([neverMatchingSection], text).length > 0;
    expect(statuses[index]).toBe(isReported ? 200 : 403);
  });
});
