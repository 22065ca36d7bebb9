import { type Directive, isSince } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  inode: (line: Directive) => ({
    message: `${quoteText(`FileETag ${line.argumentText}`)} shows the inode numbers of files`,
    notes: [
      "the header `ETag` contains the number in hexadecimal",
      "servers behind a load balancer have different numbers, so that caches fetch the same file again",
    ],
    help: ["use `FileETag MTime Size`, the default"],
  }),
};

export const etagInode = defineRule({
  id: "etag-inode",
  title: "ETag with the inode number",
  group: "hardening",
  severity: "info",
  description: "FileETag with INode or All, so that ETag headers contain the inode numbers of files.",
  help: "An inode number is a detail of the file system, and servers with the same files have different ones. The default since 2.4 is `MTime Size`. Delete `INode`, and replace `All` with `MTime Size`.",
  securitySeverity: 1,
  references: { cis: ["8.4"], cwe: [200] },
  tags: ["security"],
  messages,
  check: ({ release, report }) => ({
    scope: {
      holding: ["fileetag"],
      visit({ directives }) {
        const line = directives.findLast(({ key }) => key === "fileetag");
        if (isSince(release, "2.4") && line && hasInode(line))
          report({ message: messages.inode(line), span: line.span });
      },
    },
  }),
});

/** Returns whether the last word about the inode number adds it (server/core.c `set_etag_bits`). */
function hasInode(line: Directive): boolean {
  const word = line.arguments.findLast(({ value }) => /^(?:[+-]?inode|all|none)$/i.test(value));
  return word !== undefined && /^(?:\+?inode|all)$/i.test(word.value);
}
