import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

async function expectAnswers(
  running: RunningHttpd,
  answers: readonly (readonly [path: string, live: number, isOpen?: boolean])[],
): Promise<void> {
  const simulatedServer = simulatedServerOn(running);
  for (const [path, live, isOpen = false] of answers) {
    const { status } = await running.ask({ path, headers: { Host: "x.test" } });
    const decided = simulatedServer.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
    expect([path, status, decided.status]).toEqual([path, live, isOpen ? undefined : live]);
  }
}

const base = ["authz_core", "dir", "mime"];

describe.skipIf(!httpd)(liveTitle("answers that seem to depend on unknown facts, but do not"), () => {
  test("a filter of ExtFilterDefine affects only the requests that it applies to", async () => {
    const lines = [
      ...[
        "TypesConfig /dev/null",
        "ExtFilterDefine good mode=output cmd=/bin/cat",
        "ExtFilterDefine bad mode=output cmd=/none",
      ],
      ...["<Location /d>", "SetOutputFilter good", "</Location>", "AddOutputFilter bad;good .bad", "<Files off.txt>"],
      ...[
        "SetOutputFilter BAD",
        "</Files>",
        "<Location /no>",
        "SetOutputFilter bad",
        "Require all denied",
        "</Location>",
      ],
    ];
    const files = { "a.html": "a", "d/f.txt": "f", "x.bad": "x", "x.bad.html": "x", "off.txt": "x", "bad.html": "x" };
    await withRunningHttpd(
      [...base, "ext_filter"],
      lines,
      (running) =>
        expectAnswers(running, [
          ...([
            ["/a.html", 200],
            ["/none", 404],
            ["/bad.html", 200],
            ["/no/x", 403],
            ["/d/f.txt", 200, true],
          ] as const),
          ...([
            ["/x.bad", 500, true],
            ["/x.bad.html", 500, true],
            ["/off.txt", 500, true],
          ] as const),
        ]),
      files,
    );
  });

  test.each(["/dev/null", "types"])(
    "an Action for a type that AddType gives to other files; TypesConfig %s",
    async (types) => {
      const lines = [
        ...[
          `TypesConfig ${types === "types" ? "DOCROOT/types" : types}`,
          "AddType application/x-foo .php",
          "Action application/x-foo /gone",
        ],
        ...["Redirect gone /gone"],
      ];
      const files = {
        "a.html": "a",
        "a.php": "p",
        "b.php.html": "b",
        "c.php.css": "c",
        plain: "x",
        "d/index.html": "i",
        types: "text/html html\n",
      };
      await withRunningHttpd(
        [...base, "alias", "actions"],
        lines,
        (running) => {
          const typed = types === "types";
          return expectAnswers(running, [
            ...([
              ["/a.html", 200],
              ["/a.php", 410],
              ["/plain", 200],
              ["/d/", 200],
            ] as const),
            ...([
              ["/b.php.html", typed ? 200 : 410],
              ["/c.php.css", 410],
            ] as const),
          ]);
        },
        files,
      );
    },
  );

  test("file names that are not UTF-8 exist if the directory lists them", async () => {
    await withRunningHttpd(base, ["TypesConfig /dev/null"], async (running) => {
      writeFileSync(Buffer.from(join(running.folder, "htdocs", "caf\xe9.txt"), "latin1"), "c");
      await expectAnswers(running, [
        ...([
          ["/%ff", 404],
          ["/d/%ff.txt", 404],
          ["/%ff/a", 404],
          ["/caf%e9.txt", 200],
          ["/caf%e9.txt/x", 404],
        ] as const),
        ...([
          ["/caf%c3%a9.txt", 404],
          ["/caf%E8.txt", 404],
        ] as const),
      ]);
    });
  });
});
