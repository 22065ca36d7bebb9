// Parses a file, or does the minimum of any reader of lines: reads its bytes and splits them. Prints the time in seconds,
// without the start of Node.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const [, , what, file] = process.argv;
const { parseFile, sourceFile } = require(join(__dirname, "../../dist/index.js"));
const works = {
  floor: () => readFileSync(file, "latin1").split("\n"),
  parse: () => parseFile(sourceFile(file, readFileSync(file, "latin1"))),
};
const start = process.hrtime.bigint();
const kept = works[what]();
process.stdout.write(`${Number(process.hrtime.bigint() - start) / 1e9}\n`);
if (kept === undefined) process.exit(2);
