import { defineRule } from "../../src/lint/api/rule.js";
import { duplicateVirtualHost } from "./duplicate-virtual-host.js";
import { lateDefaultHost } from "./late-default-host.js";
import { missingAlias } from "./missing-alias.js";
import { mixedVirtualHostAddresses } from "./mixed-virtual-host-addresses.js";
import { unnamedVirtualHost } from "./unnamed-virtual-host.js";
import { unreachableMainServer } from "./unreachable-main-server.js";
import { virtualHostWithoutListen } from "./virtual-host-without-listen.js";

export const unexpectedVirtualHost = defineRule({
  id: "unexpected-virtual-host",
  title: "Virtual host for unexpected requests",
  group: "correctness",
  severity: "warning",
  description:
    "A virtual host that handles no requests, or unexpected ones, because of its address, its name or its place in the file. Also the document root of a main server whose name a virtual host answers.",
  help: "httpd chooses the virtual hosts with the most specific address, then the first of them that has the name in the Host header, or else the first of them. It reads no requests from a port without a Listen line. Give each virtual host a ServerName of its own and an address that is written in the same way, and put the default virtual host first.",
  tags: ["correctness"],
  variants: [
    duplicateVirtualHost,
    unnamedVirtualHost,
    lateDefaultHost,
    mixedVirtualHostAddresses,
    virtualHostWithoutListen,
    unreachableMainServer,
    missingAlias,
  ],
});
