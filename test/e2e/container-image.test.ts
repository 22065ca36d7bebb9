import { chmodSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../support/programs/command.js";
import { sharedFolder } from "../support/programs/test-folder.js";

test("the image contains only the program, runs as a user without an account, and confines it to the mounted directory", () => {
  const lines = readFileSync("Containerfile", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual([
    "FROM scratch",
    "COPY root /",
    "USER 65532:65532",
    "WORKDIR /config",
    "ENV HTTPD_LINT_CONFINE=/config",
    'ENTRYPOINT ["/bin/httpd-lint"]',
  ]);
});

/** The archive of `npm run build:image` to test. */
const archive = process.env["HTTPD_LINT_IMAGE"];
const suffix = archive === undefined ? " (skipped: HTTPD_LINT_IMAGE is not set)" : "";

describe.skipIf(archive === undefined)(`the container image${suffix}`, () => {
  const scratch = sharedFolder();
  const storage = sharedFolder();
  let container = "";

  /** Runs buildah, which needs no daemon, with storage for these tests only. */
  const buildah = (...args: readonly string[]) => {
    const folders = ["--root", storage.at("root"), "--runroot", storage.at("run")];
    return run("buildah", ["--storage-driver", "vfs", ...folders, ...args]);
  };

  beforeAll(() => {
    // The image runs as another user.
    chmodSync(scratch.path, 0o755);
    const unpacked = storage.at("image.tar");
    expect(run("sh", ["-c", 'gunzip -c "$0" > "$1"', resolve(archive ?? ""), unpacked]).status).toBe(0);
    const { stdout, stderr } = buildah("from", `docker-archive:${unpacked}`);
    container = stdout.trim().split("\n").at(-1) ?? "";
    expect(container, stderr).not.toBe("");
  }, 120_000);

  afterAll(() => {
    buildah("rm", "--all");
  });

  const inContainer = (...args: readonly string[]) => {
    const options = ["--isolation", "chroot", "--volume", `${scratch.path}:/config:ro`, container];
    return buildah("run", ...options, "/bin/httpd-lint", ...args);
  };

  test("runs its commands on the mounted directory", () => {
    scratch.write({ "httpd.conf": "Optoins None\n" });
    expect(inContainer("check", ".").stdout).toContain("httpd.conf:1:1");
    expect(inContainer("--version").stdout).toMatch(/^httpd-lint [\s\S]*\nsingle executable with Node\.js/);
    expect(inContainer("rules", "unknown-directive").stdout).toMatch(/^unknown-directive\n/);
  });

  test("reads nothing outside the mounted directory", () => {
    scratch.write({ "httpd.conf": "Include /usr/share/doc/httpd-lint/LICENSE\n" });
    const { stdout } = inContainer("check", ".", "--format", "concise");
    expect(stdout).toContain("outside");
    expect(stdout).not.toContain("LICENSE:");
  });

  test("contains no other program", () => {
    for (const name of ["/bin/sh", "/usr/bin/env", "/bin/node"])
      expect(buildah("run", "--isolation", "chroot", container, name).status).not.toBe(0);
  });
});
