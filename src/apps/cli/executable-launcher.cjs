"use strict";
// Starts the program in a single executable of Node.js. The build loads the program once into a startup snapshot, which
// the executable continues. This script also runs in threads, whose `require` searches the working directory, so the
// program gets only Node's own modules and its own scripts.
const { SCRIPT } = globalThis;
const { getRawAsset, isSea } = process.getBuiltinModule("node:sea");

/** @param {string} name */
function readBytes(name) {
  try {
    // The build has no assets yet.
    return isSea() ? Buffer.from(getRawAsset(name)) : readBuilt(name);
  } catch {
    return undefined;
  }
}

/** @param {string} name */
function readBuilt(name) {
  return process.getBuiltinModule("node:fs").readFileSync(`dist/${name}`);
}

/** @param {string} name */
function read(name) {
  return readBytes(name)?.utf8Slice();
}

/** @param {string} name @param {import("node:worker_threads").WorkerOptions} options */
function start(name, options) {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const code = `globalThis.SCRIPT = ${JSON.stringify(name)};${read("launcher.js")}`;
  return new Worker(code, { ...options, eval: true });
}

/** @param {string} name */
function compile(name) {
  // All scripts of the command line are in one bundle.
  const file = name === "httpd-lint.js" ? "main.js" : name;
  const source = readBytes(file)?.latin1Slice();
  if (source === undefined) throw new Error(`${name} is missing from the executable`);
  const { Script } = process.getBuiltinModule("node:vm");
  // The name is that of the source in stack traces.
  return new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n});`, {
    filename: `/httpd-lint/${file}`,
    cachedData: readBytes(`${file}.cache`),
  });
}

/** @param {import("node:vm").Script} script */
function evaluate(script) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireOwn, module, "/httpd-lint/main.js", "/httpd-lint");
  return module.exports;
}

/** @param {string} name */
function requireOwn(name) {
  if (name.startsWith("./")) return evaluate(compile(name.slice(2)));
  // Node.js aborts if a thread beside a snapshot loads a module with pipes. The bundles need none of them in threads:
  // only a device is a terminal or an endless file, and neither is read.
  if (SCRIPT !== undefined && /^(?:node:)?(?:child_process|net|tty)$/.test(name)) return { isatty: () => false };
  const builtin = process.getBuiltinModule(name);
  if (builtin === undefined) throw new Error(`the module ${name} is missing from the executable`);
  return builtin;
}

/** Loads the program, which starts when the executable continues the snapshot. */
function prepareSnapshot() {
  const { setFlagsFromString, startupSnapshot } = process.getBuiltinModule("node:v8");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  // V8 compiles functions again at their first calls if Sparkplug compiled them here. The flags must be those of the executable.
  setFlagsFromString("--no-sparkplug");
  const script = compile("httpd-lint.js");
  // Runs of another instance compile the program, and leave no state in this one.
  const { main } = evaluate(script);
  const { checked, analyzed } = JSON.parse(process.env.HTTPD_LINT_SNAPSHOT ?? "");
  for (const path of checked) main(["check", path, "--quiet"], () => undefined);
  const program = evaluate(script);
  for (const path of analyzed) program.prepare(readFileSync(path, "utf8"));
  setFlagsFromString("--sparkplug");
  startupSnapshot.setDeserializeMainFunction(() => program.main(process.argv.slice(2), (code) => process.exit(code)));
}

const isBuilding = SCRIPT === undefined && !isSea();
Reflect.set(globalThis, Symbol.for("httpd-lint.embedded-files"), { read, start, isDeferred: isBuilding });
if (isBuilding) prepareSnapshot();
else evaluate(compile(SCRIPT));
