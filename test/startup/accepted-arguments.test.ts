import { describe, expect, test } from "vitest";
import { mayRefuseArguments } from "../../src/startup/directives/accepted-arguments.js";
import { acceptedAndRefusedArguments } from "../support/cases/accepted-arguments.js";
import { loadText } from "../support/projects.js";

const modulesOf = (names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module mod_${name}.so\n`).join("");

/** Reports whether a proof leaves a line open. */
function isOpen(modules: readonly string[], text: string): boolean {
  const project = loadText(`${modulesOf(["mpm_event", "authz_core", ...modules])}${text}\n`, { kind: "server" });
  const all = project.directives.flatMap((line) => [line, ...(line.children ?? [])]);
  return all.some((line) => mayRefuseArguments(line, project));
}

describe("arguments that httpd accepts for certain, and those that it may refuse", () => {
  test.each(acceptedAndRefusedArguments)("with mod_%s: `%s`, and not `%s`", (added, accepted, refused) => {
    const modules = ["ssl", ...added.split(" ")];
    expect([isOpen(modules, accepted), isOpen(modules, refused)]).toEqual([false, true]);
  });

  test.each([
    ["filter deflate", "AddOutputFilterByType DEFLATE text/html", false],
    ["filter deflate include", "AddOutputFilterByType includes;Deflate text/html", false],
    ["filter deflate", "AddOutputFilterByType INCLUDES;DEFLATE text/html", true],
    ["filter deflate", "AddOutputFilterByType DEFLATE;INCLUDES text/html", true],
    ["filter", "AddOutputFilterByType DEFLATE text/html", true],
    ["filter deflate", "FilterProvider x DEFLATE true", false],
    ["filter deflate", "FilterProvider DEFLATE x true", true],
    ["proxy", "BalancerMember balancer://x http://a", false],
    ["proxy", "<Proxy balancer://x>\nBalancerMember http://a\n</Proxy>", false],
    ["proxy", "<Proxy *>\nBalancerMember http://a\n</Proxy>", true],
    ["proxy", "<Location /a>\nBalancerMember http://balancer:1\n</Location>", true],
    ["proxy", "<ProxyMatch a>\nProxyPass http://a\n</ProxyMatch>", true],
  ])("with %s: %s", (modules, text, expected) => {
    expect(isOpen(modules.split(" "), text)).toBe(expected);
  });
});
