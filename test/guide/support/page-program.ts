import { writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { marked } from "marked";
import type { GuidePage } from "#local/guide/contents.ts";

/** A block of code of a page that a reader can run. */
interface Block {
  language: string;
  code: string;
}

/** Languages of blocks that are run, unless the block is marked `no-run`. */
const RUN = new Set(["sh", "ts", "python"]);

/** Returns the blocks of a page that can be run, in their order. */
export function blocksOf({ markdown }: GuidePage): Block[] {
  return marked.lexer(markdown).flatMap((token) => {
    if (token.type !== "code") return [];
    const [language = "", ...marks] = String(token["lang"] ?? "").split(" ");
    return RUN.has(language) && !marks.includes("no-run") ? [{ language, code: String(token["text"]) }] : [];
  });
}

/** The address that the pages use. */
const ADDRESS = "http://127.0.0.1:8787";

/** Where and with what the blocks run. */
interface Terms {
  folder: string;
  /** Address of the service, instead of the one in the pages. */
  service: string;
  /** The command for Python. */
  python: string;
}

/**
 * Writes a script for bash that runs the blocks of a page one after another, as a reader does in one terminal: what one block
 * sets, the next one has. Returns the script's path.
 */
export async function writeProgram(page: GuidePage, { folder, service, python }: Terms): Promise<string> {
  const parts: string[] = [];
  for (const [index, { language, code: written }] of blocksOf(page).entries()) {
    const code = written.replaceAll(ADDRESS, service);
    if (language === "sh") {
      parts.push(code);
    } else if (language === "python") {
      const file = path.join(folder, `${page.name}-${index}.py`);
      writeFileSync(file, code);
      parts.push(`${python} ${file}`);
    } else {
      const outfile = path.join(folder, `${page.name}-${index}.mjs`);
      await build({
        stdin: { contents: code, loader: "ts", resolveDir: "." },
        outfile,
        bundle: true,
        platform: "node",
        format: "esm",
        conditions: ["workspace-source"],
      });
      parts.push(`node ${outfile}`);
    }
  }
  const script = path.join(folder, `${page.name}.sh`);
  writeFileSync(script, `set -euo pipefail\n${parts.join("\n")}\n`);
  return script;
}
