import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  groupMembers,
  groupUsers,
  memberFiles,
  memberLines,
  memberModules,
  passwordAnswers,
} from "../support/cases/member-cases.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const served = { Basic: "", Digest: "", ...Object.fromEntries(groupMembers.map((_, index) => [`g${index}`, ""])) };

test.skipIf(!httpd)(
  liveTitle("group and password files are read as on the live server"),
  async () => {
    await withRunningHttpd(
      memberModules,
      memberLines,
      async (running) => {
        const { folder, ask, errors, url } = running;
        for (const [name, text] of Object.entries(memberFiles)) writeFileSync(join(folder, name), text);
        const simulatedServer = simulatedServerOn(running);
        const decide = (path: string, user: string) =>
          simulatedServer.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1", user });
        for (const [index, [group, members]] of groupMembers.entries())
          for (const user of groupUsers) {
            const path = `/g${index}`;
            const { status } = await ask({ path, headers: { Authorization: `Basic ${btoa(`${user}:secret`)}` } });
            expect([group, user, status]).toEqual([group, user, members.includes(user) ? 200 : 401]);
            expect([group, user, decide(path, user).status]).toEqual([group, user, status]);
          }
        for (const [user, ...answers] of passwordAnswers)
          for (const [index, type] of ["Basic", "Digest"].entries()) {
            const before = errors().length;
            spawnSync("curl", [
              "-s",
              "-o",
              "/dev/null",
              `--${type.toLowerCase()}`,
              "-u",
              `${user}:secret`,
              url(`/${type}`),
            ]);
            const found = errors()
              .slice(before)
              .match(/AH\d{5}: .*/g);
            const { errorLog } = decide(`/${type}`, user);
            expect([user, type, found?.[0]?.slice(0, 7) ?? "200"]).toEqual([user, type, answers[index]]);
            expect([user, type, ...errorLog]).toEqual([user, type, ...(found ?? [])]);
          }
      },
      served,
    );
  },
  60_000,
);
