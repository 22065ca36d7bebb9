import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_SERVER_IP, type Request } from "../../../src/server/model/request.js";
import { sendAsClient } from "../../support/httpd/client-request.js";
import { httpd } from "../../support/httpd/httpd.js";
import { readLog } from "../../support/httpd/live-requests.js";
import { type ServedConfiguration, served } from "./served-configuration.js";

/** Number of requests that test whether the server is up. */
const PROBES = 20;

/** Without an address besides the loopback, glibc does not look up addresses of IPv6. */
const otherIpv6Address = "2001:db8::80";

/** Adds the addresses of clients and of the server to this machine. */
export function addAddresses(addresses: Iterable<string>): void {
  for (const address of new Set([DEFAULT_SERVER_IP, otherIpv6Address, ...addresses]))
    if (address !== "") spawnSync("ip", ["addr", "add", address, "dev", "lo"]);
}

/** Returns what `httpd -t` reports about a configuration in a folder; undefined if it accepts it. */
export function testConfiguration(root: string, { entry }: ServedConfiguration): string | undefined {
  const { status, stderr } = spawnSync("chroot", [root, httpd ?? "apache2", "-t", "-f", entry], { encoding: "latin1" });
  return status === 0 ? undefined : stderr;
}

/** Starts the server, sends the requests, and stops it. @returns the statuses, or the reason why it did not start */
export async function serveRequests(
  root: string,
  { entry }: ServedConfiguration,
  requests: readonly Request[],
): Promise<readonly number[] | string> {
  const server = spawn("chroot", [root, httpd ?? "apache2", "-X", "-f", entry], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  server.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString("latin1");
  });
  const ended = once(server, "close");
  try {
    const describeEnd = () => `${output} ${readLog(root, served.errorLog).split("\n").slice(-5).join(" ")}`.trim();
    if (!(await isUp(requests.slice(0, PROBES), server))) return `it did not start: ${describeEnd()}`;
    const statuses: number[] = [];
    const queue = [...requests.entries()];
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) statuses[next[0]] = await send(next[1]);
    };
    await Promise.all(Array.from({ length: 4 }, work));
    if (server.exitCode === null && server.signalCode === null) return statuses;
    return `it ended with ${server.exitCode ?? server.signalCode}: ${describeEnd()}`;
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}

/** @returns 0 if there was no response */
async function send(request: Request): Promise<number> {
  for (let tries = 0; tries < 2; tries++) {
    const status = await sendAsClient(request).catch(() => 0);
    if (status !== 0) return status;
  }
  return 0;
}

async function isUp(probes: readonly Request[], server: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < 100 && server.exitCode === null; tries++) {
    for (const request of probes) if ((await sendAsClient(request).catch(() => 0)) !== 0) return true;
    await sleep(100);
  }
  return false;
}
