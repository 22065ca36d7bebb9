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
 * @param platform the end of the archive's name: a zip file for Windows, and a tar archive for other systems
 * @returns the path of the archive
 */
export function archiveExecutable(executable: string, platform: string): string {
  const isForWindows = platform.startsWith("windows");
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const name = `httpd-lint-${version}-${platform}`;
  const scratch = mkdtempSync(join(tmpdir(), "httpd-lint-archive-"));
  const archive = join(dirname(executable), `${name}${isForWindows ? ".zip" : ".tar.xz"}`);
  try {
    const program = isForWindows ? "bin/httpd-lint.exe" : "bin/httpd-lint";
    for (const [path, source] of Object.entries({ [program]: executable, ...companions }))
      cpSync(source, join(scratch, name, path));
    const owner = ["--owner=root:0", "--group=root:0", "--mode=u=rwX,go=rX", "--sort=name"];
    rmSync(archive, { force: true });
    if (isForWindows) runTool("zip", ["-qrX", archive, name], scratch);
    else runTool("tar", ["-C", scratch, ...owner, "-cJf", archive, name]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return archive;
}
