// Reads package-lock.json: every package is pinned by its hash and comes from the npm registry, and what runs in production has a
// licence of the list below. With `--list` it prints the packages by licence.
import { readFileSync } from "node:fs";

const REGISTRY = "https://registry.npmjs.org/";

/** Licences that ask for no more than a notice. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
  "Zlib",
]);

/** Packages with another licence, and why that is all right. */
const EXCEPTIONS = {
  "node-liblzma":
    "LGPL-3.0: an optional native module of just-bash; it is in no bundle and is not distributed",
};

/** A devDependency whose files the service hands out. */
const SERVED = new Set(["@scalar/api-reference"]);

/** Whether an SPDX expression of AND and OR, as packages have them, asks for allowed licences only. */
function isAllowed(expression) {
  const plain = expression.replaceAll(/[()]/g, "").trim();
  if (/ AND .* OR | OR .* AND /.test(plain)) return false;
  if (plain.includes(" OR ")) return plain.split(" OR ").some((each) => ALLOWED.has(each));
  return plain.split(" AND ").every((each) => ALLOWED.has(each));
}

const byName = (one, other) => one.localeCompare(other);

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const entries = Object.entries(packages)
  // The project itself and its own packages (sdk, cli), which are links.
  .filter(([path, { link }]) => path.includes("node_modules/") && !link)
  .map(([path, entry]) => ({ ...entry, name: path.slice(path.lastIndexOf("node_modules/") + 13) }));

const faults = [];
// A file that lists nothing would pass every check.
if (entries.length === 0) faults.push("package-lock.json lists no package");
for (const { name, version, integrity, resolved } of entries) {
  if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? "")) {
    faults.push(`${name} ${version}: no SHA-512 of its contents in package-lock.json`);
  }
  if (resolved !== undefined && !resolved.startsWith(REGISTRY)) {
    faults.push(`${name} ${version}: from ${resolved}, not from ${REGISTRY}`);
  }
}

const production = entries.filter(({ name, dev }) => !dev || SERVED.has(name));
for (const { name, version, license } of production) {
  if (license === undefined) faults.push(`${name} ${version}: package-lock.json names no licence`);
  else if (!(name in EXCEPTIONS) && !isAllowed(license)) {
    faults.push(
      `${name} ${version}: the licence ${license} is not in the list of test/architecture/dependencies.mjs`,
    );
  }
}

if (process.argv.includes("--list")) {
  for (const licence of new Set(production.map(({ license }) => license ?? "none").toSorted(byName))) {
    const names = production.filter(({ license }) => (license ?? "none") === licence).map(({ name }) => name);
    process.stdout.write(`${licence}: ${[...new Set(names)].toSorted(byName).join(", ")}\n`);
  }
  for (const [name, reason] of Object.entries(EXCEPTIONS))
    process.stdout.write(`Exception: ${name}: ${reason}\n`);
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
