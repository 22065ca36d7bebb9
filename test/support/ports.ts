import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** A port of the loopback that nobody listens at. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  server.close();
  await once(server, "close");
  return port;
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
