import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findReleaseOfImage } from "../../../src/apps/cli/inputs/image-release.js";
import { releaseOfImage } from "../../../src/facts/release.js";
import { inScratchFolder } from "../../support/programs/scratch-folder.js";

/** Returns the release found for a main file in a folder with these files, and whether something is told about it. */
function found(files: Readonly<Record<string, string>>, main = "conf/httpd.conf", confine?: string) {
  return inScratchFolder((folder) => {
    for (const [path, text] of Object.entries({ [main]: "Listen 80\n", ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { release, notes } = findReleaseOfImage(
      join(folder, main),
      confine === undefined ? undefined : join(folder, confine),
    ) ?? { release: "none", notes: [] };
    return `${release}${notes.length > 0 ? ", told" : ""}`;
  });
}

const repository = { ".git/HEAD": "ref: refs/heads/main\n" };

describe("the release of the httpd in an image", () => {
  test.each([
    ["httpd:2.4.57", "", "2.4.57"],
    ["httpd:2.4.57-alpine", "", "2.4.57"],
    ["docker.io/library/httpd:2.4.29@sha256:00", "", "2.4.29"],
    ["httpd:2.2", "", "2.2"],
    ["httpd", "", "2.4"],
    ["httpd:latest", "", "2.4"],
    ["httpd:alpine", "", "2.4"],
    ["debian:12", "apache2", "debian-12"],
    ["debian:bullseye-slim", "apache2", "debian-11"],
    ["ubuntu:22.04", "apache2 libapache2-mod-php", "ubuntu-22.04"],
    ["ubuntu:jammy-20240101", "apache2", "ubuntu-22.04"],
    ["rockylinux:9", "httpd mod_ssl", "rhel-9"],
    ["rockylinux:9.3", "httpd", "rhel-9.3"],
    ["quay.io/centos/centos:7", "httpd", "rhel-7"],
    ["registry.access.redhat.com/ubi8/ubi:8.9", "httpd", "rhel-8"],
    ["registry.access.redhat.com/ubi8", "httpd", "rhel-8"],
    ["opensuse/leap:15.6", "apache2", "opensuse-leap-15.6"],
    ["php:8.2-apache-bookworm", "", "debian-12"],
    ["alpine:3.19", "apache2=2.4.58-r0", "2.4.58"],
    ["debian:12", "apache2=2.4.57-2", "2.4.57"],
    ["centos:7", "httpd-2.4.6-99.el7", "2.4.6"],
  ] as const)("%s with %j is %s", (image, packages, expected) => {
    expect(releaseOfImage(image, packages.split(" "))).toBe(expected);
  });

  test.each([
    ["debian:12", ""],
    ["debian:12", "apache2-utils"],
    ["debian", "apache2"],
    ["debian:latest", "apache2"],
    ["alpine:3.19", "apache2"],
    ["php:8.2-apache", ""],
    ["php:8.2-fpm-bookworm", ""],
    ["nginx:1.25", ""],
    ["myhttpd:2.4.57", ""],
    ["httpd:1.3", ""],
  ])("%s with %j is not known", (image, packages) => {
    expect(releaseOfImage(image, packages.split(" "))).toBeUndefined();
  });
});

describe("the release of a configuration", () => {
  test.each([
    ["of a Dockerfile beside it", { "conf/Dockerfile": "FROM httpd:2.4.57\n" }, "2.4.57, told"],
    ["of the newest image, of which nothing is told", { "conf/Dockerfile": "FROM httpd:2.4\n" }, "2.4"],
    [
      "of a Dockerfile above that copies it",
      { ...repository, Dockerfile: "FROM httpd:2.4.57\nCOPY conf/ /usr/local/apache2/conf/\n" },
      "2.4.57, told",
    ],
    [
      "of packages",
      {
        "conf/Containerfile":
          "FROM ubuntu:20.04\nRUN apt-get update && apt-get install -y --no-install-recommends apache2 \\\n  curl\n",
      },
      "ubuntu-20.04, told",
    ],
    ["of a stage", { "conf/Dockerfile": "FROM httpd:2.4.57 AS web\nFROM web\n" }, "2.4.57, told"],
    ["of an argument", { "conf/Dockerfile": "ARG V=2.4.57\nFROM httpd:$V\n" }, "2.4.57, told"],
    [
      "that is not known",
      { "conf/Dockerfile": "FROM alpine:3.19\nRUN apk add --no-cache apache2\n" },
      "undefined, told",
    ],
    [
      "of several images, which differ",
      { "conf/Dockerfile": "FROM httpd:2.4.57\n", "conf/Dockerfile.old": "FROM httpd:2.4.6\n" },
      "undefined, told",
    ],
  ])("is that %s", (_, files, expected) => {
    expect(found(files)).toBe(expected);
  });

  test.each([
    ["a Dockerfile above that does not copy it", { ...repository, Dockerfile: "FROM httpd:2.4.57\nCOPY other/ /x/\n" }],
    ["a Dockerfile above, outside of a repository", { Dockerfile: "FROM httpd:2.4.57\nCOPY conf/ /x/\n" }],
    ["a Dockerfile above the repository", { "conf/.git/HEAD": "", Dockerfile: "FROM httpd:2.4.57\nCOPY conf/ /x/\n" }],
    ["the image of another stage", { "conf/Dockerfile": "FROM httpd:2.4.57 AS a\nFROM debian:12\n" }],
    ["an image that only the build knows", { "conf/Dockerfile": "ARG V\nFROM httpd:$V\n" }],
    ["a package that only a comment names", { "conf/Dockerfile": "FROM debian:11\n# RUN apt-get install apache2\n" }],
    ["no Dockerfile", {}],
  ])("is not that of %s", (_, files) => {
    expect(found(files)).toBe("none");
  });

  test("is not read outside of the directory that confines it", () => {
    const files = { ...repository, Dockerfile: "FROM httpd:2.4.57\nCOPY conf/ /usr/local/apache2/conf/\n" };
    expect(found(files, "conf/httpd.conf", "conf")).toBe("none");
    expect(found(files, "conf/httpd.conf", ".")).toBe("2.4.57, told");
  });
});
