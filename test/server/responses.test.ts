import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { responseCases, responseFiles, responseModules } from "../support/cases/response-cases.js";
import { load } from "../support/projects.js";

const listed = [...Object.keys(responseFiles).map((path) => `/srv/${path}`), "/etc/httpd/users"];

describe.each(responseCases)("$title", ({ modules = [], lines, requests }) => {
  const head = ["ServerName x.test", 'DocumentRoot "/srv"'];
  const config = [...head, ...lines.map((line) => line.replaceAll("DOCROOT", "/srv")), ""].join("\n");
  const project = load(
    { "/etc/httpd/httpd.conf": config },
    { kind: "server", modules: [...responseModules, ...modules] },
  );
  const simulatedServer = new SimulatedServer(project, createListedFiles(listed));

  test.each(requests.map(([requestLine, answer, more = {}]) => ({ requestLine, answer, ...more })))("%j", (request) => {
    const { requestLine, answer, host = "x.test", body, referer, isBob } = request;
    const [method = "", path = ""] = requestLine.split(" ");
    const headers = {
      ...(body === undefined ? {} : { "Content-Length": String(body) }),
      ...(referer === undefined ? {} : { Referer: referer }),
    };
    const user = isBob ? { user: "bob" } : {};
    const { status, errorLog, unknown } = simulatedServer.answer({
      ...{ method, path, host, headers, clientIp: "192.0.2.7" },
      ...user,
    });
    const numbers = errorLog.flatMap((line) => /^AH\d+/.exec(line)?.[0] ?? []);
    expect([status, ...numbers, ...unknown].join(" ")).toBe(answer);
  });
});
