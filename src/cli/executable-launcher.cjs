"use strict";
// Starts the program in a single executable of Node.js. It also runs in threads, whose `require` searches the working
// directory, so the program gets only Node's own modules and its own scripts.
const { SCRIPT } = globalThis;
const { getAsset, getRawAsset } = process.getBuiltinModule("node:sea");
const { wrap } = process.getBuiltinModule("node:module");
const { Script } = process.getBuiltinModule("node:vm");

/** @param {string} name */
function read(name) {
  try {
    return getAsset(name, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} name */
function readBytes(name) {
  try {
    return Buffer.from(getRawAsset(name));
  } catch {
    return undefined;
  }
}

/** @param {string} name @param {import("node:worker_threads").WorkerOptions} options */
function start(name, options) {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const code = `globalThis.SCRIPT = ${JSON.stringify(name)};${read("launcher.js")}`;
  return new Worker(code, { ...options, eval: true });
}

/** @param {string} name */
function load(name) {
  // All scripts of the command line are in one bundle.
  const file = name === "httpd-lint.js" ? "main.js" : name;
  const source = readBytes(file)?.latin1Slice();
  if (source === undefined) throw new Error(`${name} is missing from the executable`);
  const filename = process.execPath;
  const script = new Script(wrap(source), { filename, cachedData: readBytes(`${file}.cache`) });
  // The first build has no compiled code yet, and a run of it writes some.
  const target = file === "main.js" ? read("code-cache-target") : undefined;
  if (target !== undefined)
    process.on("exit", () => process.getBuiltinModule("node:fs").writeFileSync(target, script.createCachedData()));
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireOwn, module, filename, "/");
  return module.exports;
}

/** @param {string} name */
function requireOwn(name) {
  if (name.startsWith("./")) return load(name.slice(2));
  const builtin = process.getBuiltinModule(name);
  if (builtin === undefined) throw new Error(`the module ${name} is missing from the executable`);
  return builtin;
}

Reflect.set(globalThis, Symbol.for("httpd-lint.embedded-files"), { read, start });
load(SCRIPT ?? "httpd-lint.js");
