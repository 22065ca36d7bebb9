#!/usr/bin/env node
"use strict";
// Starts the bundle beside this file with V8's code cache, which avoids compilation. V8 does not check the machine and the
// Node patches of a cache, so its name has them. Without a cache, the bundle is compiled as usual.
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { wrap } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const bundle = join(__dirname, "main.js");
const { arch, platform, versions } = process;
const cache = join(__dirname, "code-cache", `${versions.v8}-${platform}-${arch}`);
// The build names the file to write, or writes the usual one.
const { HTTPD_LINT_WRITE_CODE_CACHE: written } = process.env;

/** @returns {Buffer | undefined} */
function cachedCode() {
  try {
    return readFileSync(cache);
  } catch {
    return undefined;
  }
}

// The bundle is ASCII, and reading it as Latin-1 is the cheapest.
const script = new Script(wrap(readFileSync(bundle, "latin1")), {
  filename: bundle,
  cachedData: written ? undefined : cachedCode(),
});
if (written) {
  const { setFlagsFromString } = require("node:v8");
  // V8 marks functions that it compiled with Sparkplug, and later compiles such functions again at their first calls.
  setFlagsFromString("--no-sparkplug");
  process.on("exit", () => {
    // The flags are a part of the cache, and must be those of a usual run.
    setFlagsFromString("--sparkplug");
    const target = written === "1" ? cache : written;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, script.createCachedData());
  });
}
script.runInThisContext()(exports, require, module, bundle, __dirname);
