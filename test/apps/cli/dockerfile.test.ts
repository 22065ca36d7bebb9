import { describe, expect, test } from "vitest";
import { parseDockerfile } from "../../../src/apps/cli/inputs/dockerfile.js";

/** Returns `SOURCE… TARGET` of each copy; a trailing slash marks a directory. */
function copiesOf(text: string): string[] {
  return parseDockerfile(text).copies.map(({ sources, target, isIntoDirectory }) =>
    [...sources, isIntoDirectory ? `${target}/` : target].join(" "),
  );
}

describe("COPY and ADD", () => {
  test.each([
    ["COPY httpd.conf /etc/httpd.conf", "httpd.conf /etc/httpd.conf"],
    ["copy extra/ /etc/extra/", "extra/ /etc/extra/"],
    ["ADD --chown=www:www --chmod=644 a.conf /etc/", "a.conf /etc/"],
    ["COPY a.conf b.conf /etc/extra", "a.conf b.conf /etc/extra/"],
    ['COPY ["my site.conf", "/etc/site.conf"]', "my site.conf /etc/site.conf"],
    ['COPY --link ["a", "b", "/etc/"]', "a b /etc/"],
    ["COPY [a] /etc/", "[a] /etc/"],
    ["COPY a \\\n  # why\n\n  b \\\n  /etc/", "a b /etc/"],
    ["# escape=`\nFROM httpd\nCOPY a `\n  /etc/", "a /etc/"],
    ["WORKDIR /srv\nWORKDIR web\nCOPY a conf/a", "a /srv/web/conf/a"],
    ["WORKDIR /srv\nCOPY public .", "public /srv/"],
    ["COPY public ./htdocs/", "public /usr/local/apache2/htdocs/"],
  ])("%j", (text, expected) => {
    expect(copiesOf(text.startsWith("#") ? text : `FROM httpd:2.4\n${text}\n`)).toEqual([expected]);
  });

  test.each([
    "COPY --from=build /app /srv",
    "COPY a",
    "COPY a $TARGET/",
    "ARG TARGET\nCOPY a $TARGET",
    "RUN <<END\nCOPY a /srv\nEND",
    "RUN echo \\\n COPY a /srv",
    "ONBUILD COPY a /srv",
    "# COPY a /srv",
  ])("%j copies nothing from the build context", (text) => {
    expect(copiesOf(`FROM httpd:2.4\n${text}\n`)).toEqual([]);
  });

  test("lists the targets of copies from other stages", () => {
    expect(parseDockerfile("FROM httpd\nCOPY --from=build /app htdocs/\n").fromStages).toEqual([
      "/usr/local/apache2/htdocs",
    ]);
  });

  test("does not treat a here-document as a file of the build context", () => {
    expect(copiesOf("FROM httpd\nCOPY <<EOF /srv/a\nCOPY b /srv/b\nEOF\nCOPY c /srv/c")).toEqual([
      "<<EOF /srv/a",
      "c /srv/c",
    ]);
  });
});

describe("variables", () => {
  test.each([
    ["FROM httpd:2.4", "$HTTPD_PREFIX/conf/", "/usr/local/apache2/conf/"],
    ["FROM docker.io/library/httpd@sha256:00", "${HTTPD_PREFIX}/conf/", "/usr/local/apache2/conf/"],
    ["FROM php:8.3-apache", "$APACHE_CONFDIR/a", "/etc/apache2/a"],
    ["FROM debian\nENV A=/srv B=$A/web", "$A/", "/srv/"],
    ['FROM debian\nENV A="/srv/my web" B=x', "$A", "/srv/my web"],
    ["FROM debian\nENV A /srv/web", "$A", "/srv/web"],
    ["FROM debian\nARG A=/srv", "${A}/x", "/srv/x"],
    ["ARG A=/srv\nFROM debian\nARG A", "${A}/x", "/srv/x"],
    ["ARG BASE=httpd:2.4\nFROM $BASE", "$HTTPD_PREFIX/x", "/usr/local/apache2/x"],
    ["FROM debian\nARG A", "${A:-/opt}/x", "/opt/x"],
    ["FROM debian\nENV A=1", "/opt${A:+/y}", "/opt/y"],
    ["FROM debian\nENV A=/a\nARG A=/b", "$A", "/a"],
    ["FROM debian", "'/opt/$A'", "/opt/$A"],
    ["FROM debian", "/opt/\\$A", "/opt/$A"],
  ])("%j expands %s", (head, path, target) => {
    expect(copiesOf(`${head}\nCOPY a ${path}\n`)).toEqual([`a ${target}`]);
  });

  test.each([
    ["FROM debian", "$HTTPD_PREFIX/x"],
    ["FROM httpd-exporter", "$HTTPD_PREFIX/x"],
    ["ARG A=/srv\nFROM debian", "$A/x"],
    ["FROM debian\nARG A=/srv", "${A#/}"],
  ])("%j does not define %s", (head, path) => {
    expect(copiesOf(`${head}\nCOPY a ${path}\n`)).toEqual([]);
  });
});

describe("stages", () => {
  test("only the last stage and the stages that it is built on are read", () => {
    const text = `FROM httpd:2.4 AS base
ENV CONF=/usr/local/apache2/conf
COPY httpd.conf $CONF/
FROM node AS build
COPY package.json /app/
FROM base
COPY extra $CONF/extra
`;
    expect(copiesOf(text)).toEqual(["httpd.conf /usr/local/apache2/conf/", "extra /usr/local/apache2/conf/extra"]);
  });

  test("a file without FROM has no stages", () => {
    expect(copiesOf("COPY a /srv\n")).toEqual([]);
    expect(copiesOf("")).toEqual([]);
  });
});
