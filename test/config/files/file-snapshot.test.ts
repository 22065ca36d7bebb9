import { expect, test } from "vitest";
import { type FileAccess, memoryAccess } from "../../../src/config/files/file-access.js";
import { FileRecorder, openSnapshot } from "../../../src/config/files/file-snapshot.js";
import { readConfig } from "../../../src/config/read-config.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { createFileTree } from "../../../src/server/file-trees.js";
import { installConfig } from "../../../src/startup/install-config.js";

const files = {
  "/etc/httpd/httpd.conf": `ServerRoot /etc/httpd
DocumentRoot /srv/www
Include conf.d/*.conf
<Directory /srv/www>
  AllowOverride All
</Directory>
`,
  "/etc/httpd/conf.d/a.conf": "<Location /a>\n  Require all denied\n</Location>\n",
  "/srv/www/b/.htaccess": "Require all denied\n",
  "/srv/www/c/index.html": "",
  "/srv/other/x": "",
};
const texts = new Map(Object.entries(files).filter(([path]) => /\.conf$|\.htaccess$/.test(path)));

function deciderOf(access: FileAccess): SimulatedServer {
  const loaded = readConfig("/etc/httpd/httpd.conf", { kind: "server", access });
  if (!loaded.ok) throw new Error(loaded.error);
  const project = installConfig(loaded.value);
  return new SimulatedServer(project, createFileTree({ by: "disk" }, project, access));
}

function createSnapshot() {
  const recording = new FileRecorder();
  deciderOf(recording.wrap(memoryAccess(files)));
  // The form embedded in a page.
  return JSON.parse(JSON.stringify(recording.snapshot(texts)));
}

test.each(["/a", "/b/x", "/c/index.html", "/c/none", "/none/x"])(
  "a snapshot has the same results for %s as the original files",
  (path) => {
    const request = { method: "GET", path, clientIp: "192.0.2.1" };
    const before = deciderOf(memoryAccess(files)).answer(request);
    const after = deciderOf(openSnapshot(createSnapshot())).answer(request);
    expect([after.status, after.class, after.unknown]).toEqual([before.status, before.class, before.unknown]);
    expect(after.class).not.toBe("unknown");
  },
);

test("a snapshot has only the files that were read", () => {
  const access = openSnapshot(createSnapshot());
  expect(createFileTree({ by: "disk" }, projectOf(access), access).kindOf("/srv/other/x")).toBe("unknown");
  expect(access.read("/srv/www/c/index.html")).toEqual({ ok: false, error: { message: "it is not carried along" } });
  expect(Object.keys(createSnapshot().texts).sort()).toEqual([...texts.keys()].sort());
});

test("a snapshot of too many files has only facts about the files that were read", () => {
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`/srv/www/many/${index}.html`, ""]));
  const recording = new FileRecorder();
  deciderOf(recording.wrap(memoryAccess({ ...files, ...many })));
  const access = openSnapshot(recording.snapshot(texts));
  const tree = createFileTree({ by: "disk" }, projectOf(access), access);
  expect(tree.kindOf("/srv/www/many/1.html")).toBe("unknown");
  expect(tree.kindOf("/srv/www/b/.htaccess")).toBe("file");
});

function projectOf(access: FileAccess) {
  const loaded = readConfig("/etc/httpd/httpd.conf", { kind: "server", access });
  if (!loaded.ok) throw new Error(loaded.error);
  return installConfig(loaded.value);
}
