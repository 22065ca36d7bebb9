import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles, type FileTree } from "../../src/server/model/file-tree.js";
import {
  bareFolders,
  foreignLinks,
  linkFiles,
  linkLines,
  linkModules,
  linkOptions,
  linkRequests,
  links,
} from "../support/cases/link-cases.js";
import { RECORDED_DOCUMENTS, recordedServer } from "../support/httpd/recorded-server.js";

/** The responses of 2.4, recorded and verified against the running server by test/live/links.live.test.ts. */
const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "link-answers.json"), "utf8"),
);

const server = recordedServer(linkModules, linkLines);

/** @param owners whether the owners of links are known */
function linkedFiles(owners: "known" | "unknown"): FileTree {
  const paths = [...linkFiles, ...bareFolders.map((folder) => `${folder}/`)];
  const files = createListedFiles(
    linkOptions.flatMap((_, index) => paths.map((path) => `${RECORDED_DOCUMENTS}/${index}/${path}`)),
  );
  const targets = new Map<string, string>();
  for (const index of linkOptions.keys())
    for (const [link, to] of Object.entries(links)) targets.set(`${RECORDED_DOCUMENTS}/${index}/${link}`, to);
  const follow = (path: string): string => {
    for (const [link, to] of targets) {
      if (path !== link && !path.startsWith(`${link}/`)) continue;
      const target = join(link, "..", to);
      return target === link ? "/missing" : follow(target + path.slice(link.length));
    }
    return path;
  };
  const isForeign = (path: string) => [...foreignLinks].some((link) => path.endsWith(`/${link}`));
  return {
    ...files,
    kindOf: (path, mayBeFile) => files.kindOf(follow(path), mayBeFile),
    linkAt: (path) => {
      const link = join(follow(dirname(path)), basename(path));
      if (!targets.has(link)) return undefined;
      return { hasSameOwner: owners === "known" ? !isForeign(link) : undefined };
    },
  };
}

function requestFor(path: string) {
  return { method: "GET", path, host: "127.0.0.1", clientIp: "127.0.0.1" };
}

describe("links", () => {
  test("have a recorded result for each path", () => {
    expect(Object.keys(recorded)).toEqual(linkRequests);
  });

  test.each(linkOptions.map((lines, index) => [lines, index] as const))(
    "are followed with %j as on the live server",
    (_, index) => {
      const simulatedServer = new SimulatedServer(server, linkedFiles("known"));
      const own = linkRequests.filter((path) => path.startsWith(`/${index}/`));
      const answers = own.map((path) => {
        const { status, errorLog, unknown } = simulatedServer.answer(requestFor(path));
        return [path, [status, ...errorLog, ...unknown].join(" ")];
      });
      expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(own.map((path) => [path, recorded[path]])));
    },
  );

  test.each([
    ["Options SymLinksIfOwnerMatch", "/4/link.txt", "unknown"],
    ["Options SymLinksIfOwnerMatch", "/4/x.txt", "allowed"],
    ["Options FollowSymLinks", "/1/link.txt", "allowed"],
    ["Options None", "/2/link.txt", "403"],
  ])("with %s, if their owners are unknown: %s is %s", (_, path, answer) => {
    const { class: answered, unknown } = new SimulatedServer(server, linkedFiles("unknown")).answer(requestFor(path));
    expect(answered).toBe(answer);
    expect(unknown.some((why) => why.includes("have the same owner"))).toBe(answer === "unknown");
  });
});
