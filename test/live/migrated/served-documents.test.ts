import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inScratchFolder } from "../../support/programs/scratch-folder.js";
import { loadText } from "../../support/projects.js";
import { writeDocuments } from "./served-documents.js";

test("of a name that is requested as a file, as a directory and with path info, the first one is written", () => {
  const file = ["/srv/index.php", "/srv/index.php/", "/srv/index.php/a/b"];
  const directory = ["/srv/sub/", "/srv/sub", "/srv/sub/x.html"];
  inScratchFolder((root) => {
    writeDocuments(root, { paths: [...file, ...directory], requests: [], project: loadText("Listen 80\n") });
    expect(readdirSync(join(root, "srv")).sort()).toEqual(["index.php", "sub"]);
    expect(statSync(join(root, "srv/index.php")).isFile()).toBe(true);
    expect(readdirSync(join(root, "srv/sub"))).toEqual(["x.html"]);
  });
});
