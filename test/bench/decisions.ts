import { createRequire } from "node:module";
import type * as Library from "../../src/index.js";
import type { Request } from "../../src/index.js";

/** The installed build: running from source would be slower. */
const { SimulatedServer, listedFiles, loadProject }: typeof Library = createRequire(import.meta.url)(
  "../../dist/index.js",
);

/**
 * Measures requests decided per second, of every kind that applies to the generated hosts.
 *
 * @param file a configuration as `virtualHosts` makes it
 * @param rounds number of rounds, of which the best counts; the first one compiles
 */
export function decisionsPerSecond(file: string, hosts: number, rounds: number): number {
  const loaded = loadProject(file, { release: "2.4", kind: "server", htaccess: false });
  if (!loaded.ok) throw new Error(loaded.error);
  const simulatedServer = new SimulatedServer(loaded.value, listedFiles(pathsOf(hosts)));
  const requests = Array.from({ length: 20_000 }, (_, index) => requestTo(index, hosts));
  let best = 0;
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint();
    for (const request of requests) simulatedServer.answer(request);
    best = Math.max(best, requests.length / (Number(process.hrtime.bigint() - start) / 1e9));
  }
  return Math.round(best);
}

function pathsOf(hosts: number): string[] {
  return Array.from({ length: hosts }, (_, host) => [
    `/srv/www/host${host}/index.html`,
    `/srv/www/host${host}/old.bak`,
    `/srv/static/${host}/style.css`,
  ]).flat();
}

const paths = [
  () => "/index.html",
  () => "/admin",
  () => "/old.bak",
  (host: number) => `/static${host}/style.css`,
  (host: number) => `/x${host}/`,
] as const;

function requestTo(index: number, hosts: number): Request {
  const host = (index * 7) % hosts;
  return {
    method: "GET",
    path: paths[index % paths.length]?.(host) ?? "/",
    host: `host${host}.example.org`,
    port: 8099,
    clientIp: index % 2 === 0 ? "192.0.2.1" : "10.0.1.7",
  };
}
