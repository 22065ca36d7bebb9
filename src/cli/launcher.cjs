#!/usr/bin/env node
"use strict";
// Starts the bundle beside this file with V8's code cache, which spares compiling it. A cache that another version of
// Node made is not taken, and the bundle is compiled as ever.
const { readFileSync, writeFileSync } = require("node:fs");
const { wrap } = require("node:module");
const { join } = require("node:path");
const { Script } = require("node:vm");

const bundle = join(__dirname, "main.js");
const cache = join(__dirname, "main.cache");
const writes = process.env.HTTPD_LINT_WRITE_CODE_CACHE !== undefined;

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
  cachedData: writes ? undefined : cachedCode(),
});
if (writes) process.on("exit", () => writeFileSync(cache, script.createCachedData()));
script.runInThisContext()(exports, require, module, bundle, __dirname);
