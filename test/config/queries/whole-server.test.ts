import { expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { isWholeServer } from "../../../src/config/queries/whole-server.js";
import { loadProject } from "../../../src/startup/load-project.js";

const isWhole = (include: string, files: Readonly<Record<string, string>>) => {
  const main = `ServerRoot /etc/httpd\nLoadModule unixd_module modules/mod_unixd.so\nListen 80\n${include}\n`;
  const loaded = loadProject("/etc/httpd/httpd.conf", {
    access: memoryAccess({ "/etc/httpd/httpd.conf": main, ...files }),
  });
  if (!loaded.ok) throw new Error(loaded.error);
  return isWholeServer(loaded.value);
};

test.each<readonly [string, Readonly<Record<string, string>>, boolean]>([
  ["IncludeOptional conf.d/*.conf", { "/etc/httpd/conf.d/a.conf": "" }, true],
  ["IncludeOptional conf.d/*.conf", { "/etc/httpd/conf.d/README": "" }, true],
  ["IncludeOptional conf.d/*/*.conf", { "/etc/httpd/conf.d/a/README": "" }, true],
  ["IncludeOptional conf.d/local-*.conf", { "/etc/httpd/conf.d/README": "" }, true],
  ["IncludeOptional local.conf", {}, true],
  ["IncludeOptional conf.d/*.conf", {}, false],
  ["IncludeOptional conf.d/*.conf", { "/etc/httpd/conf.d/.gitkeep": "" }, false],
  ["IncludeOptional conf.d/local.conf", {}, false],
  ["Include conf.d/*.conf", { "/etc/httpd/conf.d/README": "" }, false],
])("a server with `%s` and %o is whole: %s", (include, files, expected) => {
  expect(isWhole(include, files)).toBe(expected);
});
