import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runTool } from "./pinned-packages.js";

/** The files beside the executable, by their paths below the prefix of the installation, such as `/usr/local`. */
const companions: Readonly<Record<string, string>> = {
  "share/man/man1/httpd-lint.1": "man/httpd-lint.1",
  "share/bash-completion/completions/httpd-lint": "completions/httpd-lint.bash",
  "share/zsh/site-functions/_httpd-lint": "completions/httpd-lint.zsh",
  "share/fish/vendor_completions.d/httpd-lint.fish": "completions/httpd-lint.fish",
  "share/doc/httpd-lint/LICENSE": "LICENSE",
  "share/doc/httpd-lint/third-party-licences.txt": "dist/third-party-licences.txt",
};

/**
 * Archives an executable with its companions, next to it.
 *
 * @param suffix the end of the archive's name
 * @returns the path of the archive
 */
export function archiveExecutable(executable: string, suffix: string): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const name = `httpd-lint-${version}-linux-x64${suffix}`;
  const scratch = mkdtempSync(join(tmpdir(), "httpd-lint-archive-"));
  const archive = join(dirname(executable), `${name}.tar.xz`);
  try {
    for (const [path, source] of Object.entries({ "bin/httpd-lint": executable, ...companions }))
      cpSync(source, join(scratch, name, path));
    const owner = ["--owner=root:0", "--group=root:0", "--mode=u=rwX,go=rX", "--sort=name"];
    runTool("tar", ["-C", scratch, ...owner, "-cJf", archive, name]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return archive;
}
