import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { lintedFolder } from "../support/programs/test-folder.js";
import { type WindowsLayout, windowsLayouts } from "../support/windows-layouts.js";

const { lint, write } = lintedFolder();

interface Report {
  readonly findings: readonly {
    readonly rule: string;
    readonly severity: string;
    readonly path: string;
    readonly message: string;
    readonly start: { readonly line: number };
  }[];
}

/** Writes the files of a layout into a folder, some of them with other texts. */
function install(folder: string, { files }: WindowsLayout, changed: Readonly<Record<string, string>> = {}): void {
  const texts = Object.entries({ ...files, ...changed });
  write(Object.fromEntries(texts.map(([path, text]) => [join(folder, path), text])));
}

function check(...args: readonly string[]): Report {
  return JSON.parse(lint(["check", "--no-config", "--format", "json", ...args]).stdout);
}

const serious = ({ findings }: Report) =>
  findings
    .filter(({ severity }) => severity !== "info")
    .map(({ path, start, rule, message }) => `${path}:${start.line} ${rule}: ${message}`);

/** The configuration files that the main file reads. */
const partsOf = ({ files, main }: WindowsLayout) =>
  Object.keys(files).filter((path) => path.endsWith(".conf") && path !== main && !path.endsWith("proxy-html.conf"));

/** Returns the conditional sections that are in no other section, with their lines. */
function listGuards(text: string): readonly { readonly line: number; readonly tag: string }[] {
  const found: { line: number; tag: string }[] = [];
  let depth = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*<(?:Directory|VirtualHost|Files|FilesMatch|Proxy)\b/.test(line)) depth++;
    if (/^\s*<\/(?:Directory|VirtualHost|Files|FilesMatch|Proxy)>/.test(line)) depth--;
    if (depth === 0 && /^\s*<(?:IfModule|IfVersion|IfFile|IfDefine)/.test(line))
      found.push({ line: index + 1, tag: line.trim() });
  }
  return found;
}

describe.each(windowsLayouts)("$name", (layout) => {
  const { drive, main, files } = layout;
  const top = basename(drive);
  const parts = partsOf(layout);

  test("has no warning or error as a server, and reads all its files", () => {
    install(top, layout);
    expect(serious(check(join(top, main)))).toEqual([]);
    const { stdout } = lint(["check", "--no-config", "--list-files", join(top, main)]);
    for (const part of parts) expect(stdout).toContain(`${join(top, part)}: read by \`${join(top, main)}\``);
  });

  test("has no warning or error file by file", () => {
    for (const path of [...parts, main.replace("httpd.conf", "extra/proxy-html.conf")]) {
      write({ [join("alone", basename(path))]: files[path] ?? "" });
      expect(serious(check(join("alone", basename(path))))).toEqual([]);
    }
  });

  const mistaken = Object.fromEntries(parts.map((path) => [path, `${files[path] ?? ""}DirectoryIdnex index.html\n`]));
  const last = (path: string) => (files[path] ?? "").split("\n").length;
  const places: readonly (readonly [way: string, folder: string, flags: readonly string[]])[] = [
    ["in the folder with its name", top, []],
    ["in a folder with another name", "copy", []],
    ["in a folder that --map names", "copy", ["--map", `copy=${drive}`]],
    ["in a folder that --map names in capitals", "copy", ["--map", `copy=${drive.toUpperCase()}`]],
    ["below --sysroot", join("root", drive.replace(":", "")), ["--sysroot", "root"]],
  ];

  test.each(places)("its files are found %s", (_, folder, flags) => {
    install(folder, layout, mistaken);
    const ran = lint(["check", "--no-config", ...flags, join(folder, main)]);
    for (const part of parts) expect(ran.stdout).toContain(`--> ${join(folder, part)}:${last(part)}:1`);
    expect(ran.stdout + ran.stderr).not.toMatch(/not found|cannot be read|\/[A-Za-z]:/);
  });

  test("paths are shown as the file has them", () => {
    install(top, layout);
    const entry = join(top, main);
    const url = Object.keys(files).some((path) => path.endsWith("index.php")) ? "/index.php" : "/index.html";
    const request = [entry, `http://localhost${url}`, "--client-ip", "127.0.0.1"];
    const ran = lint(["explain", "--no-config", ...request]);
    expect(ran.stdout).toMatch(new RegExp(`${drive}[^\\s\`]*${url}`, "i"));
    for (const { stdout, stderr } of [
      ran,
      lint(["explain", "--no-config", "--all", ...request]),
      ...["resolve", "map", "audit", "upgrade"].map((command) => lint([command, "--no-config", entry])),
    ])
      expect(stdout + stderr).not.toMatch(/(?<!\w)\/[A-Za-z]:[/\\]/);
  });

  /** Mistakes, and the line of each on which a finding must be. */
  const mistakes = [
    ["Optoins Indexes", 1],
    ['<Directory "C:/other">\nOptions -Indexes FollowSymLinks\n</Directory>', 2],
    ["<Location /both>\nOrder allow,deny\nAllow from all\nRequire all denied\n</Location>", 2],
    ["<Location /any>\nRequire ip 192.0.2.1\nRequire all granted\n</Location>", 3],
    ["KeepAlive Maybe", 1],
  ] as const;
  const guards = Object.entries(files).flatMap(([path, text]) => listGuards(text).map((guard) => ({ path, ...guard })));

  test("a mistake is found in each of its conditional sections", () => {
    expect(guards.length).toBeGreaterThan(4);
    const planted = mistakes.map(([text]) => text).join("\n");
    const expected: number[] = [];
    let before = 0;
    for (const [text, at] of mistakes) {
      expected.push(before + at);
      before += text.split("\n").length;
    }
    for (const { path, line, tag } of guards) {
      const lines = (files[path] ?? "").split("\n");
      install(top, layout, { [path]: [...lines.slice(0, line), planted, ...lines.slice(line)].join("\n") });
      write({ [join("alone", basename(path))]: [...lines.slice(0, line), planted, ...lines.slice(line)].join("\n") });
      // 2.2 takes other words.
      const wanted = tag === "<IfVersion < 2.3>" ? expected.slice(0, 1) : expected;
      for (const [entry, shown] of [
        [join(top, main), join(top, path)],
        [join("alone", basename(path)), join("alone", basename(path))],
      ] as const) {
        if (entry.startsWith("alone") && path === main) continue;
        const found = check(entry).findings.filter((each) => each.path === shown);
        const at = found.map(({ start }) => start.line - line);
        expect({ tag, entry, at }).toEqual({ tag, entry, at: expect.arrayContaining(wanted) });
      }
    }
  });

  test("correct lines in these sections are not reported", () => {
    const correct = [
      '<Directory "C:/other">\nOptions -Indexes +FollowSymLinks\nRequire all denied\n</Directory>',
      "<Location /any>\nRequire ip 192.0.2.1\n</Location>",
      "KeepAlive On",
    ].join("\n");
    for (const { path, line, tag } of guards) {
      const lines = (files[path] ?? "").split("\n");
      install(top, layout, { [path]: [...lines.slice(0, line), correct, ...lines.slice(line)].join("\n") });
      expect({ tag, found: serious(check(join(top, main))) }).toEqual({ tag, found: [] });
    }
  });
});
