import { expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { load } from "../../support/projects.js";

/** Returns a server whose main part denies a path, and that has a virtual host on one of its two ports. */
function sideWith(denied: string, hostPort: number) {
  const lines = [
    ...["Listen 80", "Listen 81", "DocumentRoot /srv", "<Directory /srv>", "Require all granted", "</Directory>"],
    ...[`<Location ${denied}>`, "Require all denied", "</Location>"],
    ...[`<VirtualHost *:${hostPort}>`, "ServerName x.test", "</VirtualHost>"],
  ];
  const project = load({ "/etc/httpd/httpd.conf": `${lines.join("\n")}\n` }, { kind: "server", release: "2.4" });
  return { project, semantics: "server" } as const;
}

test("on each port, lines of both main servers count, whichever side has a virtual host there", () => {
  const { differences } = compare(sideWith("/a", 80), sideWith("/b", 81));
  const counted = differences.map(({ request, regions }) => {
    const countOn = (port: number) =>
      regions.filter(({ pair }) => pair.entryPoints.some((each) => each.port === port)).length;
    return { path: request.path, isOnBoth: countOn(80) > 0 && countOn(80) === countOn(81) };
  });
  expect(counted).toEqual([
    { path: "/a", isOnBoth: true },
    { path: "/b", isOnBoth: true },
  ]);
});
