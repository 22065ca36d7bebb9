import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { httpd, liveTitle, moduleFolder, serverEnvironment } from "../support/httpd/httpd.js";
import { freePort } from "../support/httpd/ports.js";
import { ensureBuilt, httpdLint, run } from "../support/programs/command.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";

beforeAll(ensureBuilt);

const example = "docs/examples/ubuntu-14.04";
const page = readFileSync("docs/tutorial-ubuntu.md", "utf8");

/** The commands that the page runs on the copy of the server, in order. */
const commands = [...page.matchAll(/^<!-- session in docs\/examples\/ubuntu-14\.04[^:]*: (.*) -->$/gm)].flatMap(
  ([, lines = ""]) => lines.split(" ; "),
);

const list = <T extends z.ZodType>(item: T) => z.union([item, z.array(item)]).transform((value) => [value].flat());
const expectationsFile = z.object({
  defaults: z.object({ host: z.string(), clientIp: z.string() }),
  expectations: z.array(
    z.object({
      path: list(z.string()),
      clientIp: z.string().optional(),
      user: z.string().optional(),
      expect: z.union([z.number(), z.literal("allowed")]),
    }),
  ),
});
const { defaults, expectations } = expectationsFile.parse(
  JSON.parse(readFileSync(join(example, "httpd-lint.expectations.json"), "utf8")),
);

/** The requests of the expectations, each with the status of a server that has the files. */
const expected = expectations.flatMap(({ path, clientIp = defaults.clientIp, user, expect: status }) =>
  path.map((each) => ({ path: each, clientIp, user, status: status === "allowed" ? 200 : status })),
);

/** A name of a product with a blank: the query of its rule has it. */
const blank = { path: "/product/a%20chair", clientIp: defaults.clientIp, user: undefined };

/**
 * Copies a server and adapts it to this machine: its paths, its port, and the address of the client, which a header names.
 *
 * @returns the ServerRoot of the copy
 */
function placeServer(from: string, to: string, port: number): string {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  const root = join(to, "etc/apache2");
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const path = join(root, name);
    if (name.startsWith(".httpd-lint") || name.includes("-enabled/") || !statSync(path).isFile()) continue;
    const text = readFileSync(path, "utf8")
      .replaceAll(/(?<=\s)\/(?=var\/www|etc\/)/g, `${to}/`)
      .replaceAll("/usr/lib/apache2/modules", moduleFolder)
      .replaceAll("*:80", `*:${port}`)
      .replace(/^Listen 80$/m, `Listen 127.0.0.1:${port}`);
    writeFileSync(path, text);
  }
  const lines = [
    `LoadModule remoteip_module ${moduleFolder}/mod_remoteip.so`,
    "RemoteIPHeader X-Client",
    "RemoteIPInternalProxy 127.0.0.1",
  ];
  writeFileSync(join(root, "conf-enabled/client.conf"), `${lines.join("\n")}\n`);
  for (const folder of ["log", "run", "lock"]) mkdirSync(join(to, folder));
  return root;
}

/** Runs httpd's own test of a configuration, then starts it and sends the requests. @returns the statuses */
async function serve(from: string, to: string, requests: readonly Omit<(typeof expected)[number], "status">[]) {
  const port = await freePort();
  const root = placeServer(from, to, port);
  const env = {
    ...serverEnvironment,
    APACHE_RUN_USER: "www-data",
    APACHE_RUN_GROUP: "www-data",
    APACHE_PID_FILE: join(to, "run/apache2.pid"),
    APACHE_RUN_DIR: join(to, "run"),
    APACHE_LOCK_DIR: join(to, "lock"),
    APACHE_LOG_DIR: join(to, "log"),
  };
  const args = ["-d", root, "-f", join(root, "apache2.conf")];
  const tested = run(httpd ?? "apache2", [...args, "-t"], { env });
  expect(tested.stderr).toContain("Syntax OK");
  expect(page).toContain("# apache2ctl configtest\nSyntax OK\n");
  const server = spawn(httpd ?? "apache2", [...args, "-X"], { stdio: "ignore", env });
  try {
    await waitUntilAnswering(port);
    const statuses: number[] = [];
    for (const each of requests) statuses.push(await statusOf(port, each));
    return statuses;
  } finally {
    server.kill("SIGTERM");
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  }
}

async function waitUntilAnswering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await statusOf(port, blank).catch(() => undefined)) return;
    await sleep(50);
  }
  throw new Error("the server does not answer");
}

function statusOf(port: number, { path, clientIp, user }: Omit<(typeof expected)[number], "status">): Promise<number> {
  const headers = {
    Host: defaults.host,
    "X-Client": clientIp,
    ...(user === undefined ? {} : { Authorization: `Basic ${btoa(`${user}:password`)}` }),
  };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

test.skipIf(!httpd)(
  liveTitle("the tutorial's server answers alike before and after its commands, and after the rollback"),
  { timeout: 120_000 },
  async () => {
    await whileInScratchFolder(async (folder) => {
      chmodSync(folder, 0o755);
      const copy = join(folder, "work");
      cpSync(example, copy, { recursive: true, verbatimSymlinks: true });
      const requests = [...expected, blank];
      const statuses = expected.map(({ status }) => status);
      expect(await serve(join(copy, "server"), join(folder, "old"), requests)).toEqual([...statuses, 403]);

      let restore = "";
      for (const command of commands) {
        const [program = "", ...args] = command.split(" ");
        const { status, stderr } =
          program === "httpd-lint" ? httpdLint(args, { cwd: copy }) : run("sh", ["-c", command], { cwd: copy });
        const found = /check|upgrade/.test(command) ? 1 : command.includes("--to") ? 5 : 0;
        expect({ command, status }).toEqual({ command, status: found });
        restore = /restore them with `([^`]*)`/.exec(stderr)?.[1] ?? restore;
      }
      expect(await serve(join(copy, "server"), join(folder, "new"), requests)).toEqual([...statuses, 200]);

      const [program = "", ...args] = restore.split(" ");
      expect(run(program, args).status).toBe(0);
      run("ln", ["-s", "../mods-available/access_compat.load", join(copy, "server/etc/apache2/mods-enabled")]);
      const { stdout } = run("diff", ["-r", "--exclude=.httpd-lint", join(copy, "before"), join(copy, "server")]);
      expect(stdout).toBe("");
    });
  },
);
