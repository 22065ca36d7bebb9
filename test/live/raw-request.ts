import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { RunningHttpd } from "../support/httpd/running-httpd.js";

/** Returns the port of a running server. */
export function portOfRunning({ folder }: RunningHttpd): number {
  return Number(/^Listen 127\.0\.0\.1:(\d+)$/m.exec(readFileSync(join(folder, "httpd.conf"), "utf8"))?.[1]);
}

/** Sends lines to a running server, and returns the status of its response. */
export function askRaw(running: RunningHttpd, lines: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOfRunning(running), "127.0.0.1");
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1])));
    socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`, "latin1");
  });
}
