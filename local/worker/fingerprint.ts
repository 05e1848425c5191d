import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";

/** Everything that the bundle is made from. */
const INPUTS = [
  "package.json",
  "package-lock.json",
  "wrangler.toml",
  "local/build-assets.sh",
  "{src,functions,durable-objects}/**/*.*",
];

/** A text that changes when a file of the Worker does. */
export function fingerprintInputs(): string {
  const hash = createHash("sha256");
  for (const file of globSync(INPUTS).toSorted()) {
    const content = readFileSync(file);
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
