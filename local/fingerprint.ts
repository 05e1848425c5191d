import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";

/** Source files of the Worker, of the program that runs its commands, of the guide and of the console. */
const INPUTS = [
  "package.json",
  "package-lock.json",
  "wrangler.toml",
  "local/build-assets.sh",
  "hosts/command-runner/*.ts",
  "local/guide/*.ts",
  "docs/guide/*.md",
  "console/{,account/}*.{html,ts}",
  "{console,sdk}/src/**/*.*",
  "{src,functions,durable-objects}/**/*.*",
];

/** Returns a text that changes when one of these files does. */
export function fingerprintInputs(): string {
  const hash = createHash("sha256");
  for (const file of globSync(INPUTS).toSorted()) {
    const content = readFileSync(file);
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
