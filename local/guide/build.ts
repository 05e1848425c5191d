/** Builds the guide's pages out of `docs/guide` into `public`: `node local/guide/build.ts`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { readGuide } from "./contents.ts";
import { renderLlmsTxt, renderPage } from "./render.ts";

const guide = readGuide();
mkdirSync("public/guide", { recursive: true });
for (const page of guide) {
  writeFileSync(`public/guide/${page.name}.html`, renderPage(page, guide));
  writeFileSync(`public/guide/${page.name}.md`, page.markdown);
}
writeFileSync("public/guide/llms.txt", renderLlmsTxt(guide));
