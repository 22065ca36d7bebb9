import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { diskFiles } from "../../src/server/file-trees.js";
import {
  groupMembers,
  groupUsers,
  memberFiles,
  memberLines,
  memberModules,
  passwordAnswers,
} from "../support/cases/member-cases.js";
import { load } from "../support/projects.js";

const texts = Object.fromEntries(Object.entries(memberFiles).map(([name, text]) => [`/etc/httpd/${name}`, text]));
const config = ['DocumentRoot "/srv"', ...memberLines, ""].join("\n");
const project = load({ "/etc/httpd/httpd.conf": config }, { kind: "server", modules: memberModules });
const simulatedServer = new SimulatedServer(project, diskFiles(memoryAccess({ ...texts, "/srv/x": "" })));

function decideAs(user: string, path: string) {
  return simulatedServer.answer({ method: "GET", path, host: "x.test", clientIp: "192.0.2.7", user });
}

describe("a group file", () => {
  test.each(groupMembers)("has the group %s with %j", (group, members) => {
    const index = groupMembers.findIndex(([name]) => name === group);
    expect(groupUsers.filter((user) => decideAs(user, `/g${index}`).status !== 401)).toEqual(members);
  });
});

describe("a password file", () => {
  test.each(passwordAnswers)("for %j: Basic %s, Digest %s", (user, basic, digest) => {
    const answers = ["/Basic", "/Digest"].map((path) => {
      const { class: access, log } = decideAs(user, path);
      return access === "allowed" ? "200" : log.join(" ");
    });
    expect(answers).toEqual([basic, digest]);
  });
});
