// Loaded ahead of the command: writes down whoever starts a program or opens a connection, and keeps them from it.
const { appendFileSync } = require("node:fs");
const forbid = (owner, name, what) => {
  owner[name] = () => {
    appendFileSync(process.env.FORBIDDEN_LOG, `${what}\n`);
    throw new Error(`${what} is forbidden`);
  };
};
const programs = require("node:child_process");
for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"])
  forbid(programs, name, name);
forbid(require("node:net").Socket.prototype, "connect", "connect");
forbid(require("node:dgram"), "createSocket", "datagram");
for (const name of ["lookup", "resolve", "resolve4", "reverse"]) forbid(require("node:dns"), name, `dns ${name}`);
