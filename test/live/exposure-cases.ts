import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { lint } from "../../src/lint/runner/lint.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { askServer, startBackend } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf } from "../support/rules.js";

/**
 * Lines of a server with the document root `www`, which is granted and has the file `x.txt`; a request, and its status
 * with the bad and with the good lines. `@ROOT@` is the server's folder, `@BACKEND@` the URL of a backend,
 * `@AUTHORITY@` its host and port.
 */
export interface ExposureCase {
  readonly rule: RuleDefinition;
  readonly bad: string;
  readonly good: string;
  /** Files below the folder; each contains its own name, unless a text is given. */
  readonly files?: readonly (string | readonly [name: string, text: string])[];
  /** CGI programs below the folder, which return 202. */
  readonly programs?: readonly string[];
  /** Symbolic links below the folder; the target is relative to the link. */
  readonly links?: readonly (readonly [name: string, target: string])[];
  /** `PATH`, or `METHOD PATH`. */
  readonly request: string;
  readonly header?: string;
  readonly statuses: readonly [bad: number, good: number];
  /**
   * Whether the findings are those in a virtual host of a server in its usual place, with the files in `/srv`: some rules ignore
   * servers in other folders.
   */
  readonly isInMemory?: true;
}

/**
 * Tests that the server returns the statuses of each case, and that its rule reports the bad lines only. The bad and the
 * good lines of each case are servers of one process, each with its own port.
 */
export function testExposures(title: string, modules: string, cases: readonly ExposureCase[]): void {
  const texts = cases.flatMap((each) => [
    { ...each, lines: each.bad },
    { ...each, lines: each.good },
  ]);

  describe.skipIf(!httpd)(liveTitle(title), () => {
    const folder = sharedFolder();
    let statuses: readonly number[] = [];
    let found: readonly number[] = [];

    const writeFilesOf = ({ files = [], links = [], programs = [] }: ExposureCase, name: string) => {
      for (const file of ["www/x.txt", ...files]) {
        const [path, text] = typeof file === "string" ? [file, file] : file;
        folder.write({ [join(name, path)]: text });
        // Some are programs.
        chmodSync(folder.at(join(name, path)), 0o755);
      }
      for (const path of programs) {
        folder.write({ [join(name, path)]: '#!/bin/sh\nprintf "Status: 202 Ran\\n\\n"\n' });
        chmodSync(folder.at(join(name, path)), 0o755);
      }
      for (const [path, target] of links) {
        const link = folder.at(join(name, path));
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(target, link);
      }
    };

    beforeAll(async () => {
      const backend = await startBackend();
      const ports = await Promise.all(texts.map(() => freePort()));
      const placed = (text: string, index: number) =>
        text
          .replaceAll("@ROOT@", folder.at(`s${index}`))
          .replaceAll("@AUTHORITY@", `127.0.0.1:${backend.port}`)
          .replaceAll("@BACKEND@", `http://127.0.0.1:${backend.port}`);
      const servers = texts.map((each, index) => {
        const root = folder.at(`s${index}`);
        writeFilesOf(each, `s${index}`);
        return `DocumentRoot "${root}/www"\n<Directory "${root}/www">\nRequire all granted\n</Directory>\n${placed(each.lines, index)}\n`;
      });
      const head = `${loadModules(modules.split(" "))}ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nTypesConfig /dev/null\n`;
      const closed = '<Directory "/">\nRequire all denied\n</Directory>\n';
      const hosts = servers.map((text, index) => {
        const address = `127.0.0.1:${ports[index]}`;
        return `Listen ${address}\n<VirtualHost ${address}>\n${text}</VirtualHost>\n`;
      });
      folder.write({ "httpd.conf": `${head}${closed}${hosts.join("")}` });
      const requests = texts.map(({ request, header }, index) => {
        const [path, method = "GET"] = placed(request, index).split(" ").reverse();
        const more = header === undefined ? "" : `${header}\r\n`;
        const text = `${method} ${path} HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n${more}\r\n`;
        return { address: "127.0.0.1", port: ports[index] ?? 0, text };
      });
      const served = await askServer(folder.path, requests);
      backend.end();
      if ("refused" in served) throw new Error(served.refused);
      statuses = served.answers.map(({ status }) => status);
      // The rules ignore servers on the loopback address.
      found = servers.map((text, index) => {
        const each = texts[index];
        if (each?.isInMemory) return countInMemory(each.rule, `${head}${closed}`, text, folder.at(`s${index}`), each);
        const name = `lint${index}.conf`;
        folder.write({ [name]: `${head}${closed}Listen 80\n${text}` });
        return countFindings(folder.at(name), texts[index]);
      });
    });

    test.each(cases.map((each, index) => [each.rule.id, each.request, each, index] as const))(
      "%s: %s",
      (_, _request, { statuses: expected }, index) => {
        expect([statuses[2 * index], statuses[2 * index + 1]]).toEqual(expected);
        expect([found[2 * index], found[2 * index + 1]]).toEqual([1, 0]);
      },
    );
  });
}

function countInMemory(
  rule: RuleDefinition,
  head: string,
  text: string,
  folder: string,
  { files = [] }: ExposureCase,
): number {
  // A second document root replaces the usual one.
  const own = text.replace(/^DocumentRoot .*\n(?=[\s\S]*^DocumentRoot )/m, "");
  const host = `${head}Listen 80\n<VirtualHost *:80>\n${own}</VirtualHost>\n`;
  const known = ["www/x.txt", ...files].map((file) => (typeof file === "string" ? [file, file] : file));
  const given = Object.fromEntries(known.map(([path = "", content = ""]) => [`/srv/${path}`, content]));
  return findingsOf([rule], host.replaceAll(folder, "/srv").replace(/^ServerRoot .*\n/m, ""), { files: given }).length;
}

function countFindings(path: string, of: ExposureCase | undefined): number {
  if (of === undefined) throw new Error(path);
  // The search for `.htaccess` files is slow if a case makes the whole disk a document folder.
  const htaccess =
    of.bad.includes("AccessFileName") || (of.files ?? []).flat().some((part) => part.endsWith("/.htaccess"));
  const loaded = loadProject(path, { kind: "server", htaccess });
  if (!loaded.ok) throw new Error(path);
  const project = loaded.value;
  const files = createFileTree({ by: "existing disk" }, project, diskAccess());
  return lint(project, { rules: [of.rule], files }).findings.length;
}
