import { describe, expect, test } from "vitest";
import type { Project } from "../../../src/config/model/project.js";
import { fileTreeOfWalk } from "../../../src/proof/paths/applying-sections.js";
import { partitionPaths } from "../../../src/proof/paths/path-partition.js";
import { acceptsText } from "../../../src/regex/automata/automaton.js";
import { answerUnder } from "../../../src/server/definite-answer.js";
import { Oracle } from "../../../src/server/model/oracle.js";
import { prepareSimulation } from "../../../src/server/process-request.js";
import { ServerLookup } from "../../../src/server/request/vhost-lookup.js";
import { runCount, seedOr } from "../../support/depth.js";
import { loadText } from "../../support/projects.js";
import { Random } from "../../support/random/random.js";

function classesOf(project: Project) {
  const side = { project, server: new ServerLookup(project.directives, project.release).main };
  const found = partitionPaths([side, side], 20_000);
  if (found === "too large") throw new Error(found);
  return found.classes;
}

function statusOf(project: Project, path: string): number {
  const files = fileTreeOfWalk({ walked: path.length, kind: "file", filename: `/srv${path}` });
  const request = { method: "GET", path, clientIp: "192.0.2.1" };
  return answerUnder(prepareSimulation(project, files), request, new Oracle(new Map(), true)).status;
}

/** Returns the status of each path, and of the path that represents its class. */
function statusesOf(text: string, paths: readonly string[]) {
  const project = loadText(`DocumentRoot /srv\n${text}`);
  const ofFiles = classesOf(project).filter(({ walks: [walk] }) => walk?.kind === "file" && walk.walked > 1);
  const files = ofFiles.map((each) => ({ path: each.path, paths: each.paths }));
  return paths.map((path) => {
    const pathClass = files.find((each) => acceptsText(each.paths, `${path}\0`));
    return { path, status: statusOf(project, path), ofClass: pathClass && statusOf(project, pathClass.path) };
  });
}

describe("all paths of a class have the same handler", () => {
  test("of the last extension", () => {
    const found = statusesOf("AddHandler cgi-script .cgi\nAddHandler default-handler .txt", [
      ...["/a", "/a.cgi", "/a.txt", "/a.cgi.txt", "/a.txt.cgi", "/a.cgi.x", "/.cgi", "/..cgi.cgi", "/A.CGI"],
    ]);
    expect(found.filter(({ status, ofClass }) => status !== ofClass)).toEqual([]);
    expect(found.filter(({ status }) => status === 403).map(({ path }) => path)).toEqual([
      ...["/a.cgi", "/a.txt.cgi", "/a.cgi.x", "/..cgi.cgi", "/A.CGI"],
    ]);
  });

  test("of an earlier extension if the last one has none", () => {
    const found = statusesOf(
      "AddHandler cgi-script .cgi\n<Directory /srv/b>\nAddHandler default-handler .pl\n</Directory>",
      ["/a.pl", "/a.cgi.pl", "/a.pl.cgi", "/b/a.pl", "/b/a.cgi.pl", "/b/a.pl.cgi"],
    );
    expect(found.filter(({ status, ofClass }) => status !== ofClass)).toEqual([]);
    expect(found.filter(({ status }) => status === 403).map(({ path }) => path)).toEqual([
      ...["/a.cgi.pl", "/a.pl.cgi", "/b/a.pl.cgi"],
    ]);
  });

  test("of extensions with the same handler in different folders", () => {
    const inFolder = (folder: string, line: string) => `<Location ${folder}>\n${line}\n</Location>\n`;
    const text = inFolder("/b", "AddHandler cgi-script .x") + inFolder("/c", "AddHandler cgi-script .y");
    const found = statusesOf(text, ["/b/a.x", "/b/a.y", "/c/a.x", "/c/a.y"]);
    expect(found.filter(({ status, ofClass }) => status !== ofClass)).toEqual([]);
    expect(found.filter(({ status }) => status === 403).map(({ path }) => path)).toEqual(["/b/a.x", "/c/a.y"]);
  });

  test("of an Action", () => {
    const section = "<Location /guarded>\nRequire all denied\n</Location>";
    const found = statusesOf(`AddHandler check .x\nAction check /guarded/a\n${section}`, ["/a", "/a.x", "/a.y"]);
    expect(found.filter(({ status, ofClass }) => status !== ofClass)).toEqual([]);
    expect(found.filter(({ status }) => status === 403).map(({ path }) => path)).toEqual(["/a.x"]);
  });

  test("in random configurations", { timeout: 1_200_000 }, () => {
    const seed = seedOr(20_261_124);
    let denied = 0;
    for (let run = 0; run < runCount(4, 300); run++) {
      const random = new Random(seed + run);
      const extensions = ["cgi", "cg", "pl", "txt"] as const;
      const name = () =>
        `${random.pick(["", "."])}${random.pick(["a", "cgi", ""])}${Array.from({ length: 1 + random.below(3) }, () => `.${random.pick(["x", "PL", ...extensions])}`).join("")}`;
      const line = () => {
        const some = extensions.filter(() => random.chance(0.5)).join(" .");
        const handler = random.pick(["cgi-script", "cgi-script", "default-handler", "type-map", "absent"]);
        return some === "" ? "" : random.chance(0.8) ? `AddHandler ${handler} .${some}` : `RemoveHandler .${some}`;
      };
      const lines = () => Array.from({ length: random.below(3) }, line).join("\n");
      const text = [
        ...[lines(), `<Directory /srv/b>\n${lines()}\n</Directory>`, `<Directory /srv/b/c>\n${lines()}\n</Directory>`],
        ...[`<Location /b>\n${lines()}\n</Location>`, "AddHandler cgi-script .other"],
      ].join("\n");
      const paths = Array.from({ length: 25 }, () => `${random.pick(["", "/b", "/b/c"])}/${name()}`);
      const plain = paths.filter((path) => path.split("/").every((each) => !/^\.+$/.test(each)));
      const found = statusesOf(text, plain);
      expect({ run, text, found: found.filter(({ status, ofClass }) => status !== ofClass) }).toEqual({
        run,
        text,
        found: [],
      });
      denied += found.filter(({ status }) => status === 403).length;
    }
    expect(denied).toBeGreaterThan(4);
  });
});
