import type { BuildOptions } from "esbuild";

export declare const forBrowsers: BuildOptions;
