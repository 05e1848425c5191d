import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ModuleOf } from "./self-times.ts";

/** The comment that esbuild writes above each module of an unminified bundle. */
const HEADING =
  /^\/\/ ((?:\.\.\/)*(?:node_modules|src|functions|durable-objects|wrangler-modules-watch)[^\s:]*)$/u;

/** Finds modules by the headings in the bundler's output files in a folder. */
export function bundledModules(dir: string): ModuleOf {
  const files = new Map<string, string[]>();
  return (url, line) => {
    const name = path.basename(url);
    if (name === "") return "";
    let modules = files.get(name);
    if (!modules) files.set(name, (modules = modulesByLine(path.join(dir, name))));
    return modules[line] ?? name;
  };
}

function modulesByLine(file: string): string[] {
  let module = path.basename(file);
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .map((line) => (module = HEADING.exec(line)?.[1] ?? module));
  } catch {
    return []; // the runtime's own
  }
}

/** Modules that run from their own files, relative to the working directory. */
export const fileModules: ModuleOf = (url) =>
  url.startsWith("file:") ? path.relative(process.cwd(), fileURLToPath(url)) : url;
