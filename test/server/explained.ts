import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";

/** A request, and the `.htaccess` file and the files of the server. */
export interface Asked extends Partial<Request> {
  /** The `.htaccess` file of `/srv/www/app`. */
  readonly htaccess?: string;
  readonly files?: readonly string[];
  readonly release?: "2.2" | "2.4";
  /** The hosts file. */
  readonly hosts?: string;
  /** Whether other files of the server are not known. */
  readonly isPart?: true;
}

/** The files of a server by default. */
export const usual = [
  "/srv/www/app/.htaccess",
  "/srv/www/index.html",
  "/srv/www/app/index.php",
  "/srv/www/docs/a.html",
];
const grant24 = ["<Directory /srv>", "Require all granted", "AllowOverride All", "</Directory>"];
const grant22 = ["<Directory /srv>", "Order allow,deny", "Allow from all", "AllowOverride All", "</Directory>"];

/** Answers a request to a server with two directories. */
export function answerFor(
  lines: readonly string[],
  path: string,
  { htaccess, files = usual, release = "2.4", hosts, isPart, ...sent }: Asked = {},
) {
  const grant = release === "2.2" ? grant22 : grant24;
  const text = ["ServerName a.test", "DocumentRoot /srv/www", ...grant, ...lines].join("\n");
  const loaded = loadProject("/etc/httpd.conf", {
    access: memoryAccess({
      "/etc/httpd.conf": `${text}\n`,
      ...(htaccess === undefined ? {} : { "/srv/www/app/.htaccess": `${htaccess}\n` }),
    }),
    ...{ release, htaccess: true, kind: isPart ? "fragment" : "server" },
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...sent };
  const textOf = (path: string) => (path === "/dev/null" ? "" : undefined);
  return answer(loaded.value, request, { files: { ...createListedFiles(files), textOf, hostsText: () => hosts } });
}

/** Returns the status, and the causes without the places. */
export function causesOf(...parameters: Parameters<typeof answerFor>): readonly unknown[] {
  const { status, causes } = answerFor(...parameters);
  return [status, ...causes.flatMap(({ text, help = [] }) => [text, ...help.map((each) => `help: ${each}`)])];
}

/** Returns the lines that a reader may expect to apply, with the reasons and what to change. */
export function closeMissesOf(...parameters: Parameters<typeof answerFor>): readonly string[] {
  return answerFor(...parameters).misses.flatMap(({ section, reason, isClose, help = [] }) =>
    isClose ? [`${section}: ${reason}`, ...help.map((each) => `help: ${each}`)] : [],
  );
}
