import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/project/files.js";
import { loadProject } from "../../src/project/load.js";
import { type FileTree, listedFiles } from "../../src/scope/files.js";
import { Decider } from "../../src/simulate/decide.js";
import { CASE_ROOT } from "../support/cases.js";
import {
  askedByLinks,
  bareFolders,
  foreignLinks,
  linkFiles,
  linkLines,
  linkModules,
  linkOptions,
  links,
} from "../support/link-cases.js";

/** What 2.4 answered, recorded and held to the running server by test/live/links.live.test.ts. */
const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "link-answers.json"), "utf8"),
);
const documents = `${CASE_ROOT}/htdocs`;

/** @param owners whether anybody knows whose links are */
function linkedFiles(owners: "known" | "unknown"): FileTree {
  const laid = [...linkFiles, ...bareFolders.map((folder) => `${folder}/`)];
  const files = listedFiles(linkOptions.flatMap((_, index) => laid.map((path) => `${documents}/${index}/${path}`)));
  const targets = new Map<string, string>();
  for (const index of linkOptions.keys())
    for (const [link, to] of Object.entries(links)) targets.set(`${documents}/${index}/${link}`, to);
  const follow = (path: string): string => {
    for (const [link, to] of targets) {
      if (path !== link && !path.startsWith(`${link}/`)) continue;
      const there = join(link, "..", to);
      return there === link ? "/missing" : follow(there + path.slice(link.length));
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
      return { isOwners: owners === "known" ? !isForeign(link) : undefined };
    },
  };
}

function deciderOf(lines: readonly string[], files: FileTree): Decider {
  const head = ["ServerName x.test", `ServerRoot "${CASE_ROOT}"`, `DocumentRoot "${documents}"`];
  const text = [...head, ...lines].join("\n").replaceAll("DOCROOT", documents);
  const access = memoryAccess({ [`${CASE_ROOT}/httpd.conf`]: `${text}\n` });
  const loaded = loadProject(`${CASE_ROOT}/httpd.conf`, { access, kind: "server", modules: linkModules });
  if ("failed" in loaded) throw new Error(loaded.failed);
  return new Decider(loaded.project, files);
}

function asked(path: string) {
  return { method: "GET", path, host: "127.0.0.1", clientIp: "127.0.0.1" };
}

describe("links", () => {
  test("each has its answer", () => {
    expect(Object.keys(recorded)).toEqual(askedByLinks);
  });

  test.each(linkOptions.map((lines, index) => [lines, index] as const))(
    "are followed with %j as on the live server",
    (_, index) => {
      const decider = deciderOf(linkLines, linkedFiles("known"));
      const own = askedByLinks.filter((path) => path.startsWith(`/${index}/`));
      const answers = own.map((path) => {
        const { status, errorLog, unknown } = decider.decide(asked(path));
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
  ])("where nobody knows whose they are, %s leaves %s %s", (_, path, answer) => {
    const { class: answered, unknown } = deciderOf(linkLines, linkedFiles("unknown")).decide(asked(path));
    expect(answered).toBe(answer);
    expect(unknown.some((why) => why.includes("have the same owner"))).toBe(answer === "unknown");
  });
});
