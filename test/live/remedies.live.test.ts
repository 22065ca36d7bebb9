import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { type Asked, type Config, type Question, questions, usual, withRemedy } from "../support/remedies/questions.js";

const modules = [
  ...["authz_core", "authz_host", "authz_user", "authn_core", "authn_file", "auth_basic", "access_compat"],
  ...["alias", "dir", "mime", "rewrite", "setenvif", "ssl"],
];

/** Questions that this server can answer: those of 2.4, without TLS and without a backend. */
const asked = Object.entries(questions).filter(
  ([, { asked: { release, scheme } = {}, before }]) =>
    release === undefined && scheme === undefined && !before.includes("127.0.0.1"),
);

/** Returns a text with the folders, the client and the port of the running server. */
function here(text: string): string {
  return text
    .replaceAll("/srv/www", "DOCROOT")
    .replaceAll("/srv/error", "DOCROOT-error")
    .replaceAll("/etc/users", "users")
    .replaceAll("Require ip 192.0.2", "Require ip 127")
    .replaceAll("*:80", "*");
}

/** Returns the response of a running server: the status, and the Location header without the port. */
async function askServer({ main, htaccess = {} }: Config, path: string, sent: Asked = {}): Promise<string> {
  const { method = "GET", host = "a.test", headers = {}, files = usual } = sent;
  const grant = [
    "<Directory DOCROOT>",
    "Options -MultiViews",
    "Require all granted",
    "AllowOverride All",
    "</Directory>",
  ];
  const relative = (file: string) => file.replace(/^\/srv\/www\//, "").replace(/^\/srv\/error/, "../htdocs-error");
  const own = Object.entries(htaccess).map(([folder, text]) => [
    `${relative(`${folder}/`)}.htaccess`,
    `${here(text)}\n`,
  ]);
  const content = Object.fromEntries([...files.map((file) => [relative(file), "x\n"]), ...own]);
  let response = "";
  const lines = ["ServerName a.test", "TypesConfig /dev/null", ...grant, ...main.map(here)];
  await withRunningHttpd(
    modules,
    lines,
    async (running) => {
      const { status, headers: received } = await running.ask({ path, method, headers: { ...headers, Host: host } });
      response = [status, received.location?.replace(/:\d+(?=\/)/, "")].filter((part) => part !== undefined).join(" ");
    },
    content,
  );
  return response;
}

/** Returns the part of an expected result that a client sees. */
function seen(result: string): string {
  return /^3/.test(result) ? result : (result.split(" ")[0] ?? "");
}

describe.skipIf(!httpd)(liveTitle("the remedy of"), () => {
  test.each(asked)(
    "%s",
    async (_, question: Question) => {
      const { config, path, asked: sent, before, after } = question;
      expect(await askServer(config, path, sent)).toBe(seen(before));
      expect(await askServer(withRemedy(question), path, sent)).toBe(seen(after));
    },
    60_000,
  );
});
