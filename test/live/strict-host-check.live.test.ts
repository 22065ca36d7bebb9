import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { askRaw, portOfRunning } from "./raw-request.js";

const host = (address: string, name: string) => [
  `<VirtualHost ${address}>`,
  `ServerName ${name}`,
  "StrictHostCheck On",
  "</VirtualHost>",
];

describe.skipIf(!httpd)(liveTitle("StrictHostCheck"), () => {
  test.each([
    ["the address of a single virtual host", host("127.0.0.1", "one.test")],
    ["the addresses of two virtual hosts", [...host("127.0.0.1", "one.test"), ...host("127.0.0.1", "two.test")]],
    ["any address", host("*", "one.test")],
  ])("decides whether %s counts as a name", async (_, lines) => {
    await withRunningHttpd(["authz_core"], lines, async (running) => {
      const simulatedServer = simulatedServerOn(running);
      const names = ["127.0.0.1", "one.test", "two.test", "x.test", "other.test"];
      const answers = async (name: string) => {
        const status = await askRaw(running, ["GET / HTTP/1.1", `Host: ${name}`]);
        const request = { method: "GET", path: "/", host: name, clientIp: "127.0.0.1", port: portOfRunning(running) };
        return { name, live: status, decided: simulatedServer.answer(request).status };
      };
      const found = await Promise.all(names.map(answers));
      expect(found.map(({ name, decided }) => [name, decided])).toEqual(found.map(({ name, live }) => [name, live]));
      expect(new Set(found.map(({ live }) => live)).size).toBe(2);
    });
  });
});
