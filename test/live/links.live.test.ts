import { lchownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd.js";
import { deciderOn, type RunningHttpd, withRunningHttpd } from "../support/running-httpd.js";

const modules = ["authn_core", "authz_core", "authz_host", "access_compat", "alias", "dir", "rewrite"];

const options: readonly (readonly string[])[] = [
  [],
  ["Options FollowSymLinks"],
  ["Options None"],
  ["Options -FollowSymLinks"],
  ["Options SymLinksIfOwnerMatch"],
  ["Options +SymLinksIfOwnerMatch"],
  ["Options -FollowSymLinks +SymLinksIfOwnerMatch"],
  ["Options All"],
];
const paths = [
  ...["x.txt", "link.txt", "link.txt/more", "dir/x.txt", "dir/", "dir", "nowhere", "nowhere/x", "circle", "indexed/"],
  ...["dir/none", "dir/link.txt", "other.txt", "other.txt/more", "otherdir/x.txt", "plain/x.txt", "link.txt/", "none"],
];

/** Files and links to them; where we may, one of each belongs to somebody else. */
function lay(folder: string): void {
  const path = (...names: readonly string[]) => join(folder, ...names);
  for (const name of ["real", "plain", "indexed"]) mkdirSync(path(name), { recursive: true });
  for (const name of ["x.txt", "real/x.txt", "plain/x.txt"]) writeFileSync(path(name), "x\n");
  symlinkSync("x.txt", path("link.txt"));
  symlinkSync("real", path("dir"));
  symlinkSync("x.txt", path("real", "link.txt"));
  symlinkSync("nothing", path("nowhere"));
  symlinkSync("circle", path("circle"));
  symlinkSync("../x.txt", path("indexed", "index.html"));
  symlinkSync("x.txt", path("other.txt"));
  symlinkSync("real", path("otherdir"));
  if (process.getuid?.() === 0) for (const name of ["other.txt", "otherdir"]) lchownSync(path(name), 12_345, 12_345);
}

async function compare(running: RunningHttpd): Promise<void> {
  const { folder, ask, errors } = running;
  for (const index of options.keys()) lay(join(folder, "htdocs", String(index)));
  const decider = deciderOn(running);
  for (const [index, lines] of options.entries()) {
    for (const name of paths) {
      const path = `/${index}/${name}`;
      const before = errors().length;
      const { status } = await ask({ path });
      const live = {
        status,
        log:
          errors()
            .slice(before)
            .match(/AH\d{5}: .*/g) ?? [],
      };
      const decision = decider.decide({ method: "GET", path, host: "127.0.0.1", clientIp: "127.0.0.1" });
      const here = { status: decision.status, log: decision.errorLog };
      expect({ lines, path, ...here }).toEqual({ lines, path, ...live });
      for (const { span } of decision.decidedBy)
        expect(decision.trace.some(({ lines: told }) => told.some((line) => line.span.start === span.start))).toBe(
          true,
        );
    }
  }
}

test.skipIf(!httpd)(liveTitle("links are followed as Options say"), async () => {
  const lines = options.flatMap((own, index) => [`<Directory "DOCROOT/${index}">`, ...own, "</Directory>"]);
  await withRunningHttpd(modules, lines, compare);
});
