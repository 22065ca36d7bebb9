import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { EntryKind } from "../../src/config/model/project.js";
import { defineRule, type RuleDefinition } from "../../src/lint/rule.js";
import { type FixOptions, fix } from "../../src/lint/runner/fix.js";
import { LintSession } from "../../src/lint/runner/lint.js";
import { compare } from "../../src/proof/compare/compare.js";
import { loadProject } from "../../src/startup/load-project.js";
import { removeLines } from "../../src/text/edits.js";
import { toReadable } from "../../src/text/source.js";
import { runCount, seedOr } from "../support/depth.js";
import { filesOf, randomServer } from "../support/random/random-server.js";
import { inDirectory, onServer, section } from "../support/rules.js";

const main = "/etc/httpd/httpd.conf";
const ruleIds = defaultRules.map(({ id }) => id);

type Files = Readonly<Record<string, string>>;

function lintedFiles(
  files: Files,
  rules: readonly RuleDefinition[],
  entry = main,
  kind: EntryKind = "server",
): LintSession {
  const read = (texts: ReadonlyMap<string, string>) => {
    const readable = [...texts].map(([path, text]) => [path, toReadable(text)]);
    const access = memoryAccess({ ...files, ...Object.fromEntries(readable) });
    const loaded = loadProject(entry, { access, kind });
    return loaded.ok ? loaded.value : undefined;
  };
  const project = read(new Map());
  if (project === undefined) throw new Error("cannot be read");
  return new LintSession(project, { rules, ruleIds }, read);
}

const defaultOptions: FixOptions = { safety: "safe", isWanted: () => true, mayChange: () => true };

function fixedText(linted: LintSession, more: Partial<FixOptions> = {}, path = main) {
  const { fixed, rejected } = fix([linted], { ...defaultOptions, ...more });
  return { text: fixed.texts.get(path), held: rejected.map(({ finding, why }) => `${finding.rule}: ${why}`) };
}

/** Returns a rule whose fix has the given properties. */
function removingRule(name: string, safety: "safe" | "unsafe" = "safe", keepsFinding = false): RuleDefinition {
  return defineRule({
    ...{ id: `no-${name.toLowerCase()}`, title: "t", group: "syntax", severity: "info", description: "d", help: "h" },
    check: ({ report, project }) => ({
      directives: ({ key }) => {
        if (key !== name.toLowerCase()) return undefined;
        return ({ span }) => {
          const edit = removeLines(span);
          report({ message: "m", span, ...(edit ? { fix: { title: "x", safety, edits: [edit] } } : {}) });
        };
      },
      end() {
        const [first] = project.directives;
        if (keepsFinding && first) report({ message: "m", span: first.span });
      },
    }),
  });
}

describe("fixes of a configuration", () => {
  const open = onServer(inDirectory("Order deny,allow", "Deny from all", "Allow from 10"));

  // Without the variable, the Deny line matches nobody.
  const banned = onServer(
    "SetEnvIf User-Agent Bot bot\n",
    inDirectory("Order allow,deny", "Allow from all", "Deny from env=bot"),
  );

  test("that a rule wrongly declares safe are not applied, and a request shows the reason", () => {
    expect(fixedText(lintedFiles({ [main]: banned }, [removingRule("SetEnvIf")]))).toEqual({
      text: undefined,
      held: [expect.stringMatching(/^no-setenvif: it changes GET `.*` from .* from 403 to allowed$/)],
    });
  });

  test("are applied one by one: only those that are proved", () => {
    const text = `${banned}NameVirtualHost *:80\nMaxClients 5\n`;
    const rules = [removingRule("SetEnvIf"), removingRule("NameVirtualHost"), removingRule("MaxClients")];
    const { text: now, held } = fixedText(lintedFiles({ [main]: text }, rules));
    expect([now, held.length]).toEqual([banned, 1]);
  });

  test("that are unsafe are applied only on request", () => {
    const linted = lintedFiles({ [main]: open }, [removingRule("Deny", "unsafe")]);
    expect(fixedText(linted)).toEqual({ text: undefined, held: [] });
    expect(fixedText(linted, { safety: "unsafe" }).text).toBe(open.replace("Deny from all\n", ""));
  });

  test("that break something are rejected, even with unsafe fixes allowed", () => {
    const opening = defineRule({
      ...{ id: "opening", title: "t", group: "syntax", severity: "info", description: "d", help: "h" },
      check: ({ report }) => ({
        directives: ({ key }) => {
          if (key !== "maxclients") return undefined;
          return ({ span }) => {
            const edits = [{ span, text: "<Directory /srv>" }];
            report({ message: "m", span, fix: { title: "x", safety: "unsafe", edits } });
          };
        },
      }),
    });
    expect(fixedText(lintedFiles({ [main]: "MaxClients 5\n" }, [opening]), { safety: "unsafe" })).toEqual({
      text: undefined,
      held: [
        expect.stringMatching(
          /^opening: the fixed configuration has a new problem: (?:section|unclosed section) `<Directory/,
        ),
      ],
    });
  });

  test("after which the finding remains are rejected", () => {
    const same = 'MaxClients 5\nDocumentRoot "/srv"\n';
    expect(fixedText(lintedFiles({ [main]: same }, [removingRule("MaxClients", "safe", true)]))).toEqual({
      text: undefined,
      held: ["no-maxclients: the finding would remain"],
    });
  });

  test("that replace an error with another one that stops the server are rejected", () => {
    const modules = ["mpm_event", "unixd", "authz_core", "ssl"].map(
      (name) => `LoadModule ${name}_module mod_${name}.so\n`,
    );
    const text = (...more: readonly string[]) =>
      `${[...modules, ...more].join("")}SSLSessionCache shm:/tmp/scache(512000)\n`;
    const unsafe = { safety: "unsafe" } as const;
    const rules = defaultRules.filter(({ id }) => id === "refused-at-start");
    expect(fixedText(lintedFiles({ [main]: text() }, rules), unsafe)).toEqual({
      text: undefined,
      held: [expect.stringContaining("the fixed configuration has a new error of `refused-at-start`")],
    });
    const loaded = text("LoadModule socache_shmcb_module mod_socache_shmcb.so\n");
    expect(fixedText(lintedFiles({ [main]: loaded }, rules), unsafe).text).toContain("SSLSessionCache shmcb:");
  });

  test("are not rejected for another mistake that they uncover", () => {
    const text = "RewriteEngine On\nRewriteCond %{HTTP_HOST} ^a$[OR]\nRewriteRule ^/x - [F]\n";
    const rules = defaultRules.filter(({ id }) => id === "misread-line" || id === "constant-condition");
    const linted = lintedFiles({ [main]: text }, rules);
    expect(linted.result.findings.map(({ rule }) => rule)).toEqual(["misread-line"]);
    const { fixed, applied } = fix([linted], { ...defaultOptions, safety: "unsafe" });
    expect(applied).toBeGreaterThan(0);
    expect(fixed.texts.get(main)).toContain("^a$");
    expect(fixed.texts.get(main)).not.toContain("^a$[OR]");
  });

  test("delete an access control line only if the first report has a fix that deletes it", () => {
    // Without the option, a second finding appears, whose fix deletes a line.
    const inTurn = defineRule({
      ...{ id: "in-turn", title: "t", group: "access", severity: "warning", description: "d", help: "h" },
      check: ({ project, report }) => ({
        end() {
          const [first] = project.directives;
          const edit = first && removeLines(first.span);
          if (first && edit)
            report({
              message: first.argumentText,
              span: first.span,
              fix: { title: "x", safety: "unsafe", edits: [edit] },
            });
        },
      }),
    });
    const entry = "/srv/.htaccess";
    const text = "Options None\nRequire ip 192.0.2.7\nRequire ip 192.0.2.8\n";
    const linted = lintedFiles({ [entry]: text }, [inTurn], entry, "htaccess");
    const unsafe = { safety: "unsafe" } as const;
    expect(fixedText(linted, unsafe, entry).text).toBe(text.replace("Options None\n", ""));
    const named = lintedFiles({ [entry]: text.replace("Options None\n", "") }, [inTurn], entry, "htaccess");
    expect(fixedText(named, unsafe, entry).text).toBe("Require ip 192.0.2.8\n");
  });

  test("change only requested files", () => {
    const why = `it also changes \`${main}\`; add that file to the paths`;
    const linted = lintedFiles({ [main]: "MaxClients 5\n" }, [removingRule("MaxClients")]);
    expect(fixedText(linted, { mayChange: () => false })).toEqual({ text: undefined, held: [`no-maxclients: ${why}`] });
  });

  test("in a file of two servers are proved for both", () => {
    const shared = "/etc/shared.conf";
    const piece = "SetEnvIf User-Agent Bot bot\n<Directory /srv/a>\nDeny from env=bot\n</Directory>\n";
    const server = (folder: string) => `DocumentRoot "${folder}"\nInclude ${shared}\n`;
    const files = { [shared]: piece, "/etc/a.conf": server("/srv/a"), "/etc/b.conf": server("/srv/b") };
    const rules = [removingRule("SetEnvIf")];
    const [a, b] = ["/etc/a.conf", "/etc/b.conf"].map((entry) => lintedFiles(files, rules, entry));
    if (!a || !b) throw new Error("no servers");
    // The second server on its own has no files there.
    expect(fixedText(b, {}, shared).held).toEqual([]);
    expect(fix([b, a], defaultOptions)).toMatchObject({ applied: 0, rejected: [{}] });
  });

  test("of a fragment are as safe as their rule declares, because nothing can be proved", () => {
    const entry = "/srv/.htaccess";
    const linted = lintedFiles({ [entry]: "Options None\n" }, [removingRule("Options")], entry, "htaccess");
    expect(fixedText(linted, {}, entry)).toEqual({ text: "", held: [] });
  });
});

const seed = seedOr(4711);

/** Counts the access errors and warnings of each rule in a file, and how many of them have a fix. */
function accessFindings({
  result,
}: LintSession): ReadonlyMap<string, { readonly all: number; readonly fixable: number }> {
  const rules = new Set(defaultRules.filter(({ tags }) => tags?.includes("access-control")).map(({ id }) => id));
  const counted = new Map<string, { all: number; fixable: number }>();
  for (const { rule, severity, span, fix } of result.findings) {
    if (severity === "info" || !rules.has(rule)) continue;
    const key = `${rule} ${span.file.realPath}`;
    const { all, fixable } = counted.get(key) ?? { all: 0, fixable: 0 };
    counted.set(key, { all: all + 1, fixable: fixable + (fix?.safety === "safe" ? 1 : 0) });
  }
  return counted;
}

describe("no error or warning about access disappears except by its own fix", () => {
  const lines = fc.constantFrom(
    ...["Require all granted", "Require ip 10.0.0.0/8", "Require ip 10.1.0.0/16", "Require valid-user"],
    ...["Require user bob", "Require all denied", "Order deny,allow", "Order allow,deny", "Allow from all"],
    ...["Allow from 10.1", "Deny from all", "Satisfy any", "AuthType Basic", "AuthName x", "AuthUserFile /etc/users"],
  );
  const inSection = fc.array(lines, { minLength: 1, maxLength: 6 });

  test("in random lines of two sections", { timeout: 120_000 }, () => {
    let applied = 0;
    fc.assert(
      fc.property(inSection, inSection, (outer, inner) => {
        const text = onServer(section('Directory "/srv"', ...outer), section('Directory "/srv/admin"', ...inner));
        const linted = lintedFiles({ [main]: text }, defaultRules);
        const before = accessFindings(linted);
        const { fixed, applied: count } = fix([linted], defaultOptions);
        applied += count;
        const [now] = fixed.linted;
        if (now === undefined) throw new Error("nothing is left");
        const after = accessFindings(now);
        for (const [key, { all, fixable }] of before)
          expect([key, (after.get(key)?.all ?? 0) >= all - fixable]).toEqual([key, true]);
      }),
      { numRuns: runCount(12, 60), seed },
    );
    expect(applied).toBeGreaterThan(0);
  });

  test("if a line beside a grant could be deleted", () => {
    const text = onServer(section('Location "/admin"', "Require all granted", "Require ip 10.0.0.0/8"));
    expect(fixedText(lintedFiles({ [main]: text }, defaultRules))).toEqual({ text: undefined, held: [] });
  });

  test("if the rule of a fix does not declare other findings", () => {
    const access = { tags: ["access-control"], severity: "warning" } as const;
    const noisy = defineRule({
      ...{ id: "noisy", title: "t", group: "access", description: "d", help: "h", ...access },
      check: ({ report }) => ({
        directives: ({ key }) => (key === "timeout" ? ({ span }) => report({ message: "m", span }) : undefined),
      }),
    });
    const linted = (rules: readonly RuleDefinition[]) => lintedFiles({ [main]: onServer("Timeout 5\n") }, rules);
    expect(fixedText(linted([removingRule("Timeout")])).text).not.toContain("Timeout");
    const held = fixedText(linted([{ ...removingRule("Timeout"), severity: "error" }, noisy]));
    expect(held).toEqual({
      text: undefined,
      held: [expect.stringContaining("it would hide a finding of `noisy`")],
    });
  });
});

test("random configurations answer alike with all safe fixes, and no fixes are left", {
  timeout: 600_000,
}, () => {
  let changed = 0;
  const root = "/srv/x";
  // Lines that a safe fix deletes.
  const ignored = "DefaultType text/plain\nNameVirtualHost *:80\n";
  fc.assert(
    fc.property(randomServer, (server) => {
      const texts = Object.entries(filesOf(server, root, { ports: [8001, 8002], backend: 8003 }));
      const files = Object.fromEntries(
        texts.map(([path, text]) => [`${root}/${path}`, path === "httpd.conf" ? text + ignored : text]),
      );
      const linted = lintedFiles(files, defaultRules, `${root}/httpd.conf`);
      const { fixed, rejected } = fix([linted], defaultOptions);
      if (fixed.texts.size === 0) return;
      changed++;
      const [now] = fixed.linted;
      if (now === undefined) throw new Error("nothing is left");
      const sides = [linted, now].map(({ project }) => ({ project, semantics: "server" }) as const);
      const [before, after] = sides;
      expect(before && after && compare(before, after).verdict).toBe("equivalent");
      expect(fix(fixed.linted, defaultOptions)).toMatchObject({ applied: 0, rejected: rejected.map(() => ({})) });
    }),
    { numRuns: runCount(3, 15), seed },
  );
  expect(changed).toBeGreaterThan(0);
});
