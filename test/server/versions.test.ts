import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { isBefore, parseRelease, type Release } from "../../src/facts/release.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { type VersionCase, versionCases, versionModules } from "../support/cases/version-cases.js";

/** The answers of servers of several versions (test/live/versions.live.test.ts). */
const recorded: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "version-answers.json"), "utf8"),
);

const documents = `${CASE_ROOT}/htdocs`;

function releaseOf(version: string): Release {
  const release = parseRelease(version);
  if (release === undefined) throw new Error(`unknown version ${version}`);
  return release;
}

/** Returns the server of a case on a release. */
function serverOf({ modules = [], lines, files = {} }: VersionCase, release: string): SimulatedServer {
  const main = `${CASE_ROOT}/httpd.conf`;
  const head = ["ServerName x.test", `ServerRoot "${CASE_ROOT}"`, `DocumentRoot "${documents}"`];
  const text = [...head, ...lines].join("\n").replaceAll("DOCROOT", documents);
  const below = Object.fromEntries(Object.entries(files).map(([path, content]) => [`${documents}/${path}`, content]));
  const loaded = loadProject(main, {
    access: memoryAccess({ [main]: `${text}\n`, ...below }),
    release: releaseOf(release),
    kind: "server",
    modules: [...versionModules, ...modules],
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const others = ["/etc/passwd", `${CASE_ROOT}/users`];
  return new SimulatedServer(loaded.value, createListedFiles([...Object.keys(below), ...others]));
}

/** Returns the status, the Location and the message numbers of an answer, as they are recorded. */
function answerTo(server: SimulatedServer, request: string): string {
  const [first = "", target = first] = request.split(" ");
  const host = target === first ? "x.test" : first;
  const [path = "", query] = target.split(/\?(.*)/s);
  const asked = { method: "GET", path, host, clientIp: "127.0.0.1", ...(query === undefined ? {} : { query }) };
  const { status, errorLog, unknown, cases } = server.answer(asked);
  const location = cases[0]?.destination.location;
  const codes = errorLog.map((line) => /^AH\d+/.exec(line)?.[0] ?? "");
  return [status, ...(location === undefined ? [] : [location]), ...codes, ...unknown].join(" ").trim();
}

describe("answers of versions of 2.4, as their servers return them", () => {
  describe.each(Object.entries(recorded))("%s", (version, answers) => {
    const tests = versionCases.map((each) => [each.title, each] as const);
    test.each(tests)("%s", (title, versionCase) => {
      const server = serverOf(versionCase, version);
      const found = versionCase.requests.map((request) => [request, answerTo(server, request)]);
      // 2.4.6 closes the connection without an answer to some Host headers, for which its source has the status 400.
      const known = found.filter(([request = "", answer = ""]) => {
        const isLineFeed = request.includes("%0a") && isBefore(releaseOf(version), "2.4.42");
        if (isLineFeed) expect(answer).toBe(`which patterns of httpd ${version} match a line feed`);
        return !isLineFeed && answers[title]?.[request] !== "none";
      });
      expect(Object.fromEntries(known)).toEqual(
        Object.fromEntries(known.map(([request = ""]) => [request, answers[title]?.[request]])),
      );
    });
  });
});

describe("distributions below the version of a correction", () => {
  const [slashes] = versionCases;
  test("the answer to a path with repeated slashes is unknown, and says why", () => {
    if (slashes === undefined) throw new Error("no case");
    const server = serverOf(slashes, "rhel-7");
    expect(answerTo(server, "/a//b.txt")).toBe(
      "whether httpd 2.4.6 of rhel-7 merges repeated slashes in the path of a URL",
    );
    expect(answerTo(server, "/a/b.txt")).toBe("403 AH01630");
    expect(answerTo(serverOf(slashes, "ubuntu-20.04"), "/a//b.txt")).toBe("403 AH01630");
  });
});

test("versions before and after each change are recorded", () => {
  const versions = ["2.4.6", "2.4.18", "2.4.29", "2.4.41", "2.4.52", "2.4.57", "2.4.62"];
  expect(Object.keys(recorded)).toEqual(expect.arrayContaining(versions));
});
