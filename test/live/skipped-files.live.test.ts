import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { skippedFile } from "../../rules/skipped-file/skipped-file.js";
import { httpd, liveTitle, loadModules, runHttpd } from "../support/httpd/httpd.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { findingsOf } from "../support/rules.js";

const names = ["shop", "wiki.example.org", "blog.conf", "SHOUT.CONF"];
const site = "<Location />\nRequire all granted\n</Location>\n";

describe.skipIf(!httpd)(liveTitle("httpd does not read the files that the rule reports"), () => {
  test.each(["IncludeOptional sites/*.conf", "Include sites/*.conf", "IncludeOptional sites/w*.org"])(
    "%s",
    { timeout: 60_000 },
    async (line) => {
      const dump = await whileInScratchFolder(async (folder) => {
        mkdirSync(join(folder, "sites"));
        for (const name of names) writeFileSync(join(folder, "sites", name), site);
        const main = join(folder, "httpd.conf");
        const modules = loadModules(["mpm_event", "authz_core"]);
        writeFileSync(main, `ServerRoot ${folder}\nServerName x\nErrorLog /dev/stderr\n${modules}${line}\n`);
        return runHttpd(main, "-D", "DUMP_INCLUDES").stdout;
      });
      const files = Object.fromEntries(names.map((name) => [`/etc/httpd/sites/${name}`, site]));
      const found = findingsOf([skippedFile], `${line}\n`, { files });
      const skipped = found.flatMap(({ related }) => related.map((each) => each.replace(/:1:1: .*/, "")));
      expect(dump).toContain("Included configuration files");
      for (const name of skipped) expect(dump).not.toContain(`/sites/${name}\n`);
      expect(skipped.sort()).toEqual(line.endsWith(".conf") ? ["shop", "wiki.example.org"] : []);
    },
  );
});
