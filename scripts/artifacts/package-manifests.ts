/** The files that package managers read: a formula for Homebrew and a manifest for Scoop. */

/** A file of a release. */
export interface ReleasedFile {
  readonly name: string;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
}

/** A release, and the address that its files are below: `https://github.com/owner/httpd-lint`. */
export interface Release {
  readonly version: string;
  readonly repository: string;
  readonly files: readonly ReleasedFile[];
}

/** The archives by the conditions of a formula. */
const brewArchives = [
  ["on_macos", "on_arm", "darwin-arm64"],
  ["on_macos", "on_intel", "darwin-x64"],
  ["on_linux", "on_arm", "linux-arm64"],
  ["on_linux", "on_intel", "linux-x64"],
] as const;

/** Returns the web address of a repository, as package.json names it; undefined if it names none. */
export function webAddressOf(repository: string | { readonly url: string } | undefined): string | undefined {
  const url = typeof repository === "string" ? repository : repository?.url;
  const address = url?.replace(/^git\+/, "").replace(/\.git$/, "");
  return address !== undefined && /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(address) ? address : undefined;
}

/** Renders the formula for Homebrew. @throws if an archive is missing */
export function renderHomebrewFormula(release: Release): string {
  const sections = ["on_macos", "on_linux"].map((system) => {
    const blocks = brewArchives
      .filter(([own]) => own === system)
      .map(([, processor, platform]) => {
        const file = fileOf(release, `httpd-lint-${release.version}-${platform}.tar.xz`);
        return `    ${processor} do
      url "${addressOf(release, file)}"
      sha256 "${file.digest}"
    end`;
      });
    return `  ${system} do\n${blocks.join("\n")}\n  end`;
  });
  return `class HttpdLint < Formula
  desc "Linter and static analyzer for Apache httpd configuration"
  homepage "${release.repository}"
  version "${release.version}"
  license "Apache-2.0"

${sections.join("\n\n")}

  def install
    bin.install "bin/httpd-lint"
    man1.install "share/man/man1/httpd-lint.1"
    bash_completion.install "share/bash-completion/completions/httpd-lint"
    zsh_completion.install "share/zsh/site-functions/_httpd-lint"
    fish_completion.install "share/fish/vendor_completions.d/httpd-lint.fish"
  end

  test do
    (testpath/"a.conf").write "Optoins None\\n"
    assert_match "unknown-directive", shell_output("#{bin}/httpd-lint a.conf", 1)
  end
end
`;
}

/** Renders the manifest for Scoop. @throws if the archive is missing */
export function renderScoopManifest(release: Release): string {
  const file = fileOf(release, `httpd-lint-${release.version}-windows-x64.zip`);
  const manifest = {
    version: release.version,
    description: "Linter and static analyzer for Apache httpd configuration",
    homepage: release.repository,
    license: "Apache-2.0",
    architecture: {
      "64bit": {
        url: addressOf(release, file),
        hash: file.digest,
        extract_dir: file.name.replace(/\.zip$/, ""),
        bin: "bin/httpd-lint.exe",
      },
    },
  };
  return `${JSON.stringify(manifest, undefined, 4)}\n`;
}

function fileOf({ files }: Release, name: string): ReleasedFile {
  const file = files.find((each) => each.name === name);
  if (file === undefined) throw new Error(`${name} is missing`);
  return file;
}

function addressOf({ repository, version }: Release, { name }: ReleasedFile): string {
  return `${repository}/releases/download/v${version}/${name}`;
}
