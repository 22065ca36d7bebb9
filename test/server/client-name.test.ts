import { describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { LoadOptions } from "../../src/config/read-entry.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createFileTree, defaultFilesChoice, type FilesChoice } from "../../src/server/file-trees.js";
import { describeRequest } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { inScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

const modules = ["authn_core", "authz_core", "authz_host", "access_compat"];
const settings: LoadOptions = { kind: "server", modules };

interface Options {
  /** The contents of `/etc/hosts`. */
  readonly hosts?: string;
  readonly serverRoot?: string;
  readonly choice?: FilesChoice;
  readonly clientHost?: string;
}

/** Returns the answer to a client, and the facts that it depends on. */
function answerTo(clientIp: string, lines: readonly string[], options: Options = {}): string {
  const { hosts, serverRoot = "/etc/httpd", choice = defaultFilesChoice, clientHost } = options;
  const main = [`ServerRoot "${serverRoot}"`, 'DocumentRoot "/srv"', "<Location />", ...lines, "</Location>", ""];
  const access = memoryAccess({
    ...{ "/etc/httpd/httpd.conf": main.join("\n"), "/srv/a": "a" },
    ...(hosts === undefined ? {} : { "/etc/hosts": hosts }),
  });
  const loaded = loadProject("/etc/httpd/httpd.conf", { ...settings, access });
  if (!loaded.ok) throw new Error(loaded.error);
  const simulatedServer = new SimulatedServer(loaded.value, createFileTree(choice, loaded.value, access));
  const request = { method: "GET", path: "/a", clientIp, ...(clientHost === undefined ? {} : { clientHost }) };
  const { status, unknown } = simulatedServer.answer(request);
  return [status ?? "unknown", ...unknown].join(" | ");
}

const nameOf = (address: string, name = "localhost") => `whether the server's name for ${address} is \`${name}\``;
const hosts = "127.0.0.1 localhost\n::1 ip6-localhost\n192.0.2.5 pc.example.org pc\n";

/** test/live/client-name.live.test.ts compares the names of a hosts file with a running server. */
describe("the name of the machine itself, whose hosts file is not known", () => {
  test.each([
    ["127.0.0.1", ["Require host localhost"], nameOf("127.0.0.1")],
    ["::1", ["Require host localhost"], nameOf("::1")],
    ["0:0:0:0:0:0:0:1", ["Require host localhost"], nameOf("::1")],
    ["127.0.0.1", ["Deny from localhost"], nameOf("127.0.0.1")],
    ["::1", ["Order allow,deny", "Allow from localhost"], nameOf("::1")],
    ["127.0.0.1", ["Require host .localdomain"], nameOf("127.0.0.1", "localhost.localdomain")],
    ["::1", ["Require host ip6-localhost"], nameOf("::1", "ip6-localhost")],
  ])("decides for %s: %j", (clientIp, lines, question) => {
    expect(answerTo(clientIp, lines)).toBe(`unknown | ${question}`);
  });
  test.each([
    ["127.0.0.1", ["Require host example.org"], "403"],
    ["127.0.0.1", ["Require host ip6-localhost"], "403"],
    ["127.0.0.1", ["Require local"], "200"],
    ["127.0.0.1", ["Require ip 127.0.0.1"], "200"],
    ["127.0.0.1", ["Require user localhost"], "500"],
    ["127.0.0.2", ["Require host localhost"], "403"],
    ["203.0.113.9", ["Require host localhost"], "403"],
    ["203.0.113.9", ["Deny from localhost"], "200"],
  ])("does not decide for %s: %j", (clientIp, lines, answer) => {
    expect(answerTo(clientIp, lines)).toBe(answer);
  });
  test("a given name decides", () => {
    expect(answerTo("127.0.0.1", ["Require host localhost"], { clientHost: "localhost" })).toBe("200");
    expect(answerTo("127.0.0.1", ["Require host localhost"], { clientHost: "box.example.org" })).toBe("403");
  });
  test("several names are asked in turn", () => {
    const lines = ["<RequireAny>", "Require host localhost", "Require host localhost.localdomain", "</RequireAny>"];
    const names = [nameOf("127.0.0.1"), nameOf("127.0.0.1", "localhost.localdomain")];
    expect(answerTo("127.0.0.1", lines)).toBe(`unknown | ${names.join(" | ")}`);
  });
});

describe("the hosts file of the server", () => {
  test.each([
    ["127.0.0.1", ["Require host localhost"], "200"],
    ["::1", ["Require host localhost"], "403"],
    ["::1", ["Require host ip6-localhost"], "200"],
    ["192.0.2.5", ["Require host example.org"], "200"],
    ["192.0.2.5", ["Require host pc"], "403"],
    ["192.0.2.6", ["Require host example.org"], "403"],
    ["192.0.2.5", ["Require host localhost"], "403"],
    ["127.0.0.1", ["Require forward-dns localhost"], "200"],
    ["::1", ["Require forward-dns localhost"], "403"],
    ["192.0.2.5", ["Require forward-dns pc"], "200"],
    ["192.0.2.6", ["Require forward-dns pc"], "403"],
    ["192.0.2.6", ["Require forward-dns x.test"], "unknown | whether `Require forward-dns x.test` grants access"],
  ])("names %s: %j", (clientIp, lines, answer) => {
    expect(answerTo(clientIp, lines, { hosts })).toBe(answer);
  });
  test("a given name overrides it", () => {
    expect(answerTo("127.0.0.1", ["Require host localhost"], { hosts, clientHost: "x.test" })).toBe("403");
  });
  test("an address that it does not have is left to the resolver", () => {
    expect(answerTo("127.0.0.1", ["Require host localhost"], { hosts: "10.0.0.1 x\n" })).toMatch(/^unknown/);
  });
  // The file of this machine is not that of another one.
  test("is not used for a main file out of the ServerRoot, unless `--files disk` says so", () => {
    const elsewhere = { hosts, serverRoot: "/opt/other" };
    expect(answerTo("127.0.0.1", ["Require host localhost"], elsewhere)).toMatch(/^unknown/);
    expect(answerTo("192.0.2.5", ["Require host example.org"], elsewhere)).toBe("403");
    expect(answerTo("127.0.0.1", ["Require host localhost"], { ...elsewhere, choice: { by: "disk" } })).toBe("200");
  });
  test("is that of `--sysroot`", () => {
    inScratchFolder((folder) => {
      const main = 'ServerRoot "/opt/x"\nDocumentRoot "/srv"\n<Location />\nRequire host box.example\n</Location>\n';
      writeFiles(folder, { "httpd.conf": main, "srv/a": "a", "etc/hosts": "127.0.0.1 box.example\n" });
      const access = diskAccess({ sysroot: folder });
      const loaded = loadProject(`${folder}/httpd.conf`, { ...settings, access });
      if (!loaded.ok) throw new Error(loaded.error);
      const simulatedServer = new SimulatedServer(
        loaded.value,
        createFileTree(defaultFilesChoice, loaded.value, access),
      );
      expect(simulatedServer.answer({ method: "GET", path: "/a", clientIp: "127.0.0.1" }).status).toBe(200);
    });
  });
});

test("a request is described with the name of its client", () => {
  const describeClient = (client: object) =>
    describeRequest({ method: "GET", path: "/", clientIp: "127.0.0.1", ...client });
  expect(describeClient({ clientHost: "localhost" })).toBe("GET `/` from 127.0.0.1");
  expect(describeClient({ clientHost: "localhost", clientIp: "203.0.113.9" })).toBe(
    "GET `/` from 203.0.113.9 (`localhost`)",
  );
  expect(describeClient({ isUnnamed: true })).toBe("GET `/` from 127.0.0.1 (without a host name)");
});

describe("the name of a client in a test of REMOTE_HOST", () => {
  const isName = "Require expr \"%{REMOTE_HOST} == 'pc.test'\"";
  const all = (...lines: readonly string[]) => ["<RequireAll>", ...lines, "</RequireAll>"];

  test("is open if a check of the name may come before", () => {
    for (const lines of [
      all("Require host pc.test", isName),
      all(isName, "Require not host b.test"),
      ["Order deny,allow", "Deny from b.test", isName],
    ])
      expect(answerTo("192.0.2.5", lines, { clientHost: "pc.test" })).toMatch(/^unknown \| /);
  });

  test("is the address without one, with HostnameLookups the name, and for a client without a name the address", () => {
    for (const lines of [
      all("Require ip 192.0.2.5", isName),
      all("Require forward-dns pc.test", isName),
      ["Order deny,allow", "Deny from 198.51.100", isName],
    ])
      expect(answerTo("192.0.2.5", lines, { clientHost: "pc.test" })).toMatch(/^403|forward-dns/);
    const lines = ["HostnameLookups On", ...all("Require host pc.test", isName)];
    expect(answerTo("192.0.2.5", lines, { clientHost: "pc.test" })).toBe("200");
    expect(answerTo("192.0.2.5", ["Require host pc.test", isName])).toBe("403");
  });
});
