import { describe, expect, test } from "vitest";
import { type FileAccess, memoryAccess } from "../../../src/config/files/file-access.js";
import type { Project } from "../../../src/config/model/project.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { migrate } from "../../../src/proof/migrate/migrate.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { reasonsOf } from "./migrate-lines.js";

const office = "Order deny,allow\nDeny from all\nAllow from 10\n";

/** Returns a server with one path that is not accessible. */
function server(override: string, closed: string): Project {
  const files = memoryAccess({
    "/etc/httpd/httpd.conf": `DocumentRoot "/srv"\n<Directory "/srv">\nAllowOverride ${override}\n${office}</Directory>\n`,
    "/srv/a/.htaccess": office,
    "/srv/b/.htaccess": office,
  });
  const failure = { message: "permission to read it is denied" };
  const access: FileAccess = {
    ...files,
    read: (path) => (path === closed ? { ok: false, error: failure } : files.read(path)),
    list: (path) => (path === closed ? { ok: false, error: failure } : files.list(path)),
  };
  const loaded = loadProject("/etc/httpd/httpd.conf", { kind: "server", access });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

function migrationReasons(project: Project): readonly string[] {
  return reasonsOf(migrate({ before: project, again: () => project, after: () => project }, "server"));
}

describe("unreadable files may contain mod_access_compat directives", () => {
  test.each([
    ["/srv/a/.htaccess", "`/srv/a/.htaccess` cannot be read"],
    ["/srv/b", "the directory `/srv/b` cannot be listed"],
  ])("which prevents a migration and a proof: %s", (closed, wrong) => {
    const project = server("All", closed);
    expect(migrationReasons(project)).toEqual([expect.stringContaining(`${wrong}: permission to read it is denied`)]);
    const side = { project, semantics: "server" } as const;
    const { unproved, verdict } = compare(side, side);
    const others = unproved.filter(({ reason }) => !reason.includes(wrong));
    expect([verdict, unproved[0]?.reason, others]).toEqual(["unknown", expect.stringContaining(wrong), []]);
  });

  test("twin: only if the server reads them", () => {
    const project = server("None", "/srv/b");
    const side = { project, semantics: "server" } as const;
    expect(compare(side, side).verdict).toBe("equivalent");
  });
});
