/** Makes packages of an executable for Debian (`.deb`) and Red Hat (`.rpm`), with its manual page and completion scripts. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { runTool } from "./pinned-packages.js";

/** What a package contains, and where it goes. */
export interface PackageRequest {
  readonly executable: string;
  readonly version: string;
  /** The day of the version: `2026-01-31`. */
  readonly date: string;
  /** The libraries that the executable loads, as packages of Debian. */
  readonly depends: readonly string[];
  /** The folder for the package. */
  readonly target: string;
}

const MAINTAINER = "httpd-lint contributors <httpd-lint@users.noreply.github.com>";
const SUMMARY = "Linter and static analyzer for Apache httpd configuration";
const DESCRIPTION = [
  "It reports errors and mistakes in the configuration of Apache httpd,",
  "explains access decisions, and shows what an upgrade from 2.2 to 2.4",
  "changes. It needs no httpd and sends no requests.",
];

/** The files of both packages by their paths in the system. The zsh of Debian reads another folder than that of Red Hat. */
const files = (executable: string, zshFolder: string): Readonly<Record<string, string>> => ({
  "usr/bin/httpd-lint": executable,
  "usr/share/bash-completion/completions/httpd-lint": "completions/httpd-lint.bash",
  [`usr/share/zsh/${zshFolder}/_httpd-lint`]: "completions/httpd-lint.zsh",
  "usr/share/fish/vendor_completions.d/httpd-lint.fish": "completions/httpd-lint.fish",
});

/**
 * Makes a package for Debian and its relatives with `dpkg-deb`.
 *
 * @returns the path of the package
 * @throws if `dpkg-deb` fails
 */
export function makeDebianPackage(request: PackageRequest): string {
  const { depends, executable, target, version } = request;
  const path = join(target, `httpd-lint_${version}_amd64.deb`);
  withScratch((root) => {
    stageFiles(root, files(executable, "vendor-completions"));
    writeGzipped(join(root, "usr/share/man/man1/httpd-lint.1.gz"), readFileSync("man/httpd-lint.1", "utf8"));
    const docs = join(root, "usr/share/doc/httpd-lint");
    writeGzipped(join(docs, "changelog.gz"), debianChangelog(request));
    writeFileSync(join(docs, "copyright"), debianCopyright(request));
    writeGzipped(join(docs, "third-party-notices.gz"), readFileSync("dist/third-party-licences.txt", "utf8"));
    const overrides = join(root, "usr/share/lintian/overrides/httpd-lint");
    mkdirSync(dirname(overrides), { recursive: true });
    writeFileSync(overrides, lintianOverrides);
    const control = [
      "Package: httpd-lint",
      `Version: ${version}`,
      "Section: devel",
      "Priority: optional",
      "Architecture: amd64",
      ...(depends.length > 0 ? [`Depends: ${depends.join(", ")}`] : []),
      `Installed-Size: ${runTool("du", ["-sk", join(root, "usr")]).split("\t")[0]}`,
      `Maintainer: ${MAINTAINER}`,
      `Description: ${SUMMARY}`,
      ...DESCRIPTION.map((line) => ` ${line}`),
    ];
    mkdirSync(join(root, "DEBIAN"));
    writeFileSync(join(root, "DEBIAN/control"), `${control.join("\n")}\n`);
    writeFileSync(join(root, "DEBIAN/md5sums"), runTool("sh", ["-c", "find usr -type f | sort | xargs md5sum"], root));
    runTool("chmod", ["-R", "u=rwX,go=rX", root]);
    // Files get this time, so that packages of equal files are equal.
    const time = `SOURCE_DATE_EPOCH=${Date.parse(request.date) / 1000}`;
    runTool("env", [time, "dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path]);
  });
  return path;
}

/** An executable of Node.js contains libraries, and is linked as Node.js links it. */
const lintianOverrides = `# The program is Node.js with all its libraries.
httpd-lint: embedded-library
httpd-lint: hardening-no-pie
httpd-lint: unstripped-binary-or-object
# Node.js contains its own words.
httpd-lint: spelling-error-in-binary
# This is the first version: no bug of Debian asks for it.
httpd-lint: initial-upload-closes-no-bugs
`;

function debianChangelog({ version, date }: PackageRequest): string {
  const day = new Date(`${date}T00:00:00Z`).toUTCString().replace("GMT", "+0000");
  return `httpd-lint (${version}) unstable; urgency=medium\n\n  * New version.\n\n -- ${MAINTAINER}  ${day}\n`;
}

/** Returns the copyright file of Debian. The licenses of the packages in the program are in a file next to it. */
function debianCopyright({ date }: PackageRequest): string {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: httpd-lint
Comment: third-party-notices.gz has the licenses of the packages in the program.

Files: *
Copyright: ${date.slice(0, 4)} httpd-lint contributors
License: Apache-2.0
 On Debian systems, the license is in /usr/share/common-licenses/Apache-2.0.
`;
}

/**
 * Makes a package for Red Hat and its relatives with `rpmbuild`. It finds the libraries that the executable loads itself.
 *
 * @returns the path of the package
 * @throws if `rpmbuild` fails
 */
export function makeRpmPackage(request: PackageRequest): string {
  const { executable, target, version } = request;
  const name = `httpd-lint-${version}-1.x86_64.rpm`;
  withScratch((folder) => {
    const staged = join(folder, "staged");
    stageFiles(staged, {
      ...files(executable, "site-functions"),
      "usr/share/man/man1/httpd-lint.1": "man/httpd-lint.1",
      "usr/share/licenses/httpd-lint/LICENSE": "LICENSE",
      "usr/share/licenses/httpd-lint/third-party-licences.txt": "dist/third-party-licences.txt",
    });
    writeGzipped(join(staged, "usr/share/man/man1/httpd-lint.1.gz"), readFileSync("man/httpd-lint.1", "utf8"));
    rmSync(join(staged, "usr/share/man/man1/httpd-lint.1"));
    runTool("chmod", ["-R", "u=rwX,go=rX", staged]);
    const spec = join(folder, "httpd-lint.spec");
    writeFileSync(spec, rpmSpec(request, staged));
    const definitions = [
      `_topdir ${folder}`,
      `_rpmdir ${folder}`,
      "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm",
    ];
    runTool("rpmbuild", ["-bb", "--target", "x86_64", ...definitions.flatMap((each) => ["--define", each]), spec]);
    cpSync(join(folder, name), join(target, name));
  });
  return join(target, name);
}

function rpmSpec({ version, date }: PackageRequest, staged: string): string {
  const day = new Date(`${date}T00:00:00Z`).toUTCString().replace(",", "").split(" ");
  const [weekday, number, month, year] = day;
  return `# The program is complete: a stripped or compressed one would not start.
%global __os_install_post %{nil}
%global debug_package %{nil}
%global _build_id_links none
Name: httpd-lint
Version: ${version}
Release: 1
Summary: ${SUMMARY}
License: Apache-2.0
URL: https://www.npmjs.com/package/httpd-lint
%description
${DESCRIPTION.join("\n")}
%install
cp -a ${staged}/. %{buildroot}/
%files
%license /usr/share/licenses/httpd-lint
/usr/bin/httpd-lint
/usr/share/man/man1/httpd-lint.1.gz
/usr/share/bash-completion/completions/httpd-lint
/usr/share/zsh/site-functions/_httpd-lint
/usr/share/fish/vendor_completions.d/httpd-lint.fish
%changelog
* ${weekday} ${month} ${number} ${year} ${MAINTAINER} - ${version}-1
- New version
`;
}

function stageFiles(root: string, staged: Readonly<Record<string, string>>): void {
  for (const [path, source] of Object.entries(staged)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(resolve(source), join(root, path));
  }
}

function writeGzipped(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  // The header has no time, so that equal files are equal.
  writeFileSync(path, gzipSync(text, { level: 9 }));
}

function withScratch(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-package-"));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
