import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import type { Release } from "../../src/facts/release.js";
import { answer, SimulatedServer } from "../../src/server/answer.js";
import { createAssumedFiles } from "../../src/server/file-trees.js";
import { createListedFiles, type FileTree } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { rangeOf } from "../../src/text/source.js";

const getFile: Request = { method: "GET", path: "/x.txt", clientIp: "192.0.2.7" };

function loadServer(files: Readonly<Record<string, string>>, release: Release = "2.4"): Project {
  const access = memoryAccess(Object.fromEntries(Object.entries(files).map(([path, text]) => [`/etc/${path}`, text])));
  const loaded = loadProject("/etc/httpd.conf", { access, kind: "server", release });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

const root = 'DocumentRoot "/srv/www"\n';
const existingFiles = createListedFiles(["/srv/www/x.txt", "/srv/www/a/index.html", "/srv/www/empty/"]);

describe("an answer", () => {
  const project = loadServer({ "httpd.conf": `${root}<Directory /srv/www>\nRequire ip 10\n</Directory>\n` });

  test("has all properties of the interface", () => {
    const decision = answer(project, getFile, { files: existingFiles });
    expect(decision).toMatchObject({
      ...{ release: "2.4", semantics: "server", request: getFile, status: 403, class: "403", log: ["AH01630"] },
      errorLog: ["AH01630: client denied by server configuration: /srv/www/x.txt"],
      accessLog: '192.0.2.7 - - "GET /x.txt HTTP/1.0" 403',
      ...{ unknown: [], alternatives: [], guide: undefined },
    });
    expect(decision.decidedBy.map(({ span }) => rangeOf(span).start)).toEqual([{ line: 3, column: 1 }]);
    expect(decision.trace.map(({ section }) => section)).toEqual(['DocumentRoot "/srv/www"', "<Directory /srv/www>"]);
  });

  test("is the same if a SimulatedServer is reused for several requests", () => {
    const simulatedServer = new SimulatedServer(project, existingFiles);
    for (const clientIp of ["192.0.2.7", "10.1.2.3"]) {
      const request = { ...getFile, clientIp };
      const { status, log, class: decided } = answer(project, request, { files: existingFiles });
      expect(simulatedServer.answer(request)).toMatchObject({ status, log, class: decided });
    }
  });

  test("has both possible results if an unknown file decides", () => {
    const lines =
      "<Directory /srv/www>\nRequire all granted\n</Directory>\n<Directory /srv/www/x.txt>\nRequire all denied\n</Directory>\n";
    const unsure = answer(loadServer({ "httpd.conf": root + lines }), getFile, {
      files: { kindOf: (path) => (path === "/srv/www/x.txt" ? "unknown" : "directory") },
    });
    expect(unsure).toMatchObject({ status: undefined, class: "unknown", log: [] });
    expect(unsure.unknown).toEqual(["whether `/srv/www/x.txt` exists"]);
    expect(unsure.accessLog).toBe('192.0.2.7 - - "GET /x.txt HTTP/1.0" -');
    const found = unsure.alternatives.map(({ status, when }) => [status, ...when.map(({ answer }) => answer)]);
    expect(found.sort()).toEqual([
      [403, true],
      [404, false],
    ]);
  });

  test("omits questions that do not affect the result", () => {
    const denied = loadServer({ "httpd.conf": `${root}<Location />\nRequire all denied\n</Location>\n` });
    const unknownFiles: FileTree = { kindOf: () => "unknown" };
    expect(answer(denied, getFile, { files: unknownFiles })).toMatchObject({
      status: 403,
      unknown: [],
      alternatives: [],
    });
  });

  test("is unknown if there are too many unknown facts to enumerate", () => {
    const patterns = Array.from({ length: 12 }, (_, index) => `Require expr "-F '/nowhere/${index}'"`).join("\n");
    const text = `${root}<Location />\n<RequireAll>\n${patterns}\n</RequireAll>\n<RequireAny>\n${patterns}\n</RequireAny>\n</Location>\n`;
    const { class: decided } = answer(loadServer({ "httpd.conf": text }), getFile, { files: existingFiles });
    expect(decided).toBe("unknown");
  });

  test("assumes that directories named in the configuration exist", () => {
    const projectWithDirectory = loadServer({
      "httpd.conf": `${root}<Directory /srv/www/a>\nRequire all denied\n</Directory>\n`,
    });
    const files = createAssumedFiles(projectWithDirectory);
    expect([files.kindOf("/srv"), files.kindOf("/srv/www/a"), files.kindOf("/srv/www/b")]).toEqual([
      "directory",
      "directory",
      "unknown",
    ]);
    expect(answer(projectWithDirectory, { ...getFile, path: "/a/b/c" }, { files })).toMatchObject({
      class: "403",
      unknown: [],
    });
  });
});

describe("responses to granted requests", () => {
  const loadModules = ["authz_core", "alias", "dir", "autoindex", "status"]
    .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
    .join("");
  const open = loadServer({
    "httpd.conf": `${loadModules}${root}Redirect /old http://x.test/\nScriptAlias /cgi /srv/cgi\n<Location /status>\nSetHandler server-status\n</Location>\n`,
  });
  test.each([
    [{ path: "/x.txt" }, 200],
    [{ path: "/x.txt", method: "PUT" }, 405],
    [{ path: "/x.txt", method: "FOO" }, 501],
    [{ path: "/x.txt/more" }, 404],
    [{ path: "/nowhere" }, 404],
    [{ path: "/a" }, 301],
    [{ path: "/a/" }, 200],
    [{ path: "/empty/" }, 403],
    [{ path: "/old/x" }, 302],
    [{ path: "/status" }, 200],
    [{ path: "/status", method: "POST" }, 404],
    [{ path: "/a%2fb" }, 404],
    [{ path: "/../x" }, 400],
    [{ path: "/%zz" }, 400],
  ])("%j: %i", (more, status) => {
    expect(answer(open, { ...getFile, ...more }, { files: existingFiles }).status).toBe(status);
  });
});

describe("users", () => {
  const files: FileTree = {
    ...createListedFiles(["/srv/www/x.txt", "/etc/users", "/etc/groups"]),
    passwordEntryOf: (_, user) => (user === "carol" ? "missing" : "usable"),
    groupsOf: (_, user) => (user === "alice" ? ["staff"] : []),
  };
  const auth = "AuthType Basic\nAuthName x\nAuthUserFile users\nAuthGroupFile groups\n";
  const project = loadServer({ "httpd.conf": `${root}<Location />\n${auth}Require group staff\n</Location>\n` });

  test.each([
    [undefined, 401, [], "- -"],
    ["alice", 200, [], "- alice"],
    ["bob", 401, ['AH01631: user bob: authorization failure for "/x.txt": '], "- bob"],
    ["carol", 401, ["AH01618: user carol not found: /x.txt"], "- carol"],
  ])("are looked up in the password and group files: %s", (user, status, errorLog, name) => {
    const decision = answer(project, { ...getFile, ...(user === undefined ? {} : { user }) }, { files });
    expect(decision).toMatchObject({ status, errorLog });
    expect(decision.accessLog).toBe(`192.0.2.7 ${name} "GET /x.txt HTTP/1.0" ${status}`);
  });

  test("groups given with a request replace those in the file", () => {
    expect(answer(project, { ...getFile, user: "bob", groups: ["staff"] }, { files }).status).toBe(200);
    expect(answer(project, { ...getFile, user: "alice", groups: [] }, { files }).status).toBe(401);
  });
});

describe("the access log contains the name of the client", () => {
  const namedClient = { ...getFile, clientHost: "Host.Example.org" };
  test.each([
    ["", '192.0.2.7 - - "GET'],
    ["<Location />\nRequire host other.test\n</Location>\n", 'host.example.org - - "GET'],
    ["HostnameLookups On\n", 'host.example.org - - "GET'],
  ])("if httpd looks it up: %j", (lines, start) => {
    const project = loadServer({ "httpd.conf": root + lines });
    expect(answer(project, namedClient, { files: existingFiles }).accessLog).toContain(start);
  });
});

describe("a Lua handler that may decide", () => {
  const inLocation = (line: string) => `${root}<Location /a>\n${line}\nRequire all denied\n</Location>\n`;
  const verdictOf = (text: string, path = "/a") => {
    const { status, unknown } = answer(
      loadServer({ "httpd.conf": text }),
      { ...getFile, path },
      { files: existingFiles },
    );
    return { status, unknown };
  };

  test.each([
    "LuaHookAccessChecker /etc/deny.lua check",
    "LuaHookAuthChecker /etc/deny.lua check",
    "LuaHookFixups /etc/deny.lua check",
  ])("makes the result unknown in its section: %s", (line) => {
    expect(verdictOf(inLocation(line))).toEqual({ status: undefined, unknown: [`the result of \`${line}\``] });
    expect(verdictOf(inLocation(line), "/x.txt")).toEqual({ status: 200, unknown: [] });
  });

  test("makes all results unknown if it is set for the whole server, including redirects", () => {
    const line = "LuaQuickHandler /etc/all.lua handle";
    const text = `${root}${line}\nRedirect /old /new\n`;
    for (const path of ["/x.txt", "/old"])
      expect(verdictOf(text, path)).toEqual({ status: undefined, unknown: [`the result of \`${line}\``] });
  });

  test("does not make the result unknown if it only serves content or logs", () => {
    const lines = "LuaMapHandler /served /etc/serve.lua\nLuaHookLog /etc/log.lua log";
    expect(verdictOf(inLocation(lines))).toEqual({ status: 403, unknown: [] });
  });
});
