import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Ports that no connection of anybody begins at: from those the kernel takes others meanwhile. */
const [FIRST, BEHIND] = [10_000, 32_000];

/** Nobody gets one twice. */
const given = new Set<number>();

/** A port of the loopback that nobody listens at. */
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

/** Two of them. */
export async function freePorts(): Promise<readonly [number, number]> {
  return [await freePort(), await freePort()];
}

/** Has a server listen at a port that is free. @returns which one */
export async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
