import { writeFileSync } from "node:fs";
import { PAGE_FILE, readPage } from "./page.ts";

// `npm run bench:scale`: computes the tables of docs/scale.md from `measured.json`, the published figures and the code's own.
writeFileSync(PAGE_FILE, readPage().shouldBe);
