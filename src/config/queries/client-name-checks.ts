import { readSubnet } from "../../text/addresses.js";
import type { Directive } from "../model/directive.js";

/**
 * Reports whether a line, or one in its block of Require lines or methods, checks the name of the client. The server then looks
 * the name up, whatever HostnameLookups is, and keeps it (server/core.c `ap_get_useragent_host` with REMOTE_DOUBLE_REV).
 */
export function checksClientName({ key, arguments: words, children = [] }: Directive): boolean {
  const values = words.map(({ value }) => value);
  switch (key) {
    case "allow":
    case "deny":
      return values.some((word) => !/^(?:from|all|env=.*)$/i.test(word) && !readSubnet(word).ok);
    case "require":
      return (values[0]?.toLowerCase() === "not" ? values[1] : values[0])?.toLowerCase() === "host";
    case "<authzprovideralias":
      return values[0]?.toLowerCase() === "host";
    default:
      return /^<(?:require|limit)/.test(key) && children.some(checksClientName);
  }
}
