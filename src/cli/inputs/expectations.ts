import type { Request } from "../../httpd/model/request.js";
import { parseRequest, type RequestPartNames, type RequestSpec } from "../../httpd/request/request-parser.js";
import type { FileContent } from "../../project/files/file-access.js";
import { findClosestWord } from "../../text/closest-word.js";
import { toReadable } from "../../text/source.js";

/** The default expectations file. */
export const EXPECTATIONS_FILE = "httpd-lint.expectations.json";

/** The expected result of a request: a status, or whether access is granted. */
export type ExpectedResult = number | "allowed" | "refused";

/** A request and its expected result. */
export interface Expectation {
  readonly name: string | undefined;
  readonly request: Request;
  readonly expected: ExpectedResult;
}

export type ParsedExpectations =
  | { readonly expectations: readonly Expectation[] }
  /** The file cannot be read. */
  | { readonly unreadable: string }
  /** The contents are invalid. */
  | { readonly failed: string };

/** Parses an expectations file, as described by `expectations.schema.json`. */
export function parseExpectations(path: string, content: FileContent): ParsedExpectations {
  if ("failed" in content) return { unreadable: `the file of expectations \`${path}\` cannot be read` };
  const reader = new ExpectationReader();
  const expectations = reader.whole(parseJsonText(toReadable(content.text)));
  if (reader.failed !== undefined) return { failed: `\`${path}\`: ${reader.failed}` };
  if (expectations.length === 0) return { failed: `\`${path}\` holds no expectations` };
  return { expectations };
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Fields = ReadonlyMap<string, unknown>;

const textFields = ["method", "scheme", "host", "serverIp", "clientHost", "user", "query"] as const;
const listFields = ["groups", "dbmGroups", "grants", "env"] as const;
const knownFields = [...textFields, ...listFields, "port", "headers", "path", "clientIp", "expect", "name"];

/** Parses the contents of the file; keeps the first error. */
class ExpectationReader {
  failed: string | undefined;

  whole(value: unknown): readonly Expectation[] {
    const fields = fieldsOf(value);
    if (fields === undefined) return this.fault("it is no JSON object") ?? [];
    const list = fields.get("expectations");
    for (const key of fields.keys())
      if (!["$schema", "defaults", "expectations"].includes(key)) this.fault(`\`${key}\` means nothing here`);
    if (!Array.isArray(list)) return this.fault("`expectations` is missing, a list of objects") ?? [];
    const defaults = fields.has("defaults") ? fieldsOf(fields.get("defaults")) : new Map<string, unknown>();
    if (defaults === undefined) return this.fault("`defaults` is no object") ?? [];
    return list.flatMap((each: unknown, index) =>
      this.failed === undefined ? this.each(each, defaults, `expectation ${index + 1}`) : [],
    );
  }

  private each(value: unknown, defaults: Fields, where: string): readonly Expectation[] {
    const own = fieldsOf(value);
    if (own === undefined) return this.fault(`${where} is no object`) ?? [];
    const fields = new Map([...defaults, ...own]);
    const stranger = [...fields.keys()].find((key) => !knownFields.includes(key));
    if (stranger !== undefined) {
      const near = findClosestWord(stranger, knownFields);
      return this.fault(`${where}: \`${stranger}\` means nothing${near ? `, did you mean \`${near}\`` : ""}`) ?? [];
    }
    const paths = this.several(fields, "path", where);
    const clients = this.several(fields, "clientIp", where);
    const expected = this.expected(fields.get("expect"), where);
    const name = this.text(fields, "name", where);
    if (paths === undefined) return this.fault(`${where}: \`path\` is missing`) ?? [];
    if (expected === undefined) return [];
    const written = this.request(fields, where);
    return paths.flatMap((url) =>
      (clients ?? [undefined]).flatMap((clientIp) => {
        const asked = parseRequest({ ...written, url, clientIp }, partNames);
        if ("failed" in asked) return this.fault(`${where}: ${asked.failed}`) ?? [];
        return [{ name, expected, request: asked.request }];
      }),
    );
  }

  private request(fields: Fields, where: string): Omit<RequestSpec, "url"> {
    const [method, scheme, host, serverIp, clientHost, user, query] = textFields.map((key) =>
      this.text(fields, key, where),
    );
    const [groups, dbmGroups, grants, env] = listFields.map((key) => this.list(fields, key, where));
    const port = fields.get("port");
    if (port !== undefined && typeof port !== "number") this.fault(`${where}: \`port\` is no number`);
    return {
      ...{ method, scheme, host, serverIp, clientHost, user, query, groups, dbmGroups, grants, env },
      port: port === undefined ? undefined : String(port),
      headers: this.headers(fields.get("headers"), where),
    };
  }

  private expected(value: unknown, where: string): ExpectedResult | undefined {
    if (value === "allowed" || value === "refused") return value;
    if (typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 599) return value;
    this.fault(`${where}: \`expect\` is neither a status nor "allowed" nor "refused"`);
    return undefined;
  }

  private text(fields: Fields, key: string, where: string): string | undefined {
    const value = fields.get(key);
    if (value === undefined || typeof value === "string") return value;
    this.fault(`${where}: \`${key}\` is no text`);
    return undefined;
  }

  private list(fields: Fields, key: string, where: string): readonly string[] | undefined {
    const value = fields.get(key);
    if (value === undefined) return undefined;
    const words = Array.isArray(value) ? value.filter((each: unknown) => typeof each === "string") : [];
    if (!Array.isArray(value) || words.length < value.length) this.fault(`${where}: \`${key}\` is no list of texts`);
    return words;
  }

  /** Returns a list of strings; a single string becomes a list. */
  private several(fields: Fields, key: string, where: string): readonly string[] | undefined {
    return typeof fields.get(key) === "string" ? [String(fields.get(key))] : this.list(fields, key, where);
  }

  private headers(value: unknown, where: string): readonly string[] | undefined {
    if (value === undefined) return undefined;
    const fields = fieldsOf(value);
    if (fields === undefined) this.fault(`${where}: \`headers\` is no object of names and values`);
    return [...(fields ?? [])].map(([name, text]) => `${name}: ${String(text)}`);
  }

  private fault(message: string): undefined {
    this.failed ??= message;
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return new Map<string, unknown>(Object.entries(value));
}

const partNames: RequestPartNames = {
  ...{ url: "`path`", method: "`method`", scheme: "`scheme`", host: "`host`", port: "`port`", query: "`query`" },
  ...{ serverIp: "`serverIp`", clientIp: "`clientIp`", clientHost: "`clientHost`", user: "`user`" },
  ...{ groups: "`groups`", dbmGroups: "`dbmGroups`", grants: "`grants`", env: "`env`", headers: "`headers`" },
};
