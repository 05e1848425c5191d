import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { constants, gzipSync } from "node:zlib";

// Packs scripts and styles of `public/` beside themselves, once for each version: workerd sends files as they are. Clients get
// the packed file by `src/routes/asset.ts`.

for (const file of globSync("public/**/*.{js,css}")) {
  const packed = statSync(`${file}.gz`, { throwIfNoEntry: false });
  if (packed && packed.mtimeMs >= statSync(file).mtimeMs) continue;
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
}
