import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "@playwright/test";
import { SCHEMES, WIDTHS, type Screenshot } from "./camera.ts";

/** Width of a sheet, and how many screenshots of each width stand side by side. */
const SHEET_WIDTH = 1_560;
const COLUMNS: Readonly<Record<number, number>> = { 390: 5, 820: 3, 1440: 2 };
const ROWS = 2;
/** A longer screenshot is cut on the sheet, in pixels. */
const MAX_HEIGHT = 1_000;

/** Lays the screenshots on one page, and on sheets: PNG files of a size that can be looked at. */
export async function laySheets(
  browser: Browser,
  folder: string,
  taken: readonly Screenshot[],
): Promise<number> {
  writeFileSync(path.join(folder, "index.html"), overview(taken));
  const page = await browser.newPage({ viewport: { width: SHEET_WIDTH, height: 800 } });
  let sheets = 0;
  for (const width of WIDTHS) {
    for (const scheme of SCHEMES) {
      const columns = COLUMNS[width] ?? 1;
      const own = taken.filter((each) => each.width === width && each.scheme === scheme);
      for (let at = 0; at < own.length; at += columns * ROWS) {
        const name = `sheet-${width}-${scheme}-${String(at / (columns * ROWS) + 1).padStart(2, "0")}`;
        const file = path.join(folder, `${name}.html`);
        writeFileSync(file, sheet(own.slice(at, at + columns * ROWS), columns));
        await page.goto(pathToFileURL(file).href);
        await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
        sheets += 1;
      }
    }
  }
  await page.close();
  return sheets;
}

function overview(taken: readonly Screenshot[]): string {
  const views = [...new Set(taken.map(({ view }) => view))];
  const rows = views.map(
    (view) =>
      `<h2 id="${view}">${view}</h2><div class="row">${taken
        .filter((each) => each.view === view)
        .map((each) => figure(each))
        .join("")}</div>`,
  );
  return html(
    ".row { display: flex; gap: 8px; align-items: start; overflow-x: auto } .row img { height: 420px }",
    rows.join("\n"),
  );
}

function sheet(screenshots: readonly Screenshot[], columns: number): string {
  const style = `body { width: ${SHEET_WIDTH}px; margin: 0; display: grid; grid-template-columns: repeat(${columns}, 1fr); gap: 8px }
img { width: 100%; max-height: ${MAX_HEIGHT}px; object-fit: cover; object-position: top }`;
  return html(style, screenshots.map((each) => figure(each)).join(""));
}

function figure({ file, view, width, scheme }: Screenshot): string {
  return `<figure><figcaption>${view}, ${width}, ${scheme}</figcaption><a href="${file}"><img loading="eager" alt="" src="${file}"></a></figure>`;
}

function html(style: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots of the console</title>
<style>body { background: #888; font: 14px sans-serif } figure { margin: 0; min-width: 0 } img { display: block } ${style}</style>
<body>${body}</body></html>
`;
}
