import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, bobAuthentication, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = [
  ...["alias", "auth_basic", "authn_core", "authn_file", "authz_core", "authz_user", "dir"],
  ...["headers", "rewrite", "setenvif"],
];

/** Lines for one host each, and when the answer is unknown. */
const hosts: readonly (readonly [line: string, open: "never" | "always" | "if it is sent"])[] = [
  ["RequestHeader set X-In new early", "never"],
  ["RequestHeader set X-In: new early", "never"],
  ["RequestHeader setifempty x-in new early", "never"],
  ["RequestHeader add X-In new early", "if it is sent"],
  ["RequestHeader append X-In new EARLY", "never"],
  ["RequestHeader merge X-In new early", "never"],
  ["RequestHeader merge X-In old early", "never"],
  ["RequestHeader unset X-In early", "never"],
  ['RequestHeader set X-In "100%% new" early', "never"],
  ["RequestHeader set X-In new", "never"],
  ["RequestHeader set X-In early", "never"],
  ["RequestHeader set X_In new early", "never"],
  ["RequestHeader unset Authorization early", "never"],
  ["RequestHeader unset X-Other early", "never"],
  ["<Location />\nRequestHeader set X-In new early\n</Location>", "never"],
  ["RequestHeader set X-In %{REQUEST_METHOD}e early", "always"],
  ["RequestHeader edit X-In old new early", "if it is sent"],
];

const sections = [
  ["is-underscored", "Require expr \"req('X_In') == 'new'\""],
  ["is-any", "Require env any"],
  ["is-new", "Require expr \"req('X-In') =~ /new/\""],
  ["is-old", "Require env old"],
  ["is-whole", "Require expr \"%{HTTP:X-In} == 'old, new'\""],
  ["is-concatenated", "Require expr \"req('X-'.'In') == 'new'\""],
  ["is-present", "Require expr \"-n req('X-In')\""],
  ["is-percent", "Require expr \"req('X-In') == '100% new'\""],
  ["is-bob", ...bobAuthentication, "Require user bob"],
] as const;

const rest = [
  "SetEnvIf X-In old old",
  "SetEnvIf ^X.I new any",
  ...sections.map(([name, ...lines]) => `<Location /${name}>\n${lines.join("\n")}\n</Location>`),
  "RewriteEngine on",
  "RewriteCond %{HTTP:X-In} ^$",
  "RewriteRule ^/rule - [F]",
];

describe.skipIf(!httpd)(liveTitle("RequestHeader … early"), () => {
  test("changes the input of all later steps as on the live server", async () => {
    const lines = hosts.flatMap(([line], index) => [
      `<VirtualHost *>\nServerName h${index}.test\n${line}\n${rest.join("\n")}\n</VirtualHost>`,
    ]);
    await withRunningHttpd(modules, lines, async (running) => {
      const simulatedServer = simulatedServerOn(running);
      for (const [index, [line, open]] of hosts.entries())
        for (const path of [...sections.map(([name]) => `/${name}`), "/rule"])
          for (const sent of [{}, { "X-In": "old" }, { "X-In": "new, old" }]) {
            const host = `h${index}.test`;
            const { status } = await running.ask({ path, headers: { ...sent, ...asBob, Host: host } });
            const decided = simulatedServer.answer({
              ...{ method: "GET", path, headers: sent, host, clientIp: "127.0.0.1", user: "bob" },
            });
            const isOpen = open === "always" || (open === "if it is sent" && "X-In" in sent);
            const expected = isOpen ? { class: "unknown" } : { status };
            expect({ line, path, sent, ...decided }).toMatchObject({ line, path, sent, ...expected });
          }
    });
  }, 60_000);
});
