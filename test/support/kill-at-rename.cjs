// Loaded ahead of the command: ends the process as kill -9 does, before or after its n-th rename.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const [n, side] = (process.env.KILL_AT_RENAME ?? "").split(" ");
const rename = fs.renameSync;
let count = 0;
fs.renameSync = (...paths) => {
  count++;
  if (count === Number(n) && side === "before") process.kill(process.pid, "SIGKILL");
  rename(...paths);
  if (count === Number(n) && side === "after") process.kill(process.pid, "SIGKILL");
};
syncBuiltinESMExports();
