/** Bundle options for code that runs in browsers: an import of Node's fails. @type {import("esbuild").BuildOptions} */
export const forBrowsers = {
  bundle: true,
  platform: "browser",
  format: "iife",
  target: ["chrome111", "firefox115", "safari16.4"],
  minify: true,
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
};
