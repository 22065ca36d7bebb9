import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { Decider, decide } from "../../src/server/decide.js";
import type { Reading, Verdict } from "../../src/server/model/decision.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";
import { readCases } from "../conformance/conformance.js";
import { loadCase } from "../support/cases/recorded-cases.js";
import { type Client, clients, equivalentCases, type GuideCase, mixedCases } from "./guide-cases.js";

const root = "/srv/www";

function answers({ lines, path }: GuideCase, reading: Reading): string[] {
  const text = [`DocumentRoot "${root}"`, ...lines].join("\n").replaceAll("DOCROOT", root);
  const loaded = loadProject("/etc/httpd/httpd.conf", {
    access: memoryAccess({ "/etc/httpd/httpd.conf": `${text}\n` }),
  });
  if ("failed" in loaded) throw new Error(loaded.failed);
  const files = createListedFiles([`${root}/index.html`, "/etc/httpd/users"]);
  return clients.map((client) => answerText(decide(loaded.project, requestOf(client, path), { reading, files })));
}

function requestOf({ isLocal, isUser }: Client, path: string) {
  const clientIp = isLocal ? "127.0.0.1" : "192.0.2.7";
  return { method: "GET", path, clientIp, ...(isUser ? { user: "bob" } : {}) };
}

function answerText({ class: decided, log }: Verdict): string {
  return [decided, ...log].join(" ");
}

describe("examples of the upgrade guide have the results of the server and of the guide", () => {
  test.each([...mixedCases, ...equivalentCases])("$title", (each) => {
    expect({ server: answers(each, "server"), guide: answers(each, "guide") }).toEqual(each.answers);
  });

  test("a decision reports a different result of the other semantics", () => {
    const [, caseB] = mixedCases;
    const text = caseB?.lines.join("\n") ?? "";
    const loaded = loadProject("/httpd.conf", { access: memoryAccess({ "/httpd.conf": `${text}\n` }) });
    if ("failed" in loaded) throw new Error(loaded.failed);
    const request = { method: "GET", path: "/server-status", clientIp: "127.0.0.1" };
    const files = createListedFiles(["/htdocs/index.html"]);
    const asServer = decide(loaded.project, request, { files });
    expect(asServer).toMatchObject({ reading: "server", class: "403", log: ["AH01630"] });
    expect(asServer.guide).toMatchObject({ class: "allowed", log: [] });
    const asGuide = decide(loaded.project, request, { files, reading: "guide" });
    expect(asGuide).toMatchObject({ reading: "guide", class: "allowed", guide: undefined });
    expect(asGuide.otherReading).toMatchObject({ class: "403", log: ["AH01630"] });
    expect(decide(loaded.project, { ...request, path: "/" }, { files }).guide).toBeUndefined();
  });
});

describe("the semantics of the guide differ from the server's only as the guide states", () => {
  const truth = join(import.meta.dirname, "../conformance/truth");
  const everyTenth = (name: string) =>
    readCases(join(truth, name)).filter(({ startup }, index) => startup === undefined && index % 10 === 0);

  test.each(["2.4-new.jsonl", "2.4-dbm.jsonl"])("never without mod_access_compat directives: %s", (name) => {
    for (const each of everyTenth(name)) {
      if (Object.values(each.files).some((text) => /^\s*(Order|Allow|Deny)\b/im.test(text))) continue;
      const { project, files } = loadCase(each);
      const decider = new Decider(project, files);
      for (const request of each.requests) expect(decider.decide(request).guide).toBeUndefined();
    }
  });

  test.each(["2.2-old.jsonl", "2.4-old.jsonl"])(
    "never without `allow,deny` if there are only mod_access_compat directives: %s",
    (name) => {
      for (const each of everyTenth(name)) {
        if (Object.values(each.files).some((text) => /Order\s+allow,deny/i.test(text))) continue;
        const { project, files } = loadCase(each);
        const decider = new Decider(project, files);
        for (const request of each.requests) expect(decider.decide(request).guide).toBeUndefined();
      }
    },
  );
});
