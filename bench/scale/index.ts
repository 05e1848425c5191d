import { writeFileSync } from "node:fs";
import { PAGE_FILE, readPage } from "./page.ts";

// `npm run bench:scale`: computes the tables of docs/scale.md from `measured.json`, the published prices and the
// constants of the code.
writeFileSync(PAGE_FILE, readPage().shouldBe);
