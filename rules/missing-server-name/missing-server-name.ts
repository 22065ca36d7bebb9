import { isSince, isWholeServer } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  unnamed: {
    message: "the main server has no `ServerName`",
    notes: [
      "httpd asks the resolver for the name of the machine at each start",
      "without a full name, it uses an address and reports AH00558",
    ],
    help: ["add `ServerName` outside of virtual hosts, with the name of the machine"],
  },
};

export const missingServerName = defineRule({
  id: "missing-server-name",
  title: "Server without a name",
  group: "startup",
  severity: "info",
  description: "A server without ServerName outside of its virtual hosts.",
  help: "httpd asks the resolver for the name of the machine at each start, which delays the start if the resolver does not answer. Without a full name, httpd uses an address and reports AH00558. The name is used in redirects with `UseCanonicalName On`, and by virtual hosts without a name. Add `ServerName` to the main file.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => ({
    end() {
      const { directives } = project;
      if (!isSince(release, "2.4") || !isWholeServer(project) || directives.some(({ key }) => key === "servername"))
        return;
      const line = directives.find(({ key }) => key === "listen");
      if (line) report({ message: messages.unnamed, span: line.span, isAboutServer: true });
    },
  }),
});
