import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** No server listens on the port; the statuses are those of connections that fail. */
const CLOSED = "127.0.0.1:1";
const proxies = ["authz_core", "alias", "dir", "mime", "rewrite", "proxy", "proxy_http"];

/** A path, the live status, and ours; `backend` for 200 from a backend that cannot be reached. */
type Answer = readonly [path: string, live: number, ours: number | "backend" | "host"];

async function expectAnswers(running: RunningHttpd, answers: readonly Answer[]): Promise<void> {
  const simulatedServer = simulatedServerOn(running);
  for (const [path, live, ours] of answers) {
    const before = running.errors().length;
    const { status } = await running.ask({ path, headers: { Host: "x.test" } });
    expect([path, status]).toEqual([path, live]);
    const decided = simulatedServer.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
    if (ours === "host") {
      expect([path, decided.status, decided.unknown[0]]).toEqual([
        path,
        undefined,
        expect.stringMatching(/^whether the host /),
      ]);
      expect(decided.alternatives.map((each) => each.status)).toContain(500);
    } else if (typeof ours === "string") expect([path, decided.status, decided.answeredBy]).toEqual([path, 200, ours]);
    else {
      expect([path, decided.status, decided.answeredBy]).toEqual([path, ours, undefined]);
      const logged = running.errors().slice(before);
      for (const line of decided.errorLog) expect(logged).toContain(line);
    }
  }
}

describe.skipIf(!httpd)(liveTitle("backends, and handlers of mod_proxy"), () => {
  test("a path directly after the port of a backend becomes a part of its host", async () => {
    const lines = [
      ...["TypesConfig /dev/null", `ProxyPass /ann/ http://${CLOSED}`, `ProxyPass /raw/ http://${CLOSED} nocanon`],
      ...[`ProxyPassMatch ^/match/(.*)$ http://${CLOSED}$1`, "RewriteEngine on", `ProxyPass /good/ http://${CLOSED}/`],
      ...[
        `RewriteRule ^/rule/(.*) http://${CLOSED}$1 [P]`,
        "ProxyPass /name/ http://127.0.0.1",
        "ProxyPass /user/ http://u@[::1]",
      ],
      ...[`<Location /in/>`, `ProxyPass ajp://${CLOSED}`, "</Location>", `ProxyPass /ftp/ ftp://${CLOSED}`],
      ...['<Directory "DOCROOT">', "RewriteEngine on", `RewriteRule ^dir/(.*) http://${CLOSED}$1 [P]`, "</Directory>"],
      ...["<Location /ann/no>", "Require all denied", "</Location>", `ProxyPass /whole http://${CLOSED}`],
      ...["<Proxy balancer://b>", `BalancerMember http://${CLOSED}`, "</Proxy>", "ProxyPass /pool/ balancer://b"],
      ...["ProxyPass /pools/ balancer://b/", `ProxyPass /https/ https://${CLOSED}/`],
    ];
    const more = ["proxy_ajp", "proxy_ftp", "proxy_balancer", "slotmem_shm", "lbmethod_byrequests"];
    await withRunningHttpd([...proxies, ...more], lines, (running) =>
      expectAnswers(running, [
        ...([
          ["/ann/a.html", 500, 500],
          ["/ann/_x", 500, 500],
          ["/ann/:8", 500, 500],
          ["/ann/1", 503, "backend"],
        ] as const),
        ...([
          ["/ann/", 503, "backend"],
          ["/ann/%3fx", 400, 400],
          ["/ann/no", 403, 403],
          ["/raw/a", 500, 500],
        ] as const),
        ...([
          ["/match/a", 500, 500],
          ["/match/", 503, "backend"],
          ["/rule/a", 500, 500],
          ["/dir/a", 500, 500],
        ] as const),
        ...([
          ["/in/a", 500, 500],
          ["/in/", 503, "backend"],
          ["/ftp/a", 502, 502],
          ["/good/a", 503, "backend"],
        ] as const),
        ...([
          ["/name/a.invalid", 500, "host"],
          ["/name/", 503, "backend"],
          ["/name/:1/", 503, "backend"],
        ] as const),
        ...([
          ["/whole/a", 503, "backend"],
          ["/wholeA", 404, 404],
          ["/pool/a", 500, 500],
          ["/pools/a", 503, "backend"],
        ] as const),
        ...([["/https/a", 500, 500]] as const),
      ]),
    );
  });

  test("mod_proxy leaves a file to the server if the module for the scheme of its handler is not loaded", async () => {
    const handlers: readonly (readonly [handler: string, schemes: readonly string[]])[] = [
      [`proxy:fcgi://${CLOSED}`, ["fcgi"]],
      ["proxy:unix:/none.sock|fcgi://localhost", ["fcgi"]],
      [`proxy:http://${CLOSED}/`, ["http"]],
      ["proxy:unix:/none.sock|http://localhost/", ["http"]],
      [`proxy:ajp://${CLOSED}`, []],
      [`proxy:odd://${CLOSED}`, []],
      ["proxy:unix:/none.sock", []],
      ["proxy-server", []],
      ["proxy:", []],
    ];
    const lines = handlers.flatMap(([handler], index) => [
      `<Location /${index}/>`,
      `SetHandler "${handler}"`,
      "</Location>",
    ]);
    const files = Object.fromEntries(
      handlers.flatMap((_, index) => [
        [`${index}/a.php`, "<?php"],
        [`${index}/d/index.html`, ""],
      ]),
    );
    for (const [modules, scheme] of [
      [[], ""],
      [["proxy"], ""],
      [["proxy", "proxy_http"], "http"],
      [["proxy", "proxy_fcgi"], "fcgi"],
    ] as const)
      await withRunningHttpd(
        ["authz_core", "dir", "mime", ...modules],
        ["TypesConfig /dev/null", ...lines],
        (running) =>
          expectAnswers(
            running,
            handlers.flatMap(([, schemes], index) => {
              const isPassed = schemes.includes(scheme);
              const all: readonly Answer[] = [
                [`/${index}/a.php`, 200, 200],
                [`/${index}/none`, 404, 404],
                [`/${index}/d/`, 200, 200],
              ];
              return isPassed ? all.map(([path]): Answer => [path, 503, "backend"]) : all;
            }),
          ),
        files,
      );
  });

  test("SetHandler does not define a balancer", async () => {
    const lines = [
      ...["TypesConfig /dev/null", "<Location /a>", "SetHandler proxy:balancer://none", "</Location>", "<Location /b>"],
      ...[
        "SetHandler proxy:balancer://some/",
        "</Location>",
        "<Proxy balancer://some>",
        `BalancerMember http://${CLOSED}`,
        "</Proxy>",
      ],
    ];
    const more = ["proxy_balancer", "slotmem_shm", "lbmethod_byrequests"];
    await withRunningHttpd([...proxies, ...more], lines, (running) =>
      expectAnswers(running, [
        ["/a", 500, 500],
        ["/b", 503, "backend"],
      ]),
    );
  });
});
