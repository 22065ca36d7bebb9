"use strict";
// Starts the program in executables that contain Bun instead of Node.js: for old systems, and for other platforms. Their build
// bundles it with the program. It also runs in threads.
const fs = require("node:fs");
const { join } = require("node:path");
const { getEnvironmentData, setEnvironmentData, Worker } = require("node:worker_threads");

/** The folder of the embedded files. */
const root = process.platform === "win32" ? "B:/~BUN/root" : "/$bunfs/root";

/** The name under which a thread finds its script. */
const SCRIPT = "httpd-lint.script";

/** @param {string} name */
function read(name) {
  try {
    return fs.readFileSync(join(root, name), "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} name @param {import("node:worker_threads").WorkerOptions} options */
function start(name, options) {
  setEnvironmentData(SCRIPT, name);
  return new Worker(Bun.main, options);
}

const { readdirSync } = fs;

/** Lists a folder in the order of Node.js: by the bytes of the names. */
fs.readdirSync = (...args) => {
  const entries = readdirSync(...args).map((entry) => ({ entry, bytes: Buffer.from(entry.name ?? entry) }));
  return entries.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ entry }) => entry);
};

Reflect.set(globalThis, Symbol.for("httpd-lint.embedded-files"), { read, start, isDeferred: false });
if (getEnvironmentData(SCRIPT) === "worker.js") require("./worker.js");
else require("./main.js");
