import { addressKeysOf, type Directive, isSince, lineKeyOf } from "../../src/lint/api/configuration.js";
import { defineVariant, getOrCreate, quoteText } from "../../src/lint/api/rule.js";
import { type HostName, HostNames, isWildcardName, listNames } from "./host-names.js";

const facts = ["of the virtual hosts with one address, the first with the name responds", "httpd does not warn"];

const messages = {
  hidden: ({ text, first }: TakenName) => ({
    message: `the virtual host ${quoteText(text)} never responds: an earlier one has its names`,
    notes: facts,
    help: [
      isWildcardName(first.text)
        ? `move this virtual host before the one with the wildcard ${quoteText(first.text)}`
        : "merge the virtual hosts, or correct the name of one of them",
    ],
  }),
  readTwice: ({ text }: TakenName) => ({
    message: `the virtual host ${quoteText(text)} is read twice`,
    notes: ["two `Include` lines read this file", "httpd does not warn, and the second virtual host never responds"],
    help: ["delete one of the `Include` lines"],
  }),
  taken: ({ text }: TakenName) => ({
    message: `the name ${quoteText(text)} selects an earlier virtual host, not this one`,
    notes: facts,
    help: ["delete the name from one of the virtual hosts"],
  }),
};

const labels = { first: "this name matches first" };

export const duplicateVirtualHost = defineVariant({
  id: "duplicate-virtual-host",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    return {
      end() {
        const byAddress = new Map<string, HostNames>();
        const groupsByTag = new Map<readonly string[], readonly HostNames[]>();
        for (const host of project.directives) {
          if (host.key !== "<virtualhost") continue;
          const keys = addressKeysOf(host, project);
          const groups = getOrCreate(groupsByTag, keys, () =>
            keys.map((key) => getOrCreate(byAddress, key, () => new HostNames())),
          );
          const names = listNames(host);
          const taken = findTaken(names, groups);
          // The first virtual host of an address responds to all other names.
          const isHidden = taken.length === names.length && groups.every((each) => !each.isEmpty) && hasOnlyNames(host);
          for (const name of isHidden ? taken.slice(0, 1) : taken) {
            const { argument, line, first } = name;
            const isRepeated = lineKeyOf(first.line) === lineKeyOf(line) && !("macro" in line.span.file);
            const message = isRepeated ? messages.readTwice : isHidden ? messages.hidden : messages.taken;
            report({
              message: message(name),
              span: isHidden ? host.span : line.spanOf(argument),
              related: isRepeated ? [] : [{ message: labels.first, span: first.line.span }],
            });
          }
          for (const group of groups) group.add(names);
        }
      },
    };
  },
});

/** A name that never selects its virtual host. */
interface TakenName extends HostName {
  /** The name of an earlier virtual host. */
  readonly first: HostName;
}

/** Returns the names that earlier virtual hosts have at each address. */
function findTaken(names: readonly HostName[], groups: readonly HostNames[]): readonly TakenName[] {
  const taken: TakenName[] = [];
  for (const name of names) {
    const first = groups[0]?.find(name.text);
    if (first && groups.every((group) => group.find(name.text) !== undefined)) taken.push({ ...name, first });
  }
  return taken;
}

/** Returns whether httpd selects a virtual host only by its names: without a ServerName, it has other names as well. */
function hasOnlyNames({ children = [] }: Directive): boolean {
  return children.some(({ key }) => key === "servername") && children.every(({ key }) => key !== "serverpath");
}
