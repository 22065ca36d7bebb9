import type { RequestSpec } from "../../server/request/request-parser.js";

/** Returns the request entered in a form of `request-form.ts`. */
export function readRequestForm(form: HTMLFormElement): RequestSpec {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "").trim() || undefined;
  const lines = (name: string) =>
    text(name)
      ?.split(/\r?\n/)
      .filter((line) => line.trim() !== "");
  return {
    url: text("url") ?? "/",
    method: text("method")?.toUpperCase(),
    scheme: text("scheme"),
    host: text("host"),
    port: text("port"),
    serverIp: text("serverIp"),
    clientIp: text("clientIp"),
    clientHost: text("clientHost"),
    user: text("user"),
    groups: text("groups")?.split(/[\s,]+/),
    headers: lines("headers"),
    env: lines("env"),
  };
}
