import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  fetchable: (line: Directive, what: string, answer: DefiniteAnswer) => ({
    message: `every client can read the file of ${formatLineTitle(line)}`,
    notes: [`the file contains ${what}`, describeAnswer(answer)],
    help: ["move the file out of the served directories, or deny it with `<Files>`"],
  }),
};

/** The directives with a file that is private, and its contents. */
const contents: ReadonlyMap<string, string> = new Map([
  ["authuserfile", "the password hashes of users"],
  ["authgroupfile", "the names of users"],
  ["authdbmuserfile", "the password hashes of users"],
  ["authdigestfile", "the password hashes of users"],
  ["sslcertificatekeyfile", "a private key"],
  ["sslproxymachinecertificatefile", "a private key"],
  ["customlog", "the addresses and requests of clients"],
  ["transferlog", "the addresses and requests of clients"],
  ["errorlog", "paths and errors of the server"],
  ["rewritelog", "paths and requests"],
  ["rewritemap", "a table of the server"],
]);

export const namedFileFetchable = defineRule({
  id: "named-file-fetchable",
  title: "File of the configuration is served",
  group: "exposure",
  severity: "error",
  description:
    "A password file, private key, log or rewrite map that the configuration names is below a served directory.",
  help: "Clients can fetch the file, and its name is easy to guess. Move it out of the served directories, or deny it with Files.",
  securitySeverity: 8.2,
  references: { cis: ["7.3"], stig: ["V-214274"], cwe: [552] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: [...contents.keys()],
      *check({ line, server }, client) {
        const path = fileOf(line);
        const what = contents.get(line.key);
        const answer = path === undefined ? undefined : client.askForPath(server, path);
        if (answer === undefined || what === undefined) return;
        const references = { cis: line.key === "sslcertificatekeyfile" ? ["7.3"] : [] };
        yield {
          message: messages.fetchable(line, what, answer),
          span: line.span,
          witness: witnessOf(answer),
          references,
        };
      },
    },
  }),
});

/** Returns the file that a line names; undefined for a program, the system log or a hash. */
function fileOf({ key, arguments: [first, second] }: Directive): string | undefined {
  if (key === "rewritemap") return /^(?:txt|rnd):(.*)$/s.exec(second?.value ?? "")?.[1];
  const path = first?.value;
  return path === undefined || /^(?:\||syslog\b|pkcs11:)|\$\{|%/.test(path) ? undefined : path;
}
