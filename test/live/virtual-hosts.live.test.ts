import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import {
  linesOf,
  namingCases,
  namingLinesOf,
  type Ports,
  parseServerRequest,
  type ServerRequest,
  serverCases,
  withPorts,
} from "../support/cases/server-cases.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { freePorts } from "../support/httpd/ports.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "alias", "rewrite"];

/** Returns the path of a redirect. HTTP/1.0 works without a Host header, too. */
async function fetchRedirect({ address, port, host }: ServerRequest): Promise<string | undefined> {
  const socket = connect(port, address);
  socket.write(`GET / HTTP/1.0\r\n${host === undefined ? "" : `Host: ${host}\r\n`}\r\n`);
  return /^Location: http:\/\/answered\.test\/(.*?)\/?\r$/m.exec(await text(socket))?.[1];
}

async function chooseListeners(): Promise<{ readonly ports: Ports; readonly listen: readonly string[] }> {
  const [PORT, OTHER] = await freePorts();
  const ports = { PORT, OTHER };
  const addresses = ["127.0.0.1", "127.0.0.2", "[::1]"];
  const listen = addresses.flatMap((each) => [`Listen ${each}:${ports.PORT}`, `Listen ${each}:${ports.OTHER}`]);
  return { ports, listen };
}

describe.skipIf(!httpd)(liveTitle("virtual hosts"), () => {
  test.each(serverCases)("$title: the expected host answers", async (each) => {
    const { ports, listen } = await chooseListeners();
    await withRunningHttpd(modules, [...listen, ...linesOf(each, ports)], async () => {
      const answers: Record<string, string | undefined> = {};
      for (const ask of Object.keys(each.answers)) answers[ask] = await fetchRedirect(parseServerRequest(ask, ports));
      const expected = Object.entries(each.answers).map(([ask, host]) => [ask, String(host)]);
      expect(answers).toEqual(Object.fromEntries(expected));
    });
  });

  test.each(namingCases)("the name for $host with $lines is $is", async (each) => {
    const { ports, listen } = await chooseListeners();
    await withRunningHttpd(modules, [...listen, ...namingLinesOf(each, ports)], async () => {
      const answer = await fetchRedirect({ address: "127.0.0.1", port: ports.PORT, host: each.host });
      expect(answer?.replaceAll("/", " ")).toBe(withPorts(each.is, ports));
    });
  });
});
