import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { findAllowingChange } from "../../../src/proof/allow/allow.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { loadProject } from "../../../src/startup/load-project.js";

const main = "/etc/httpd/httpd.conf";
const files = createListedFiles(["/srv/www/index.html", "/srv/www/in/x.txt"]);

/** Returns the changed main file after the change that allows a client, or why there is none. */
function changed(lines: readonly string[], clientIp = "192.0.2.7") {
  const text = `DocumentRoot /srv/www\n${lines.join("\n")}\n`;
  const read = (overlay: ReadonlyMap<string, string>) => {
    const access = memoryAccess({ [main]: text, ...Object.fromEntries(overlay) });
    const loaded = loadProject(main, { access, kind: "server", release: "2.4" });
    if (!loaded.ok) throw new Error(loaded.error);
    return { project: loaded.value, files, errors: 0 };
  };
  const request = { method: "GET", path: "/in/x.txt", host: "x.test", clientIp };
  const found = findAllowingChange({ ...read(new Map()), semantics: "server", again: read }, request);
  if (typeof found === "string") return found;
  const [file] = found.files;
  return { reach: found.reach, lines: file?.after.split("\n").slice(1, -1) };
}

const directory = (...lines: readonly string[]) => ["<Directory /srv/www>", ...lines, "</Directory>"];

describe("the smallest change that allows a client", () => {
  test.each([
    ["adds its address to Require", ["Require ip 10.0.0.0/8"], ["Require ip 10.0.0.0/8 192.0.2.7"]],
    [
      "adds its address to Allow",
      ["Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8"],
      ["Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8 192.0.2.7"],
    ],
    [
      "drops its address from Deny",
      ["Order allow,deny", "Allow from all", "Deny from 192.0.2.7 192.0.2.9"],
      ["Order allow,deny", "Allow from all", "Deny from 192.0.2.9"],
    ],
  ])("%s", (_, lines, after) => {
    expect(changed(directory(...lines))).toEqual({ reach: "client", lines: directory(...after) });
  });

  test.each([
    ["the whole disk", "<Directory />", ["<Directory /srv/www>", "    Require ip 192.0.2.7", "</Directory>"]],
    [
      "all files with a name",
      '<Files "*.txt">',
      [
        "<Directory /srv/www/in>",
        '    <Files "*.txt">',
        "        Require ip 192.0.2.7",
        "    </Files>",
        "</Directory>",
      ],
    ],
    [
      "all files that match a pattern",
      '<FilesMatch "\\.txt$">',
      [
        ...["<Directory /srv/www/in>", '    <FilesMatch "\\.txt$">', "        Require ip 192.0.2.7"],
        ...["    </FilesMatch>", "</Directory>"],
      ],
    ],
  ])("is for the directory of the path, if the section is for %s", (_, opening, added) => {
    const denied = [opening, "Require all denied", opening.replace(/<(\w+).*/, "</$1>")];
    const quoted = added.map((line) => line.replace(/<Directory (.*)>/, '<Directory "$1">'));
    expect(changed(denied)).toEqual({
      reach: "client",
      lines: [...denied, ...quoted],
    });
  });

  test("keeps what a Files section allows in the new one", () => {
    const section = ["<Files *.txt>", "Require ip 10.0.0.0/8", "</Files>"];
    expect(changed(section)).toEqual({
      reach: "client",
      lines: [
        ...section,
        ...['<Directory "/srv/www/in">', "    <Files *.txt>", "        Require ip 10.0.0.0/8"],
        ...["        Require ip 192.0.2.7", "    </Files>", "</Directory>"],
      ],
    });
  });

  test("changes a Files section of a directory itself", () => {
    const lines = (more = "") => directory("<Files *.txt>", `Require ip 10.0.0.0/8${more}`, "</Files>");
    expect(changed(lines())).toEqual({ reach: "client", lines: lines(" 192.0.2.7") });
  });

  test("is none for a request that is allowed already", () => {
    expect(changed(directory("Require ip 192.0.2.0/24"))).toBe("allowed");
  });
});
