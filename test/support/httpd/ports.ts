import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Ports outside the ephemeral range: the kernel assigns those to others meanwhile. */
const [FIRST, BEHIND] = [10_000, 32_000];

/** Each port is assigned once. */
const given = new Set<number>();

/** Returns a loopback port without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, BEHIND);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  const isListening = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (isListening) {
    server.close();
    await once(server, "close");
  }
  return isListening;
}

/** Returns two such ports. */
export async function freePorts(): Promise<readonly [number, number]> {
  return [await freePort(), await freePort()];
}

/** Makes a server listen on a free port. @returns the port */
export async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
