import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer, SimulatedServer } from "../../src/server/answer.js";
import type { Answer, Semantics } from "../../src/server/model/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";
import { readCases } from "../conformance/conformance.js";
import { loadCase } from "../support/cases/recorded-cases.js";
import { type Client, clients, equivalentCases, type GuideCase, mixedCases } from "./guide-cases.js";

const root = "/srv/www";

function answers({ lines, path }: GuideCase, semantics: Semantics): string[] {
  const text = [`DocumentRoot "${root}"`, ...lines].join("\n").replaceAll("DOCROOT", root);
  const loaded = loadProject("/etc/httpd/httpd.conf", {
    access: memoryAccess({ "/etc/httpd/httpd.conf": `${text}\n` }),
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const files = createListedFiles([`${root}/index.html`, "/etc/httpd/users"]);
  return clients.map((client) => answerText(answer(loaded.value, requestOf(client, path), { semantics, files })));
}

function requestOf({ isLocal, isUser }: Client, path: string) {
  const clientIp = isLocal ? "127.0.0.1" : "192.0.2.7";
  return { method: "GET", path, clientIp, ...(isUser ? { user: "bob" } : {}) };
}

function answerText({ class: decided, log }: Answer): string {
  return [decided, ...log].join(" ");
}

describe("examples of the upgrade guide have the results of the server and of the guide", () => {
  test.each([...mixedCases, ...equivalentCases])("$title", (each) => {
    expect({ server: answers(each, "server"), guide: answers(each, "guide") }).toEqual(each.answers);
  });

  test("an answer reports a different result of the other semantics", () => {
    const [, caseB] = mixedCases;
    const text = caseB?.lines.join("\n") ?? "";
    const loaded = loadProject("/httpd.conf", { access: memoryAccess({ "/httpd.conf": `${text}\n` }) });
    if (!loaded.ok) throw new Error(loaded.error);
    const request = { method: "GET", path: "/server-status", clientIp: "127.0.0.1" };
    const files = createListedFiles(["/htdocs/index.html"]);
    const asServer = answer(loaded.value, request, { files });
    expect(asServer).toMatchObject({ semantics: "server", class: "403", log: ["AH01630"] });
    expect(asServer.guide).toMatchObject({ class: "allowed", log: [] });
    const asGuide = answer(loaded.value, request, { files, semantics: "guide" });
    expect(asGuide).toMatchObject({ semantics: "guide", class: "allowed", guide: undefined });
    expect(asGuide.otherAnswer).toMatchObject({ class: "403", log: ["AH01630"] });
    expect(answer(loaded.value, { ...request, path: "/" }, { files }).guide).toBeUndefined();
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
      const simulatedServer = new SimulatedServer(project, files);
      for (const request of each.requests) expect(simulatedServer.answer(request).guide).toBeUndefined();
    }
  });

  test.each(["2.2-old.jsonl", "2.4-old.jsonl"])(
    "never without `allow,deny` if there are only mod_access_compat directives: %s",
    (name) => {
      for (const each of everyTenth(name)) {
        if (Object.values(each.files).some((text) => /Order\s+allow,deny/i.test(text))) continue;
        const { project, files } = loadCase(each);
        const simulatedServer = new SimulatedServer(project, files);
        for (const request of each.requests) expect(simulatedServer.answer(request).guide).toBeUndefined();
      }
    },
  );
});
