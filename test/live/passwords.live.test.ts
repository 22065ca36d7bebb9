import { expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { diskFiles, withPassword } from "../../src/server/file-trees.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** Entries for the password `secret`, by the name of the user. */
const hashes = {
  sha: "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=",
  apr: "$apr1$saltsalt$LrttParrLPdxvgutaSXWJ0",
  md5: "$1$saltsalt$9xy1btjgzLYfb7hivXtC//",
  sha256: "$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA",
  sha512: "$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN.Pq.H91p5hVO1",
  bcrypt: "$2y$05$DI5h72sb5w53jFgsMcVgQuKKDRMC6biQKjZEMhp7/QRWSflJ46pj.",
  des: "saHW9GdxihkGQ",
  plain: "secret",
};
const users = Object.entries(hashes).map(([user, hash]) => `${user}:${hash}\n`);
const modules = ["authz_core", "authz_user", "authn_core", "authn_file", "auth_basic", "mime"];
const lines = [
  ...["TypesConfig /dev/null", '<Location "/">', "Require valid-user", "AuthType Basic", 'AuthName "x"'],
  ...["AuthUserFile DOCROOT/users", "</Location>"],
];

test.skipIf(!httpd)(liveTitle("passwords are compared with each kind of hash"), async () => {
  await withRunningHttpd(
    modules,
    lines,
    async (running) => {
      for (const user of [...Object.keys(hashes), "nobody"])
        for (const password of ["secret", "Secret", ""]) {
          const headers = { Host: "x.test", Authorization: `Basic ${btoa(`${user}:${password}`)}` };
          const { status } = await running.ask({ path: "/a", headers });
          const simulated = simulatedServerOn(running, withPassword(diskFiles(diskAccess()), password));
          const answer = simulated.answer({ method: "GET", path: "/a", host: "x.test", clientIp: "127.0.0.1", user });
          const isComputed = user !== "bcrypt" && user !== "des";
          expect([user, password, answer.status]).toEqual([user, password, isComputed ? status : undefined]);
          expect([user, password, status]).toEqual([user, password, isRight(user, password) ? 200 : 401]);
          if (!isComputed) expect(answer.unknown[0]).toContain(`the password of \`${user}\` matches its hash`);
        }
    },
    { a: "a", users: users.join("") },
  );
});

function isRight(user: string, password: string): boolean {
  return password === "secret" && user !== "plain" && user !== "nobody";
}
