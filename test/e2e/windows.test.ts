import { describe, expect, test } from "vitest";
import { findings } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

/** A main file that names its ServerRoot, a file in it, and one elsewhere on the drive. */
const mainOf = (root: string, include: string) => `Define SRVROOT "${root}"
ServerRoot "\${SRVROOT}"
Listen 80
ServerName localhost
Include conf/extra/site.conf
${include}
`;
const mistaken = "DirectoryIdnex index.html\n";

/** The layouts of distributions: ServerRoot, place of the copy, the Include and the place of its file. */
const layouts = [
  ["XAMPP", "C:/xampp/apache", "copy/xampp/apache", 'Include "C:/xampp/more/a.conf"', "copy/xampp/more/a.conf"],
  [
    "XAMPP without its folder",
    "C:/xampp/apache",
    "copy/apache",
    'Include "c:\\XAMPP\\more\\a.conf"',
    "copy/more/a.conf",
  ],
  [
    ...(["WampServer", "c:/wamp64/bin/apache/apache2.4.46", "wamp64/bin/apache/apache2.4.46"] as const),
    ...(['Include "c:/wamp64/alias/*.conf"', "wamp64/alias/a.conf"] as const),
  ],
  [
    ...([
      "Laragon",
      "D:/laragon/bin/apache/httpd-2.4.54-win64-VS16",
      "copy/bin/apache/httpd-2.4.54-win64-VS16",
    ] as const),
    ...([
      'IncludeOptional "D:/laragon/etc/apache2/sites-enabled/*.conf"',
      "copy/etc/apache2/sites-enabled/a.conf",
    ] as const),
  ],
  [
    ...(["Bitnami", "D:/Bitnami/wampstack-8.1.2-0/apache2", "stack/apache2"] as const),
    ...(['Include "D:\\Bitnami\\wampstack-8.1.2-0/apps/a.conf"', "stack/apps/a.conf"] as const),
  ],
  ["Apache Lounge", "c:/Apache24", "Apache24", 'Include "c:/Apache24/conf/more/a.conf"', "Apache24/conf/more/a.conf"],
] as const;

describe("the files of a copy are found around its main file", () => {
  test.each(layouts)("%s", (_, root, copy, include, file) => {
    write({
      [`${copy}/conf/httpd.conf`]: mainOf(root, include),
      [`${copy}/conf/extra/site.conf`]: "# empty\n",
      [file]: mistaken,
    });
    const ran = lint([`${copy}/conf/httpd.conf`]);
    expect(findings(ran)).toEqual([`${file}:1:1: error unknown-directive`]);
    expect(ran.stderr).toContain(`the ServerRoot \`${root}\` does not exist here`);
    expect(ran.stdout + ran.stderr).not.toContain("/C:");
  });
});

const server = {
  "conf/httpd.conf": mainOf("c:/Apache24", 'Include "C:/APACHE24/Conf/more/a.conf"'),
  "conf/extra/site.conf": "# empty\n",
  "conf/more/a.conf": mistaken,
};

describe("a path on a drive", () => {
  test.each(["c:/Apache24", "C:\\apache24\\", "C:/APACHE24"])("is mapped by --map .=%s", (path) => {
    write(server);
    const ran = lint(["--map", `.=${path}`, "conf/httpd.conf"]);
    expect(findings(ran)).toEqual(["conf/more/a.conf:1:1: error unknown-directive"]);
  });

  test.each(["root/C:/Apache24", "root/c/apache24", "root/Apache24"])("is found below --sysroot in %s", (folder) => {
    write(Object.fromEntries(Object.entries(server).map(([path, text]) => [`${folder}/${path}`, text])));
    const ran = lint(["--sysroot", "root", `${folder}/conf/httpd.conf`]);
    expect(findings(ran)).toEqual([`${folder}/conf/more/a.conf:1:1: error unknown-directive`]);
  });

  test("may be in the list of --files", () => {
    const lines = ['DocumentRoot "C:/www"', '<Directory "c:/WWW">', "Require all granted", "</Directory>", ""];
    write({ "conf/httpd.conf": lines.join("\n"), list: "c:/www/a.txt\n" });
    const ran = lint(["explain", "--files", "list", "conf/httpd.conf", "/A.txt"]);
    expect(ran.stdout).toContain("200 from C:/www/A.txt");
    expect(ran.stdout).toContain("C:/www/A.txt");
    expect(ran.stdout).not.toContain("/C:");
  });

  test("of a missing file is shown as the configuration has it", () => {
    write({ "conf/httpd.conf": 'ServerRoot "C:/Apache24"\nListen 80\nInclude "C:/nowhere/*.conf"\n' });
    const ran = lint(["--map", ".=C:/Apache24", "conf/httpd.conf"]);
    expect(ran.stdout).toContain("`C:/nowhere`");
    expect(ran.stdout).not.toContain("/C:");
  });
});
