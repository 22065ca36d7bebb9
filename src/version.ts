import manifest from "../package.json" with { type: "json" };

/** The version of httpd-lint. */
export const version: string = manifest.version;
